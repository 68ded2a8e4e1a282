//! The objects of a context, and their limits.

mod buffer;
mod program;
mod texture;

pub(crate) use buffer::{IndexBuffer, VertexBuffer};
pub(crate) use program::{DevicePrograms, ProgramSource, ProgramState};
pub use texture::TextureEvent;
pub(crate) use texture::{TextureState, UploadState};

use std::collections::HashMap;

use slotmap::{Key, SlotMap};

use crate::error::ErrorCode;
use crate::handle::{AnyHandle, IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use crate::packets::TextureKind;

/// Factor by which `ignoreResourceLimits` raises the limits on the number of objects, and the maximum factor for memory
/// limits, within [`Host::ignored_limits_memory`](crate::Host::ignored_limits_memory). Flash's limits are unknown
/// [context3d.property.ignore_bound]. The factor 16 keeps programs from exhausting the host's memory.
pub(crate) const IGNORED_LIMITS_FACTOR: u32 = 16;

/// All objects that are not disposed, and the memory that Flash counts for each class.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResourceTable {
    pub(crate) vertex_buffers: SlotMap<VertexBufferKey, VertexBuffer>,
    pub(crate) index_buffers: SlotMap<IndexBufferKey, IndexBuffer>,
    pub(crate) programs: SlotMap<ProgramKey, ProgramState>,
    pub(crate) device_programs: DevicePrograms,
    pub(crate) textures: SlotMap<TextureKey, TextureState>,
    pub(crate) memory: ResourceMemory,
    /// The host's user data of objects.
    pub(crate) user_data: HashMap<AnyHandle, u64>,
}

/// Returns an object, or raises 3694 if it was disposed.
pub(crate) fn alive<K: Key, T>(objects: &SlotMap<K, T>, key: K) -> Result<&T, ErrorCode> {
    objects.get(key).ok_or(ErrorCode::Disposed)
}

/// The memory in use, in bytes, for each limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ResourceMemory {
    pub(crate) vertex_buffers: u64,
    /// Zero padding of vertex buffers, which doesn't count for memory limits.
    pub(crate) padding: u64,
    /// Additional copies of vertices, which don't count for memory limits.
    pub(crate) copies: u64,
    pub(crate) index_buffers: u64,
    pub(crate) programs: u64,
    /// Memory of 2D and rectangle textures.
    textures: ResourceUsage,
    cubes: ResourceUsage,
    /// Memory of all textures as counted by `totalGPUMemory`.
    pub(crate) reported_textures: u64,
    /// The number of video textures, whose memory doesn't count for limits.
    pub(crate) videos: usize,
}

/// The number of objects and their total size in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ResourceUsage {
    pub(crate) count: usize,
    pub(crate) bytes: u64,
}

impl ResourceMemory {
    /// Returns the usage of a class of textures; 2D and rectangle textures share one limit.
    pub(crate) fn texture(&mut self, kind: TextureKind) -> &mut ResourceUsage {
        if kind == TextureKind::Cube { &mut self.cubes } else { &mut self.textures }
    }

    pub(crate) fn total(&self) -> u64 {
        self.vertex_buffers + self.index_buffers + self.programs + self.reported_textures
    }
}
