//! References to the objects that a program creates: [`ObjectHandle`]s for the program, keys for the backend. Handles
//! and keys contain a generation, so that a reference to a disposed object stays invalid.

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

/// A program's reference to an object of one context. All contexts except the object's own context treat the object as
/// disposed. The default handle is never valid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectHandle<K> {
    context: ContextId,
    key: K,
}

impl<K: Copy> ObjectHandle<K> {
    /// Returns the key that packets use, except for programs, because packets use shared device programs
    /// ([`Context3D::bound_device_program`](crate::Context3D::bound_device_program)).
    pub fn key(self) -> K {
        self.key
    }
}

/// The id of a context, unique in the process; 0 for no context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ContextId(u32);

impl ContextId {
    /// Creates an id, unique until 2³² ids were created.
    pub(crate) fn new() -> Self {
        static LAST: AtomicU32 = AtomicU32::new(0);
        ContextId(LAST.fetch_add(1, Ordering::Relaxed).wrapping_add(1))
    }
}

impl<K: Key> ObjectHandle<K> {
    pub(crate) fn new(context: ContextId, key: K) -> Self {
        ObjectHandle { context, key }
    }

    /// Returns the object's key in this context. An object of another context has the null key, which is never valid,
    /// so that every call treats the object as disposed.
    #[inline]
    pub(crate) fn key_in(self, context: ContextId) -> K {
        if self.context == context { self.key } else { K::null() }
    }
}

/// An [`ObjectHandle`] of any type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AnyHandle {
    /// A `VertexBuffer3D`.
    VertexBuffer(ObjectHandle<VertexBufferKey>),
    /// An `IndexBuffer3D`.
    IndexBuffer(ObjectHandle<IndexBufferKey>),
    /// A `Program3D`.
    Program(ObjectHandle<ProgramKey>),
    /// A texture of any class.
    Texture(ObjectHandle<TextureKey>),
}

/// A key of any type, as used in packets ([`Context3D::key`](crate::Context3D::key)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnyKey {
    /// A `VertexBuffer3D`.
    VertexBuffer(VertexBufferKey),
    /// An `IndexBuffer3D`.
    IndexBuffer(IndexBufferKey),
    /// A program, which `Program3D`s with equal bytecode share.
    Program(ProgramKey),
    /// A texture of any class.
    Texture(TextureKey),
}

macro_rules! from_handles {
    ($($kind:ident($key:ty);)+) => {$(
        impl From<ObjectHandle<$key>> for AnyHandle {
            fn from(handle: ObjectHandle<$key>) -> Self {
                AnyHandle::$kind(handle)
            }
        }

        impl TryFrom<AnyHandle> for ObjectHandle<$key> {
            /// The unchanged handle, if its object isn't of this key's type.
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

/// A context's queue of objects to release. Clones of the queue can be used on any thread, so that a finaliser needs no
/// access to the context. See [`Context3D::release`](crate::Context3D::release).
#[derive(Clone, Debug, Default)]
pub struct ReleaseQueue(Arc<Mutex<Vec<AnyHandle>>>);

impl ReleaseQueue {
    /// Queues an object that the program can't reach any more.
    pub fn push(&self, object: impl Into<AnyHandle>) {
        self.lock().push(object.into());
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Vec<AnyHandle>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The consumer side of a context's release queue. Cloning a context copies the queue, because a shared queue would
/// release each object in only one of the two contexts.
#[derive(Default)]
pub(crate) struct OwnQueue(pub(crate) ReleaseQueue);

impl Clone for OwnQueue {
    fn clone(&self) -> Self {
        let queued = self.0.lock().clone();
        OwnQueue(ReleaseQueue(Arc::new(Mutex::new(queued))))
    }
}
