//! Executors of asynchronous uploads: in the call, on threads of this library, or on threads of the host.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};

#[cfg(not(target_family = "wasm"))]
use crate::pool::ThreadPool;

/// A task that an executor runs on another thread.
pub type Task = Box<dyn FnOnce() + Send>;

/// Maximum bytes in flight of the library's threads: a 4096×4096 texture with mip levels, or eleven of 2048×2048.
#[cfg(not(target_family = "wasm"))]
const BYTES_IN_FLIGHT: usize = 256 << 20;

/// Decodes asynchronous uploads, in the call or on other threads.
///
/// The default executor decodes in the upload call, so that a program's events and draws depend only on its calls, as
/// recordings, replays and tests require. If the executor has threads, an asynchronous upload copies the bytes and
/// returns. A later [`take_texture_event`](crate::Context3D::take_texture_event) or `present` that finds decoded texels
/// passes them to the backend. A call that needs the texels earlier waits: a synchronous upload into the same texture,
/// or one that makes the texture a render target.
///
/// Some uploads are decoded in the call even with threads: uploads of at most 4096 texels, uploads without conversion,
/// uploads into the current render target, and uploads beyond the limit of bytes in flight. Bytes in flight are copies
/// of the program's data, and decoded texels that were not passed to the backend yet. A single upload may exceed the
/// limit of bytes in flight.
///
/// Clones share their threads and their bytes in flight.
#[derive(Clone, Default)]
pub struct Executor(Option<Arc<Spawner>>);

struct Spawner {
    spawn: Box<dyn Fn(Task) + Send + Sync>,
    most: usize,
    used: Arc<AtomicUsize>,
}

impl std::fmt::Debug for Executor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let most = self.0.as_ref().map(|spawner| spawner.most);
        write!(f, "Executor({} of {most:?} bytes)", self.bytes_in_flight())
    }
}

impl Executor {
    /// Returns an executor with at most two threads, which exit when no work is left. Dropping the last clone waits for
    /// the texture that each thread is decoding. On WebAssembly, returns the default executor.
    pub fn threads() -> Self {
        #[cfg(target_family = "wasm")]
        return Executor::default();
        #[cfg(not(target_family = "wasm"))]
        {
            let pool = ThreadPool::default();
            Executor::new(BYTES_IN_FLIGHT, move |task| pool.spawn(task))
        }
    }

    /// Returns an executor on the host's threads. `spawn` receives each task, and runs the task on any thread at any
    /// time, even before `spawn` returns. If the host drops a task, or a call needs the texture earlier, the VM's
    /// thread does the work.
    pub fn new(bytes_in_flight: usize, spawn: impl Fn(Task) + Send + Sync + 'static) -> Self {
        let (spawn, used) = (Box::new(spawn), Arc::default());
        Executor(Some(Arc::new(Spawner { spawn, most: bytes_in_flight, used })))
    }

    /// Returns the current number of bytes in flight; 0 if uploads are decoded in the call.
    pub fn bytes_in_flight(&self) -> usize {
        self.0.as_ref().map_or(0, |spawner| spawner.used.load(Ordering::Relaxed))
    }

    /// Reserves bytes for a job. Returns `None` if the caller must decode the upload itself.
    pub(crate) fn reserve(&self, bytes: usize) -> Option<Reservation<'_>> {
        let spawner = self.0.as_deref()?;
        let grown = |used: usize| {
            let all = used.saturating_add(bytes);
            (used == 0 || all <= spawner.most).then_some(all)
        };
        spawner.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, grown).ok()?;
        let held = HeldBytes { used: Arc::clone(&spawner.used), bytes };
        Some(Reservation { spawner, held })
    }
}

/// Bytes in flight that are reserved for one job.
pub(crate) struct Reservation<'a> {
    spawner: &'a Spawner,
    held: HeldBytes,
}

/// A guard of bytes in flight. The guard doesn't own the executor, because a pool thread may drop the guard.
struct HeldBytes {
    used: Arc<AtomicUsize>,
    bytes: usize,
}

impl Drop for HeldBytes {
    fn drop(&mut self) {
        self.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Reservation<'_> {
    /// Starts a job. Dropping the job cancels it, if no thread has begun it.
    pub(crate) fn start<T: Send + Sync + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Arc<PoolJob<T>> {
        let state = Mutex::new(TaskState::Waiting(Box::new(work)));
        let job = Arc::new(PoolJob { state, ended: Condvar::new(), _held: self.held });
        let ticket = Ticket(Arc::downgrade(&job));
        (self.spawner.spawn)(Box::new(move || ticket.run()));
        job
    }
}

type Work<T> = Box<dyn FnOnce() -> T + Send>;

enum TaskState<T> {
    Waiting(Work<T>),
    /// The work that the job must do itself, because the host dropped its task.
    Returned(Work<T>),
    Running,
    /// The result of the job; `None` if the work panicked.
    Ended(Option<Arc<T>>),
}

/// A task's weak reference to its job.
struct Ticket<T>(Weak<PoolJob<T>>);

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
        *state = match std::mem::replace(&mut *state, TaskState::Running) {
            TaskState::Waiting(work) => TaskState::Returned(work),
            state @ (TaskState::Returned(_) | TaskState::Running | TaskState::Ended(_)) => state,
        };
    }
}

/// Work that exactly one thread does: the thread of a task, or a thread that waits for the result.
pub(crate) struct PoolJob<T> {
    state: Mutex<TaskState<T>>,
    ended: Condvar,
    _held: HeldBytes,
}

impl<T> PoolJob<T> {
    fn lock(&self) -> MutexGuard<'_, TaskState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the task, unless another thread has begun the task.
    fn run(&self) {
        let mut state = self.lock();
        let work = match std::mem::replace(&mut *state, TaskState::Running) {
            TaskState::Waiting(work) | TaskState::Returned(work) => work,
            begun @ (TaskState::Running | TaskState::Ended(_)) => {
                *state = begun;
                return;
            }
        };
        drop(state);
        let result = catch_unwind(AssertUnwindSafe(work)).ok().map(Arc::new);
        *self.lock() = TaskState::Ended(result);
        self.ended.notify_all();
    }

    /// Returns whether [`PoolJob::wait`] returns without waiting for another thread.
    pub(crate) fn is_ended(&self) -> bool {
        matches!(*self.lock(), TaskState::Ended(_) | TaskState::Returned(_))
    }

    /// Returns the task's result. Runs the task if no thread has begun the task; otherwise, waits for the thread that
    /// runs the task. Returns `None` if the task panicked.
    pub(crate) fn wait(&self) -> Option<Arc<T>> {
        self.run();
        let ended = self.ended.wait_while(self.lock(), |it| !matches!(it, TaskState::Ended(_)));
        match &*ended.unwrap_or_else(PoisonError::into_inner) {
            TaskState::Ended(result) => result.clone(),
            TaskState::Waiting(_) | TaskState::Returned(_) | TaskState::Running => None,
        }
    }
}

#[cfg(test)]
#[path = "../tests/unit/executor.rs"]
mod tests;
