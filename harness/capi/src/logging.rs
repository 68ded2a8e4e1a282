//! The log of the process, and the library's version.

use std::ffi::{c_char, c_void};
use std::sync::{LazyLock, Mutex, PoisonError};

use log::{Level, LevelFilter, Log, Metadata, Record};

use crate::status::{Failure, MolehillStatus, c_string, guard};

/// Levels of the log.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MolehillLogLevel {
    /// Nothing.
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

/// Receives a message; `level` is a MolehillLogLevel, `target` the module that logs. Both texts are only valid during
/// the call. It may be called on any thread, and must not throw. Calls with a handle that is in use return
/// MOLEHILL_STATUS_BUSY.
pub type MolehillLog = Option<
    unsafe extern "C" fn(
        user_data: *mut c_void,
        level: i32,
        target: *const c_char,
        message: *const c_char,
    ),
>;

/// The host's function and its data.
struct Listener {
    log: MolehillLog,
    user_data: *mut c_void,
}

// SAFETY: the header says that the function is called on any thread; the pointer is only passed to it.
unsafe impl Send for Listener {}

static LISTENER: Mutex<Listener> = Mutex::new(Listener {
    log: None,
    user_data: std::ptr::null_mut(),
});

struct Forward;

impl Log for Forward {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        let listener = LISTENER.lock().unwrap_or_else(PoisonError::into_inner);
        let (log, user_data) = (listener.log, listener.user_data);
        // Unlocked first, because the function may call molehill_set_log.
        drop(listener);
        if let Some(log) = log {
            let level = match record.level() {
                Level::Error => MolehillLogLevel::Error,
                Level::Warn => MolehillLogLevel::Warn,
                Level::Info => MolehillLogLevel::Info,
                Level::Debug => MolehillLogLevel::Debug,
                Level::Trace => MolehillLogLevel::Trace,
            };
            let target = c_string(record.target());
            let message = c_string(&record.args().to_string());
            // SAFETY: the host's function with the host's data; the texts end with 0.
            unsafe { log(user_data, level as i32, target.as_ptr(), message.as_ptr()) }
        }
    }

    fn flush(&self) {}
}

/// Sets the process's log function, which receives messages of a level (a MolehillLogLevel) and of more severe levels;
/// null: none. MOLEHILL_STATUS_BUSY if a Rust program has its own logger.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_set_log(
    log: MolehillLog,
    user_data: *mut c_void,
    level: i32,
) -> MolehillStatus {
    static OURS: LazyLock<bool> = LazyLock::new(|| log::set_logger(&Forward).is_ok());
    guard(|| {
        let filter = match level {
            ..=0 => LevelFilter::Off,
            1 => LevelFilter::Error,
            2 => LevelFilter::Warn,
            3 => LevelFilter::Info,
            4 => LevelFilter::Debug,
            5.. => LevelFilter::Trace,
        };
        if !*OURS {
            let text = "the process has another logger".to_owned();
            return Err(Failure::Here(MolehillStatus::Busy, text));
        }
        *LISTENER.lock().unwrap_or_else(PoisonError::into_inner) = Listener { log, user_data };
        log::set_max_level(match log {
            Some(_) => filter,
            None => LevelFilter::Off,
        });
        Ok(MolehillStatus::Ok)
    })
}

/// The library's version, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn molehill_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
