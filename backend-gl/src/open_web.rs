//! The constructors on WebGL 2.

use std::rc::Rc;
use std::sync::Arc;

use context3d::backend::BackendError;
use web_sys::WebGl2RenderingContext;

use crate::device::{DeviceOptions, GlDevice};
use crate::gl::GlFunctions;

impl GlDevice {
    /// Creates a device on the host's WebGL 2 context.
    ///
    /// To present frames to the context's canvas with [`GlBackend::present_into`](crate::GlBackend::present_into),
    /// create the context without `antialias`: WebGL can't blit to a multisampled canvas.
    ///
    /// # Errors
    /// [`BackendError::Lost`] for a lost context; [`BackendError::OutOfMemory`] if the first objects can't be created.
    pub fn from_webgl2(
        context: WebGl2RenderingContext,
        options: &DeviceOptions,
    ) -> Result<Self, BackendError> {
        if context.is_context_lost() {
            return Err(BackendError::Lost); // glow would panic
        }
        #[allow(clippy::arc_with_non_send_sync, reason = "as hosts on the web have it")]
        let functions = Arc::new(glow::Context::from_webgl2_context(context.clone()));
        Self::from_glow(functions, context, options)
    }

    /// Like [`GlDevice::from_webgl2`], but for a host that also draws with glow: textures and framebuffers are the keys
    /// of `functions`, which were created from `context`.
    ///
    /// # Errors
    /// The errors of [`GlDevice::from_webgl2`].
    pub fn from_glow(
        functions: Arc<glow::Context>,
        context: WebGl2RenderingContext,
        options: &DeviceOptions,
    ) -> Result<Self, BackendError> {
        let gl = GlFunctions::new(functions, context)?;
        Self::with_gl(Rc::new(gl), None, options)
    }
}
