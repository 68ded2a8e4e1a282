//! The memory that a capture's objects take.

use std::collections::BTreeMap;

use context3d::enums::{FlashName, TextureFormat};
use molehill_capture::Call;
use molehill_capture::objects::ObjectId;

use crate::calls::texture;
use crate::error::Result;
use crate::inspector::Inspector;

/// The bytes of the objects that exist after some calls.
#[derive(Default)]
pub struct Memory {
    calls: usize,
    objects: BTreeMap<ObjectId, u64>,
}

impl Memory {
    /// The bytes after the calls before `end`, which may not go back.
    pub fn at(&mut self, inspector: &Inspector, end: usize) -> Result<u64> {
        for call in self.calls + 1..end {
            let (_, line) = inspector.capture().call(call)?;
            let bytes = object_bytes(&line.call).filter(|_| line.throws.is_none());
            if let Some(bytes) = bytes {
                self.objects.insert(line.result.unwrap_or(line.on), bytes);
            } else if line.call.name() == "dispose" {
                self.objects.remove(&line.on);
            }
        }
        self.calls = self.calls.max(end.saturating_sub(1));
        Ok(self.objects.values().fold(0, |sum, bytes| sum.saturating_add(*bytes)))
    }
}

/// The bytes of what a call creates.
fn object_bytes(call: &Call) -> Option<u64> {
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
