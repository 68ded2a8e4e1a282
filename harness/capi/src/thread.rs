//! A thread's id and end. Both also work after the main thread's locals are dropped, when C++ destroys objects with
//! static storage: data of the library that needs no thread to end is in locals without destructors.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::LocalKey;

thread_local! {
    static ID: Cell<u64> = const { Cell::new(0) };
}

/// Ids of threads, from 1.
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// The id of this thread. `std::thread::current` panics while a thread ends.
pub(crate) fn id() -> u64 {
    if ID.get() == 0 {
        ID.set(NEXT_ID.fetch_add(1, Ordering::Relaxed));
    }
    ID.get()
}

/// A function that a thread calls when it ends, in a thread-local.
pub(crate) struct AtEnd(pub(crate) fn());

impl AtEnd {
    /// Call this before the thread stores what the function frees.
    pub(crate) fn watch(end: &'static LocalKey<AtEnd>) {
        // While the thread ends, there is nothing to watch any more.
        let _ = end.try_with(|_| ());
    }
}

impl Drop for AtEnd {
    fn drop(&mut self) {
        (self.0)();
    }
}
