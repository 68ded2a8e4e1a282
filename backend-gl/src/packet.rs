//! The error of invalid packets.

use context3d::backend::BackendError;

/// Returns the error for a packet with an unknown object: its creation failed, or the packet's sender has a bug.
#[cold]
#[inline(never)]
pub(crate) fn missing(what: &str) -> BackendError {
    BackendError::Driver(format!(
        "the packet refers to a {what} that doesn't exist on this backend"
    ))
}
