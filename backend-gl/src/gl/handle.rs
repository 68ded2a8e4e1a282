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

/// An object's name with a number that no other object of the context ever gets, because GL gives the names of deleted
/// objects to new ones. Two are equal if they are the same object.
#[derive(Clone, Copy, Debug)]
pub struct Object<T> {
    /// GL's name.
    pub name: T,
    id: u64,
}

impl<T> PartialEq for Object<T> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl<T> Eq for Object<T> {}

/// An object of this context, deleted when dropped.
pub struct Handle<T: Name> {
    gl: Rc<Gl>,
    object: Object<T>,
}

impl<T: Name> Handle<T> {
    /// Makes a new object.
    pub fn create(gl: &Rc<Gl>) -> Result<Self, BackendError> {
        // Creating a name only fails if the context is lost or memory is exhausted; a lost context is detected later.
        let name = T::create(gl).map_err(|_| BackendError::OutOfMemory)?;
        let id = gl.objects.get().saturating_add(1);
        gl.objects.set(id);
        Ok(Self { gl: Rc::clone(gl), object: Object { name, id } })
    }

    /// GL's name. Valid as long as the handle lives.
    pub fn name(&self) -> T {
        self.object.name
    }

    /// The object, for the shadow.
    #[inline]
    pub fn object(&self) -> Object<T> {
        self.object
    }
}

impl<T: Name> Drop for Handle<T> {
    fn drop(&mut self) {
        if !self.gl.abandoned.get() {
            self.object.name.delete(&self.gl);
        }
    }
}
