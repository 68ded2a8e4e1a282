//! From ids in a capture to what they stand for here.

use std::collections::HashMap;

use context3d::{Handle, IndexBufferKey, ProgramKey, Reply, TextureKey, VertexBufferKey};

use crate::trace::ObjectId;

/// What an id stands for. Resources carry the number of the context that made them; they stay after they were
/// disposed, so that it is `context3d` that finds it out and raises Flash's error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Object {
    /// A Stage3D, by its place among those the capture uses.
    Stage3D(usize),
    /// A context, by its number.
    Context(usize),
    /// A `VertexBuffer3D`.
    VertexBuffer(usize, Handle<VertexBufferKey>),
    /// An `IndexBuffer3D`.
    IndexBuffer(usize, Handle<IndexBufferKey>),
    /// A `Program3D`.
    Program(usize, Handle<ProgramKey>),
    /// A texture of any kind.
    Texture(usize, Handle<TextureKey>),
    /// Nothing: the call that gave the object in the recording player failed here, so the program's variable would
    /// still be null.
    Null,
}

impl Object {
    /// What a call on context `context` gave.
    pub(super) fn created(context: usize, reply: &Reply) -> Option<Object> {
        match reply {
            Reply::VertexBuffer(key) => Some(Object::VertexBuffer(context, *key)),
            Reply::IndexBuffer(key) => Some(Object::IndexBuffer(context, *key)),
            Reply::Program(key) => Some(Object::Program(context, *key)),
            Reply::Texture(key) => Some(Object::Texture(context, *key)),
            Reply::Done | Reply::Null | Reply::Skipped(_) | Reply::Bitmap(_) => None,
        }
    }

    /// The context that a call on this object goes to.
    pub(super) fn context(self) -> Option<usize> {
        match self {
            Object::Context(context)
            | Object::VertexBuffer(context, _)
            | Object::IndexBuffer(context, _)
            | Object::Program(context, _)
            | Object::Texture(context, _) => Some(context),
            Object::Stage3D(_) | Object::Null => None,
        }
    }
}

/// Every id so far.
#[derive(Debug, Default)]
pub(super) struct Ids(HashMap<ObjectId, Object>);

impl Ids {
    pub(super) fn get(&self, id: ObjectId) -> Option<Object> {
        self.0.get(&id).copied()
    }

    pub(super) fn insert(&mut self, id: ObjectId, object: Object) {
        self.0.insert(id, object);
    }
}
