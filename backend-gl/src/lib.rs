//! STUB of the public surface; the crate page goes here.
#![allow(missing_docs, reason = "stub")]
use context3d::{Backend, BackendCaps, BackendError, Surface, packets::Packet};
use std::rc::Rc;

/// Extra functions that glow has not: looked up by name through the host's loader.
pub struct GlBackend {
    _gl: Rc<glow::Context>,
    caps: BackendCaps,
}
impl GlBackend {
    /// `gl` must be current on this thread now and at every later call. `loader` finds GL functions by name.
    pub fn new(
        _gl: Rc<glow::Context>,
        _loader: &dyn Fn(&str) -> *const std::ffi::c_void,
    ) -> Result<Self, BackendError> {
        Err(BackendError::Lost)
    }
}
impl Backend for GlBackend {
    fn caps(&self) -> &BackendCaps {
        &self.caps
    }
    fn execute(&mut self, _packet: Packet<'_>) -> Result<(), BackendError> {
        Ok(())
    }
    fn read_pixels(
        &mut self,
        _surface: Surface,
        _out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        Ok((0, 0))
    }
}
pub mod offscreen {
    use super::GlBackend;
    use context3d::BackendError;
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Api {
        OpenGl,
        Gles,
    }
    /// A GL context without a window. Not Send.
    pub struct Offscreen(());
    impl Offscreen {
        /// Error text names every route that was tried and why it failed.
        pub fn open(_api: Api) -> Result<Self, String> {
            Err(String::new())
        }
        pub fn make_current(&self) -> Result<(), String> {
            Ok(())
        }
        pub fn backend(&self) -> Result<GlBackend, BackendError> {
            Err(BackendError::Lost)
        }
        /// "OpenGL 4.5 (Core Profile) Mesa 22.3.6, llvmpipe ..., EGL surfaceless"
        pub fn description(&self) -> &str {
            ""
        }
    }
}
