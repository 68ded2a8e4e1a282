//! Functions for `backend-gl-probe` to run tessellation shaders: patches, uniform blocks, texture buffers and a count
//! of the output primitives.

use context3d::backend::BackendError;
use glow::HasContext as _;

use super::{Gl, plain_calls};

plain_calls! {
    /// `glPatchParameteri`; requires [`Gl::has_tessellation`].
    patch_parameter(name: u32, value: i32) = patch_parameter_i32;
    /// `glTexBuffer`; requires [`Gl::has_tessellation`].
    tex_buffer(target: u32, format: u32, buffer: Option<glow::Buffer>) = tex_buffer;
    /// `glUniformBlockBinding`
    uniform_block_binding(program: glow::Program, index: u32, binding: u32) = uniform_block_binding;
}

impl Gl {
    /// Whether the context has tessellation and texture buffers: OpenGL 4.0 and OpenGL ES 3.2.
    pub fn has_tessellation(&self) -> bool {
        let (major, minor, es) = self.version();
        (major, minor) >= if es { (3, 2) } else { (4, 0) }
    }

    /// The index of a uniform block; `None` for names with a zero byte.
    pub fn uniform_block(&self, program: glow::Program, name: &str) -> Option<u32> {
        if name.contains('\0') {
            return None; // glow would panic
        }
        // SAFETY: the context is current (promise of `Gl`).
        unsafe { self.raw.get_uniform_block_index(program, name) }
    }

    /// Counts the primitives that `draw` writes to the transform feedback buffer; waits for GL.
    ///
    /// # Errors
    /// [`BackendError::Driver`] if no query object can be created.
    pub fn count_primitives(&self, draw: impl FnOnce()) -> Result<u32, BackendError> {
        let target = glow::TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN;
        // SAFETY: the context is current (promise of `Gl`); the query is created, ended, read and deleted here.
        unsafe {
            let query = self.raw.create_query().map_err(BackendError::Driver)?;
            self.raw.begin_query(target, query);
            draw();
            self.raw.end_query(target);
            let count = self.raw.get_query_parameter_u32(query, glow::QUERY_RESULT);
            self.raw.delete_query(query);
            Ok(count)
        }
    }
}
