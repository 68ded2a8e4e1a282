//! WebGL 2: the constructors, and what `extra.rs` has for other contexts, with the same interface.
//!
//! No function here needs a promise from the host: browsers check every argument, and a context is always current. What
//! WebGL 2 lacks beside OpenGL ES 3.0 is in the tables of [`workarounds`](crate::workarounds), or answered here: it has no
//! debug log, no program binaries, and no client memory that GL keeps.

use std::borrow::Cow;
use std::sync::Arc;

use context3d::backend::BackendError;
use glow::HasContext as _;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::WebGl2RenderingContext;

use super::Gl;
use super::debug::DebugMessage;
use crate::{DeviceOptions, GlDevice};

/// The host's functions. Counted as hosts on the web do that (egui's).
pub(crate) type Host = Arc<glow::Context>;
/// What GL's names are.
pub(super) mod names {
    pub(in crate::gl) use glow::{
        WebBufferKey as Buffer, WebFramebufferKey as Framebuffer, WebProgramKey as Program,
        WebRenderbufferKey as Renderbuffer, WebSamplerKey as Sampler, WebTextureKey as Texture,
        WebVertexArrayKey as VertexArray,
    };
}

/// A texture, as hosts name it: by glow's key.
pub type TextureName = glow::Texture;
/// A framebuffer, as hosts name it: by glow's key.
pub type FramebufferName = glow::Framebuffer;

/// What hosts name so.
pub(crate) fn texture(name: TextureName) -> glow::Texture {
    name
}

/// As hosts name it.
pub(crate) fn texture_name(texture: glow::Texture) -> TextureName {
    texture
}

/// What hosts name so.
pub(crate) fn framebuffer(name: FramebufferName) -> glow::Framebuffer {
    name
}

/// As hosts name it.
pub(crate) fn framebuffer_name(framebuffer: glow::Framebuffer) -> FramebufferName {
    framebuffer
}

/// The number of a location: none, it is an object.
pub(crate) fn location_number(_: &glow::UniformLocation) -> Option<u32> {
    None
}

/// The location of a number.
pub(crate) fn location(_: u32) -> Option<glow::UniformLocation> {
    None
}

#[wasm_bindgen]
extern "C" {
    /// `EXT_clip_control`
    type ClipControl;
    #[wasm_bindgen(method, js_name = clipControlEXT)]
    fn clip_control(this: &ClipControl, origin: u32, depth: u32);
}

/// Extensions that change what a context accepts once they are asked for, and that glow doesn't ask for. A host may have
/// switched on what comes with them.
const ENABLED: [&str; 2] = ["EXT_depth_clamp", "WEBGL_clip_cull_distance"];
/// Names that differ from OpenGL ES's by more than the prefix.
const RENAMED: [(&str, &str); 1] = [("EXT_clip_cull_distance", "WEBGL_clip_cull_distance")];
/// `UNMASKED_VENDOR_WEBGL` and `UNMASKED_RENDERER_WEBGL`
const UNMASKED: [(u32, u32); 2] = [(glow::VENDOR, 0x9245), (glow::RENDERER, 0x9246)];
/// `WEBGL_debug_renderer_info`, which glow asks for.
const RENDERER_INFO: &str = "WEBGL_debug_renderer_info";

/// The context, and what glow lacks of it.
pub(super) struct Extra {
    context: WebGl2RenderingContext,
    clip_control: Option<ClipControl>,
}

impl GlDevice {
    /// A device on the host's own WebGL 2 context, with glow's functions for it.
    ///
    /// The context should have no `antialias` where the picture goes to its canvas through
    /// [`GlBackend::present_into`](crate::GlBackend::present_into): WebGL blits to no multisampled canvas.
    ///
    /// # Errors
    /// [`BackendError::Lost`] for a context that is lost; [`BackendError::OutOfMemory`] when the first objects can't be made.
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

    /// The same for a host that draws with glow too: the names of its textures and framebuffers are those of `functions`, which
    /// was made from `context`.
    ///
    /// # Errors
    /// As [`GlDevice::from_webgl2`].
    pub fn from_glow(
        functions: Arc<glow::Context>,
        context: WebGl2RenderingContext,
        options: &DeviceOptions,
    ) -> Result<Self, BackendError> {
        let gl = Gl::new(functions, context)?;
        Self::with_gl(std::rc::Rc::new(gl), None, options)
    }
}

impl Gl {
    /// Asks for what glow doesn't.
    pub(crate) fn new(raw: Host, context: WebGl2RenderingContext) -> Result<Self, BackendError> {
        if context.is_context_lost() {
            return Err(BackendError::Lost);
        }
        let extension = |name| context.get_extension(name).ok().flatten();
        for name in ENABLED {
            extension(name);
        }
        let clip_control = extension("EXT_clip_control").map(|object| object.unchecked_into());
        let extra = Extra {
            context,
            clip_control,
        };
        Ok(Self::assemble(raw, extra))
    }

    /// Whether the context lists this extension, by OpenGL ES's name or its own.
    pub fn has_extension(&self, name: &str) -> bool {
        let name = name.strip_prefix("GL_").unwrap_or(name);
        let renamed = RENAMED.iter().find(|(es, _)| *es == name);
        let name = renamed.map_or(name, |(_, web)| *web);
        self.raw.supported_extensions().contains(name)
    }

    /// Whether this is WebGL.
    pub fn is_web(&self) -> bool {
        true
    }

    /// That the context isn't lost.
    ///
    /// # Errors
    /// [`BackendError::Lost`]
    pub(super) fn is_there(&self) -> Result<(), BackendError> {
        match self.extra.context.is_context_lost() {
            true => Err(BackendError::Lost),
            false => Ok(()),
        }
    }

    /// `getParameter` of a text, or an empty string. Of vendor and renderer the driver's, where the browser tells.
    pub fn string(&self, name: u32) -> String {
        let unmasked = UNMASKED.iter().find(|(masked, _)| *masked == name);
        let name = match unmasked {
            Some((_, unmasked)) if self.has_extension(RENDERER_INFO) => *unmasked,
            _ => name,
        };
        // SAFETY: WebGL checks it.
        unsafe { self.raw.get_parameter_string(name) }
    }

    /// The compiler's text about a shader.
    pub fn shader_log(&self, shader: glow::Shader) -> String {
        // SAFETY: WebGL checks it.
        unsafe { self.raw.get_shader_info_log(shader) }
    }

    /// The linker's text about a program.
    pub fn program_log(&self, program: glow::Program) -> String {
        // SAFETY: WebGL checks it.
        unsafe { self.raw.get_program_info_log(program) }
    }

    /// Whether [`Gl::clip_depth`] does anything.
    pub fn has_clip_control(&self) -> bool {
        self.extra.clip_control.is_some()
    }

    /// Makes the lower left corner the origin, and this the range of clip depth, if the context can.
    pub(crate) fn clip_depth(&self, range: u32) {
        if let Some(extension) = &self.extra.clip_control {
            extension.clip_control(glow::LOWER_LEFT, range);
        }
    }

    /// Floats are read as they are: always.
    pub fn unclamp_reads(&self) {}

    /// Whether [`Gl::reset_status`] can tell.
    pub fn reports_reset(&self) -> bool {
        true
    }

    /// 0 while the context is well.
    pub fn reset_status(&self) -> u32 {
        match self.is_there() {
            Ok(()) => glow::NO_ERROR,
            Err(_) => glow::UNKNOWN_CONTEXT_RESET,
        }
    }

    /// Whether the driver gives programs to be kept: browsers keep them by themselves.
    pub fn gives_binaries(&self) -> bool {
        false
    }

    /// Texels where a call can read them: WebGL reads arrays of whole elements.
    pub(super) fn aligned<'a>(&self, data: &'a [u8], data_type: u32) -> Cow<'a, [u8]> {
        let element = match data_type {
            glow::UNSIGNED_BYTE => 1,
            glow::FLOAT => 4,
            _ => 2,
        };
        match data.as_ptr().addr().is_multiple_of(element) {
            true => Cow::Borrowed(data),
            // What is allocated is aligned: dlmalloc gives multiples of eight.
            false => Cow::Owned(data.to_vec()),
        }
    }

    /// Shows the start of a buffer, waiting until GL has written it.
    ///
    /// # Errors
    /// [`BackendError::Driver`] when the buffer is smaller.
    pub(crate) fn mapped(
        &self,
        buffer: glow::Buffer,
        bytes: usize,
        read: impl FnOnce(&[u8]),
    ) -> Result<(), BackendError> {
        let mut data = Vec::new();
        data.try_reserve_exact(bytes)
            .map_err(|_| BackendError::OutOfMemory)?;
        data.resize(bytes, 0);
        if bytes > 0 {
            let target = glow::COPY_READ_BUFFER;
            // SAFETY: WebGL writes no more than the slice holds. What is bound here can't be written by transform feedback.
            unsafe {
                self.raw.bind_buffer(target, Some(buffer));
                self.raw.get_buffer_sub_data(target, 0, &mut data);
                self.raw.bind_buffer(target, None);
            }
            self.check("reading a buffer")?;
        }
        read(&data);
        Ok(())
    }

    /// Whether the context keeps a log of debug messages that can be read.
    pub(super) fn has_debug_log(&self) -> bool {
        false
    }

    /// Lets messages of a severity into the log, or keeps them out.
    pub(super) fn log_severity(&self, _severity: u32, _on: bool) {}

    /// Takes the oldest message out of the debug log.
    pub(super) fn next_debug_message(&self, _buffer: &mut Vec<u8>) -> Option<DebugMessage> {
        None
    }
}
