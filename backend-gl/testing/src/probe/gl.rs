//! The only module where `unsafe` is allowed: safe wrappers of GL's functions, and GL objects (`handle.rs`).
//!
//! The safe functions are sound under one condition: **while such a function runs, the context is current on this
//! thread, and only the probe has changed GL's state.** Every public function of [`ShaderRunner`](super::ShaderRunner)
//! calls [`ProbeGl::enter`] first. Dropping an object also makes the context current.
#![allow(unsafe_code, reason = "glow marks every GL function unsafe")]

mod handle;

use std::rc::Rc;

use backend_gl::offscreen::Offscreen;
use backend_gl::{GlDevice, glow};
use context3d::backend::BackendError;
use glow::HasContext as _;

pub(crate) use handle::ProbeHandle;

/// WebGL's value for `GL_CONTEXT_LOST`.
const CONTEXT_LOST_WEBGL: u32 = 0x9242;
/// Maximum number of error flags to clear: GL has one per type of error, but a lost context may report errors forever.
const MAX_PENDING_ERRORS: usize = 16;

#[derive(Clone, Copy)]
pub(crate) struct DriverSize {
    pub(crate) width: i32,
    pub(crate) height: i32,
}

impl DriverSize {
    /// Creates a size. Values above `i32::MAX` are clamped, and GL rejects them.
    pub(crate) fn new(width: u32, height: u32) -> Self {
        let side = |side| i32::try_from(side).unwrap_or(i32::MAX);
        Self { width: side(width), height: side(height) }
    }

    pub(crate) fn pixels(self) -> usize {
        let side = |side| usize::try_from(side).unwrap_or(0);
        side(self.width).saturating_mul(side(self.height))
    }
}

#[derive(Clone, Copy)]
pub(crate) enum DriverLevel<'a> {
    /// Texels in the format `GL_RGBA8`.
    Bytes(&'a [[u8; 4]]),
    /// Texels in the format `GL_RGBA32F`.
    Floats(&'a [[f32; 4]]),
}

impl<'a> DriverLevel<'a> {
    pub(crate) fn len(self) -> usize {
        match self {
            DriverLevel::Bytes(texels) => texels.len(),
            DriverLevel::Floats(texels) => texels.len(),
        }
    }

    fn parts(self) -> (u32, u32, &'a [u8]) {
        match self {
            DriverLevel::Bytes(texels) => (glow::RGBA8, glow::UNSIGNED_BYTE, texels.as_flattened()),
            DriverLevel::Floats(texels) => (glow::RGBA32F, glow::FLOAT, bytes(texels)),
        }
    }
}

fn bytes(floats: &[[f32; 4]]) -> &[u8] {
    // SAFETY: pointer, length and lifetime come from `floats`, and all bytes of an f32 are valid u8 values.
    unsafe { std::slice::from_raw_parts(floats.as_ptr().cast::<u8>(), size_of_val(floats)) }
}

fn bytes_mut(floats: &mut [[f32; 4]]) -> &mut [u8] {
    let length = size_of_val(floats);
    // SAFETY: pointer, length and lifetime come from `floats`. Any four bytes are a valid f32.
    unsafe { std::slice::from_raw_parts_mut(floats.as_mut_ptr().cast::<u8>(), length) }
}

pub(crate) struct ProbeGl {
    offscreen: Offscreen,
    /// A device of `backend-gl` that sets GL's state to its defaults.
    device: GlDevice,
}

/// Functions whose arguments are values and names that GL checks itself, or slices that it only reads.
macro_rules! calls {
    ($($name:ident($($arg:ident: $ty:ty),*) $(-> $ret:ty)?;)+) => {
        impl ProbeGl {$(
            #[doc = concat!("[`glow::HasContext::", stringify!($name), "`]")]
            pub(crate) fn $name(&self, $($arg: $ty),*) $(-> $ret)? {
                // SAFETY: the context is current (see the module); GL answers values and names that it doesn't accept
                // with an error code. glow passes each slice with its length. Draws read buffers only: a
                // vertex array is bound, in which GL rejects client memory. The callers' names have no zero byte.
                unsafe { self.raw().$name($($arg),*) }
            }
        )+}
    };
}

calls! {
    active_texture(unit: u32);
    attach_shader(program: glow::Program, shader: glow::Shader);
    begin_transform_feedback(mode: u32);
    bind_attrib_location(program: glow::Program, index: u32, name: &str);
    bind_buffer(target: u32, buffer: Option<glow::Buffer>);
    bind_buffer_base(target: u32, index: u32, buffer: Option<glow::Buffer>);
    bind_frag_data_location(program: glow::Program, index: u32, name: &str);
    bind_framebuffer(target: u32, framebuffer: Option<glow::Framebuffer>);
    bind_sampler(unit: u32, sampler: Option<glow::Sampler>);
    bind_texture(target: u32, texture: Option<glow::Texture>);
    bind_vertex_array(array: Option<glow::VertexArray>);
    buffer_data_size(target: u32, bytes: i32, usage: u32);
    check_framebuffer_status(target: u32) -> u32;
    depth_func(func: u32);
    disable(capability: u32);
    draw_arrays(mode: u32, first: i32, count: i32);
    draw_arrays_instanced(mode: u32, first: i32, count: i32, instances: i32);
    draw_buffers(buffers: &[u32]);
    enable(capability: u32);
    end_transform_feedback();
    framebuffer_texture_2d(target: u32, attachment: u32, face: u32, texture: Option<glow::Texture>, level: i32);
    get_program_link_status(program: glow::Program) -> bool;
    get_program_info_log(program: glow::Program) -> String;
    get_uniform_block_index(program: glow::Program, name: &str) -> Option<u32>;
    get_uniform_location(program: glow::Program, name: &str) -> Option<glow::UniformLocation>;
    link_program(program: glow::Program);
    patch_parameter_i32(name: u32, value: i32);
    read_buffer(buffer: u32);
    sampler_parameter_f32(sampler: glow::Sampler, name: u32, value: f32);
    sampler_parameter_i32(sampler: glow::Sampler, name: u32, value: i32);
    stencil_func(func: u32, reference: i32, mask: u32);
    stencil_op(stencil_fail: u32, depth_fail: u32, pass: u32);
    tex_buffer(target: u32, format: u32, buffer: Option<glow::Buffer>);
    tex_parameter_i32(target: u32, name: u32, value: i32);
    transform_feedback_varyings(program: glow::Program, names: &[&str], mode: u32);
    uniform_1_i32(location: Option<&glow::UniformLocation>, value: i32);
    uniform_4_f32_slice(location: Option<&glow::UniformLocation>, values: &[f32]);
    uniform_block_binding(program: glow::Program, index: u32, binding: u32);
    use_program(program: Option<glow::Program>);
    viewport(x: i32, y: i32, width: i32, height: i32);
}

impl ProbeGl {
    pub(crate) fn new(offscreen: Offscreen) -> Result<Self, BackendError> {
        let device = offscreen.device()?;
        Ok(Self { offscreen, device })
    }

    fn raw(&self) -> &glow::Context {
        self.offscreen.functions()
    }

    pub(crate) fn device(&self) -> &GlDevice {
        &self.device
    }

    /// Makes the context current, and sets GL's state to its defaults, except that cubes are seamless as on every other
    /// API.
    pub(crate) fn enter(&self) -> Result<(), BackendError> {
        self.device.reset_to_gl_defaults()?;
        if !self.raw().version().is_embedded {
            self.enable(glow::TEXTURE_CUBE_MAP_SEAMLESS);
        }
        Ok(())
    }

    /// Returns major and minor version, and whether the context is OpenGL ES.
    pub(crate) fn version(&self) -> ((u32, u32), bool) {
        let version = self.raw().version();
        ((version.major, version.minor), version.is_embedded)
    }

    /// Returns whether the context lists this extension; WebGL's names have no prefix.
    pub(crate) fn has_extension(&self, name: &str) -> bool {
        let list = self.raw().supported_extensions();
        list.contains(name) || name.strip_prefix("GL_").is_some_and(|name| list.contains(name))
    }

    /// Returns whether the context has tessellation and texture buffers: OpenGL 4.0 and OpenGL ES 3.2.
    pub(crate) fn has_tessellation(&self) -> bool {
        let (version, es) = self.version();
        version >= if es { (3, 2) } else { (4, 0) }
    }

    /// Returns the maximum anisotropy; 1 without support.
    pub(crate) fn max_anisotropy(&self) -> f32 {
        let (version, es) = self.version();
        let has =
            (!es && version >= (4, 6)) || self.has_extension("GL_EXT_texture_filter_anisotropic");
        // SAFETY: the context is current (see the module); the parameter has one value.
        if has {
            unsafe { self.raw().get_parameter_f32(glow::MAX_TEXTURE_MAX_ANISOTROPY_EXT) }
        } else {
            1.0
        }
    }

    /// Clears GL's error flags; returns the first as an error.
    pub(crate) fn check(&self, what: &str) -> Result<(), BackendError> {
        let mut result = Ok(());
        for _ in 0..MAX_PENDING_ERRORS {
            // SAFETY: the context is current (see the module).
            let error = match unsafe { self.raw().get_error() } {
                glow::NO_ERROR => break,
                glow::CONTEXT_LOST | CONTEXT_LOST_WEBGL => return Err(BackendError::Lost),
                glow::OUT_OF_MEMORY => BackendError::OutOfMemory,
                error => BackendError::Driver(format!("{what}: GL error {error:#06x}")),
            };
            result = result.and(Err(error));
        }
        result
    }

    pub(crate) fn buffer_data(&self, target: u32, data: &[[f32; 4]], usage: u32) {
        // SAFETY: the context is current (see the module); glow passes the slice with its length.
        unsafe { self.raw().buffer_data_u8_slice(target, bytes(data), usage) }
    }

    /// Waits until GL has written a buffer, and reads its start.
    pub(crate) fn read_back(
        &self,
        buffer: glow::Buffer,
        out: &mut [[f32; 4]],
    ) -> Result<(), BackendError> {
        let out = bytes_mut(out);
        let length = i32::try_from(out.len()).map_err(|_| BackendError::OutOfMemory)?;
        if length == 0 {
            return Ok(());
        }
        let target = glow::COPY_READ_BUFFER;
        self.bind_buffer(target, Some(buffer));
        #[cfg(target_arch = "wasm32")]
        // SAFETY: WebGL writes no more than the slice holds.
        unsafe {
            self.raw().get_buffer_sub_data(target, 0, out);
        }
        #[cfg(not(target_arch = "wasm32"))]
        // SAFETY: the context is current (see the module). A non-null mapping has the requested `length`, nothing else
        // writes to it, and it is not used after the buffer is unmapped.
        unsafe {
            let mapped = self.raw().map_buffer_range(target, 0, length, glow::MAP_READ_BIT);
            if mapped.is_null() {
                self.check("reading a buffer")?;
                return Err(BackendError::Driver("a buffer can't be mapped".to_owned()));
            }
            out.copy_from_slice(std::slice::from_raw_parts(mapped, out.len()));
            self.raw().unmap_buffer(target);
        }
        self.check("reading a buffer")
    }

    /// Reads the lower left corner of the read framebuffer.
    pub(crate) fn read_pixels(
        &self,
        size: DriverSize,
        out: &mut [[f32; 4]],
    ) -> Result<(), BackendError> {
        same(size, out.len())?;
        let (width, height) = (size.width, size.height);
        let out = glow::PixelPackData::Slice(Some(bytes_mut(out)));
        // SAFETY: the context is current (see the module). GL writes width * height pixels, which `out` holds (checked
        // above): by default rows are packed, and no buffer is bound.
        unsafe { self.raw().read_pixels(0, 0, width, height, glow::RGBA, glow::FLOAT, out) };
        Ok(())
    }

    /// `glTexImage2D` without data: RGBA32F, or depth and stencil.
    pub(crate) fn tex_storage(&self, target: u32, size: DriverSize, depth: bool) {
        let (internal, format, ty) = if depth {
            (glow::DEPTH32F_STENCIL8, glow::DEPTH_STENCIL, glow::FLOAT_32_UNSIGNED_INT_24_8_REV)
        } else {
            (glow::RGBA32F, glow::RGBA, glow::FLOAT)
        };
        let (internal, data) = (internal.cast_signed(), glow::PixelUnpackData::Slice(None));
        // SAFETY: the context is current (see the module); there is no data to read.
        unsafe {
            self.raw().tex_image_2d(
                target,
                0,
                internal,
                size.width,
                size.height,
                0,
                format,
                ty,
                data,
            );
        }
    }

    pub(crate) fn tex_image(
        &self,
        face: u32,
        level: i32,
        size: DriverSize,
        texels: DriverLevel<'_>,
    ) -> Result<(), BackendError> {
        same(size, texels.len())?;
        let (width, height) = (size.width, size.height);
        let (internal, ty, bytes) = texels.parts();
        let (internal, data) = (internal.cast_signed(), glow::PixelUnpackData::Slice(Some(bytes)));
        // SAFETY: the context is current (see the module). GL reads width * height texels, which `bytes` holds (checked
        // above): by default rows are packed (texels have a multiple of four bytes), and no buffer is bound.
        unsafe {
            self.raw().tex_image_2d(face, level, internal, width, height, 0, glow::RGBA, ty, data)
        };
        Ok(())
    }

    /// `glTexSubImage2D` of floats from row `top`.
    pub(crate) fn tex_sub_image(
        &self,
        top: i32,
        size: DriverSize,
        texels: &[[f32; 4]],
    ) -> Result<(), BackendError> {
        same(size, texels.len())?;
        let (target, width, height) = (glow::TEXTURE_2D, size.width, size.height);
        let data = glow::PixelUnpackData::Slice(Some(bytes(texels)));
        // SAFETY: as in `tex_image`.
        unsafe {
            self.raw().tex_sub_image_2d(
                target,
                0,
                0,
                top,
                width,
                height,
                glow::RGBA,
                glow::FLOAT,
                data,
            )
        };
        Ok(())
    }

    pub(crate) fn clear_color(&self) {
        // SAFETY: the context is current (see the module); GL reads four floats.
        unsafe { self.raw().clear_buffer_f32_slice(glow::COLOR, 0, &[0.0; 4]) }
    }

    pub(crate) fn clear_stencil(&self) {
        // SAFETY: the context is current (see the module); GL reads one number.
        unsafe { self.raw().clear_buffer_i32_slice(glow::STENCIL, 0, &[0]) }
    }

    /// Enables the attributes in this bit set: registers in the bound array buffer, interleaved in this order. The
    /// caller draws no more vertices than the buffer has.
    pub(crate) fn attributes(&self, set: u16) {
        const REGISTER: i32 = 16;
        let stride = set.count_ones().cast_signed().saturating_mul(REGISTER);
        let mut offset = 0;
        for index in 0..16 {
            // SAFETY: the context is current (see the module). A vertex array is bound, so that GL takes the pointer as
            // an offset into the bound buffer. Without a bound buffer, GL reports an error.
            unsafe {
                if set & (1 << index) == 0 {
                    self.raw().disable_vertex_attrib_array(index);
                    continue;
                }
                self.raw().enable_vertex_attrib_array(index);
                self.raw().vertex_attrib_pointer_f32(index, 4, glow::FLOAT, false, stride, offset);
            }
            offset = offset.saturating_add(REGISTER);
        }
    }

    pub(crate) fn compile(
        self: &Rc<Self>,
        kind: u32,
        stage: &'static str,
        glsl: &str,
    ) -> Result<ProbeHandle<glow::Shader>, BackendError> {
        let failed = |log| BackendError::CompileFailed { stage, source: glsl.to_owned(), log };
        // glow requires UTF-8 logs, but a driver may cut a line of the source in the middle of a character.
        if !glsl.is_ascii() {
            return Err(failed("the source isn't ASCII".to_owned()));
        }
        let raw = self.raw();
        // SAFETY: the context is current, also when `drop` calls `delete`. glow passes the source with its length.
        unsafe {
            let name = raw.create_shader(kind).map_err(|_| BackendError::OutOfMemory)?;
            let delete = |raw: &glow::Context, name| raw.delete_shader(name);
            let shader = ProbeHandle { gl: Rc::clone(self), name, delete };
            raw.shader_source(name, glsl);
            raw.compile_shader(name);
            if raw.get_shader_compile_status(name) {
                Ok(shader)
            } else {
                Err(failed(raw.get_shader_info_log(name)))
            }
        }
    }

    /// Counts the primitives that `draw` writes to the transform feedback buffer; waits for GL.
    pub(crate) fn count_primitives(&self, draw: impl FnOnce()) -> Result<u32, BackendError> {
        let (raw, target) = (self.raw(), glow::TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
        // SAFETY: the context is current (see the module); the query is created, ended, read and deleted here.
        unsafe {
            let query = raw.create_query().map_err(BackendError::Driver)?;
            raw.begin_query(target, query);
            draw();
            raw.end_query(target);
            let count = raw.get_query_parameter_u32(query, glow::QUERY_RESULT);
            raw.delete_query(query);
            Ok(count)
        }
    }
}

/// Checks that a size has this number of pixels.
fn same(size: DriverSize, pixels: usize) -> Result<(), BackendError> {
    if size.pixels() == pixels {
        Ok(())
    } else {
        Err(BackendError::Driver(format!("{pixels} pixels of memory for {}", size.pixels())))
    }
}
