//! Maps the ids in a capture to the objects of a replay.

use context3d::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use context3d::{Handle, Reply};
use foldhash::HashMap;

use crate::objects::ObjectId;

/// The object of an id. Resources have the number of their context. Disposed resources are kept, so that `context3d`
/// raises Flash's error for calls on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// A Stage3D, by its index among the capture's Stage3Ds.
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
    /// Null: the call that created the object in the recording player failed here.
    Null,
}

impl Object {
    /// The object that a call on context `context` created.
    pub fn created(context: usize, reply: &Reply) -> Option<Object> {
        match reply {
            Reply::VertexBuffer(key) => Some(Object::VertexBuffer(context, *key)),
            Reply::IndexBuffer(key) => Some(Object::IndexBuffer(context, *key)),
            Reply::Program(key) => Some(Object::Program(context, *key)),
            Reply::Texture(key) => Some(Object::Texture(context, *key)),
            Reply::Done | Reply::Null | Reply::Skipped(_) | Reply::Bitmap(_) => None,
        }
    }

    /// The context that executes calls on this object.
    pub fn context(self) -> Option<usize> {
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

/// The objects of all ids so far.
pub type Ids = IdMap<Object>;

/// Most ids without a value between two that have one, in a list.
const GAP: usize = 1024;

/// Values by id. Programs' ids are nearly consecutive, so most values are in a list.
#[derive(Clone, Debug)]
pub struct IdMap<T> {
    list: Vec<Option<T>>,
    /// The values of ids that were far behind the list when they were added.
    far: HashMap<ObjectId, T>,
    count: usize,
}

impl<T> Default for IdMap<T> {
    fn default() -> Self {
        IdMap { list: Vec::new(), far: HashMap::default(), count: 0 }
    }
}

impl<T: Copy> IdMap<T> {
    /// The value of `id`.
    #[inline]
    pub fn get(&self, id: ObjectId) -> Option<T> {
        let place = usize::try_from(id.0).ok()?;
        match self.list.get(place) {
            Some(Some(value)) => Some(*value),
            _ if self.far.is_empty() => None,
            _ => self.far.get(&id).copied(),
        }
    }

    /// All ids with their values, unordered.
    pub fn iter(&self) -> impl Iterator<Item = (ObjectId, T)> {
        let listed = (0..).zip(&self.list);
        let listed = listed.filter_map(|(id, value)| Some((ObjectId(id), (*value)?)));
        listed.chain(self.far.iter().map(|(id, value)| (*id, *value)))
    }

    /// Number of ids with a value.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Sets the value of `id`.
    pub fn insert(&mut self, id: ObjectId, value: T) {
        self.count += usize::from(self.get(id).is_none());
        let place = usize::try_from(id.0).unwrap_or(usize::MAX);
        // A list of several times as many places as values wastes little memory.
        if self.far.contains_key(&id) || place > GAP.saturating_add(self.count.saturating_mul(4)) {
            self.far.insert(id, value);
            return;
        }
        if place >= self.list.len() {
            self.list.resize(place + 1, None);
        }
        if let Some(known) = self.list.get_mut(place) {
            *known = Some(value);
        }
    }
}
