//! A face of a texture.

use molehill_capture::objects::ObjectId;
use serde::{Serialize, Serializer};

/// A face of a texture as a render target: level 0, the only level that can be drawn into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, PartialOrd, Ord)]
pub struct Face {
    #[serde(serialize_with = "id")]
    pub texture: ObjectId,
    /// Cube face 0 to 5 in the API's order; 0 for other textures.
    pub side: u8,
}

fn id<S: Serializer>(id: &ObjectId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(id.0)
}
