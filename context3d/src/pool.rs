//! A thread pool whose threads exit when no work is left.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

type PoolTask = Box<dyn FnOnce() + Send>;

/// Maximum number of threads. The number of threads is small, so that other processors stay free for the program.
const THREADS: usize = 2;

/// A thread pool. Dropping the pool drops the waiting tasks and waits for the running tasks.
#[derive(Default)]
pub(crate) struct ThreadPool {
    queue: Arc<Mutex<TaskQueue>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

#[derive(Default)]
struct TaskQueue {
    tasks: VecDeque<PoolTask>,
    /// Number of threads that will take another task before they exit.
    working: usize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs the tasks of a queue until the queue is empty.
fn work(queue: &Mutex<TaskQueue>) {
    loop {
        let mut locked = lock(queue);
        let Some(task) = locked.tasks.pop_front() else {
            locked.working -= 1;
            return;
        };
        drop(locked);
        task();
    }
}

impl ThreadPool {
    /// Queues a task, which must not panic. If no thread can be created, runs the task on this thread.
    pub(crate) fn spawn(&self, task: PoolTask) {
        let mut locked = lock(&self.queue);
        locked.tasks.push_back(task);
        if locked.working == THREADS {
            return;
        }
        locked.working += 1;
        drop(locked);
        let queue = Arc::clone(&self.queue);
        let thread = Builder::new().name("molehill upload".to_owned());
        match thread.spawn(move || work(&queue)) {
            Ok(thread) => {
                let mut threads = lock(&self.threads);
                threads.retain(|thread| !thread.is_finished());
                threads.push(thread);
            }
            Err(_) => work(&self.queue),
        }
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        lock(&self.queue).tasks.clear();
        for thread in std::mem::take(&mut *lock(&self.threads)) {
            // Joining can't fail, because tasks do not panic.
            let _ = thread.join();
        }
    }
}
