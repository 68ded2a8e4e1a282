//! Where backends come from, and what is left of one whose context is gone.

use context3d::packets::Packet;
use context3d::{Backend, BackendCaps, BackendError, Surface};

use crate::image::MAX_SIDE;

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
}

/// Makes backends that draw nothing, for looking through a capture.
#[derive(Clone, Copy, Debug, Default)]
pub struct IdleFactory;

impl BackendFactory for IdleFactory {
    type Backend = Idle;

    fn create(&mut self) -> Result<Idle, BackendError> {
        Ok(Idle(BackendCaps {
            driver_info: "OpenGL (idle)".to_owned(),
            max_texture_size: MAX_SIDE,
            max_cube_size: MAX_SIDE,
            max_target_size: MAX_SIDE,
            max_samples: 16,
            max_samplers: 16,
            max_streams: 16,
            max_color_outputs: 4,
            half_float_targets: true,
            wireframe: true,
        }))
    }
}

/// Obeys every packet by forgetting it, so that a capture of any size needs no memory for its data. It can do
/// everything that a profile asks for, and shows nothing.
#[derive(Clone, Debug)]
pub struct Idle(BackendCaps);

impl Backend for Idle {
    fn caps(&self) -> &BackendCaps {
        &self.0
    }

    fn execute(&mut self, _packet: Packet<'_>) -> Result<(), BackendError> {
        Ok(())
    }

    fn read_pixels(
        &mut self,
        _surface: Surface,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        out.clear();
        Ok((0, 0))
    }
}
