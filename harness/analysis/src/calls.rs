//! Properties of calls: whether they render, how much data they pass, and which textures they create.

use context3d::enums::{FlashName, TextureFormat, VertexFormat};
use molehill_capture::data::Enum;
use molehill_capture::objects::{IndexBufferId, ObjectId};
use molehill_capture::{Call, CallKind};
use serde::{Serialize, Serializer};

/// Converts a count to an argument of a call.
pub(crate) fn integer(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

pub fn is_draw(call: &Call) -> bool {
    call.kind() == CallKind::Draw
}

pub fn is_upload(call: &Call) -> bool {
    call.kind() == CallKind::Upload
}

pub(crate) fn is_dispose(call: &Call) -> bool {
    call.kind() == CallKind::Dispose
}

pub fn is_asynchronous(call: &Call) -> bool {
    matches!(
        call,
        Call::TextureUploadCompressedFromByteArray { is_async: true, .. }
            | Call::TextureUploadFromBitmapDataAsync { .. }
            | Call::TextureUploadFromByteArrayAsync { .. }
    )
}

pub fn renders(call: &Call) -> bool {
    matches!(call.kind(), CallKind::Draw | CallKind::Clear)
}

/// Returns the number of constant registers that a call sets.
pub fn registers(call: &Call) -> u32 {
    let (count, values) = match call {
        Call::SetProgramConstantsFromMatrix { .. } => (4, None),
        Call::SetProgramConstantsFromByteArray { num_registers, .. } => (*num_registers, None),
        Call::SetProgramConstantsFromVector { num_registers, data, .. } => {
            (*num_registers, data.as_ref().map(|data| data.0.len()))
        }
        Call::SetProgramConstantsFromFloatVector { num_registers, data, .. } => {
            (*num_registers, data.as_ref().map(|data| data.0.len()))
        }
        _ => return 0,
    };
    let all = values.and_then(|values| u32::try_from(values / 4).ok()).unwrap_or(0);
    u32::try_from(count).unwrap_or(all)
}

/// Returns the byte count of a call's upload to its receiver, or `None` without an upload. Vector elements count as
/// four bytes, indices as two.
pub fn payload(call: &Call) -> Option<u64> {
    let per_byte = match call {
        Call::VertexBufferUploadFromVector { .. } | Call::IndexBufferUploadFromVector { .. } => 2,
        call if is_upload(call) => 1,
        _ => return None,
    };
    Some(call.bytes() as u64 / per_byte)
}

/// Returns the cube face and mip level of an upload to one level of a texture.
pub fn uploaded_level(call: &Call) -> Option<(u32, u32)> {
    match call {
        Call::TextureUploadFromBitmapData { side, miplevel, .. }
        | Call::TextureUploadFromBitmapDataAsync { side, miplevel, .. }
        | Call::TextureUploadFromByteArray { side, miplevel, .. }
        | Call::TextureUploadFromByteArrayAsync { side, miplevel, .. }
        | Call::TextureUploadBlocks { side, miplevel, .. } => {
            Some((side.0.unwrap_or(0), miplevel.0.unwrap_or(0)))
        }
        _ => None,
    }
}

/// Returns the index buffer, the first index and the number of triangles of a draw.
pub fn drawn_indices(call: &Call) -> Option<(Option<IndexBufferId>, i32, i32)> {
    match call {
        Call::DrawTriangles { index_buffer, first_index, num_triangles }
        | Call::DrawTrianglesInstanced { index_buffer, first_index, num_triangles, .. } => {
            Some((*index_buffer, *first_index, *num_triangles))
        }
        _ => None,
    }
}

/// Returns the number of 32-bit values in a vertex format.
pub fn floats(format: &Enum<VertexFormat>) -> Option<i32> {
    match format {
        Enum::Is(VertexFormat::Float1 | VertexFormat::Bytes4) => Some(1),
        Enum::Is(VertexFormat::Float2) => Some(2),
        Enum::Is(VertexFormat::Float3) => Some(3),
        Enum::Is(VertexFormat::Float4) => Some(4),
        Enum::Null | Enum::Unknown(_) => None,
    }
}

/// Returns the format, width and height of the texture that a call creates.
pub fn texture(call: &Call) -> Option<(Option<&str>, i32, i32)> {
    match call {
        Call::CreateTexture { width, height, format, .. }
        | Call::CreateRectangleTexture { width, height, format, .. } => {
            Some((format.text(), *width, *height))
        }
        Call::CreateCubeTexture { size, format, .. } => Some((format.text(), *size, *size)),
        _ => None,
    }
}

/// Returns the device memory, in bytes, of the object that a call creates.
pub(crate) fn object_bytes(call: &Call) -> Option<u64> {
    let size = |number: &i32| u64::try_from(*number).unwrap_or(0);
    if let Some((format, width, height)) = texture(call) {
        let pixels = size(&width).saturating_mul(size(&height));
        let format = format.and_then(TextureFormat::from_name).unwrap_or(TextureFormat::Bgra);
        let level = pixels.saturating_mul(format.bits_per_texel()) / 8;
        return Some(match call {
            Call::CreateRectangleTexture { .. } => level,
            Call::CreateCubeTexture { .. } => level.saturating_mul(8),
            _ => level / 3 * 4,
        });
    }
    Some(match call {
        Call::CreateVertexBuffer { num_vertices, data32_per_vertex, .. }
        | Call::CreateVertexBufferForInstances { num_vertices, data32_per_vertex, .. } => {
            size(num_vertices).saturating_mul(size(data32_per_vertex)).saturating_mul(4)
        }
        Call::CreateIndexBuffer { num_indices, .. } => size(num_indices) * 2,
        // Counts two colour buffers and one depth-stencil buffer.
        Call::ConfigureBackBuffer { width, height, .. } => {
            size(width).saturating_mul(size(height)).saturating_mul(12)
        }
        _ => return None,
    })
}

/// A face of a texture as a render target. Stage3D renders only into mip level 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, PartialOrd, Ord)]
pub struct RenderFace {
    #[serde(serialize_with = "id")]
    pub texture: ObjectId,
    /// Cube face 0 to 5, in Stage3D's order: +x, -x, +y, -y, +z, -z. 0 for other textures.
    pub side: u8,
}

fn id<S: Serializer>(id: &ObjectId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(id.0)
}
