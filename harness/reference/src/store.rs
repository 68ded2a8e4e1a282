//! The objects created by packets: buffers, textures and programs.

use std::sync::Arc;

use context3d::agal::LinkedPair;
use context3d::agal::float::FloatRules;
use context3d::agal::interp::CompiledProgram;
use context3d::agal::limits::{MAX_FRAGMENT_SAMPLERS, MAX_VERTEX_SAMPLERS};
use context3d::agal::sampler::{Dimension, SamplerOp};
use context3d::backend::{BackendError, Region};
use context3d::enums::ProgramType;
use context3d::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use context3d::packets::{TexelLayout, TextureDesc, TextureKind};
use slotmap::SecondaryMap;

use super::blocks::Blocks;
use super::budget::{Budget, ChargedItems};
use super::number::length;
use super::texel::{TexelBuffer, TexelFloats as _, TexelVec, storage};

pub(super) const MAX_LEVELS: usize = 15;
/// Constant registers of the largest register bank (AGAL 3, [agal.register.counts]: 250), rounded up.
const CONSTANTS: usize = 256;

/// Returns the error for a packet with a missing object: its creation failed, or `context3d` has a bug.
#[cold]
pub(super) fn missing(what: &str) -> BackendError {
    BackendError::Driver(format!("a packet refers to a {what} that doesn't exist"))
}

pub(super) type ConstantFile = [[f32; 4]; CONSTANTS];

#[derive(Clone)]
pub(super) struct RasterStore {
    pub(super) budget: Budget,
    pub(super) vertex_buffers: SecondaryMap<VertexBufferKey, ChargedItems<u8>>,
    pub(super) index_buffers: SecondaryMap<IndexBufferKey, ChargedItems<u8>>,
    pub(super) textures: SecondaryMap<TextureKey, RasterTexture>,
    pub(super) programs: SecondaryMap<ProgramKey, Arc<RasterProgram>>,
    pub(super) vertex_constants: ConstantFile,
    pub(super) fragment_constants: ConstantFile,
}

impl RasterStore {
    pub(super) fn new(budget: Budget) -> Self {
        RasterStore {
            budget,
            vertex_buffers: SecondaryMap::new(),
            index_buffers: SecondaryMap::new(),
            textures: SecondaryMap::new(),
            programs: SecondaryMap::new(),
            vertex_constants: [[0.0; 4]; CONSTANTS],
            fragment_constants: [[0.0; 4]; CONSTANTS],
        }
    }

    /// Sets registers. Ignores registers past the bank's end, which `Context3D` rejects.
    pub(super) fn set_constants(&mut self, stage: ProgramType, first: u16, values: &[[f32; 4]]) {
        let bank = match stage {
            ProgramType::Vertex => &mut self.vertex_constants,
            ProgramType::Fragment => &mut self.fragment_constants,
        };
        let registers = bank.iter_mut().skip(usize::from(first));
        for (register, value) in registers.zip(values) {
            *register = *value;
        }
    }

    pub(super) fn texture(&mut self, key: TextureKey) -> Result<&mut RasterTexture, BackendError> {
        self.textures.get_mut(key).ok_or_else(|| missing("texture"))
    }
}

pub(super) fn upload(
    buffer: Option<&mut ChargedItems<u8>>,
    offset: u32,
    data: &[u8],
) -> Result<(), BackendError> {
    let buffer = buffer.ok_or_else(|| missing("buffer"))?;
    let size = buffer.len();
    let start = length(offset);
    let place = start.checked_add(data.len()).and_then(|end| buffer.get_mut(start..end));
    let place = place.ok_or_else(|| {
        BackendError::Driver(format!(
            "an upload of {} bytes at {offset} into a buffer of {size}",
            data.len()
        ))
    })?;
    place.copy_from_slice(data);
    Ok(())
}

pub(super) struct RasterProgram {
    pub(super) pair: Arc<LinkedPair>,
    pub(super) vertex: CompiledProgram,
    pub(super) fragment: CompiledProgram,
    /// Bit n is set if attribute n is read and affects the output. Attributes whose bit is 0 are not fetched.
    pub(super) attributes: u16,
    /// Register indices of the varyings that the fragment program reads.
    pub(super) varyings: Vec<u16>,
    pub(super) samplers: [Option<Dimension>; MAX_FRAGMENT_SAMPLERS],
    pub(super) vertex_samplers: [Option<Dimension>; MAX_VERTEX_SAMPLERS],
    /// Bit n: colour output n is written.
    pub(super) color_outputs: u8,
    pub(super) depth_output: bool,
    pub(super) instance_id: bool,
    /// Number of tokens of both programs, for an estimate of their cost.
    pub(super) tokens: (usize, usize),
}

impl RasterProgram {
    pub(super) fn new(pair: Arc<LinkedPair>, rules: FloatRules) -> Self {
        let interface = pair.interface();
        let dimension = |sampler: Option<SamplerOp>| sampler.map(|sampler| sampler.dimension);
        let read = |n: &u16| interface.varyings.checked_shr(u32::from(*n)).unwrap_or(0) & 1 != 0;
        RasterProgram {
            vertex: CompiledProgram::new(pair.vertex()).with_float_rules(rules),
            fragment: CompiledProgram::new(pair.fragment()).with_float_rules(rules),
            attributes: interface.live_attributes,
            varyings: (0..16).filter(read).collect(),
            samplers: interface.samplers.map(dimension),
            vertex_samplers: interface.vertex_samplers.map(dimension),
            color_outputs: interface.color_outputs,
            depth_output: interface.depth_output,
            instance_id: interface.instance_id,
            tokens: [pair.vertex(), pair.fragment()].map(|one| one.program().token_count()).into(),
            pair,
        }
    }
}

#[derive(Clone, Copy)]
pub(super) enum TexelContent<'a> {
    Texels(&'a TexelVec),
    Blocks(&'a Blocks),
}

impl TexelContent<'_> {
    /// Returns one texel; zero if the index is out of range.
    pub(super) fn load(self, index: usize) -> [f32; 4] {
        match self {
            TexelContent::Texels(texels) => texels.load(index),
            TexelContent::Blocks(blocks) => blocks.texel(index).load(),
        }
    }

    /// Appends a region to `out` as bytes R, G, B, A. `width` is the number of texels per row.
    pub(super) fn rgba(self, width: u32, region: Region, out: &mut Vec<u8>) {
        match self {
            TexelContent::Texels(texels) => texels.rgba(width, region, out),
            TexelContent::Blocks(blocks) => blocks.rgba(region, out),
        }
    }
}

/// A texture. A mip level exists after it is uploaded, rendered to or generated.
#[derive(Clone)]
pub(super) struct RasterTexture {
    pub(super) desc: TextureDesc,
    storage: TexelBuffer,
    /// Layout of the first upload, which stays the texture's layout.
    layout: Option<TexelLayout>,
    levels: Vec<Option<TexelVec>>,
    /// Compressed levels by face and mip level, for a texture that was uploaded block-compressed.
    blocks: Vec<Option<Blocks>>,
    /// Mip levels that all faces have, without a gap: index of the largest, and their count.
    pub(super) range: (u8, u8),
}

impl RasterTexture {
    pub(super) fn new(desc: TextureDesc) -> Self {
        let count = usize::from(desc.kind.faces())
            .saturating_mul(usize::from(desc.levels).clamp(1, MAX_LEVELS));
        RasterTexture {
            desc,
            storage: storage(desc.format),
            layout: None,
            levels: std::iter::repeat_with(|| None).take(count).collect(),
            blocks: std::iter::repeat_with(|| None).take(count).collect(),
            range: (0, 0),
        }
    }

    pub(super) fn dimension(&self) -> Dimension {
        match self.desc.kind {
            TextureKind::TwoD | TextureKind::Rectangle => Dimension::TwoD,
            TextureKind::Cube => Dimension::Cube,
        }
    }

    pub(super) fn storage(&self) -> TexelBuffer {
        self.storage
    }

    /// Returns the layout of texels that are read back, or `None` for block-compressed textures, as in other backends.
    pub(super) fn layout(&self) -> Option<TexelLayout> {
        let layout = self.layout.unwrap_or(self.desc.format.layout());
        (!layout.is_blocks()).then_some(layout)
    }

    fn level_count(&self) -> usize {
        usize::from(self.desc.levels).clamp(1, MAX_LEVELS)
    }

    fn place(&self, side: u8, level: u8) -> Option<usize> {
        let there = side < self.desc.kind.faces() && usize::from(level) < self.level_count();
        let (side, level) = (usize::from(side), usize::from(level));
        there.then(|| side * self.level_count() + level)
    }

    pub(super) fn content(&self, side: u8, level: u8) -> Option<TexelContent<'_>> {
        let place = self.place(side, level)?;
        let texels = self.levels.get(place)?.as_ref().map(TexelContent::Texels);
        texels.or(self.blocks.get(place)?.as_ref().map(TexelContent::Blocks))
    }

    /// Returns a mip level of a face, or `None` if it has no content or is block-compressed.
    pub(super) fn level(&self, side: u8, level: u8) -> Option<&TexelVec> {
        self.levels.get(self.place(side, level)?)?.as_ref()
    }

    /// Like `level`, but mutable; the caller may take the texels out and put them back.
    pub(super) fn slot(&mut self, side: u8, level: u8) -> Option<&mut Option<TexelVec>> {
        let place = self.place(side, level)?;
        self.levels.get_mut(place)
    }

    pub(super) fn size(&self, level: u8) -> (u32, u32) {
        let side = |length: u32| length.checked_shr(u32::from(level)).unwrap_or(0).max(1);
        (side(self.desc.width), side(self.desc.height))
    }

    fn area(&self, level: u8) -> usize {
        let (width, height) = self.size(level);
        length(width).saturating_mul(length(height))
    }

    pub(super) fn upload(
        &mut self,
        budget: &Budget,
        (side, level): (u8, u8),
        layout: TexelLayout,
        data: &[u8],
    ) -> Result<(), BackendError> {
        let (width, height) = self.size(level);
        let fits = layout == self.layout.unwrap_or(layout)
            && self.desc.format.supports(layout)
            && data.len() == layout.bytes(width, height);
        let format = self.desc.format;
        let place = self.place(side, level).filter(|_| fits).ok_or_else(|| {
            BackendError::Driver(format!(
                "{} bytes of {layout:?} texels for level {level} of face {side} of a {format:?} texture",
                data.len()
            ))
        })?;
        if layout.is_blocks() {
            if let Some(slot) = self.blocks.get_mut(place) {
                *slot = None; // freed first, so that old and new blocks need not both fit into the budget
                *slot = Some(Blocks::new(budget, layout, width, data)?);
            }
        } else if let (area, Some(slot)) = (self.area(level), self.levels.get_mut(place)) {
            let texels = match slot {
                Some(texels) => texels,
                None => slot.insert(self.storage.texels(budget, area)?),
            };
            texels.decode(layout, format.ignores_alpha(), data);
        }
        self.layout = Some(layout);
        self.update_range();
        Ok(())
    }

    pub(super) fn zero_level(
        &mut self,
        budget: &Budget,
        side: u8,
        level: u8,
    ) -> Result<(), BackendError> {
        let texels = self.storage.texels(budget, self.area(level))?;
        let slot = self.slot(side, level).ok_or_else(|| missing("level of a texture"))?;
        *slot = Some(texels);
        self.update_range();
        Ok(())
    }

    /// Generates mip levels of a face (bit n: level n), each from the next larger level.
    pub(super) fn generate_mips(
        &mut self,
        budget: &Budget,
        side: u8,
        levels: u16,
    ) -> Result<(), BackendError> {
        let due = |level: &u8| levels.checked_shr(u32::from(*level)).unwrap_or(0) & 1 != 0;
        for level in (1u8..).take(self.level_count().saturating_sub(1)) {
            if !due(&level) || self.level(side, level - 1).is_none() {
                continue;
            }
            let (width, height) = self.size(level - 1);
            let (storage, area) = (self.storage, self.area(level));
            let Some(slot) = self.slot(side, level) else {
                continue;
            };
            let mut texels = match slot.take() {
                Some(texels) => texels,
                None => storage.texels(budget, area)?,
            };
            if let Some(above) = self.level(side, level - 1) {
                above.halve((length(width), length(height)), &mut texels);
            }
            if let Some(slot) = self.slot(side, level) {
                *slot = Some(texels);
            }
        }
        self.update_range();
        Ok(())
    }

    fn update_range(&mut self) {
        let whole = |level: &u8| {
            (0..self.desc.kind.faces()).all(|side| self.content(side, *level).is_some())
        };
        let mut levels = (0u8..).take(self.level_count()).skip_while(|level| !whole(level));
        self.range = levels.next().map_or((0, 0), |base| {
            let more = levels.take_while(whole).count();
            (base, u8::try_from(more + 1).unwrap_or(1))
        });
    }
}

#[cfg(test)]
#[path = "../tests/unit/store.rs"]
mod tests;
