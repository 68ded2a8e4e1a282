//! What calls set, upload and create.

use std::collections::BTreeMap;

use context3d::enums::{FlashName, ProgramType, TextureFormat};
use molehill_capture::Call;
use molehill_capture::data::Enum;
use molehill_capture::objects::ObjectId;

pub(crate) fn is_draw(call: &Call) -> bool {
    matches!(call, Call::DrawTriangles { .. } | Call::DrawTrianglesInstanced { .. })
}

pub(crate) fn renders(call: &Call) -> bool {
    is_draw(call) || matches!(call, Call::Clear { .. })
}

/// The slot name of render targets.
pub(crate) const TARGET: &str = "setRenderToTexture";

/// A slot of a context's state: its name, mostly that of its setter, and its index.
pub(crate) type Slot = (&'static str, i32);

/// The state that a call sets. Constants have the index of their first register. `None` for calls that set no such state.
pub(crate) fn slot(call: &Call) -> Option<Slot> {
    let bank = |kind: &Enum<ProgramType>| match kind {
        Enum::Is(ProgramType::Vertex) => "vertex constants",
        _ => "fragment constants",
    };
    Some(match call {
        Call::SetVertexBufferAt { index, .. } => (call.name(), *index),
        Call::SetTextureAt { sampler, .. } | Call::SetSamplerStateAt { sampler, .. } => {
            (call.name(), *sampler)
        }
        Call::SetProgramConstantsFromMatrix { program_type, first_register, .. }
        | Call::SetProgramConstantsFromVector { program_type, first_register, .. }
        | Call::SetProgramConstantsFromFloatVector { program_type, first_register, .. }
        | Call::SetProgramConstantsFromByteArray { program_type, first_register, .. } => {
            (bank(program_type), *first_register)
        }
        Call::SetRenderToTexture { color_output_index, .. } => (TARGET, *color_output_index),
        Call::SetProgram { .. }
        | Call::SetBlendFactors { .. }
        | Call::SetColorMask { .. }
        | Call::SetCulling { .. }
        | Call::SetDepthTest { .. }
        | Call::SetStencilReferenceValue { .. }
        | Call::SetScissorRectangle { .. }
        | Call::SetFillMode { .. } => (call.name(), 0),
        _ => return None,
    })
}

/// The objects that are bound in a context.
pub(crate) type BoundObjects = BTreeMap<Slot, ObjectId>;

/// Notes what a call on the context binds.
pub(crate) fn bind(bound: &mut BoundObjects, call: &Call) {
    match (slot(call), call.objects().first()) {
        (Some(slot), Some((_, id))) => drop(bound.insert(slot, *id)),
        (Some(slot), None) => drop(bound.remove(&slot)),
        (None, _) => {}
    }
    if matches!(call, Call::SetRenderToBackBuffer {} | Call::Present {} | Call::Dispose { .. }) {
        bound.retain(|(name, _), _| *name != TARGET);
    }
}

/// The number of constant registers that a call sets; `None` for calls that set none.
pub(crate) fn registers(call: &Call) -> Option<u32> {
    let (count, values) = match call {
        Call::SetProgramConstantsFromMatrix { .. } => (4, None),
        Call::SetProgramConstantsFromByteArray { num_registers, .. } => (*num_registers, None),
        Call::SetProgramConstantsFromVector { num_registers, data, .. } => {
            (*num_registers, data.as_ref().map(|data| data.0.len()))
        }
        Call::SetProgramConstantsFromFloatVector { num_registers, data, .. } => {
            (*num_registers, data.as_ref().map(|data| data.0.len()))
        }
        _ => return None,
    };
    let all = values.and_then(|values| u32::try_from(values / 4).ok()).unwrap_or(0);
    Some(u32::try_from(count).unwrap_or(all))
}

/// Bytes that a call uploads to its receiver; `None` if it uploads nothing. Elements of a vector count four bytes, or
/// two for indices.
pub(crate) fn payload(call: &Call) -> Option<u64> {
    let per_byte = match call {
        Call::VertexBufferUploadFromVector { .. } | Call::IndexBufferUploadFromVector { .. } => 2,
        Call::VideoTextureFrame { .. } => 1,
        call if call.name().starts_with("upload") => 1,
        _ => return None,
    };
    Some(call.bytes() as u64 / per_byte)
}

/// The face and the level of an upload to one level of a texture.
pub(crate) fn uploaded_level(call: &Call) -> Option<(u32, u32)> {
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

/// Format, width and height of the texture that a call creates.
pub(crate) fn texture(call: &Call) -> Option<(Option<&str>, i32, i32)> {
    match call {
        Call::CreateTexture { width, height, format, .. }
        | Call::CreateRectangleTexture { width, height, format, .. } => {
            Some((format.text(), *width, *height))
        }
        Call::CreateCubeTexture { size, format, .. } => Some((format.text(), *size, *size)),
        _ => None,
    }
}

/// The bytes of what a call creates, as a device stores it.
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
        // Two colour buffers, and depth with stencil.
        Call::ConfigureBackBuffer { width, height, .. } => {
            size(width).saturating_mul(size(height)).saturating_mul(12)
        }
        _ => return None,
    })
}
