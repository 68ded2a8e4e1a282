//! Owned GL objects.

use std::rc::Rc;

use backend_gl::glow;
use context3d::backend::BackendError;
use glow::HasContext as _;

use super::ProbeGl;

/// An owned object, which keeps its context alive and is deleted when it is dropped.
pub(crate) struct ProbeHandle<T: Copy> {
    pub(super) gl: Rc<ProbeGl>,
    pub(super) name: T,
    pub(super) delete: fn(&glow::Context, T),
}

macro_rules! objects {
    ($($create:ident -> $ty:ident, $delete:ident;)+) => {
        impl ProbeGl {$(
            #[doc = concat!("[`glow::HasContext::", stringify!($create), "`]")]
            pub(crate) fn $create(self: &Rc<Self>) -> Result<ProbeHandle<glow::$ty>, BackendError> {
                // SAFETY: the context is current (see `gl`).
                let name = unsafe { self.raw().$create() }.map_err(|_| BackendError::OutOfMemory)?;
                // SAFETY: the context is current, because `drop` makes it current first.
                let delete = |raw: &glow::Context, name| unsafe { raw.$delete(name) };
                Ok(ProbeHandle { gl: Rc::clone(self), name, delete })
            }
        )+}
    };
}

objects! {
    create_buffer -> Buffer, delete_buffer;
    create_texture -> Texture, delete_texture;
    create_framebuffer -> Framebuffer, delete_framebuffer;
    create_sampler -> Sampler, delete_sampler;
    create_program -> Program, delete_program;
    create_vertex_array -> VertexArray, delete_vertex_array;
}

impl<T: Copy> ProbeHandle<T> {
    /// Returns GL's name, which is valid while the handle exists.
    pub(crate) fn name(&self) -> T {
        self.name
    }

    /// Returns whether the object belongs to this context.
    pub(crate) fn is_of(&self, gl: &Rc<ProbeGl>) -> bool {
        Rc::ptr_eq(&self.gl, gl)
    }
}

impl<T: Copy> Drop for ProbeHandle<T> {
    fn drop(&mut self) {
        // If the object's context is not current, deleting the name could delete an object of another context.
        if self.gl.offscreen.make_current().is_ok() {
            (self.delete)(self.gl.raw(), self.name);
        }
    }
}
