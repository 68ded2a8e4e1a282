//! Buffers, textures, renderbuffers, framebuffers, samplers, programs.

use context3d::backend::BackendError;
use context3d::packets::MAX_COLOR_OUTPUTS;
use glow::HasContext as _;

use super::{GlFunctions, plain_calls};

/// A size in pixels from a validated packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PixelSize {
    /// Width in pixels.
    pub(crate) width: i32,
    /// Height in pixels.
    pub(crate) height: i32,
}

impl PixelSize {
    /// Creates a size. Values above `i32::MAX` are clamped, and GL rejects them.
    pub(crate) fn new(width: u32, height: u32) -> Self {
        Self { width: int(width), height: int(height) }
    }

    /// Returns the whole surface as a rectangle: left, top, right, bottom.
    pub(crate) fn all(self) -> [i32; 4] {
        [0, 0, self.width, self.height]
    }

    /// Returns the bytes of this many pixels; `None` on overflow.
    pub(crate) fn bytes(self, per_pixel: usize) -> Option<usize> {
        let width = usize::try_from(self.width).ok()?;
        let height = usize::try_from(self.height).ok()?;
        width.checked_mul(height)?.checked_mul(per_pixel)
    }
}

/// Converts a number for GL, clamped to `i32::MAX`.
pub(crate) fn int(value: u32) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

/// The GL formats for an image's storage and data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GlFormat {
    /// GL's internal format of the storage.
    pub(crate) internal: u32,
    /// Internal format of a renderbuffer with equal precision. Samples can be resolved directly into a texture only if
    /// texture and renderbuffer have equal internal formats (OpenGL ES 3.0, section 4.3.2).
    pub(crate) render_buffer: u32,
    /// GL's format of texel data in client memory.
    pub(crate) format: u32,
    /// GL's type of texel data in client memory.
    pub(crate) data_type: u32,
    /// Bytes of one texel in client memory.
    pub(crate) bytes: usize,
}

plain_calls! {
    bind_buffer(target: u32, buffer: Option<glow::Buffer>) = bind_buffer;
    /// `glBufferData` without data.
    buffer_data_size(target: u32, bytes: i32, usage: u32) = buffer_data_size;
    /// `glBufferSubData`; GL only reads the slice.
    buffer_sub_data(target: u32, offset: i32, data: &[u8]) = buffer_sub_data_u8_slice;
    copy_buffer_sub_data(from: u32, to: u32, from_offset: i32, to_offset: i32, bytes: i32)
        = copy_buffer_sub_data;
    tex_parameter(target: u32, name: u32, value: i32) = tex_parameter_i32;
    generate_mipmap(target: u32) = generate_mipmap;
    /// `glTexStorage2D`, with [`GlFunctions::has_texture_storage`].
    tex_storage(target: u32, levels: i32, internal: u32, width: i32, height: i32) = tex_storage_2d;
    sampler_parameter(sampler: glow::Sampler, name: u32, value: i32) = sampler_parameter_i32;
    sampler_parameter_f32(sampler: glow::Sampler, name: u32, value: f32) = sampler_parameter_f32;
    bind_renderbuffer(target: u32, buffer: Option<glow::Renderbuffer>) = bind_renderbuffer;
    framebuffer_texture(target: u32, attachment: u32, face: u32, texture: Option<glow::Texture>, level: i32)
        = framebuffer_texture_2d;
    framebuffer_renderbuffer(target: u32, attachment: u32, kind: u32, buffer: Option<glow::Renderbuffer>)
        = framebuffer_renderbuffer;
    framebuffer_status(target: u32) -> u32 = check_framebuffer_status;
    /// `glReadBuffer` of the bound read framebuffer.
    read_buffer(buffer: u32) = read_buffer;
    /// `glUniform4fv`; glow takes the count from the slice's length.
    uniform_vec4s(location: Option<&glow::UniformLocation>, values: &[f32]) = uniform_4_f32_slice;
    uniform_int(location: Option<&glow::UniformLocation>, value: i32) = uniform_1_i32;
}

/// The step in which building a program failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BuildStep {
    /// Compiling the vertex shader.
    Vertex,
    /// Compiling the fragment shader.
    Fragment,
    /// Linking.
    Link,
}

/// Returns the error for client memory of the wrong length. `Context3D` validates lengths, so that a wrong length is a
/// bug of the caller.
fn wrong_length(what: &str, have: usize, want: Option<usize>) -> BackendError {
    BackendError::Driver(format!(
        "{what}: {have} bytes of data where {} are needed",
        want.map_or_else(|| "more than the address space".to_owned(), |want| want.to_string())
    ))
}

impl GlFunctions {
    /// Calls `glDrawBuffers` for the bound draw framebuffer: output n writes to attachment n if bit n is set.
    pub(crate) fn draw_buffers(&self, set: u8) {
        let mut buffers = [glow::NONE; MAX_COLOR_OUTPUTS];
        for (output, (buffer, attachment)) in
            buffers.iter_mut().zip(glow::COLOR_ATTACHMENT0..).enumerate()
        {
            if set >> output & 1 != 0 {
                *buffer = attachment;
            }
        }
        // SAFETY: the context is current (promise of `GlFunctions`); GL reads the slice by its length.
        unsafe { self.raw().draw_buffers(&buffers) }
    }

    /// Calls `glTexImage2D` for the texture at `target`'s binding point. Without data, the content is undefined.
    pub(crate) fn tex_image(
        &self,
        target: u32,
        level: i32,
        size: PixelSize,
        texels: &GlFormat,
        data: Option<&[u8]>,
    ) -> Result<(), BackendError> {
        if let Some(data) = data {
            check_length("texture level", data.len(), size.bytes(texels.bytes))?;
        }
        let data = data.map(|data| self.aligned(data, texels.data_type));
        // SAFETY: the context is current (promise of `GlFunctions`); GL reads width * height texels, which `data` holds
        // (checked above). Rows are packed, `GL_UNPACK_ALIGNMENT` is 1 and no unpack buffer is bound: `Shadow::reset`
        // set it, and the host promises to announce its changes.
        unsafe {
            self.raw().tex_image_2d(
                target,
                level,
                texels.internal.cast_signed(),
                size.width,
                size.height,
                0,
                texels.format,
                texels.data_type,
                glow::PixelUnpackData::Slice(data.as_deref()),
            );
        }
        Ok(())
    }

    /// Calls `glCompressedTexImage2D` for the texture at `target`'s binding point.
    pub(crate) fn compressed_tex_image(
        &self,
        target: u32,
        level: i32,
        size: PixelSize,
        internal: u32,
        data: &[u8],
    ) -> Result<(), BackendError> {
        let bytes = i32::try_from(data.len()).map_err(|_| BackendError::OutOfMemory)?;
        // SAFETY: the context is current (promise of `GlFunctions`); GL reads `bytes` bytes, the length of `data`, and
        // rejects a number that doesn't match `size`. No unpack buffer is bound (as in `tex_image`).
        unsafe {
            self.raw().compressed_tex_image_2d(
                target,
                level,
                internal.cast_signed(),
                size.width,
                size.height,
                0,
                bytes,
                data,
            );
        }
        Ok(())
    }

    /// Calls `glCompressedTexSubImage2D` for a whole level.
    pub(crate) fn compressed_tex_sub_image(
        &self,
        target: u32,
        level: i32,
        PixelSize { width, height }: PixelSize,
        internal: u32,
        data: &[u8],
    ) {
        let data = glow::CompressedPixelUnpackData::Slice(data);
        // SAFETY: as in `compressed_tex_image`.
        unsafe {
            self.raw()
                .compressed_tex_sub_image_2d(target, level, 0, 0, width, height, internal, data);
        }
    }

    /// Calls `glTexSubImage2D` for `size` texels, starting at column 0 and row `top`.
    pub(crate) fn tex_sub_image(
        &self,
        target: u32,
        level: i32,
        top: i32,
        size: PixelSize,
        texels: &GlFormat,
        data: &[u8],
    ) -> Result<(), BackendError> {
        check_length("texture rows", data.len(), size.bytes(texels.bytes))?;
        let data = self.aligned(data, texels.data_type);
        // SAFETY: as in `tex_image`.
        unsafe {
            self.raw().tex_sub_image_2d(
                target,
                level,
                0,
                top,
                size.width,
                size.height,
                texels.format,
                texels.data_type,
                glow::PixelUnpackData::Slice(Some(&data)),
            );
        }
        Ok(())
    }

    /// Returns whether the first colour buffer of the bound draw framebuffer has an sRGB encoding. `default` tells
    /// whether the default framebuffer is bound.
    pub(crate) fn draws_srgb(&self, default: bool) -> bool {
        let buffer = match (default, self.version()) {
            (false, _) => glow::COLOR_ATTACHMENT0,
            (true, (_, _, true)) => glow::BACK,
            (true, (_, _, false)) => glow::BACK_LEFT,
        };
        // SAFETY: the context is current (promise of `GlFunctions`); both parameters have one value.
        let is = |name, value: u32| unsafe {
            let target = glow::DRAW_FRAMEBUFFER;
            self.raw().get_framebuffer_attachment_parameter_i32(target, buffer, name)
                == value.cast_signed()
        };
        // The encoding of a missing attachment can't be queried.
        !is(glow::FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE, glow::NONE)
            && is(glow::FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING, glow::SRGB)
    }

    /// Returns the maximum number of samples of a renderbuffer with this internal format; 0 without support. Only with
    /// [`GlFunctions::has_format_query`].
    pub(crate) fn max_samples(&self, internal: u32) -> i32 {
        let mut largest = [0];
        // SAFETY: the context is current (promise of `GlFunctions`); GL writes at most as many values as the slice has,
        // in descending order.
        unsafe {
            self.raw().get_internal_format_i32_slice(
                glow::RENDERBUFFER,
                internal,
                glow::SAMPLES,
                &mut largest,
            );
        }
        let [largest] = largest;
        largest
    }

    /// Allocates storage for the bound renderbuffer; `samples` is 0 without multisampling.
    pub(crate) fn renderbuffer_storage(&self, internal: u32, samples: i32, size: PixelSize) {
        let (target, PixelSize { width, height }) = (glow::RENDERBUFFER, size);
        // SAFETY: the context is current (promise of `GlFunctions`); plain values.
        unsafe {
            self.raw().renderbuffer_storage_multisample(target, samples, internal, width, height);
        }
    }

    /// Compiles and links a program. Submits both shaders and the program before the first status query, so that a
    /// driver can compile on several threads.
    pub(crate) fn build(
        &self,
        program: glow::Program,
        vertex: &str,
        fragment: &str,
    ) -> Result<(), (BuildStep, String)> {
        let none = |why| (BuildStep::Link, why);
        let vertex = self.compile(glow::VERTEX_SHADER, vertex).map_err(none)?;
        let fragment = self.compile(glow::FRAGMENT_SHADER, fragment);
        // SAFETY: the context is current (promise of `GlFunctions`); the shaders are created here, and marked for
        // deletion after they were attached to the program.
        unsafe {
            let result = fragment.map_err(none).and_then(|fragment| {
                self.raw().attach_shader(program, vertex);
                self.raw().attach_shader(program, fragment);
                self.raw().link_program(program);
                let result = if self.raw().get_program_link_status(program) {
                    Ok(())
                } else if !self.raw().get_shader_compile_status(vertex) {
                    Err((BuildStep::Vertex, self.shader_log(vertex)))
                } else if !self.raw().get_shader_compile_status(fragment) {
                    Err((BuildStep::Fragment, self.shader_log(fragment)))
                } else {
                    Err((BuildStep::Link, self.program_log(program)))
                };
                self.raw().delete_shader(fragment);
                result
            });
            self.raw().delete_shader(vertex);
            result
        }
    }

    /// Returns the driver's binary of a linked program, with its format.
    pub(crate) fn binary(&self, program: glow::Program) -> Option<(u32, Vec<u8>)> {
        // SAFETY: the context is current (promise of `GlFunctions`); glow queries the length first.
        let binary = unsafe { self.raw().get_program_binary(program) }?;
        Some((binary.format, binary.buffer))
    }

    /// Loads a program binary. Returns false if the driver rejects the binary.
    pub(crate) fn load_binary(&self, program: glow::Program, format: u32, binary: &[u8]) -> bool {
        let buffer = binary.to_vec();
        // SAFETY: the context is current (promise of `GlFunctions`), and glow passes the length. The bytes come from
        // this driver, as the host promised to `GlDevice::set_program_cache`.
        unsafe {
            let binary = glow::ProgramBinary { buffer, format };
            self.raw().program_binary(program, &binary);
            let linked = self.raw().get_program_link_status(program);
            if !linked {
                // An unknown format also sets an error flag.
                log::warn!("the driver rejects a program binary: {:#06x}", self.raw().get_error());
            }
            linked
        }
    }

    fn compile(&self, kind: u32, source: &str) -> Result<glow::Shader, String> {
        // SAFETY: the context is current (promise of `GlFunctions`); glow passes `source` with its length.
        unsafe {
            let shader = self.raw().create_shader(kind)?;
            self.raw().shader_source(shader, source);
            self.raw().compile_shader(shader);
            Ok(shader)
        }
    }

    /// Returns the location of a uniform; `None` for an unused uniform, and for names with a zero byte.
    pub(crate) fn uniform_location(
        &self,
        program: glow::Program,
        name: &str,
    ) -> Option<glow::UniformLocation> {
        if name.contains('\0') {
            return None; // glow would panic
        }
        // SAFETY: the context is current (promise of `GlFunctions`).
        unsafe { self.raw().get_uniform_location(program, name) }
    }
}

/// Checks that `have` is the number of bytes that GL will read or write.
pub(super) fn check_length(
    what: &str,
    have: usize,
    want: Option<usize>,
) -> Result<(), BackendError> {
    if want == Some(have) { Ok(()) } else { Err(wrong_length(what, have, want)) }
}
