//! What names the objects that a program creates: [`Handle`]s on the program's side, keys on the backend's. Both are
//! generational, so a stale one is recognised as disposed.

use std::sync::atomic::{AtomicU32, Ordering};

use slotmap::Key;

use crate::backend::Backend;
use crate::context::Context3D;

slotmap::new_key_type! {
    /// A `VertexBuffer3D`.
    pub struct VertexBufferKey;
    /// An `IndexBuffer3D`.
    pub struct IndexBufferKey;
    /// A `Program3D`.
    pub struct ProgramKey;
    /// A `Texture`, `CubeTexture`, `RectangleTexture` or `VideoTexture`.
    pub struct TextureKey;
}

/// An object of one context, as a program holds it: the key by which that context's backend knows the object, and the
/// context. To another context it is a disposed object (3694; that Flash raises this for another context's object is
/// unverified). The default is an object that never was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle<K> {
    context: ContextId,
    key: K,
}

impl<K: Copy> Handle<K> {
    /// The key in packets to the backend of the context that made it.
    pub fn key(self) -> K {
        self.key
    }
}

/// Tells the contexts of a process apart. 0 is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ContextId(u32);

impl ContextId {
    /// One that no other context has (until 2³² were made).
    pub(crate) fn new() -> Self {
        static LAST: AtomicU32 = AtomicU32::new(0);
        ContextId(LAST.fetch_add(1, Ordering::Relaxed).wrapping_add(1))
    }
}

impl<B: Backend> Context3D<B> {
    /// Takes another context's objects for its own, so that both can be given the same calls: for tests that compare two
    /// backends call by call.
    #[doc(hidden)]
    pub fn share_handles<C: Backend>(&mut self, other: &Context3D<C>) {
        self.id = other.id;
    }

    /// What a program gets for an object that it made.
    pub(crate) fn handle<K: Key>(&self, key: K) -> Handle<K> {
        let context = self.id;
        Handle { context, key }
    }

    /// The key of an object that a call names.
    #[inline]
    pub(crate) fn own<K: Key>(&self, handle: Handle<K>) -> K {
        handle.key_in(self.id)
    }
}

impl<K: Key> Handle<K> {
    /// The key in a context. Another context's object has the key that is never alive, so that every call finds it disposed.
    #[inline]
    pub(crate) fn key_in(self, context: ContextId) -> K {
        if self.context == context {
            self.key
        } else {
            K::null()
        }
    }
}
