//! Functions that set state and bindings. Cached state is set only by `shadow`.

use glow::HasContext as _;

use super::{GlFunctions, plain_calls};

plain_calls! {
    enable(capability: u32) = enable;
    disable(capability: u32) = disable;
    use_program(program: Option<glow::Program>) = use_program;
    bind_framebuffer(target: u32, framebuffer: Option<glow::Framebuffer>) = bind_framebuffer;
    bind_vertex_array(array: Option<glow::VertexArray>) = bind_vertex_array;
    active_texture(unit: u32) = active_texture;
    bind_texture(target: u32, texture: Option<glow::Texture>) = bind_texture;
    bind_sampler(unit: u32, sampler: Option<glow::Sampler>) = bind_sampler;
    viewport(x: i32, y: i32, width: i32, height: i32) = viewport;
    scissor(x: i32, y: i32, width: i32, height: i32) = scissor;
    blend_func(source: u32, destination: u32) = blend_func;
    blend_equation(mode: u32) = blend_equation;
    color_mask(red: bool, green: bool, blue: bool, alpha: bool) = color_mask;
    depth_func(func: u32) = depth_func;
    depth_mask(write: bool) = depth_mask;
    depth_range(near: f32, far: f32) = depth_range_f32;
    stencil_func(face: u32, func: u32, reference: i32, mask: u32) = stencil_func_separate;
    stencil_op(face: u32, stencil_fail: u32, depth_fail: u32, pass: u32) = stencil_op_separate;
    stencil_mask(mask: u32) = stencil_mask;
    front_face(winding: u32) = front_face;
    cull_face(face: u32) = cull_face;
    /// `glPolygonMode`; not in OpenGL ES.
    polygon_mode(face: u32, mode: u32) = polygon_mode;
    enable_attribute(index: u32) = enable_vertex_attrib_array;
    disable_attribute(index: u32) = disable_vertex_attrib_array;
    attribute_divisor(index: u32, divisor: u32) = vertex_attrib_divisor;
    /// `glVertexAttribFormat`; `offset` in bytes, relative to the binding's offset.
    attribute_format(index: u32, size: i32, data_type: u32, normalized: bool, offset: u32)
        = vertex_attrib_format_f32;
    attribute_binding(index: u32, binding: u32) = vertex_attrib_binding;
    bind_vertex_buffer(binding: u32, buffer: Option<glow::Buffer>, offset: i32, stride: i32) = bind_vertex_buffer;
    binding_divisor(binding: u32, divisor: u32) = vertex_binding_divisor;
    /// `glVertexAttribPointer`, with the offset into the bound array buffer. Core and ES vertex arrays reject client
    /// memory.
    attribute_pointer(index: u32, size: i32, data_type: u32, normalized: bool, stride: i32, offset: i32)
        = vertex_attrib_pointer_f32;
    line_width(width: f32) = line_width;
    pixel_store(name: u32, value: i32) = pixel_store_i32;
}

impl GlFunctions {
    /// Queries an integer parameter with one value. For parameters with several values, glow would write past its
    /// variable.
    pub(crate) fn integer(&self, name: SingleValue) -> i32 {
        // SAFETY: the context is current (promise of `GlFunctions`); every name in `SingleValue` has one value.
        unsafe { self.raw().get_parameter_i32(name as u32) }
    }

    /// Queries a parameter with four integers.
    pub(crate) fn rectangle(&self, name: FourValues) -> [i32; 4] {
        let mut values = [0; 4];
        // SAFETY: the context is current (promise of `GlFunctions`); every name in `FourValues` has four values.
        unsafe {
            self.raw().get_parameter_i32_slice(name as u32, &mut values);
        }
        values
    }

    /// Queries `GL_MAX_TEXTURE_MAX_ANISOTROPY`.
    pub(crate) fn max_anisotropy(&self) -> f32 {
        // SAFETY: the context is current (promise of `GlFunctions`); the parameter has one value.
        unsafe { self.raw().get_parameter_f32(glow::MAX_TEXTURE_MAX_ANISOTROPY_EXT) }
    }
}

/// Parameters of `glGet` with four values.
#[derive(Clone, Copy, Debug)]
#[repr(u32)]
pub(crate) enum FourValues {
    Viewport = glow::VIEWPORT,
    ScissorBox = glow::SCISSOR_BOX,
}

/// Parameters of `glGet` with one value [context3d.device.parameters].
#[derive(Clone, Copy, Debug)]
#[cfg_attr(target_arch = "wasm32", allow(dead_code, reason = "WebGL lacks some"))]
#[repr(u32)]
pub(crate) enum SingleValue {
    MaxTextureSize = glow::MAX_TEXTURE_SIZE,
    MaxCubeSize = glow::MAX_CUBE_MAP_TEXTURE_SIZE,
    MaxRenderbufferSize = glow::MAX_RENDERBUFFER_SIZE,
    MaxSamples = glow::MAX_SAMPLES,
    MaxTextureUnits = glow::MAX_TEXTURE_IMAGE_UNITS,
    MaxCombinedTextureUnits = glow::MAX_COMBINED_TEXTURE_IMAGE_UNITS,
    MaxVertexAttributes = glow::MAX_VERTEX_ATTRIBS,
    MaxDrawBuffers = glow::MAX_DRAW_BUFFERS,
    MaxColorAttachments = glow::MAX_COLOR_ATTACHMENTS,
    ContextProfileMask = glow::CONTEXT_PROFILE_MASK,
    ResetStrategy = glow::RESET_NOTIFICATION_STRATEGY,
    DebugLoggedMessages = glow::DEBUG_LOGGED_MESSAGES,
    ProgramBinaryFormats = glow::NUM_PROGRAM_BINARY_FORMATS,
}
