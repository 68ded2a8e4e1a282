//! Where a recording goes: to its output at once, or to a thread that writes it beside the host.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};

use crate::header::{EVENT_VERSION, Header};
use crate::reader::Record;
use crate::writer::{Form, Writer};

/// Records are handed to the thread at the end of a frame, or when they have so many bytes.
const BATCH_BYTES: usize = 256 << 10;
/// The host waits while the thread is so many bytes or frames behind: memory is bounded, and so is what a killed process
/// loses.
const MOST_BYTES: usize = 4 << 20;
const MOST_FRAMES: u32 = 4;
/// About the size of a record besides what it uploads.
const RECORD_BYTES: usize = 256;

/// How a recording goes.
#[derive(Debug, Default)]
pub(crate) struct Status {
    /// Why it has ended.
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
        // The first one counts.
        let _ = self.error.set(error);
    }
}

/// Counts bytes.
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

/// Writes up to an error or a number of bytes.
#[derive(Debug)]
pub(crate) struct Limited<W: Write> {
    /// `None` once it has failed.
    writer: Option<Writer<Counted<W>>>,
    limit: u64,
    pub(crate) status: Arc<Status>,
}

impl<W: Write> Limited<W> {
    /// Begins a capture.
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
            // A line is written out at once; a block when it is full.
            (Ok(()), Record::Frame(_)) if writer.pending() == 0 => writer.flush(),
            (written, _) => written,
        };
        if let Err(error) = written {
            self.status.stop(error);
            // An error here follows from the one before.
            let _ = self.finish();
        }
    }

    /// Ends what was written; `None` if it has ended before.
    fn finish(&mut self) -> Option<io::Result<W>> {
        let done = self.writer.take()?.finish();
        Some(done.map(|counted| counted.output))
    }
}

/// Where records go.
#[derive(Debug)]
pub(crate) enum Output<W: Write> {
    /// Written in place.
    Here(Limited<W>),
    /// To a thread.
    Beside(Beside<W>),
}

impl<W: Write> Output<W> {
    pub(crate) fn record(&mut self, record: Record) {
        match self {
            Output::Here(limited) => limited.record(&record),
            Output::Beside(beside) => beside.record(record),
        }
    }

    /// Ends the recording when all is written; `None` if it has ended before.
    pub(crate) fn finish(&mut self) -> Option<io::Result<W>> {
        match self {
            Output::Here(limited) => limited.finish(),
            Output::Beside(beside) => beside.finish(),
        }
    }
}

impl<W: Write + Send + 'static> Output<W> {
    /// Has a thread write; where none can be started, as in a browser, what is recorded is written in place.
    pub(crate) fn beside(limited: Limited<W>) -> Self {
        // The thread's, or ours again if there is none.
        let limited = Arc::new(Mutex::new(Some(limited)));
        let queue = Arc::new(Queue::default());
        let (its_queue, its_own) = (Arc::clone(&queue), Arc::clone(&limited));
        let work = move || {
            let limited = lock(&its_own).take();
            limited.and_then(|limited| its_queue.write(limited))
        };
        let thread = thread::Builder::new().name("recorder".to_owned());
        match thread.spawn(work) {
            Ok(thread) => Output::Beside(Beside {
                queue,
                thread: Some(thread),
                batch: Vec::new(),
                bytes: 0,
            }),
            Err(error) => {
                log::debug!("recording without a thread: {error}");
                let limited = lock(&limited).take();
                Output::Here(limited.expect("only the thread takes it"))
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The host's side of a thread that writes.
#[derive(Debug)]
pub(crate) struct Beside<W> {
    queue: Arc<Queue>,
    thread: Option<JoinHandle<Option<io::Result<W>>>>,
    batch: Vec<Record>,
    bytes: usize,
}

impl<W> Beside<W> {
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
        // A thread that panics has said so.
        thread.join().ok()?
    }
}

/// What was handed over and is not written yet.
#[derive(Debug, Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Waiting {
    records: Vec<Record>,
    /// With those that are just being written.
    bytes: usize,
    frames: u32,
    /// No more come, or nobody takes them.
    closed: bool,
}

impl Queue {
    fn wait<'a>(&self, waiting: MutexGuard<'a, Waiting>) -> MutexGuard<'a, Waiting> {
        let waiting = self.changed.wait(waiting);
        waiting.unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands records over, once there is room for them.
    fn push(&self, batch: &mut Vec<Record>, bytes: usize, frames: u32) {
        let mut waiting = lock(&self.waiting);
        while !waiting.closed
            && waiting.bytes > 0
            && (waiting.bytes.saturating_add(bytes) > MOST_BYTES || waiting.frames >= MOST_FRAMES)
        {
            waiting = self.wait(waiting);
        }
        waiting.records.append(batch);
        waiting.bytes += bytes;
        waiting.frames += frames;
        drop(waiting);
        self.changed.notify_all();
    }

    /// The thread's work.
    fn write<W: Write>(&self, mut limited: Limited<W>) -> Option<io::Result<W>> {
        // However it ends, the host doesn't wait for it.
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

/// Closes a queue.
struct Closing<'a>(&'a Queue);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        lock(&self.0.waiting).closed = true;
        self.0.changed.notify_all();
    }
}
