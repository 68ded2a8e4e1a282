//! Owned GL objects.

use std::rc::Rc;

use context3d::backend::BackendError;
use glow::HasContext as _;

use super::GlFunctions;
use super::extra::names;

/// A type of GL object that is created without arguments and has one name.
pub(crate) trait GlName: Copy {
    /// Creates an object.
    fn create(gl: &GlFunctions) -> Result<Self, String>;
    /// Returns the name as an entry of the deletion list.
    fn dropped(self) -> DroppedName;
}

macro_rules! names {
    ($($ty:ident: $create:ident, $delete:ident;)+) => {
        /// The name of an object whose handle was dropped.
        #[derive(Clone, Copy)]
        pub(crate) enum DroppedName {$(#[doc = stringify!($ty)] $ty(names::$ty),)+}

        impl GlFunctions {
            /// Deletes the objects whose handles were dropped.
            pub(crate) fn delete_dropped(&self) {
                loop {
                    // The list `dropped` must not be borrowed during the GL call, which may call a host's callback.
                    let Some(name) = self.dropped.borrow_mut().pop() else { break };
                    let stays = |bound: &names::Buffer| !matches!(name, DroppedName::Buffer(gone) if gone == *bound);
                    self.indices.set(self.indices.get().filter(stays));
                    // SAFETY: the context is current (promise of `GlFunctions`); GL unbinds deleted objects.
                    match name {$(DroppedName::$ty(name) => unsafe { self.raw().$delete(name) },)+}
                }
            }
        }

        $(impl GlName for names::$ty {
            fn create(gl: &GlFunctions) -> Result<Self, String> {
                // SAFETY: the context is current (promise of `GlFunctions`).
                unsafe { gl.raw().$create() }
            }
            fn dropped(self) -> DroppedName {
                DroppedName::$ty(self)
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

/// An object's name with an id that is unique in the context, because GL reuses the names of deleted objects. Two
/// values are equal if they identify the same object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UniqueName<T> {
    /// GL's integer name.
    pub(crate) name: T,
    id: u64,
}

impl<T> PartialEq for UniqueName<T> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl<T> Eq for UniqueName<T> {}

/// An owned GL object. Dropping the handle needs no current context: the object is deleted at the end of the device's
/// current or next call.
pub(crate) struct GlHandle<T: GlName> {
    gl: Rc<GlFunctions>,
    object: UniqueName<T>,
}

impl<T: GlName> GlHandle<T> {
    pub(crate) fn create(gl: &Rc<GlFunctions>) -> Result<Self, BackendError> {
        // Creating a name fails only if the context is lost or memory is exhausted; a lost context is detected later.
        let name = T::create(gl).map_err(|_| BackendError::OutOfMemory)?;
        let id = gl.objects.get().saturating_add(1);
        gl.objects.set(id);
        Ok(Self { gl: Rc::clone(gl), object: UniqueName { name, id } })
    }

    /// Returns GL's name, which is valid while the handle exists.
    pub(crate) fn name(&self) -> T {
        self.object.name
    }

    /// Passes the ownership of the object to another context, which deletes it.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn give_away(self) {
        let it = std::mem::ManuallyDrop::new(self);
        // SAFETY: the field is read once, and the handle that contains it is forgotten.
        drop(unsafe { std::ptr::read(&raw const it.gl) });
    }

    /// Returns the object's unique name, for the state cache.
    #[inline]
    pub(crate) fn object(&self) -> UniqueName<T> {
        self.object
    }
}

impl<T: GlName> Drop for GlHandle<T> {
    fn drop(&mut self) {
        if !self.gl.is_abandoned() {
            self.gl.dropped.borrow_mut().push(self.object.name.dropped());
        }
    }
}
