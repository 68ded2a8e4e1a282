//! The outputs of a recording: written at once, or by a worker thread.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};

use crate::header::{EVENT_VERSION, Header};
use crate::reader::Record;
use crate::writer::{Form, Writer};

/// Records are passed to the worker thread at the end of a frame, or when they have this many bytes.
const BATCH_BYTES: usize = 256 << 10;
/// The host waits while the worker thread is this many bytes or frames behind. This bounds memory, and the loss if the
/// process is killed.
const MAX_BYTES: usize = 1 << 20;
const MAX_FRAMES: u32 = 1;
/// Approximate size of a record without uploaded data.
const RECORD_BYTES: usize = 256;

/// The state of a recording, shared with the worker thread.
#[derive(Debug, Default)]
pub(crate) struct Status {
    /// Why it ended.
    pub(crate) error: OnceLock<io::Error>,
    /// Bytes written.
    bytes: AtomicU64,
}

impl Status {
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn stop(&self, error: io::Error) {
        log::warn!("recording ends: {error}");
        // Only the first error is kept.
        let _ = self.error.set(error);
    }
}

/// Counts written bytes.
#[derive(Debug)]
struct Counted<W> {
    output: W,
    status: Arc<Status>,
}

impl<W: Write> Write for Counted<W> {
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
pub(crate) struct Limited<W: Write> {
    /// `None` after an error.
    writer: Option<Writer<Counted<W>>>,
    limit: u64,
    pub(crate) status: Arc<Status>,
}

impl<W: Write> Limited<W> {
    /// Starts a capture.
    pub(crate) fn begin(output: W, header: &Header, form: Form, limit: u64) -> Self {
        let status = Arc::new(Status::default());
        let output = Counted {
            output,
            status: Arc::clone(&status),
        };
        let writer = Writer::with_form(output, header, form, EVENT_VERSION);
        Limited {
            writer: writer.map_err(|error| status.stop(error)).ok(),
            limit,
            status,
        }
    }

    fn record(&mut self, record: &Record) {
        let Some(writer) = &mut self.writer else {
            return;
        };
        let written = match self.status.bytes().saturating_add(writer.pending()) < self.limit {
            true => writer.write(record),
            false => Err(io::Error::new(
                io::ErrorKind::StorageFull,
                format!(
                    "the recording has reached its limit of {} bytes",
                    self.limit
                ),
            )),
        };
        let written = match (written, record) {
            // Lines are flushed at the end of a frame; blocks when they are full.
            (Ok(()), Record::Frame(_)) if writer.pending() == 0 => writer.flush(),
            (written, _) => written,
        };
        if let Err(error) = written {
            self.status.stop(error);
            // A further error is only a consequence of the first one.
            let _ = self.finish();
        }
    }

    /// Ends the capture; `None` if it ended before.
    fn finish(&mut self) -> Option<io::Result<W>> {
        let done = self.writer.take()?.finish();
        Some(done.map(|counted| counted.output))
    }
}

/// The output of a recording.
#[derive(Debug)]
pub(crate) enum Output<W: Write> {
    /// Written on the host's thread.
    Direct(Limited<W>),
    /// Written by a worker thread.
    Threaded(Threaded<W>),
}

impl<W: Write> Output<W> {
    pub(crate) fn record(&mut self, record: Record) {
        match self {
            Output::Direct(limited) => limited.record(&record),
            Output::Threaded(threaded) => threaded.record(record),
        }
    }

    /// Ends the recording after everything is written; `None` if it ended before.
    pub(crate) fn finish(&mut self) -> Option<io::Result<W>> {
        match self {
            Output::Direct(limited) => limited.finish(),
            Output::Threaded(threaded) => threaded.finish(),
        }
    }
}

impl<W: Write + Send + 'static> Output<W> {
    /// Starts a worker thread. Where none can be started, as in a browser, records are written on the host's thread.
    pub(crate) fn threaded(limited: Limited<W>) -> Self {
        // Taken by the thread, or by this function if the thread can't be started.
        let limited = Arc::new(Mutex::new(Some(limited)));
        let queue = Arc::new(Queue::default());
        let (its_queue, its_own) = (Arc::clone(&queue), Arc::clone(&limited));
        let work = move || {
            let limited = lock(&its_own).take();
            limited.and_then(|limited| its_queue.write(limited))
        };
        let thread = thread::Builder::new().name("recorder".to_owned());
        match thread.spawn(work) {
            Ok(thread) => Output::Threaded(Threaded {
                queue,
                thread: Some(thread),
                batch: Vec::new(),
                bytes: 0,
            }),
            Err(error) => {
                log::debug!("recording without a thread: {error}");
                let limited = lock(&limited).take();
                Output::Direct(limited.expect("only the thread takes it"))
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The host's side of a worker thread.
#[derive(Debug)]
pub(crate) struct Threaded<W> {
    queue: Arc<Queue>,
    thread: Option<JoinHandle<Option<io::Result<W>>>>,
    batch: Vec<Record>,
    bytes: usize,
}

impl<W> Threaded<W> {
    fn record(&mut self, record: Record) {
        let ends_frame = matches!(record, Record::Frame(_));
        let upload = match &record {
            Record::Call(line) => line.call.bytes(),
            Record::Frame(_) | Record::Event(_) => 0,
        };
        self.bytes += RECORD_BYTES + upload;
        self.batch.push(record);
        if ends_frame || self.bytes >= BATCH_BYTES {
            self.hand_over(u32::from(ends_frame));
        }
    }

    fn hand_over(&mut self, frames: u32) {
        self.queue.push(&mut self.batch, self.bytes, frames);
        self.bytes = 0;
    }

    fn finish(&mut self) -> Option<io::Result<W>> {
        let thread = self.thread.take()?;
        self.hand_over(0);
        lock(&self.queue.waiting).closed = true;
        self.queue.changed.notify_all();
        // A panic of the thread has been reported by the thread itself.
        thread.join().ok()?
    }
}

/// Records that were passed to the worker thread and are not written yet.
#[derive(Debug, Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Waiting {
    records: Vec<Record>,
    /// Including records that are being written.
    bytes: usize,
    frames: u32,
    /// Set when no more records follow, or when the thread has ended.
    closed: bool,
}

impl Queue {
    fn wait<'a>(&self, waiting: MutexGuard<'a, Waiting>) -> MutexGuard<'a, Waiting> {
        let waiting = self.changed.wait(waiting);
        waiting.unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes records to the thread, once there is room for them.
    fn push(&self, batch: &mut Vec<Record>, bytes: usize, frames: u32) {
        let mut waiting = lock(&self.waiting);
        while !waiting.closed
            && waiting.bytes > 0
            && (waiting.bytes.saturating_add(bytes) > MAX_BYTES || waiting.frames >= MAX_FRAMES)
        {
            waiting = self.wait(waiting);
        }
        waiting.records.append(batch);
        waiting.bytes += bytes;
        waiting.frames += frames;
        drop(waiting);
        self.changed.notify_all();
    }

    /// Runs on the worker thread: writes records until the queue is closed.
    fn write<W: Write>(&self, mut limited: Limited<W>) -> Option<io::Result<W>> {
        // Closes the queue however this ends, so that the host never waits for a dead thread.
        let _end = Closing(self);
        let mut records = Vec::new();
        loop {
            let mut waiting = lock(&self.waiting);
            while waiting.records.is_empty() && !waiting.closed {
                waiting = self.wait(waiting);
            }
            if waiting.records.is_empty() {
                return limited.finish();
            }
            std::mem::swap(&mut records, &mut waiting.records);
            let (bytes, frames) = (waiting.bytes, waiting.frames);
            drop(waiting);
            records.drain(..).for_each(|record| limited.record(&record));
            let mut waiting = lock(&self.waiting);
            waiting.bytes -= bytes;
            waiting.frames -= frames;
            drop(waiting);
            self.changed.notify_all();
        }
    }
}

/// Closes a queue when dropped.
struct Closing<'a>(&'a Queue);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        lock(&self.0.waiting).closed = true;
        self.0.changed.notify_all();
    }
}
