//! Collects logged errors and warnings per thread, because tests run in parallel.

use std::cell::{Cell, RefCell};
use std::sync::Once;

/// A callback for the next error that a thread logs.
type Hook = Box<dyn FnOnce()>;

thread_local! {
    static HOOK: Cell<Option<Hook>> = const { Cell::new(None) };
    static ERRORS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

struct Logger;

impl log::Log for Logger {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        let text = record.args().to_string();
        if !text.contains("other code") {
            ERRORS.with_borrow_mut(|errors| errors.push(text));
        }
        if record.level() == log::Level::Error
            && let Some(hook) = HOOK.take()
        {
            hook();
        }
    }

    fn flush(&self) {}
}

/// Starts collecting errors and warnings.
pub(crate) fn start() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        log::set_logger(&Logger).expect("the only one");
        log::set_max_level(log::LevelFilter::Warn);
    });
}

/// Runs the hook when this thread logs its next error.
pub(crate) fn at_the_next(hook: impl FnOnce() + 'static) {
    HOOK.set(Some(Box::new(hook)));
}

/// Returns this thread's errors and warnings since the last call.
pub(crate) fn take() -> Vec<String> {
    ERRORS.take()
}
