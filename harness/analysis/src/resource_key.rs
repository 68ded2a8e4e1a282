//! Backend keys of resources, and the objects of a capture to which they belong.

use context3d::backend::BackendFactory;
use context3d::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use molehill_capture::commands::Object;
use molehill_capture::objects::ObjectId;
use molehill_replay::Replayer;

use crate::capture::Capture;

/// The backend key of a texture, program or buffer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    Vertices(VertexBufferKey),
    Indices(IndexBufferKey),
    Program(ProgramKey),
    Texture(TextureKey),
}

impl Key {
    fn of(object: Object) -> Option<Key> {
        Some(match object {
            Object::VertexBuffer(_, handle) => Key::Vertices(handle.key()),
            Object::IndexBuffer(_, handle) => Key::Indices(handle.key()),
            Object::Program(_, handle) => Key::Program(handle.key()),
            Object::Texture(_, handle) => Key::Texture(handle.key()),
            Object::Stage3D(_) | Object::Context(_) | Object::Null => return None,
        })
    }

    pub(crate) fn id<F: BackendFactory>(
        self,
        of: &Replayer<F>,
        context: usize,
    ) -> Option<ObjectId> {
        let is = |it: Object| it.context() == Some(context) && Key::of(it) == Some(self);
        of.ids().iter().find(|(_, object)| is(*object)).map(|(id, _)| id)
    }

    pub(crate) fn title<F: BackendFactory>(
        self,
        capture: &Capture,
        player: &Replayer<F>,
        context: usize,
    ) -> String {
        let id = self.id(player, context);
        id.map_or_else(|| "an unknown object".to_owned(), |id| capture.title(id))
    }
}
