//! Owned GL objects: deleted when dropped.

use std::rc::Rc;

use context3d::backend::BackendError;
use glow::HasContext as _;

use super::Gl;
use super::extra::names;

/// A kind of GL object that is created without arguments and has one name.
pub trait Name: Copy {
    /// Creates one.
    fn create(gl: &Gl) -> Result<Self, String>;
    /// Deletes it.
    fn delete(self, gl: &Gl);
}

macro_rules! names {
    ($($ty:ident: $create:ident, $delete:ident;)+) => {$(
        impl Name for names::$ty {
            fn create(gl: &Gl) -> Result<Self, String> {
                // SAFETY: the context is current (promise of `Gl`).
                unsafe { gl.raw.$create() }
            }
            fn delete(self, gl: &Gl) {
                // SAFETY: the context is current (promise of `Gl`); GL unbinds what it deletes.
                unsafe { gl.raw.$delete(self) }
            }
        }
    )+};
}

names! {
    Buffer: create_buffer, delete_buffer;
    Texture: create_texture, delete_texture;
    Framebuffer: create_framebuffer, delete_framebuffer;
    Renderbuffer: create_renderbuffer, delete_renderbuffer;
    Sampler: create_sampler, delete_sampler;
    Program: create_program, delete_program;
    VertexArray: create_vertex_array, delete_vertex_array;
}

/// An object of this context, deleted when dropped.
pub struct Handle<T: Name> {
    gl: Rc<Gl>,
    name: T,
}

impl<T: Name> Handle<T> {
    /// Makes a new object.
    pub fn create(gl: &Rc<Gl>) -> Result<Self, BackendError> {
        // Creating a name only fails if the context is lost or memory is exhausted; a lost context is detected later.
        let name = T::create(gl).map_err(|_| BackendError::OutOfMemory)?;
        Ok(Self {
            gl: Rc::clone(gl),
            name,
        })
    }

    /// GL's name. Valid as long as the handle lives.
    pub fn name(&self) -> T {
        self.name
    }
}

impl<T: Name> Drop for Handle<T> {
    fn drop(&mut self) {
        if !self.gl.abandoned.get() {
            self.name.delete(&self.gl);
        }
    }
}
