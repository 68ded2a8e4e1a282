//! The outputs of a recording, which write on the host's thread or on a worker thread.

use std::fmt::Display;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::header::{CaptureHeader, NOTE_VERSION};
use crate::record::CaptureRecord;
use crate::writer::{CaptureWriter, Form};

/// Records are passed to the worker thread at the end of a frame, or when they have this many bytes. The host waits
/// until the previous batch is written, which bounds memory, and the loss if the process is killed.
const BATCH_BYTES: usize = 512 << 10;
/// Maximum time that the host waits for the storage of a recording.
pub(crate) const STALL: Duration = Duration::from_secs(10);
const RECORD_BYTES: usize = 256;

/// Destination of a recorder's messages, such as a changed file name or the end of the recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessageTarget {
    /// Messages go to the log, if the host chose the recording's file.
    Log,
    /// Messages go to standard error, if the user chose the recording's file, because few players show their log.
    User,
}

impl MessageTarget {
    pub(crate) fn tell(self, text: &dyn Display) {
        match self {
            MessageTarget::Log => log::warn!("{text}"),
            // Writing fails if standard error is closed.
            MessageTarget::User => drop(writeln!(io::stderr(), "Molehill: {text}")),
        }
    }
}

/// The state of a recording, shared with the worker thread.
#[derive(Debug)]
pub(crate) struct RecordingStatus {
    pub(crate) error: OnceLock<io::Error>,
    bytes: AtomicU64,
    tells: MessageTarget,
}

impl RecordingStatus {
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn stop(&self, error: io::Error) {
        self.tells.tell(&format_args!("the recording stopped: {error}"));
        // Only the first error is stored.
        let _ = self.error.set(error);
    }
}

#[derive(Debug)]
struct ByteCounter<W> {
    output: W,
    status: Arc<RecordingStatus>,
}

impl<W: Write> Write for ByteCounter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.output.write(bytes)?;
        let more = written as u64;
        self.status.bytes.fetch_add(more, Ordering::Relaxed);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// Writes records until an error, or until the byte limit is reached.
#[derive(Debug)]
pub(crate) struct RecordSink<W: Write> {
    /// The writer; `None` after an error.
    writer: Option<CaptureWriter<ByteCounter<W>>>,
    limit: u64,
    pub(crate) status: Arc<RecordingStatus>,
}

impl<W: Write> RecordSink<W> {
    pub(crate) fn begin(
        output: W,
        header: &CaptureHeader,
        form: Form,
        (limit, tells): (u64, MessageTarget),
    ) -> Self {
        let (error, bytes) = (OnceLock::new(), AtomicU64::new(0));
        let status = Arc::new(RecordingStatus { error, bytes, tells });
        let output = ByteCounter { output, status: Arc::clone(&status) };
        let writer = CaptureWriter::with_form(output, header, form, NOTE_VERSION);
        let writer = writer.map_err(|error| status.stop(error)).ok();
        RecordSink { writer, limit, status }
    }

    fn record(&mut self, record: &CaptureRecord) {
        let Some(writer) = &mut self.writer else {
            return;
        };
        let written = if self.status.bytes().saturating_add(writer.pending()) < self.limit {
            writer.write(record)
        } else {
            let text = format!("the recording has reached its limit of {} bytes", self.limit);
            Err(io::Error::new(io::ErrorKind::StorageFull, text))
        };
        let written = match (written, record) {
            // Flush after each frame, so that a crash loses only the current frame.
            (Ok(()), CaptureRecord::Frame(_)) => writer.flush(),
            (written, _) => written,
        };
        if let Err(error) = written {
            self.status.stop(error);
            // An error here is only a consequence of the first error.
            let _ = self.finish();
        }
    }

    fn finish(&mut self) -> Option<io::Result<W>> {
        let done = self.writer.take()?.finish();
        Some(done.map(|counted| counted.output))
    }
}

#[derive(Debug)]
pub(crate) enum OutputSink<W: Write> {
    Direct(RecordSink<W>),
    Threaded(ThreadedWriter<W>),
}

impl<W: Write> OutputSink<W> {
    pub(crate) fn record(&mut self, record: CaptureRecord) {
        match self {
            OutputSink::Direct(limited) => limited.record(&record),
            OutputSink::Threaded(threaded) => threaded.record(record),
        }
    }

    /// Writes all records and ends the recording. Returns `None` if the recording had ended already.
    pub(crate) fn finish(&mut self) -> Option<io::Result<W>> {
        match self {
            OutputSink::Direct(limited) => limited.finish(),
            OutputSink::Threaded(threaded) => threaded.finish(),
        }
    }
}

impl<W: Write + Send + 'static> OutputSink<W> {
    /// Starts a worker thread. Without threads, as in a browser, records are written on the host's thread. The host
    /// waits for the thread no longer than `stall`.
    pub(crate) fn threaded(limited: RecordSink<W>, stall: Duration) -> Self {
        let status = Arc::clone(&limited.status);
        let ((batches, received), (sender, written)) = (channel(), channel());
        match start((limited, received, sender), write_batches) {
            Ok(thread) => OutputSink::Threaded(ThreadedWriter {
                worker: Some(BatchWriter { thread, batches, written, writing: false }),
                status,
                stall,
                batch: Vec::new(),
                bytes: 0,
            }),
            Err((limited, ..)) => OutputSink::Direct(limited),
        }
    }
}

/// Runs on the worker thread: writes batches of records until the host closes the channel, and returns their memory.
fn write_batches<W: Write>(
    (mut limited, received, written): (
        RecordSink<W>,
        Receiver<Vec<CaptureRecord>>,
        Sender<Vec<CaptureRecord>>,
    ),
) -> Option<io::Result<W>> {
    for mut batch in received {
        batch.drain(..).for_each(|record| limited.record(&record));
        // Sending fails if the host has stopped waiting and dropped its receiver.
        let _ = written.send(batch);
    }
    limited.finish()
}

/// Starts a thread that processes a value. If no thread can be started, as in a browser, returns the value unprocessed.
fn start<V: Send + 'static, T: Send + 'static>(
    value: V,
    work: fn(V) -> T,
) -> Result<JoinHandle<T>, V> {
    let value = Arc::new(Mutex::new(Some(value)));
    let its_own = Arc::clone(&value);
    let take = |value: &Mutex<Option<V>>| {
        let mut value = value.lock().unwrap_or_else(PoisonError::into_inner);
        value.take().expect("one of the two takes it")
    };
    let thread = thread::Builder::new().name("recorder".to_owned());
    thread.spawn(move || work(take(&its_own))).map_err(|error| {
        log::debug!(
            "the recorder's thread can't be started, so the caller's thread writes: {error}"
        );
        take(&value)
    })
}

/// Opens a file on another thread, if threads are available, and waits no longer than `stall`.
pub(crate) fn open<T: Send + 'static>(
    stall: Duration,
    begin: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let (sender, receiver) = channel();
    // If opening takes too long, the host drops the receiver, and the result is dropped.
    let opened = start((begin, sender), |(begin, sender)| drop(sender.send(begin())));
    opened.map_or_else(
        |(begin, _)| begin(),
        |_| receiver.recv_timeout(stall).unwrap_or_else(|_| Err(stalled(stall))),
    )
}

fn stalled(stall: Duration) -> io::Error {
    let text = format!("the recording's file accepted no data for {stall:?}");
    io::Error::new(io::ErrorKind::TimedOut, text)
}

/// The host's side of a worker thread.
#[derive(Debug)]
pub(crate) struct ThreadedWriter<W> {
    /// The worker thread; `None` after the end.
    worker: Option<BatchWriter<W>>,
    status: Arc<RecordingStatus>,
    stall: Duration,
    pub(crate) batch: Vec<CaptureRecord>,
    bytes: usize,
}

/// A thread that writes batches of records, one at a time.
#[derive(Debug)]
struct BatchWriter<W> {
    thread: JoinHandle<Option<io::Result<W>>>,
    batches: Sender<Vec<CaptureRecord>>,
    /// Empty batches that the thread returns for reuse.
    written: Receiver<Vec<CaptureRecord>>,
    /// True while a batch is being written.
    writing: bool,
}

impl<W> ThreadedWriter<W> {
    fn record(&mut self, record: CaptureRecord) {
        if self.worker.is_none() || self.status.error.get().is_some() {
            self.batch.clear();
            return;
        }
        let ends_frame = record.frame().is_some();
        self.bytes += RECORD_BYTES + record.bytes();
        self.batch.push(record);
        if ends_frame || self.bytes >= BATCH_BYTES {
            self.hand_over(Instant::now() + self.stall);
        }
    }

    /// Waits until the thread has written the previous batch, then passes it the next one. At the deadline, the
    /// recording ends.
    fn hand_over(&mut self, until: Instant) {
        let Some(worker) = &mut self.worker else { return };
        let left = until.saturating_duration_since(Instant::now());
        let emptied =
            if worker.writing { worker.written.recv_timeout(left) } else { Ok(Vec::new()) };
        match emptied {
            Ok(emptied) => {
                worker.writing = true;
                self.bytes = 0;
                // Sending fails if the thread has panicked, which the next call detects.
                let _ = worker.batches.send(std::mem::replace(&mut self.batch, emptied));
            }
            Err(RecvTimeoutError::Timeout) => {
                // The worker thread ends when the storage responds, or with the process.
                self.worker = None;
                self.status.stop(stalled(self.stall));
            }
            Err(RecvTimeoutError::Disconnected) => {
                let ended = self.worker.take().and_then(|worker| self.join(worker.thread));
                debug_assert!(ended.is_none(), "it ends only by a panic while batches may follow");
            }
        }
    }

    fn finish(&mut self) -> Option<io::Result<W>> {
        let until = Instant::now() + self.stall;
        self.hand_over(until);
        let BatchWriter { thread, batches, written, .. } = self.worker.take()?;
        drop(batches);
        loop {
            match written.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    self.status.stop(stalled(self.stall));
                    return None;
                }
            }
        }
        self.join(thread)
    }

    /// Returns the result of a thread that has ended.
    fn join(&self, thread: JoinHandle<Option<io::Result<W>>>) -> Option<io::Result<W>> {
        thread.join().unwrap_or_else(|_| {
            self.status.stop(io::Error::other("the thread of the recorder panicked"));
            None
        })
    }
}
