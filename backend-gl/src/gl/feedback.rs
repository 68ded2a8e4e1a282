//! Functions for `backend-gl-probe`: separate shaders, transform feedback, and buffers that are read back.

use std::rc::Rc;

use context3d::backend::BackendError;
use glow::HasContext as _;

use super::{Gl, Rect, plain_calls};

plain_calls! {
    /// `glLinkProgram`
    link_program(program: glow::Program) = link_program;
    /// `GL_LINK_STATUS`
    link_status(program: glow::Program) -> bool = get_program_link_status;
    /// `glBindBufferBase`
    bind_buffer_base(target: u32, index: u32, buffer: Option<glow::Buffer>) = bind_buffer_base;
    /// `glBeginTransformFeedback`; GL rejects draws that don't fit in the bound buffers.
    begin_transform_feedback(mode: u32) = begin_transform_feedback;
    /// `glEndTransformFeedback`
    end_transform_feedback() = end_transform_feedback;
    /// `glDrawArraysInstanced`: the caller has checked `count` against the sizes of the enabled attributes' buffers.
    draw_arrays_instanced(mode: u32, first: i32, count: i32, instances: i32) = draw_arrays_instanced;
}

impl Gl {
    /// `glBufferData` with whole registers.
    pub fn buffer_data(&self, target: u32, data: &[[f32; 4]], usage: u32) {
        // SAFETY: the pointer and the length are those of `data`, all bytes of an f32 are valid u8 values, and the
        // slice lives no longer than `data`. The context is current (promise of `Gl`); GL only reads the slice.
        unsafe {
            let bytes =
                std::slice::from_raw_parts(data.as_ptr().cast::<u8>(), std::mem::size_of_val(data));
            self.raw.buffer_data_u8_slice(target, bytes, usage);
        }
    }

    /// Reads the start of a buffer; waits until GL has written it.
    ///
    /// # Errors
    /// [`BackendError::Driver`] if the buffer is smaller or can't be mapped.
    pub fn read_back(
        &self,
        buffer: glow::Buffer,
        out: &mut [[f32; 4]],
    ) -> Result<(), BackendError> {
        self.mapped(buffer, std::mem::size_of_val(out), |bytes| {
            let floats = bytes.as_chunks::<4>().0.iter();
            for (out, float) in out.as_flattened_mut().iter_mut().zip(floats) {
                *out = f32::from_ne_bytes(*float);
            }
        })
    }

    /// Queues a copy of the read framebuffer's lower left corner as RGBA floats to a buffer, whose size GL checks.
    pub fn pack_floats(&self, buffer: glow::Buffer, size: Rect, offset: u32) {
        // SAFETY: the context is current (promise of `Gl`); a buffer of this context is bound, so that GL interprets
        // the offset as such and not as an address. It is unbound afterwards, as `read_rgba` requires.
        unsafe {
            self.raw.bind_buffer(glow::PIXEL_PACK_BUFFER, Some(buffer));
            self.raw.read_pixels(
                0,
                0,
                size.width,
                size.height,
                glow::RGBA,
                glow::FLOAT,
                glow::PixelPackData::BufferOffset(offset),
            );
            self.raw.bind_buffer(glow::PIXEL_PACK_BUFFER, None);
        }
    }

    /// `glBindAttribLocation`; names with a zero byte are ignored. Takes effect at the next link.
    pub fn bind_attribute(&self, program: glow::Program, index: u32, name: &str) {
        if name.contains('\0') {
            return; // glow would panic
        }
        // SAFETY: the context is current (promise of `Gl`).
        unsafe { self.raw.bind_attrib_location(program, index, name) }
    }

    /// `glBindFragDataLocation`; names with a zero byte are ignored. Takes effect at the next link. Not in OpenGL ES.
    pub fn bind_color_output(&self, program: glow::Program, index: u32, name: &str) {
        if name.contains('\0') || self.version().2 {
            return; // glow would panic
        }
        // SAFETY: the context is current (promise of `Gl`).
        unsafe { self.raw.bind_frag_data_location(program, index, name) }
    }

    /// `glTransformFeedbackVaryings`, interleaved in one buffer. Takes effect at the next link.
    pub fn capture_varyings(&self, program: glow::Program, names: &[&str]) {
        if names.iter().any(|name| name.contains('\0')) {
            return; // glow would panic
        }
        // SAFETY: the context is current (promise of `Gl`).
        unsafe {
            self.raw.transform_feedback_varyings(program, names, glow::INTERLEAVED_ATTRIBS);
        }
    }

    /// `glAttachShader`
    pub fn attach(&self, program: glow::Program, shader: &Shader) {
        // SAFETY: the context is current (promise of `Gl`).
        unsafe { self.raw.attach_shader(program, shader.name) }
    }
}

/// A compiled shader, deleted when dropped; programs that were linked with it are not affected.
pub struct Shader {
    gl: Rc<Gl>,
    name: glow::Shader,
}

impl Shader {
    /// Compiles a shader.
    ///
    /// # Errors
    /// The compiler's log.
    pub fn compile(gl: &Rc<Gl>, kind: u32, source: &str) -> Result<Self, String> {
        // SAFETY: the context is current (promise of `Gl`); `source` is read by its length.
        let (shader, compiled) = unsafe {
            let name = gl.raw.create_shader(kind)?;
            let shader = Self { gl: Rc::clone(gl), name };
            gl.raw.shader_source(name, source);
            gl.raw.compile_shader(name);
            (shader, gl.raw.get_shader_compile_status(name))
        };
        if compiled { Ok(shader) } else { Err(gl.shader_log(shader.name)) }
    }
}

impl Drop for Shader {
    fn drop(&mut self) {
        if !self.gl.abandoned.get() {
            // SAFETY: the context is current (promise of `Gl`).
            unsafe { self.gl.raw.delete_shader(self.name) }
        }
    }
}
