//! STUB of the public surface; the crate page goes here.
#![allow(missing_docs, reason = "stub")]
pub use agal;
mod backend;
mod command;
mod error;
mod keys;
mod names;
mod packet;
pub use agal::Profile;
pub use backend::{Backend, BackendCaps, BackendError, Surface};
pub use command::{Bitmap, BitmapPatch, BitmapTarget, Bytecode, Command, Rectangle, Reply};
pub use error::{AgalError, Error, ErrorClass, FlashError};
pub use keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
pub use names::*;
pub mod packets {
    pub use crate::packet::*;
}

/// What a context is created with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextOptions {
    pub profile: Profile,
    pub swf_version: u32,
}

pub struct Context3D<B: Backend> {
    backend: B,
}
impl<B: Backend> Context3D<B> {
    pub fn new(backend: B, _options: ContextOptions) -> Self {
        Self { backend }
    }
    /// THE entry point: check, apply, emit. Typed methods (draw_triangles, set_culling, ...) sit on top of it.
    pub fn execute(&mut self, _command: &Command<'_>) -> Result<Reply, Error> {
        Ok(Reply::Done)
    }
    pub fn backend(&self) -> &B {
        &self.backend
    }
    pub fn backend_mut(&mut self) -> &mut B {
        &mut self.backend
    }
    pub fn into_backend(self) -> B {
        self.backend
    }
}

/// Stage3D slot: `x`, `y`, `visible` with Flash's checks (error 2006), no rendering.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage3D {
    x: f64,
    y: f64,
    visible: bool,
}
impl Stage3D {
    pub fn new() -> Self {
        Self {
            x: 0.0,
            y: 0.0,
            visible: true,
        }
    }
    pub fn x(&self) -> f64 {
        self.x
    }
    pub fn y(&self) -> f64 {
        self.y
    }
    pub fn visible(&self) -> bool {
        self.visible
    }
    pub fn set_x(&mut self, x: f64) -> Result<(), Error> {
        self.x = x;
        Ok(())
    }
    pub fn set_y(&mut self, y: f64) -> Result<(), Error> {
        self.y = y;
        Ok(())
    }
    pub fn set_visible(&mut self, visible: bool) {
        self.visible = visible;
    }
}
/// Keeps every packet, for tests; also counts them.
pub struct NullBackend;
