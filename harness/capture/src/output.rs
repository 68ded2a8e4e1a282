//! The outputs of a recording: written at once, or by a worker thread.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::header::{EVENT_VERSION, Header};
use crate::reader::Record;
use crate::writer::{Form, Writer};

/// Records are passed to the worker thread at the end of a frame, or when they have this many bytes.
const BATCH_BYTES: usize = 256 << 10;
/// The host waits while the worker thread is this many bytes or frames behind. This bounds memory, and the loss if the
/// process is killed.
const MAX_BYTES: usize = 1 << 20;
const MAX_FRAMES: u32 = 1;
/// Longest time in which the host waits for the storage of a recording.
pub(crate) const STALL: Duration = Duration::from_secs(10);
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
        let output = Counted { output, status: Arc::clone(&status) };
        let writer = Writer::with_form(output, header, form, EVENT_VERSION);
        Limited { writer: writer.map_err(|error| status.stop(error)).ok(), limit, status }
    }

    #[cfg(test)]
    pub(crate) fn output_mut(&mut self) -> Option<&mut W> {
        Some(&mut self.writer.as_mut()?.output_mut().output)
    }

    fn record(&mut self, record: &Record) {
        let Some(writer) = &mut self.writer else {
            return;
        };
        let written = match self.status.bytes().saturating_add(writer.pending()) < self.limit {
            true => writer.write(record),
            false => Err(io::Error::new(
                io::ErrorKind::StorageFull,
                format!("the recording has reached its limit of {} bytes", self.limit),
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

    /// Number of records that wait for the worker thread.
    #[cfg(test)]
    pub(crate) fn queued(&self) -> usize {
        match self {
            Output::Direct(_) => 0,
            Output::Threaded(threaded) => lock(&threaded.queue.waiting).records.len(),
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
    /// The host waits for the thread no longer than `stall`.
    pub(crate) fn threaded(limited: Limited<W>, stall: Duration) -> Self {
        let status = Arc::clone(&limited.status);
        let queue = Arc::new(Queue::default());
        match start((limited, Arc::clone(&queue)), |(limited, queue)| queue.write(limited)) {
            Ok(thread) => Output::Threaded(Threaded {
                queue,
                thread: Some(thread),
                status,
                stall,
                batch: Vec::new(),
                bytes: 0,
            }),
            Err((limited, _)) => Output::Direct(limited),
        }
    }
}

/// Starts a thread that works on a value. Gives the value back where there are no threads, as in a browser.
fn start<V: Send + 'static, T: Send + 'static>(
    value: V,
    work: fn(V) -> T,
) -> Result<JoinHandle<T>, V> {
    let value = Arc::new(Mutex::new(Some(value)));
    let its_own = Arc::clone(&value);
    let take = |value: &Mutex<Option<V>>| lock(value).take().expect("one of the two takes it");
    let thread = thread::Builder::new().name("recorder".to_owned());
    thread.spawn(move || work(take(&its_own))).map_err(|error| {
        log::debug!("recording without a thread: {error}");
        take(&value)
    })
}

/// Opens a storage; waits for it no longer than `stall`, where there are threads.
pub(crate) fn open<T: Send + 'static>(
    stall: Duration,
    begin: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let (sender, receiver) = channel();
    // Nobody receives what is late.
    let opened = start((begin, sender), |(begin, sender)| drop(sender.send(begin())));
    opened.map_or_else(
        |(begin, _)| begin(),
        |_| receiver.recv_timeout(stall).unwrap_or_else(|_| Err(stalled(stall))),
    )
}

fn stalled(stall: Duration) -> io::Error {
    let text = format!("the storage of the recording took no data for {stall:?}");
    io::Error::new(io::ErrorKind::TimedOut, text)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The host's side of a worker thread.
#[derive(Debug)]
pub(crate) struct Threaded<W> {
    queue: Arc<Queue>,
    thread: Option<JoinHandle<Option<io::Result<W>>>>,
    status: Arc<Status>,
    stall: Duration,
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
            self.hand_over(u32::from(ends_frame), Instant::now() + self.stall);
        }
    }

    fn hand_over(&mut self, frames: u32, until: Instant) {
        if !self.queue.push(&mut self.batch, self.bytes, frames, until) {
            self.status.stop(stalled(self.stall));
        }
        self.bytes = 0;
    }

    fn finish(&mut self) -> Option<io::Result<W>> {
        let thread = self.thread.take()?;
        let until = Instant::now() + self.stall;
        self.hand_over(0, until);
        if !self.queue.close(until) {
            // The thread ends when the storage continues, or with the process.
            self.status.stop(stalled(self.stall));
            return None;
        }
        // A panic is an error of the status.
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
    /// Set when no more records follow.
    closed: bool,
    /// Set when the thread has written everything, or can't go on.
    ended: bool,
}

impl Queue {
    fn wait<'a>(&self, waiting: MutexGuard<'a, Waiting>) -> MutexGuard<'a, Waiting> {
        let waiting = self.changed.wait(waiting);
        waiting.unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a condition no longer holds; returns whether it still holds after the deadline.
    fn wait_while<'a>(
        &self,
        waiting: MutexGuard<'a, Waiting>,
        until: Instant,
        condition: impl FnMut(&mut Waiting) -> bool,
    ) -> (MutexGuard<'a, Waiting>, bool) {
        let left = until.saturating_duration_since(Instant::now());
        let waited = self.changed.wait_timeout_while(waiting, left, condition);
        let (waiting, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        (waiting, timeout.timed_out())
    }

    /// Passes records to the thread, once there is room for them. If there is none until the deadline, the queue is
    /// closed, and the result is false. Records for a closed queue are dropped.
    fn push(&self, batch: &mut Vec<Record>, bytes: usize, frames: u32, until: Instant) -> bool {
        let (mut waiting, full) = self.wait_while(lock(&self.waiting), until, |waiting| {
            !waiting.closed
                && waiting.bytes > 0
                && (waiting.bytes.saturating_add(bytes) > MAX_BYTES || waiting.frames >= MAX_FRAMES)
        });
        if full || waiting.closed {
            waiting.closed = true;
            batch.clear();
        } else {
            waiting.records.append(batch);
            waiting.bytes += bytes;
            waiting.frames += frames;
        }
        drop(waiting);
        self.changed.notify_all();
        !full
    }

    /// Closes the queue and waits for the end of the thread; returns whether it has ended before the deadline.
    fn close(&self, until: Instant) -> bool {
        let mut waiting = lock(&self.waiting);
        waiting.closed = true;
        self.changed.notify_all();
        !self.wait_while(waiting, until, |waiting| !waiting.ended).1
    }

    /// Runs on the worker thread: writes records until the queue is closed.
    fn write<W: Write>(&self, mut limited: Limited<W>) -> Option<io::Result<W>> {
        let _end = End(self, Arc::clone(&limited.status));
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

/// Ends a queue when dropped, also by a panic, so that the host never waits for a dead thread.
struct End<'a>(&'a Queue, Arc<Status>);

impl Drop for End<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.1.stop(io::Error::other("the thread of the recorder panicked"));
        }
        let mut waiting = lock(&self.0.waiting);
        (waiting.closed, waiting.ended) = (true, true);
        drop(waiting);
        self.0.changed.notify_all();
    }
}
