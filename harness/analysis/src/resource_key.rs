//! Backend keys of resources, and the objects of a capture to which they belong.

use context3d::backend::BackendFactory;
use context3d::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use molehill_capture::commands::ReplayObject;
use molehill_capture::objects::ObjectId;
use molehill_replay::Replayer;

use crate::capture::Capture;

/// The backend key of a texture, program or buffer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ResourceKey {
    Vertices(VertexBufferKey),
    Indices(IndexBufferKey),
    Program(ProgramKey),
    Texture(TextureKey),
}

impl ResourceKey {
    fn of(object: ReplayObject) -> Option<ResourceKey> {
        Some(match object {
            ReplayObject::VertexBuffer(_, handle) => ResourceKey::Vertices(handle.key()),
            ReplayObject::IndexBuffer(_, handle) => ResourceKey::Indices(handle.key()),
            ReplayObject::Program(_, handle) => ResourceKey::Program(handle.key()),
            ReplayObject::Texture(_, handle) => ResourceKey::Texture(handle.key()),
            ReplayObject::Stage3D(_) | ReplayObject::Context(_) | ReplayObject::Null => {
                return None;
            }
        })
    }

    pub(crate) fn id<F: BackendFactory>(
        self,
        of: &Replayer<F>,
        context: usize,
    ) -> Option<ObjectId> {
        let is =
            |it: ReplayObject| it.context() == Some(context) && ResourceKey::of(it) == Some(self);
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
