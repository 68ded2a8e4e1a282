//! Factories of backends.

use crate::backend::{Backend, BackendError, NullBackend};

/// Creates a backend for each context of a capture, at the context's first call. A request that a later request
/// replaces creates a context that is never used (FORMAT.md).
pub trait BackendFactory {
    /// The type of the created backends.
    type Backend: Backend;

    /// Creates a backend.
    ///
    /// # Errors
    /// Returns the error of the device.
    fn create(&mut self) -> Result<Self::Backend, BackendError>;
}

impl<B: Backend, F: FnMut() -> Result<B, BackendError>> BackendFactory for F {
    type Backend = B;

    fn create(&mut self) -> Result<B, BackendError> {
        self()
    }
}

/// A backend of any type. Code for `AnyBackend` is compiled once, not once per backend type.
pub type AnyBackend = Box<dyn Backend>;

/// Creates backends that draw and store nothing, for the inspection of captures of any size.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullFactory;

impl BackendFactory for NullFactory {
    type Backend = NullBackend;

    fn create(&mut self) -> Result<NullBackend, BackendError> {
        Ok(NullBackend::counting())
    }
}
