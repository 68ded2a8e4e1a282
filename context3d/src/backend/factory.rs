//! Factories of backends.

use crate::backend::{Backend, BackendError, NullBackend};

/// Makes a backend for each context of a capture, at the context's first call: a request that is replaced by a later
/// one creates a context that is never used (FORMAT.md).
pub trait BackendFactory {
    /// The type of the backends.
    type Backend: Backend;

    /// Makes a backend.
    ///
    /// # Errors
    /// The device's errors.
    fn create(&mut self) -> Result<Self::Backend, BackendError>;
}

impl<B: Backend, F: FnMut() -> Result<B, BackendError>> BackendFactory for F {
    type Backend = B;

    fn create(&mut self) -> Result<B, BackendError> {
        self()
    }
}

/// A backend of any kind, so that its users are compiled once.
pub type AnyBackend = Box<dyn Backend>;

/// Makes backends that draw nothing and store nothing, for inspecting captures of any size.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullFactory;

impl BackendFactory for NullFactory {
    type Backend = NullBackend;

    fn create(&mut self) -> Result<NullBackend, BackendError> {
        Ok(NullBackend::counting())
    }
}
