//! Where backends come from, and what is left of one whose context is gone.

use context3d::packets::{Packet, TexelLayout};
use context3d::{Backend, BackendCaps, BackendError, NullBackend, Surface, TextureKey};

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

impl<B: Backend> Backend for Detachable<B> {
    fn caps(&self) -> &BackendCaps {
        match self {
            Detachable::Attached(backend) => backend.caps(),
            Detachable::Detached(caps) => caps,
        }
    }

    fn execute(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        match self {
            Detachable::Attached(backend) => backend.execute(packet),
            Detachable::Detached(_) => Err(BackendError::Lost),
        }
    }

    fn read_pixels(
        &mut self,
        surface: Surface,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        match self {
            Detachable::Attached(backend) => backend.read_pixels(surface, out),
            Detachable::Detached(_) => Err(BackendError::Lost),
        }
    }

    fn read_texels(
        &mut self,
        texture: TextureKey,
        side: u8,
        out: &mut Vec<u8>,
    ) -> Result<Option<TexelLayout>, BackendError> {
        match self {
            Detachable::Attached(backend) => backend.read_texels(texture, side, out),
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
