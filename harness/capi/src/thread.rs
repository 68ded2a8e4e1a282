//! A thread's id and end. Both also work after the main thread's locals are dropped, when C++ destroys objects with
//! static storage: data of the library that needs no thread to end is in locals without destructors.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

thread_local! {
    static ID: Cell<u64> = const { Cell::new(0) };
    static END: End = const { End([const { Cell::new(None) }; 2]) };
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

/// Calls a function at the end of this thread, which frees what the thread stored. Functions are called in the order of
/// their numbers.
pub(crate) fn at_end(number: usize, function: fn()) {
    // While the thread ends, there is nothing to watch any more. One watch for all: a second that began then would leak.
    let _ = END.try_with(|End(functions)| {
        if let Some(entry) = functions.get(number) {
            entry.set(Some(function));
        }
    });
}

/// A function that is called at the end of the thread.
type AtEnd = Cell<Option<fn()>>;

/// The functions that are called at the end of the thread.
struct End([AtEnd; 2]);

impl Drop for End {
    fn drop(&mut self) {
        self.0.iter().filter_map(Cell::get).for_each(|function| function());
    }
}
