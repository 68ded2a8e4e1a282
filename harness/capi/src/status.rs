//! The guard of every call against panics, and the thread's last error with its messages.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};

use context3d::agal::errors::{ErrorClass, ErrorKind};
use context3d::{Error, ErrorCode, FlashError};

use crate::failure::{CallFailure, MolehillStatus};
use crate::pointers::{slice, text};
use crate::registry;
use crate::sized::{grows, writable_sized, write_sized};
use crate::thread;

/// The error of the last call on this thread that failed or dropped a draw. Strings are UTF-8, never null, and valid
/// until the thread's next molehill_last_error, or its end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillError {
    /// sizeof(MolehillError)
    pub struct_size: usize,
    /// The status of the last failed call; MOLEHILL_STATUS_OK if none has failed.
    pub status: MolehillStatus,
    /// Flash's number (errorID), such as 3669; 0 if Flash has none.
    pub number: u32,
    /// The token of an AGAL error, counted from 1; else 0.
    pub token: u32,
    /// ActionScript's class.
    pub error_class: MolehillErrorClass,
    /// ActionScript's class, such as "RangeError"; "" if Flash has none.
    pub class_name: *const c_char,
    /// The message alone, such as "Bad input size."; "" for Flash's errors on a context without error texts
    /// (MolehillHost).
    pub message: *const c_char,
    /// ActionScript's `message`, such as "Error #3669: Bad input size.", or "Error #3669" on a context without error
    /// texts. The string is "" for an error that Flash doesn't have.
    pub as3_message: *const c_char,
}

grows!(MolehillError);

/// ActionScript's class of an error.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MolehillErrorClass {
    /// The error is none of Flash's.
    None = 0,
    /// `Error`
    Error = 1,
    /// `ArgumentError`
    ArgumentError = 2,
    /// `RangeError`
    RangeError = 3,
    /// `TypeError`
    TypeError = 4,
}

impl From<ErrorClass> for MolehillErrorClass {
    fn from(class: ErrorClass) -> Self {
        match class {
            ErrorClass::Error => MolehillErrorClass::Error,
            ErrorClass::ArgumentError => MolehillErrorClass::ArgumentError,
            ErrorClass::RangeError => MolehillErrorClass::RangeError,
            ErrorClass::TypeError => MolehillErrorClass::TypeError,
        }
    }
}

/// The last error of a thread. The C strings are built on request.
#[derive(Default)]
struct LastError {
    what: Option<CallFailure>,
    texts: Option<[CString; 3]>,
}

thread_local! {
    static LAST: ManuallyDrop<RefCell<LastError>> = ManuallyDrop::default();
}

/// Runs a call, and converts a panic to an error.
pub(crate) fn guard<S: Into<MolehillStatus>>(
    action: impl FnOnce() -> Result<S, CallFailure>,
) -> MolehillStatus {
    let call = || {
        registry::collect();
        action()
    };
    let failure = match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(status)) => return status.into(),
        Ok(Err(failure)) => failure,
        Err(payload) => {
            let text = format!("an internal error of Molehill: {}", reason(&*payload));
            // The payload isn't dropped, because its drop may panic again.
            std::mem::forget(payload);
            log::error!("{text}");
            CallFailure::Here(MolehillStatus::Internal, text)
        }
    };
    if let CallFailure::Api(Error::Flash(error)) = &failure {
        log::info!("{error}");
    }
    let status = failure.status();
    thread::at_end(1, forget_error);
    LAST.with(|last| last.borrow_mut().what = Some(failure));
    status
}

/// Frees the last error when its thread ends.
pub(crate) fn forget_error() {
    LAST.with(|last| drop(last.take()));
}

/// Returns the message of a panic.
fn reason(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("the panic has no message")
}

/// Returns a C string, with embedded zeros replaced.
pub(crate) fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{FFFD}")).unwrap_or_default()
}

impl LastError {
    fn describe(&mut self) -> MolehillError {
        let skipped;
        let (error, text) = match &self.what {
            None => (None, String::new()),
            Some(CallFailure::Api(Error::Flash(error))) => (Some(error), String::new()),
            Some(CallFailure::Skipped(code)) => {
                skipped = FlashError::new(*code, &[""; 0]);
                (Some(&skipped), String::new())
            }
            Some(CallFailure::Api(error)) => (None, error.to_string()),
            Some(CallFailure::Here(_, text)) => (None, text.clone()),
        };
        let class = error.map(FlashError::class);
        let message = error.map_or(text, |error| error.message().to_owned());
        let as3 = error.map(FlashError::as3_message).unwrap_or_default();
        let texts =
            [c_string(class.map_or("", ErrorClass::name)), c_string(&message), c_string(&as3)];
        let texts = self.texts.insert(texts).each_ref();
        let [class_name, message, as3_message] = texts.map(|text| text.as_ptr());
        let error_class = class.map_or(MolehillErrorClass::None, MolehillErrorClass::from);
        MolehillError {
            struct_size: 0,
            status: self.what.as_ref().map_or(MolehillStatus::Ok, CallFailure::status),
            number: error.map_or(0, |error| error.number().into()),
            token: error.and_then(FlashError::token).unwrap_or(0),
            error_class,
            class_name,
            message,
            as3_message,
        }
    }
}

/// Gets the error of this thread's last call that failed, or the error that Flash would raise for a dropped draw. Any
/// thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_last_error(error: *mut MolehillError) -> MolehillStatus {
    guard(|| {
        unsafe { writable_sized(error) }?;
        unsafe { write_sized(error, LAST.with(|last| last.borrow_mut().describe())) }
    })
}

/// Sets the last error to Flash's error with this number, for checks that the host does itself, and returns
/// MOLEHILL_STATUS_FLASH_ERROR. `arguments` are `count` strings for the placeholders %1, %2, … of the error's message.
/// Returns MOLEHILL_STATUS_BAD_ARGUMENT if `number` is no error of Stage3D. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_flash_error(
    number: u32,
    arguments: *const *const c_char,
    count: usize,
) -> MolehillStatus {
    guard(|| -> Result<MolehillStatus, CallFailure> {
        let rows = ErrorCode::ALL.iter().copied();
        let agal = ErrorKind::ALL.iter().copied().map(ErrorCode::Agal);
        let code = rows.chain(agal).find(|code| u32::from(code.number()) == number);
        let unknown = || CallFailure::argument(format!("Stage3D has no error {number}"));
        let code = code.ok_or_else(unknown)?;
        let texts = unsafe { slice(arguments, count) }?.unwrap_or_default();
        let texts = texts.iter().map(|it| unsafe { text(*it) }.unwrap_or_default());
        Err(Error::from(FlashError::new(code, &texts.collect::<Vec<_>>())).into())
    })
}
