//! References to the objects that a program creates: [`Handle`]s for the program, keys for the backend. Both are
//! generational, so that a stale one is recognised as disposed.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use slotmap::Key;

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
    /// ([`Context3D::bound_device_program`](crate::Context3D::bound_device_program)).
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

impl<K: Key> Handle<K> {
    pub(crate) fn new(context: ContextId, key: K) -> Self {
        Handle { context, key }
    }

    /// The key in a context. The key of another context's object is the null key, which is never alive, so that every
    /// call treats it as disposed.
    #[inline]
    pub(crate) fn key_in(self, context: ContextId) -> K {
        if self.context == context { self.key } else { K::null() }
    }
}

/// A [`Handle`] of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AnyHandle {
    /// A `VertexBuffer3D`.
    VertexBuffer(Handle<VertexBufferKey>),
    /// An `IndexBuffer3D`.
    IndexBuffer(Handle<IndexBufferKey>),
    /// A `Program3D`.
    Program(Handle<ProgramKey>),
    /// A texture of any kind.
    Texture(Handle<TextureKey>),
}

/// A key of any kind, as packets have it ([`Context3D::key`](crate::Context3D::key)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnyKey {
    /// A `VertexBuffer3D`.
    VertexBuffer(VertexBufferKey),
    /// An `IndexBuffer3D`.
    IndexBuffer(IndexBufferKey),
    /// A program, which `Program3D`s of the same bytecode share.
    Program(ProgramKey),
    /// A texture of any kind.
    Texture(TextureKey),
}

macro_rules! from_handles {
    ($($kind:ident($key:ty);)+) => {$(
        impl From<Handle<$key>> for AnyHandle {
            fn from(handle: Handle<$key>) -> Self {
                AnyHandle::$kind(handle)
            }
        }

        impl TryFrom<AnyHandle> for Handle<$key> {
            /// The handle, which is of another kind.
            type Error = AnyHandle;

            fn try_from(handle: AnyHandle) -> Result<Self, AnyHandle> {
                if let AnyHandle::$kind(handle) = handle { Ok(handle) } else { Err(handle) }
            }
        }
    )+};
}

from_handles! {
    VertexBuffer(VertexBufferKey);
    IndexBuffer(IndexBufferKey);
    Program(ProgramKey);
    Texture(TextureKey);
}

/// A context's queue of objects to release. Cloneable, and usable from any thread: a finaliser needs no access to the
/// context. See [`Context3D::release`](crate::Context3D::release).
#[derive(Clone, Debug, Default)]
pub struct ReleaseQueue(Arc<Mutex<Vec<AnyHandle>>>);

impl ReleaseQueue {
    /// Queues an object. The program has no reference to it any more.
    pub fn push(&self, object: impl Into<AnyHandle>) {
        self.lock().push(object.into());
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Vec<AnyHandle>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A context's end of its queue. A clone of the context gets another queue with the same objects: one that both took from
/// would release each object in only one of them.
#[derive(Default)]
pub(crate) struct OwnQueue(pub(crate) ReleaseQueue);

impl Clone for OwnQueue {
    fn clone(&self) -> Self {
        let queued = self.0.lock().clone();
        OwnQueue(ReleaseQueue(Arc::new(Mutex::new(queued))))
    }
}
