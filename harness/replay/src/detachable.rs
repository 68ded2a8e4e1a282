//! A backend that can be detached from its context.

use context3d::backend::{Backend, BackendCaps, BackendError};

/// A backend that can be dropped while its context stays: a disposed context still answers calls with errors, but must
/// not hold a device.
#[derive(Clone)]
pub(crate) enum Detachable<B> {
    Attached(B),
    Detached(BackendCaps),
}

impl<B: Backend> Detachable<B> {
    pub(super) fn detach(&mut self) {
        *self = Detachable::Detached(self.caps().clone());
    }
}

impl<B: Backend> Detachable<B> {
    fn below(&mut self) -> Result<&mut B, BackendError> {
        match self {
            Detachable::Attached(backend) => Ok(backend),
            Detachable::Detached(_) => Err(BackendError::Lost),
        }
    }
}

impl<B: Backend> Backend for Detachable<B> {
    fn caps(&self) -> &BackendCaps {
        match self {
            Detachable::Attached(backend) => backend.caps(),
            Detachable::Detached(caps) => caps,
        }
    }

    context3d::forward_backend!(self => self.below()?; execute read_region read_texels);
}
