//! Distributes work over a thread pool, which lives as long as the process.

use std::sync::{Mutex, OnceLock};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// The thread pool of all renderers, one thread per core; `None` if the system can't create it.
static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();

/// Processes each item on at most this many threads, each with its own state. The assignment of items to threads is
/// arbitrary, so items must not depend on each other.
pub(super) fn each<T: Send, S>(
    threads: usize,
    items: impl Iterator<Item = T> + Send,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, T) + Sync,
) {
    let build = || ThreadPoolBuilder::new().build().ok();
    let pool = match threads {
        0 | 1 => &None,
        _ => POOL.get_or_init(build),
    };
    let Some(pool) = pool else {
        let mut state = state();
        items.for_each(|item| work(&mut state, item));
        return;
    };
    let queue = Mutex::new(items);
    let run = || {
        let mut state = state();
        while let Some(item) = queue.lock().ok().and_then(|mut queue| queue.next()) {
            work(&mut state, item);
        }
    };
    pool.in_place_scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|_| run());
        }
        run();
    });
}

#[cfg(test)]
#[path = "../tests/unit/parallel.rs"]
mod tests;
