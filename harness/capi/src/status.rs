//! The guard of every call, and the thread's last error with its texts.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};

use context3d::{Error, ErrorCode};

use crate::arguments::write;
use crate::failure::{Failure, MolehillStatus};
use crate::thread::{Ends, at_end};

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
    at_end(Ends::LastError, || LAST.with(|last| drop(last.take())));
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
