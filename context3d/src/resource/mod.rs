//! What the context knows of the objects that a program created.

mod buffer;
mod program;
mod texture;

pub(crate) use buffer::{IndexBuffer, VertexBuffer};
pub(crate) use program::Program;
pub(crate) use texture::Texture;

use slotmap::SlotMap;

use crate::error::ErrorCode;
use crate::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use crate::limits::Limits;
use crate::packet::TextureKind;

/// Every living object, and the memory that Flash counts for each kind.
#[derive(Debug, Default)]
pub(crate) struct Resources {
    pub(crate) vertex_buffers: SlotMap<VertexBufferKey, VertexBuffer>,
    pub(crate) index_buffers: SlotMap<IndexBufferKey, IndexBuffer>,
    pub(crate) programs: SlotMap<ProgramKey, Program>,
    pub(crate) textures: SlotMap<TextureKey, Texture>,
    pub(crate) memory: Memory,
}

/// Bytes in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Memory {
    pub(crate) vertex_buffers: u64,
    pub(crate) index_buffers: u64,
    pub(crate) programs: u64,
    /// 2D and rectangle textures.
    pub(crate) textures: u64,
    pub(crate) cubes: u64,
}

impl Memory {
    /// The counter for a kind of texture.
    pub(crate) fn texture(&mut self, kind: TextureKind) -> &mut u64 {
        if kind == TextureKind::Cube {
            &mut self.cubes
        } else {
            &mut self.textures
        }
    }

    pub(crate) fn total(&self) -> u64 {
        self.vertex_buffers + self.index_buffers + self.programs + self.textures + self.cubes
    }
}

/// One more object of `bytes` beside `count` objects of `used` bytes.
pub(crate) fn check_room(
    count: usize,
    used: u64,
    bytes: u64,
    most_bytes: u64,
    limits: &Limits,
) -> Result<(), ErrorCode> {
    if count >= limits.resources_per_kind || used.saturating_add(bytes) > most_bytes {
        return Err(ErrorCode::ResourceLimit);
    }
    Ok(())
}
