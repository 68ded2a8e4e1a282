//! Works on items on several threads.

use std::num::NonZero;
use std::sync::Mutex;
use std::thread::{available_parallelism, scope};

/// Calls a function for each item and its index, on as many threads as there are processor cores.
pub(crate) fn each<T: Sync>(items: &[T], work: impl Fn(usize, &T) + Sync) {
    let rest = Mutex::new(items.iter().enumerate());
    let next = || rest.lock().ok().and_then(|mut rest| rest.next());
    let run = || {
        while let Some((index, item)) = next() {
            work(index, item);
        }
    };
    scope(|scope| {
        for _ in 0..available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(run);
        }
    });
}
