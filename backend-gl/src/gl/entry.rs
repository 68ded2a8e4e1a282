//! The constructors, which are unsafe because the host must keep a promise.

use std::ffi::c_void;
use std::rc::Rc;

use context3d::BackendError;

use super::Gl;
use crate::{GlBackend, GlDevice};

impl GlDevice {
    /// A device on the host's own context. `loader` finds GL functions by name (for what glow lacks: clip control, reset
    /// status, debug log); it is only used during this call.
    ///
    /// It takes the context's state as its own: see [`GlDevice::invalidate_state`] for sharing it.
    ///
    /// # Errors
    /// [`BackendError::Driver`] when the context is older than OpenGL 3.3 or OpenGL ES 3.0 or lacks a function that every
    /// such context has; [`BackendError::OutOfMemory`] when the first objects can't be made.
    ///
    /// # Safety
    /// `gl` was loaded from a context that is current on this thread now, and that is current on it whenever a method of
    /// the device or of a backend of it is called and when one of them is dropped. `loader` returns null or the address of
    /// that context's function of that name.
    pub unsafe fn new(
        gl: Rc<glow::Context>,
        loader: &dyn Fn(&str) -> *const c_void,
    ) -> Result<Self, BackendError> {
        // SAFETY: both promises are passed on from the caller.
        let gl = unsafe { Gl::new(gl, loader) }?;
        Self::with_gl(Rc::new(gl), None)
    }
}

impl GlBackend {
    /// A backend on a device of its own, for a host with one `Context3D`.
    ///
    /// # Errors
    /// As [`GlDevice::new`].
    ///
    /// # Safety
    /// As [`GlDevice::new`].
    pub unsafe fn new(
        gl: Rc<glow::Context>,
        loader: &dyn Fn(&str) -> *const c_void,
    ) -> Result<Self, BackendError> {
        // SAFETY: both promises are passed on from the caller.
        unsafe { GlDevice::new(gl, loader) }?.backend()
    }
}
