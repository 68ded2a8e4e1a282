//! The WebGL 2 counterpart of `extra.rs`, with the same interface, and the constructors for WebGL 2.
//!
//! No function here requires a guarantee from the host: browsers check every argument, and a context is always current.
//! Features that WebGL 2 lacks, compared with OpenGL ES 3.0, are in the table of [`workarounds`](crate::workarounds),
//! or handled here: WebGL has no debug log and no program binaries.

use std::borrow::Cow;
use std::sync::Arc;

use context3d::backend::BackendError;
use glow::HasContext as _;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::WebGl2RenderingContext;

use super::GlFunctions;
use super::debug::DebugMessage;

/// The host's functions, reference-counted like in other crates for the web (egui).
pub(crate) type HostGl = Arc<glow::Context>;
/// The types of GL's object names.
pub(super) mod names {
    pub(in crate::gl) use glow::{
        WebBufferKey as Buffer, WebFramebufferKey as Framebuffer, WebProgramKey as Program,
        WebRenderbufferKey as Renderbuffer, WebSamplerKey as Sampler, WebTextureKey as Texture,
        WebVertexArrayKey as VertexArray,
    };
}

/// The name of a texture in the host's interface: glow's key.
pub type TextureName = glow::Texture;
/// The name of a framebuffer in the host's interface: glow's key.
pub type FramebufferName = glow::Framebuffer;

pub(crate) fn texture(name: TextureName) -> glow::Texture {
    name
}

pub(crate) fn texture_name(texture: glow::Texture) -> TextureName {
    texture
}

pub(crate) fn framebuffer(name: FramebufferName) -> glow::Framebuffer {
    name
}

pub(crate) fn framebuffer_name(framebuffer: glow::Framebuffer) -> FramebufferName {
    framebuffer
}

/// Returns `None`, because WebGL's locations are not numbers.
pub(crate) fn consecutive(
    _: [&glow::UniformLocation; 2],
    _: usize,
) -> Option<Vec<Option<glow::UniformLocation>>> {
    None
}

#[wasm_bindgen]
extern "C" {
    /// `EXT_clip_control`
    type WebClipControl;
    #[wasm_bindgen(method, js_name = clipControlEXT)]
    fn clip_control(this: &WebClipControl, origin: u32, depth: u32);
}

/// WebGL extensions that glow doesn't enable. A context accepts the capabilities of an extension only after the
/// extension is enabled. The host may have enabled an extension of this list itself, and changed the extension's state.
const ENABLED: [&str; 2] = ["EXT_depth_clamp", "WEBGL_clip_cull_distance"];
/// Extensions whose names in OpenGL ES and WebGL differ by more than the prefix.
const RENAMED: [(&str, &str); 1] = [("EXT_clip_cull_distance", "WEBGL_clip_cull_distance")];
/// `UNMASKED_VENDOR_WEBGL` and `UNMASKED_RENDERER_WEBGL`
const UNMASKED: [(u32, u32); 2] = [(glow::VENDOR, 0x9245), (glow::RENDERER, 0x9246)];
/// `WEBGL_debug_renderer_info`, which glow enables.
const RENDERER_INFO: &str = "WEBGL_debug_renderer_info";

/// The context, and the functions that glow lacks.
pub(super) struct HostFunctions {
    context: WebGl2RenderingContext,
    clip_control: Option<WebClipControl>,
}

impl GlFunctions {
    /// Creates the functions, and enables the extensions that glow doesn't enable.
    pub(crate) fn new(raw: HostGl, context: WebGl2RenderingContext) -> Result<Self, BackendError> {
        if context.is_context_lost() {
            return Err(BackendError::Lost);
        }
        let extension = |name| context.get_extension(name).ok().flatten();
        for name in ENABLED {
            extension(name);
        }
        let clip_control = extension("EXT_clip_control").map(|object| object.unchecked_into());
        let extra = HostFunctions { context, clip_control };
        Ok(Self::assemble(raw, extra))
    }

    /// Returns whether the context lists this extension, by the name in OpenGL ES or WebGL.
    pub(crate) fn has_extension(&self, name: &str) -> bool {
        let name = name.strip_prefix("GL_").unwrap_or(name);
        let renamed = RENAMED.iter().find(|(es, _)| *es == name);
        let name = renamed.map_or(name, |(_, web)| *web);
        self.raw.supported_extensions().contains(name)
    }

    pub(crate) fn is_web(&self) -> bool {
        true
    }

    /// Checks that the context isn't lost.
    pub(crate) fn check_current(&self) -> Result<(), BackendError> {
        if self.extra.context.is_context_lost() { Err(BackendError::Lost) } else { Ok(()) }
    }

    /// Calls `getParameter` for a string. Returns the driver's vendor and renderer if the browser discloses them.
    pub(crate) fn string(&self, name: u32) -> String {
        let unmasked = UNMASKED.iter().find(|(masked, _)| *masked == name);
        let name = match unmasked {
            Some((_, unmasked)) if self.has_extension(RENDERER_INFO) => *unmasked,
            _ => name,
        };
        // SAFETY: WebGL checks the arguments.
        unsafe { self.raw().get_parameter_string(name) }
    }

    pub(crate) fn shader_log(&self, shader: glow::Shader) -> String {
        // SAFETY: WebGL checks the arguments.
        unsafe { self.raw().get_shader_info_log(shader) }
    }

    pub(crate) fn program_log(&self, program: glow::Program) -> String {
        // SAFETY: WebGL checks the arguments.
        unsafe { self.raw().get_program_info_log(program) }
    }

    /// Returns whether [`GlFunctions::clip_depth`] has an effect.
    pub(crate) fn has_clip_control(&self) -> bool {
        self.extra.clip_control.is_some()
    }

    /// Sets the lower left corner as origin, and this range of clip depth, if the context supports it.
    pub(crate) fn clip_depth(&self, range: u32) {
        if let Some(extension) = &self.extra.clip_control {
            extension.clip_control(glow::LOWER_LEFT, range);
        }
    }

    /// Does nothing, because floats are always read unchanged.
    pub(crate) fn unclamp_reads(&self) {}

    /// Returns true: [`GlFunctions::reset_status`] detects a lost context.
    pub(crate) fn reports_reset(&self) -> bool {
        true
    }

    /// Returns 0 unless the context is lost.
    pub(crate) fn reset_status(&self) -> u32 {
        match self.check_current() {
            Ok(()) => glow::NO_ERROR,
            Err(_) => glow::UNKNOWN_CONTEXT_RESET,
        }
    }

    /// Returns false, because WebGL 2 is based on OpenGL ES 3.0.
    pub(crate) fn has_vertex_bindings(&self) -> bool {
        false
    }

    /// Returns true, because WebGL 2 includes format queries.
    pub(crate) fn has_format_query(&self) -> bool {
        true
    }

    /// Returns true, because WebGL 2 includes immutable storage.
    pub(crate) fn has_texture_storage(&self) -> bool {
        true
    }

    /// Returns texels for a call, aligned to whole elements, as WebGL requires.
    pub(super) fn aligned<'a>(&self, data: &'a [u8], data_type: u32) -> Cow<'a, [u8]> {
        let element = match data_type {
            glow::UNSIGNED_BYTE => 1,
            glow::FLOAT => 4,
            _ => 2,
        };
        let aligned = data.as_ptr().addr().is_multiple_of(element);
        // Allocations are aligned: dlmalloc returns multiples of eight.
        if aligned { Cow::Borrowed(data) } else { Cow::Owned(data.to_vec()) }
    }

    /// Waits until GL has written a buffer, and reads the start of the buffer.
    pub(crate) fn mapped(
        &self,
        buffer: glow::Buffer,
        bytes: usize,
        read: impl FnOnce(&[u8]),
    ) -> Result<(), BackendError> {
        let mut data = Vec::new();
        data.try_reserve_exact(bytes).map_err(|_| BackendError::OutOfMemory)?;
        data.resize(bytes, 0);
        if bytes > 0 {
            let target = glow::COPY_READ_BUFFER;
            // SAFETY: WebGL writes no more than the slice holds. While bound to `COPY_READ_BUFFER`, a buffer can't be
            // written by transform feedback.
            unsafe {
                self.raw().bind_buffer(target, Some(buffer));
                self.raw().get_buffer_sub_data(target, 0, &mut data);
                self.raw().bind_buffer(target, None);
            }
            self.check("reading a buffer")?;
        }
        read(&data);
        Ok(())
    }

    /// Returns false, because WebGL has no debug log.
    pub(super) fn has_debug_log(&self) -> bool {
        false
    }

    /// Does nothing, because WebGL has no debug log.
    pub(super) fn log_severity(&self, _severity: u32, _on: bool) {}

    /// Returns `None`, because WebGL has no debug log.
    pub(super) fn next_debug_message(&self, _buffer: &mut Vec<u8>) -> Option<DebugMessage> {
        None
    }
}
