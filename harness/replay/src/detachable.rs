//! A backend that can be detached from its context.

use context3d::backend::{Backend, BackendCaps, BackendError, Layer};

/// A backend that can be dropped while its context stays: a disposed context still answers calls with errors, but must
/// not hold a device.
pub(super) enum Detachable<B> {
    Attached(B),
    Detached(BackendCaps),
}

impl<B: Backend> Detachable<B> {
    pub(super) fn detach(&mut self) {
        *self = Detachable::Detached(self.caps().clone());
    }
}

impl<B: Backend> Layer for Detachable<B> {
    type Below = B;

    fn capabilities(&self) -> &BackendCaps {
        match self {
            Detachable::Attached(backend) => backend.caps(),
            Detachable::Detached(caps) => caps,
        }
    }

    fn below(&mut self) -> Result<&mut B, BackendError> {
        match self {
            Detachable::Attached(backend) => Ok(backend),
            Detachable::Detached(_) => Err(BackendError::Lost),
        }
    }
}
