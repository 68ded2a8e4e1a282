//! The error of packets that break their promise.

use context3d::backend::BackendError;

/// The error for a packet with an unknown object: its creation failed, or the layer above is wrong.
#[cold]
#[inline(never)]
pub(crate) fn missing(what: &str) -> BackendError {
    BackendError::Driver(format!("a packet names a {what} that was never made"))
}
