//! Where backends come from, and what is left of one whose context is gone.

use context3d::{Backend, BackendCaps, BackendError, Layer, NullBackend};

/// Makes a backend for each context that a capture uses. Asked at the context's first call: a request that a later
/// one overtakes names a context that nothing uses (FORMAT.md).
pub trait BackendFactory {
    /// What it makes.
    type Backend: Backend;

    /// Makes one.
    ///
    /// # Errors
    /// The device's.
    fn create(&mut self) -> Result<Self::Backend, BackendError>;
}

impl<B: Backend, F: FnMut() -> Result<B, BackendError>> BackendFactory for F {
    type Backend = B;

    fn create(&mut self) -> Result<B, BackendError> {
        self()
    }
}

/// A backend of any kind, so that what is above it is compiled once.
pub type AnyBackend = Box<dyn Backend>;

/// A backend that can be given back while its context stays: a disposed context still answers calls, with errors, but
/// must not hold a device.
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

/// Makes backends that draw nothing and keep nothing, for looking through a capture of any size.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullFactory;

impl BackendFactory for NullFactory {
    type Backend = NullBackend;

    fn create(&mut self) -> Result<NullBackend, BackendError> {
        Ok(NullBackend::counting())
    }
}
