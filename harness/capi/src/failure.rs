//! The results of calls: a status, and the reason of a failure.

use context3d::backend::BackendError;
use context3d::backend::FrameReadError;
use context3d::{Error, ErrorCode};

/// The result of a call. Negative: the call failed, and molehill_last_error has the reason.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MolehillStatus {
    /// Success.
    Ok = 0,
    /// Error checking is off and Flash silently drops the draw. The last error is the error that error checking would
    /// raise.
    Skipped = 1,
    /// The result is empty: no pending event or request, no frame presented yet, or the object no longer exists.
    Nothing = 2,
    /// The host attaches the call's argument, a NetStream or Camera that may be null, to the VideoTexture.
    Attach = 3,
    /// Flash raises an error in the ActionScript program: number, class and message are in the last error. Nothing was
    /// changed.
    FlashError = -1,
    /// Flash supports the call, but Molehill or this device doesn't.
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
    /// A bug of Molehill. The context is unusable after this status.
    Internal = -11,
    /// A function of MolehillArguments returned -1: the VM throws an error. Nothing was changed.
    Thrown = -12,
}

impl From<()> for MolehillStatus {
    fn from((): ()) -> Self {
        MolehillStatus::Ok
    }
}

#[derive(Debug)]
pub(crate) enum CallFailure {
    Api(Error),
    /// The error that error checking would raise for a dropped draw.
    Skipped(ErrorCode),
    /// An error that this crate detects.
    Here(MolehillStatus, String),
}

impl CallFailure {
    pub(crate) fn argument(text: impl Into<String>) -> Self {
        CallFailure::Here(MolehillStatus::BadArgument, text.into())
    }

    pub(crate) fn busy(text: impl Into<String>) -> Self {
        CallFailure::Here(MolehillStatus::Busy, text.into())
    }

    pub(crate) fn handle(text: impl Into<String>) -> Self {
        CallFailure::Here(MolehillStatus::BadHandle, text.into())
    }

    pub(crate) fn status(&self) -> MolehillStatus {
        match self {
            CallFailure::Here(status, _) => *status,
            CallFailure::Skipped(_) => MolehillStatus::Skipped,
            CallFailure::Api(Error::Flash(_)) => MolehillStatus::FlashError,
            CallFailure::Api(Error::Unsupported(_)) => MolehillStatus::Unsupported,
            CallFailure::Api(Error::Backend(error)) => match error {
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

impl From<Error> for CallFailure {
    fn from(error: Error) -> Self {
        CallFailure::Api(error)
    }
}

impl From<BackendError> for CallFailure {
    fn from(error: BackendError) -> Self {
        CallFailure::Api(error.into())
    }
}

impl From<FrameReadError> for CallFailure {
    fn from(error: FrameReadError) -> Self {
        match error {
            FrameReadError::Backend(error) => error.into(),
            memory @ FrameReadError::Memory { .. } => CallFailure::argument(memory.to_string()),
        }
    }
}

impl From<std::io::Error> for CallFailure {
    fn from(error: std::io::Error) -> Self {
        CallFailure::Here(MolehillStatus::Io, error.to_string())
    }
}
