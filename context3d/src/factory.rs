//! Where backends come from.

use crate::backend::{Backend, BackendError};
use crate::null::NullBackend;

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

/// Makes backends that draw nothing and keep nothing, for looking through a capture of any size.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullFactory;

impl BackendFactory for NullFactory {
    type Backend = NullBackend;

    fn create(&mut self) -> Result<NullBackend, BackendError> {
        Ok(NullBackend::counting())
    }
}
