//! A backend that can be detached from its context.

use context3d::backend::{Backend, BackendCaps, BackendError};

/// A backend that can be dropped while its context remains: a disposed context still answers calls with errors, but
/// must not hold a device.
#[derive(Clone)]
pub(crate) enum DetachedOnDispose<B> {
    Attached(B),
    Detached(BackendCaps),
}

impl<B: Backend> DetachedOnDispose<B> {
    pub(super) fn detach(&mut self) {
        *self = DetachedOnDispose::Detached(self.caps().clone());
    }
}

impl<B: Backend> DetachedOnDispose<B> {
    fn below(&mut self) -> Result<&mut B, BackendError> {
        match self {
            DetachedOnDispose::Attached(backend) => Ok(backend),
            DetachedOnDispose::Detached(_) => Err(BackendError::Lost),
        }
    }
}

impl<B: Backend> Backend for DetachedOnDispose<B> {
    fn caps(&self) -> &BackendCaps {
        match self {
            DetachedOnDispose::Attached(backend) => backend.caps(),
            DetachedOnDispose::Detached(caps) => caps,
        }
    }

    context3d::forward_backend!(self => self.below()?; execute read_region read_texels);
}
