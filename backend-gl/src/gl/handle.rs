//! Owned GL objects.

use std::rc::Rc;

use context3d::backend::BackendError;
use glow::HasContext as _;

use super::Gl;
use super::extra::names;

/// A kind of GL object that is created without arguments and has one name.
pub(crate) trait Name: Copy {
    /// Creates one.
    fn create(gl: &Gl) -> Result<Self, String>;
    /// What deletes it.
    fn dropped(self) -> Dropped;
}

macro_rules! names {
    ($($ty:ident: $create:ident, $delete:ident;)+) => {
        /// The name of an object that nobody owns any more.
        #[derive(Clone, Copy)]
        pub(crate) enum Dropped {$(#[doc = stringify!($ty)] $ty(names::$ty),)+}

        impl Gl {
            /// Deletes the objects whose handles were dropped.
            pub(crate) fn delete_dropped(&self) {
                loop {
                    // Not borrowed any more while GL works, which may call a host's callback.
                    let Some(name) = self.dropped.borrow_mut().pop() else { break };
                    let stays = |bound: &names::Buffer| !matches!(name, Dropped::Buffer(gone) if gone == *bound);
                    self.indices.set(self.indices.get().filter(stays));
                    // SAFETY: the context is current (promise of `Gl`); GL unbinds what it deletes.
                    match name {$(Dropped::$ty(name) => unsafe { self.raw().$delete(name) },)+}
                }
            }
        }

        $(impl Name for names::$ty {
            fn create(gl: &Gl) -> Result<Self, String> {
                // SAFETY: the context is current (promise of `Gl`).
                unsafe { gl.raw().$create() }
            }
            fn dropped(self) -> Dropped {
                Dropped::$ty(self)
            }
        })+
    };
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
pub(crate) struct Object<T> {
    /// GL's name.
    pub(crate) name: T,
    id: u64,
}

impl<T> PartialEq for Object<T> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl<T> Eq for Object<T> {}

/// An object of this context. When it is dropped, which needs no context, it is deleted at the end of the device's current
/// or next call.
pub(crate) struct Handle<T: Name> {
    gl: Rc<Gl>,
    object: Object<T>,
}

impl<T: Name> Handle<T> {
    pub(crate) fn create(gl: &Rc<Gl>) -> Result<Self, BackendError> {
        // Creating a name only fails if the context is lost or memory is exhausted; a lost context is detected later.
        let name = T::create(gl).map_err(|_| BackendError::OutOfMemory)?;
        let id = gl.objects.get().saturating_add(1);
        gl.objects.set(id);
        Ok(Self { gl: Rc::clone(gl), object: Object { name, id } })
    }

    /// GL's name. Valid as long as the handle lives.
    pub(crate) fn name(&self) -> T {
        self.object.name
    }

    /// Leaves the object to another context, which deletes it.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn give_away(self) {
        let it = std::mem::ManuallyDrop::new(self);
        // SAFETY: it is read once, and the handle it is read from is not dropped.
        drop(unsafe { std::ptr::read(&raw const it.gl) });
    }

    /// The object, for the shadow.
    #[inline]
    pub(crate) fn object(&self) -> Object<T> {
        self.object
    }
}

impl<T: Name> Drop for Handle<T> {
    fn drop(&mut self) {
        if !self.gl.is_abandoned() {
            self.gl.dropped.borrow_mut().push(self.object.name.dropped());
        }
    }
}
