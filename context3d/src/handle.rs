//! References to the objects that a program creates: [`Handle`]s for the program, keys for the backend. Both are
//! generational, so that a stale one is recognised as disposed.

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

/// An object of one context, as a program holds it: the backend's key and the context. Other contexts treat it as
/// disposed. The default never names an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle<K> {
    context: ContextId,
    key: K,
}

impl<K: Copy> Handle<K> {
    /// The key in packets to the backend of its context, except for programs, which share those of the backend
    /// ([`Context3D::bound_device_program`]).
    pub fn key(self) -> K {
        self.key
    }
}

/// Identifies a context in the process. 0 is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ContextId(u32);

impl ContextId {
    /// A new, unique id (until 2³² were made).
    pub(crate) fn new() -> Self {
        static LAST: AtomicU32 = AtomicU32::new(0);
        ContextId(LAST.fetch_add(1, Ordering::Relaxed).wrapping_add(1))
    }
}

impl<B: Backend> Context3D<B> {
    /// Accepts another context's handles, so that both contexts can execute the same calls: for tests that compare two
    /// backends.
    #[doc(hidden)]
    pub fn share_handles<C: Backend>(&mut self, other: &Context3D<C>) {
        self.id = other.id;
    }

    /// The handle of a new object.
    pub(crate) fn handle<K: Key>(&self, key: K) -> Handle<K> {
        let context = self.id;
        Handle { context, key }
    }

    /// The key of an object that is an argument of a call.
    #[inline]
    pub(crate) fn own<K: Key>(&self, handle: Handle<K>) -> K {
        handle.key_in(self.id)
    }
}

impl<K: Key> Handle<K> {
    /// The key in a context. The key of another context's object is the null key, which is never alive, so that every
    /// call treats it as disposed.
    #[inline]
    pub(crate) fn key_in(self, context: ContextId) -> K {
        if self.context == context { self.key } else { K::null() }
    }
}
