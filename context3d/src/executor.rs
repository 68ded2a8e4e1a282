//! Where asynchronous uploads are decoded: in the call, on threads of this library, or on the host's.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};

#[cfg(not(target_family = "wasm"))]
use crate::pool::Pool;

/// A piece of work for another thread.
pub type Task = Box<dyn FnOnce() + Send>;

/// Bytes in flight on the library's own threads: a 4096×4096 texture with its levels, or eleven of 2048×2048.
#[cfg(not(target_family = "wasm"))]
const BYTES_IN_FLIGHT: usize = 256 << 20;

/// The place where asynchronous uploads are decoded.
///
/// The default decodes in the call, so that the events and draws of a program depend on its calls alone: recordings,
/// replays and tests need that. With threads, the call copies the bytes and returns. A later
/// [`take_texture_event`](crate::Context3D::take_texture_event) or `present` that finds the texels decoded passes them to
/// the backend. A call that needs them before waits: a synchronous upload into the same texture, or one that makes the
/// texture a render target.
///
/// Some uploads are decoded in the call nevertheless: those of at most 4096 texels, those with nothing to decode, those
/// into the current render target, and those beyond the bytes in flight that the executor allows. These bytes are copies
/// of the program's bytes, and decoded texels that the backend does not have yet. A single upload may be larger.
///
/// Clones share their threads and their bytes in flight.
#[derive(Clone, Default)]
pub struct Executor(Option<Arc<Elsewhere>>);

struct Elsewhere {
    spawn: Box<dyn Fn(Task) + Send + Sync>,
    most: usize,
    used: Arc<AtomicUsize>,
}

impl std::fmt::Debug for Executor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let most = self.0.as_ref().map(|elsewhere| elsewhere.most);
        write!(f, "Executor({} of {most:?} bytes)", self.bytes_in_flight())
    }
}

impl Executor {
    /// Returns an executor with at most two threads of its own, which run only while there is work. The last clone's end
    /// waits for the texture that each thread is decoding. WebAssembly has no threads: there it is the default.
    pub fn threads() -> Self {
        #[cfg(target_family = "wasm")]
        return Executor::default();
        #[cfg(not(target_family = "wasm"))]
        {
            let pool = Pool::default();
            Executor::new(BYTES_IN_FLIGHT, move |task| pool.spawn(task))
        }
    }

    /// Returns an executor over the host's threads. `spawn` gets each task, and runs it on any thread at any time, also
    /// before it returns. If the host drops a task, or if a call needs the texture before, the VM's thread does its work.
    pub fn new(bytes_in_flight: usize, spawn: impl Fn(Task) + Send + Sync + 'static) -> Self {
        let (spawn, used) = (Box::new(spawn), Arc::default());
        Executor(Some(Arc::new(Elsewhere { spawn, most: bytes_in_flight, used })))
    }

    /// Returns the bytes that are in flight now; without threads 0.
    pub fn bytes_in_flight(&self) -> usize {
        self.0.as_ref().map_or(0, |elsewhere| elsewhere.used.load(Ordering::Relaxed))
    }

    /// Reserves bytes for a job elsewhere; `None`: the caller does its work.
    pub(crate) fn room(&self, bytes: usize) -> Option<Room<'_>> {
        let elsewhere = self.0.as_deref()?;
        let grown = |used: usize| {
            let all = used.saturating_add(bytes);
            (used == 0 || all <= elsewhere.most).then_some(all)
        };
        elsewhere.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, grown).ok()?;
        let held = Held { used: Arc::clone(&elsewhere.used), bytes };
        Some(Room { elsewhere, held })
    }
}

/// Room for one job.
pub(crate) struct Room<'a> {
    elsewhere: &'a Elsewhere,
    held: Held,
}

/// Bytes in flight. It must not own an executor: a thread of the pool may drop it.
struct Held {
    used: Arc<AtomicUsize>,
    bytes: usize,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Room<'_> {
    /// Starts a job. Dropping the job cancels work that has not begun.
    pub(crate) fn start<T: Send + Sync + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Arc<Job<T>> {
        let state = Mutex::new(State::Waiting(Box::new(work)));
        let job = Arc::new(Job { state, ended: Condvar::new(), _held: self.held });
        let ticket = Ticket(Arc::downgrade(&job));
        (self.elsewhere.spawn)(Box::new(move || ticket.run()));
        job
    }
}

type Work<T> = Box<dyn FnOnce() -> T + Send>;

enum State<T> {
    Waiting(Work<T>),
    /// The task was dropped.
    Returned(Work<T>),
    Running,
    /// `None`: the work panicked.
    Ended(Option<Arc<T>>),
}

/// A job in a task.
struct Ticket<T>(Weak<Job<T>>);

impl<T> Ticket<T> {
    fn run(&self) {
        if let Some(job) = self.0.upgrade() {
            job.run();
        }
    }
}

impl<T> Drop for Ticket<T> {
    fn drop(&mut self) {
        let Some(job) = self.0.upgrade() else { return };
        let mut state = job.lock();
        *state = match std::mem::replace(&mut *state, State::Running) {
            State::Waiting(work) => State::Returned(work),
            state @ (State::Returned(_) | State::Running | State::Ended(_)) => state,
        };
    }
}

/// Work that some thread does once.
pub(crate) struct Job<T> {
    state: Mutex<State<T>>,
    ended: Condvar,
    _held: Held,
}

impl<T> Job<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does the work, unless it has begun.
    fn run(&self) {
        let mut state = self.lock();
        let work = match std::mem::replace(&mut *state, State::Running) {
            State::Waiting(work) | State::Returned(work) => work,
            begun @ (State::Running | State::Ended(_)) => {
                *state = begun;
                return;
            }
        };
        drop(state);
        let result = catch_unwind(AssertUnwindSafe(work)).ok().map(Arc::new);
        *self.lock() = State::Ended(result);
        self.ended.notify_all();
    }

    /// Returns whether [`Job::wait`] need not wait for a thread that works or will.
    pub(crate) fn is_ended(&self) -> bool {
        matches!(*self.lock(), State::Ended(_) | State::Returned(_))
    }

    /// Returns the result; does the work if nobody has begun, and waits for a thread that has. `None`: it panicked.
    pub(crate) fn wait(&self) -> Option<Arc<T>> {
        self.run();
        let ended = self.ended.wait_while(self.lock(), |it| !matches!(it, State::Ended(_)));
        match &*ended.unwrap_or_else(PoisonError::into_inner) {
            State::Ended(result) => result.clone(),
            State::Waiting(_) | State::Returned(_) | State::Running => None,
        }
    }
}

#[cfg(test)]
#[path = "../tests/unit/executor.rs"]
mod tests;
