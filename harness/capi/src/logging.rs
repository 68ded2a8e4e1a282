//! The log callback of the process, and the library's version.

use std::cell::Cell;
use std::ffi::{c_char, c_void};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};

use log::{LevelFilter, Log, Metadata, Record};

use crate::failure::{CallFailure, MolehillStatus};
use crate::status::{c_string, guard};

/// The version of the binary interface. The version changes whenever programs that were built with an older header must
/// be built again.
pub const MOLEHILL_ABI_VERSION: u32 = 2;

/// Levels of the log.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MolehillLogLevel {
    /// No messages.
    Off = 0,
    /// Failures.
    Error = 1,
    /// Possible reasons of wrong pictures.
    Warn = 2,
    /// The driver, its workarounds, and errors of the program.
    Info = 3,
    /// All shaders, and messages of a debug context.
    Debug = 4,
    /// Everything.
    Trace = 5,
}

/// Receives a message; `level` is a MolehillLogLevel, `target` the logging module. The strings are valid during the
/// call. The function may be called on several threads at once, and must not throw. If the function calls this library
/// with a handle in use, the call returns MOLEHILL_STATUS_BUSY. Messages that the function logs are dropped.
pub type MolehillLog = Option<
    unsafe extern "C" fn(
        user_data: *mut c_void,
        level: i32,
        target: *const c_char,
        message: *const c_char,
    ),
>;

struct Listener {
    log: MolehillLog,
    user_data: *mut c_void,
    /// Counts the running calls of the host's function: each call holds a clone.
    running: Option<Arc<()>>,
}

// SAFETY: the header requires that any thread may call the function; the pointer is only passed to the function.
unsafe impl Send for Listener {}

static LISTENER: Mutex<Listener> =
    Mutex::new(Listener { log: None, user_data: std::ptr::null_mut(), running: None });
/// Signals that a call of the host's function has returned.
static RETURNED: Condvar = Condvar::new();

thread_local! {
    /// True while this thread runs the host's function.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

fn listener() -> MutexGuard<'static, Listener> {
    LISTENER.lock().unwrap_or_else(PoisonError::into_inner)
}

struct LogForwarder;

impl Log for LogForwarder {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        if INSIDE.get() {
            return;
        }
        let target = c_string(record.target());
        let message = c_string(&record.args().to_string());
        let listener = self::listener();
        let Some(log) = listener.log else {
            return;
        };
        let (user_data, running) = (listener.user_data, listener.running.clone());
        // The lock is released first, because the host's function may call molehill_set_log.
        drop(listener);
        INSIDE.set(true);
        // SAFETY: this is the host's function with the host's data; the strings end with 0.
        unsafe { log(user_data, record.level() as i32, target.as_ptr(), message.as_ptr()) }
        INSIDE.set(false);
        let listener = self::listener();
        drop(running);
        drop(listener);
        RETURNED.notify_all();
    }

    fn flush(&self) {}
}

/// Sets the process's log function, which receives messages of a level (a MolehillLogLevel) and of more severe levels;
/// null: none. Returns after all calls of the previous function have returned, on all threads, so that its data can be
/// freed; don't hold a lock that the function waits for. If the log function calls molehill_set_log, the call returns
/// at once, while other threads may still be in the previous function. Returns MOLEHILL_STATUS_BUSY if a Rust program
/// has its own logger. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_set_log(
    log: MolehillLog,
    user_data: *mut c_void,
    level: i32,
) -> MolehillStatus {
    static OURS: LazyLock<bool> = LazyLock::new(|| log::set_logger(&LogForwarder).is_ok());
    guard(|| {
        let levels = usize::try_from(level).unwrap_or_default();
        let filter = LevelFilter::iter().take(levels + 1).last().unwrap_or(LevelFilter::Off);
        if !*OURS {
            return Err(CallFailure::busy("the process has another logger"));
        }
        let mut listener = self::listener();
        (listener.log, listener.user_data) = (log, user_data);
        let before = listener.running.replace(Arc::default());
        log::set_max_level(match log {
            Some(_) => filter,
            None => LevelFilter::Off,
        });
        // If the host's function waits for a running call, two such calls would wait for each other.
        if !INSIDE.get() {
            let runs =
                |_: &mut Listener| before.as_ref().is_some_and(|it| Arc::strong_count(it) > 1);
            drop(RETURNED.wait_while(listener, runs));
        }
        Ok(MolehillStatus::Ok)
    })
}

/// Returns the library's version, such as "0.2.0". Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Returns the version of the library's binary interface, MOLEHILL_ABI_VERSION of the header that the library was
/// built with. A program runs with every library that has the same version. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_abi_version() -> u32 {
    MOLEHILL_ABI_VERSION
}
