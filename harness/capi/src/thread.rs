//! A thread's id and end. Both also work after the main thread's locals are dropped, when C++ destroys objects with
//! static storage: data of the library that needs no thread to end is in locals without destructors.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::registry::end_thread;
use crate::status::forget_error;

thread_local! {
    static ID: Cell<u64> = const { Cell::new(0) };
    static END: End = const { End };
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

/// Call this before the thread stores something that its end frees.
pub(crate) fn watch_end() {
    // While the thread ends, there is nothing to watch any more. One watch for all: a second that began then would leak.
    let _ = END.try_with(|_| ());
}

struct End;

impl Drop for End {
    fn drop(&mut self) {
        end_thread();
        forget_error();
    }
}
