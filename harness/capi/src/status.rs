//! Results of calls: a status, and the thread's last error with its texts.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};

use backend_gl::present::ReadError;
use context3d::backend::BackendError;
use context3d::{Error, ErrorCode};

use crate::arguments::write;
use crate::thread;

/// The result of a call. Negative: it failed, and molehill_last_error has the reason.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MolehillStatus {
    /// Success.
    Ok = 0,
    /// Error checking is off and Flash silently drops the draw. The last error is the one that checking would raise.
    Skipped = 1,
    /// There is none: no event, no picture yet, no request, no object any more.
    Nothing = 2,
    /// Flash raises an error to the ActionScript program: number, class and message are in the last error. Nothing was
    /// changed.
    FlashError = -1,
    /// Flash supports this, but Molehill or this device doesn't.
    Unsupported = -2,
    /// The graphics device is out of memory.
    OutOfMemory = -3,
    /// The graphics device was lost; the context has ended.
    DeviceLost = -4,
    /// Another failure of the driver.
    Driver = -5,
    /// A handle is 0, stale, or of another kind.
    BadHandle = -6,
    /// A null pointer with a length above 0, memory that is too small or not aligned, a missing pointer, or an unknown
    /// name of a profile or a workaround.
    BadArgument = -7,
    /// The handle belongs to another thread.
    WrongThread = -8,
    /// The handle is in use: a callback made a call with it.
    Busy = -9,
    /// A file can't be written.
    Io = -10,
    /// A bug of Molehill. The context is unusable from then on.
    Internal = -11,
}

/// The error of the last call on this thread that failed or skipped a draw. Texts are UTF-8, never null, and valid
/// until the thread's next molehill_last_error, or its end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillError {
    /// The status of that call; MOLEHILL_STATUS_OK if none has failed.
    pub status: MolehillStatus,
    /// Flash's number (errorID), such as 3669; 0 if Flash has none.
    pub number: u32,
    /// For an AGAL error: the token, counted from 1; else 0.
    pub token: u32,
    /// ActionScript's class, such as "RangeError"; "" if Flash has none.
    pub class_name: *const c_char,
    /// The message alone, such as "Bad input size."; "" for Flash's errors on a context without error texts (MolehillHost).
    pub message: *const c_char,
    /// ActionScript's `message`, such as "Error #3669: Bad input size.", without texts "Error #3669"; "" if Flash has none.
    pub as3_message: *const c_char,
}

impl From<()> for MolehillStatus {
    fn from((): ()) -> Self {
        MolehillStatus::Ok
    }
}

/// Why a call failed.
#[derive(Debug)]
pub(crate) enum Failure {
    Api(Error),
    /// An error of this crate.
    Here(MolehillStatus, String),
}

impl Failure {
    pub(crate) fn argument(text: impl Into<String>) -> Self {
        Failure::Here(MolehillStatus::BadArgument, text.into())
    }

    pub(crate) fn handle(text: impl Into<String>) -> Self {
        Failure::Here(MolehillStatus::BadHandle, text.into())
    }

    fn status(&self) -> MolehillStatus {
        match self {
            Failure::Here(status, _) => *status,
            Failure::Api(Error::Flash(_)) => MolehillStatus::FlashError,
            Failure::Api(Error::Unsupported(_)) => MolehillStatus::Unsupported,
            Failure::Api(Error::Backend(error)) => match error {
                BackendError::Lost => MolehillStatus::DeviceLost,
                BackendError::OutOfMemory => MolehillStatus::OutOfMemory,
                BackendError::Unsupported(_) => MolehillStatus::Unsupported,
                BackendError::CompileFailed { .. } | BackendError::Driver(_) => {
                    MolehillStatus::Driver
                }
            },
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Api(error)
    }
}

impl From<BackendError> for Failure {
    fn from(error: BackendError) -> Self {
        Failure::Api(error.into())
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Backend(error) => error.into(),
            memory @ ReadError::Memory { .. } => Failure::argument(memory.to_string()),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Failure::Here(MolehillStatus::Io, error.to_string())
    }
}

/// The last error of a thread. Its texts are only made when they are requested.
#[derive(Default)]
struct Last {
    what: Option<What>,
    texts: Option<[CString; 3]>,
}

enum What {
    Failed(Failure),
    Skipped(ErrorCode),
}

thread_local! {
    static LAST: ManuallyDrop<RefCell<Last>> = ManuallyDrop::default();
}

/// Frees the thread's last error.
pub(crate) fn end_thread() {
    LAST.with(|last| last.take());
}

/// Runs a call; catches panics.
pub(crate) fn guard<S: Into<MolehillStatus>>(
    action: impl FnOnce() -> Result<S, Failure>,
) -> MolehillStatus {
    let failure = match catch_unwind(AssertUnwindSafe(action)) {
        Ok(Ok(status)) => return status.into(),
        Ok(Err(failure)) => failure,
        Err(payload) => {
            let text = format!("an internal error of Molehill: {}", reason(&*payload));
            // The drop of the payload may panic again.
            std::mem::forget(payload);
            log::error!("{text}");
            Failure::Here(MolehillStatus::Internal, text)
        }
    };
    if let Failure::Api(Error::Flash(error)) = &failure {
        log::info!("{error}");
    }
    let status = failure.status();
    remember(What::Failed(failure));
    status
}

/// The text of a panic.
fn reason(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no reason")
}

/// Records the error that Flash would raise for a skipped draw.
pub(crate) fn skipped(code: ErrorCode) -> MolehillStatus {
    remember(What::Skipped(code));
    MolehillStatus::Skipped
}

fn remember(what: What) {
    thread::watch_end();
    LAST.with(|last| last.borrow_mut().what = Some(what));
}

/// A C string, with embedded zeros replaced.
pub(crate) fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{FFFD}")).unwrap_or_default()
}

impl Last {
    fn describe(&mut self) -> MolehillError {
        let (mut status, mut number, mut token) = (MolehillStatus::Ok, 0, 0);
        let (mut class, mut message, mut as3) = ("", String::new(), String::new());
        match &self.what {
            None => {}
            Some(What::Skipped(code)) => {
                status = MolehillStatus::Skipped;
                number = code.number().into();
                class = code.class().name();
                message = code.template().to_owned();
                as3 = format!("Error #{number}: {message}");
            }
            Some(What::Failed(failure)) => {
                status = failure.status();
                match failure {
                    Failure::Api(Error::Flash(error)) => {
                        number = error.number().into();
                        token = error.token().unwrap_or(0);
                        class = error.class().name();
                        message = error.message().to_owned();
                        as3 = error.as3_message();
                    }
                    Failure::Api(error) => message = error.to_string(),
                    Failure::Here(_, text) => message.clone_from(text),
                }
            }
        }
        let texts = [c_string(class), c_string(&message), c_string(&as3)];
        let texts = self.texts.insert(texts).each_ref();
        let [class_name, message, as3_message] = texts.map(|text| text.as_ptr());
        MolehillError { status, number, token, class_name, message, as3_message }
    }
}

/// Gets the error of the last call on this thread that failed, or the error that Flash would raise for a skipped draw.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_last_error(error: *mut MolehillError) -> MolehillStatus {
    guard(|| unsafe { write(error, LAST.with(|last| last.borrow_mut().describe())) })
}
