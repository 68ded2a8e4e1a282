//! Thread ids, and cleanup at the end of a thread. Thread ids and cleanup also work after the main thread's locals are
//! dropped, when C++ destroys static objects. Data that must outlive the locals has no destructor.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

thread_local! {
    static ID: Cell<u64> = const { Cell::new(0) };
    static END: ThreadEnd = const { ThreadEnd([const { Cell::new(None) }; 2]) };
}

/// The id of the next thread; the first is 1.
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// Returns the id of this thread. `std::thread::current` panics while a thread ends.
pub(crate) fn id() -> u64 {
    if ID.get() == 0 {
        ID.set(NEXT_ID.fetch_add(1, Ordering::Relaxed));
    }
    ID.get()
}

/// Registers a function to be called when this thread ends, for freeing its data. Functions are called in the order of
/// their numbers.
pub(crate) fn at_end(number: usize, function: fn()) {
    // While the thread ends, `at_end` is never called. All functions share one variable, because a variable that is
    // created while the thread ends would leak.
    let _ = END.try_with(|ThreadEnd(functions)| {
        if let Some(entry) = functions.get(number) {
            entry.set(Some(function));
        }
    });
}

type EndHook = Cell<Option<fn()>>;

/// The functions to call at the end of the thread.
struct ThreadEnd([EndHook; 2]);

impl Drop for ThreadEnd {
    fn drop(&mut self) {
        self.0.iter().filter_map(Cell::get).for_each(|function| function());
    }
}
