//! Maps the ids in a capture to the objects of a replay.

use std::collections::BTreeMap;

use context3d::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use context3d::{ObjectHandle, Reply};

use crate::object::ObjectId;

/// The replay's object for an id. A resource stores the index of its context. Disposed resources stay in the map, so
/// that `context3d` raises Flash's error for calls on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayObject {
    /// A Stage3D, by its index among the capture's Stage3Ds.
    Stage3D(usize),
    /// A context, by its index in the replay.
    Context(usize),
    /// A vertex buffer of a context.
    VertexBuffer(usize, ObjectHandle<VertexBufferKey>),
    /// An index buffer of a context.
    IndexBuffer(usize, ObjectHandle<IndexBufferKey>),
    /// A program of a context.
    Program(usize, ObjectHandle<ProgramKey>),
    /// A texture of a context.
    Texture(usize, ObjectHandle<TextureKey>),
    /// No object: the call that created it in the recording player failed in the replay.
    Null,
}

impl ReplayObject {
    /// Returns the object that a call on a context has created.
    pub fn created(context: usize, reply: &Reply) -> Option<ReplayObject> {
        match reply {
            Reply::VertexBuffer(key) => Some(ReplayObject::VertexBuffer(context, *key)),
            Reply::IndexBuffer(key) => Some(ReplayObject::IndexBuffer(context, *key)),
            Reply::Program(key) => Some(ReplayObject::Program(context, *key)),
            Reply::Texture(key) => Some(ReplayObject::Texture(context, *key)),
            Reply::Done | Reply::Null | Reply::Skipped(_) | Reply::Bitmap(_) => None,
        }
    }

    /// Returns the index of the context that executes calls on this object.
    pub fn context(self) -> Option<usize> {
        match self {
            ReplayObject::Context(context)
            | ReplayObject::VertexBuffer(context, _)
            | ReplayObject::IndexBuffer(context, _)
            | ReplayObject::Program(context, _)
            | ReplayObject::Texture(context, _) => Some(context),
            ReplayObject::Stage3D(_) | ReplayObject::Null => None,
        }
    }
}

/// The objects of a replay, by their ids in the capture.
#[derive(Clone, Debug, Default)]
pub struct Ids(BTreeMap<ObjectId, ReplayObject>);

impl Ids {
    /// Returns the object of an id.
    pub fn get(&self, id: ObjectId) -> Option<ReplayObject> {
        self.0.get(&id).copied()
    }

    /// Returns the ids in ascending order, with their objects.
    pub fn iter(&self) -> impl Iterator<Item = (ObjectId, ReplayObject)> {
        self.0.iter().map(|(id, object)| (*id, *object))
    }

    /// Assigns an id to an object.
    pub fn insert(&mut self, id: ObjectId, object: ReplayObject) {
        self.0.insert(id, object);
    }
}
