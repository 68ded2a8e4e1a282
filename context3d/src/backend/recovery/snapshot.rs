//! All state of a device between two frames.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use agal::LinkedPair;
use slotmap::SecondaryMap;

use super::attachments;
use super::journal::{Content, Frame};
use crate::backend::{Backend, BackendError};
use crate::enums::ProgramType;
use crate::handle::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use crate::packets::{BackBuffer, Clear, Packet, Target, TexelLayout, TextureDesc};

#[derive(Default)]
pub(super) struct Snapshot {
    vertex_buffers: SecondaryMap<VertexBufferKey, Buffer>,
    index_buffers: SecondaryMap<IndexBufferKey, Buffer>,
    programs: SecondaryMap<ProgramKey, Arc<LinkedPair>>,
    textures: SecondaryMap<TextureKey, Texture>,
    vertex_constants: Vec<[f32; 4]>,
    fragment_constants: Vec<[f32; 4]>,
    back_buffer: BackBuffer,
    target: Target,
}

struct Buffer {
    dynamic: bool,
    data: Vec<u8>,
}

struct Texture {
    desc: TextureDesc,
    /// By face and level.
    levels: BTreeMap<(u8, u8), (TexelLayout, Vec<u8>)>,
    /// Bit n: face n was drawn to and its content was not kept. It becomes transparent black.
    blank: u8,
    /// By face, bit n: level n was generated from the one above it; if it is also in `levels`, it was uploaded later.
    made: BTreeMap<u8, u16>,
    /// By face and level: sources of generated levels that were replaced by a later upload.
    sources: BTreeMap<(u8, u8), (TexelLayout, Vec<u8>)>,
}

impl Snapshot {
    /// Adds a frame. Its draws are included as the content of its textures.
    pub(super) fn fold(&mut self, frame: Frame) {
        for packet in frame.packets {
            self.apply(packet);
        }
        for content in frame.contents {
            self.set_content(content);
        }
    }

    fn set_content(&mut self, content: Content) {
        if let Some(texture) = self.textures.get_mut(content.texture) {
            texture.sources.remove(&(content.side, 0));
            texture.set_level((content.side, 0), content.layout, content.data);
        }
    }

    fn apply(&mut self, packet: Packet<'static>) {
        match packet {
            Packet::ConfigureBackBuffer(back_buffer) => self.back_buffer = back_buffer,
            Packet::CreateVertexBuffer { key, bytes, dynamic } => {
                self.vertex_buffers.insert(key, Buffer::new(bytes, dynamic));
            }
            Packet::UploadVertexBuffer { key, offset, data } => {
                write(self.vertex_buffers.get_mut(key), offset, &data);
            }
            Packet::DisposeVertexBuffer(key) => {
                self.vertex_buffers.remove(key);
            }
            Packet::CreateIndexBuffer { key, bytes, dynamic } => {
                self.index_buffers.insert(key, Buffer::new(bytes, dynamic));
            }
            Packet::UploadIndexBuffer { key, offset, data } => {
                write(self.index_buffers.get_mut(key), offset, &data);
            }
            Packet::DisposeIndexBuffer(key) => {
                self.index_buffers.remove(key);
            }
            Packet::UploadProgram { key, pair } => {
                self.programs.insert(key, pair);
            }
            Packet::DisposeProgram(key) => {
                self.programs.remove(key);
            }
            Packet::SetTarget(target) => self.target = target,
            Packet::Present => self.target = Target::BackBuffer,
            Packet::Constants { stage, first, values } => {
                self.set_constants(stage, first.into(), &values)
            }
            // Without a colour, textures don't change.
            Packet::Clear(Clear { color: None, .. }) => {}
            Packet::Clear(_) | Packet::Draw(_) => self.forget_rendered(),
            packet => self.apply_texture(packet),
        }
    }

    fn apply_texture(&mut self, packet: Packet<'static>) {
        match packet {
            Packet::CreateTexture { key, desc } => {
                let texture = Texture {
                    desc,
                    levels: BTreeMap::new(),
                    blank: 0,
                    made: BTreeMap::new(),
                    sources: BTreeMap::new(),
                };
                self.textures.insert(key, texture);
            }
            Packet::UploadTexture { key, side, level, layout, data } => {
                if let Some(texture) = self.textures.get_mut(key) {
                    texture.keep_source(side, level);
                    texture.set_level((side, level), layout, data.into_owned());
                }
            }
            Packet::GenerateMips { key, side, levels } => {
                if let Some(texture) = self.textures.get_mut(key) {
                    texture.made.insert(side, levels);
                    texture.sources.retain(|(face, _), _| *face != side);
                    let stays = |face, level| face != side || levels & bit(level) == 0;
                    texture.levels.retain(|(face, level), _| stays(*face, *level));
                }
            }
            Packet::DisposeTexture(key) => {
                self.textures.remove(key);
            }
            _ => {}
        }
    }

    /// Forgets the content of a target's textures; their new content may be known at the end of the frame.
    fn forget_rendered(&mut self) {
        for (texture, side) in attachments(&self.target) {
            if let Some(texture) = self.textures.get_mut(texture) {
                // The smaller levels are generated again before they are read.
                texture.sources.remove(&(side, 0));
                texture.levels.remove(&(side, 0));
                texture.blank |= face(side);
            }
        }
    }

    fn set_constants(&mut self, stage: ProgramType, first: usize, values: &[[f32; 4]]) {
        let bank = match stage {
            ProgramType::Vertex => &mut self.vertex_constants,
            ProgramType::Fragment => &mut self.fragment_constants,
        };
        let end = first.saturating_add(values.len());
        if bank.len() < end {
            bank.resize(end, [0.0; 4]);
        }
        if let Some(place) = bank.get_mut(first..end) {
            place.copy_from_slice(values);
        }
    }

    /// Approximate size in memory.
    pub(super) fn bytes(&self) -> usize {
        let buffers = self.vertex_buffers.values().chain(self.index_buffers.values());
        let buffers: usize = buffers.map(|buffer| buffer.data.len()).sum();
        let levels = self
            .textures
            .values()
            .flat_map(|texture| texture.levels.values().chain(texture.sources.values()));
        buffers.saturating_add(levels.map(|(_, data)| data.len()).sum())
    }

    /// Restores all of it on a new device.
    pub(super) fn replay(&self, backend: &mut impl Backend) -> Result<(), BackendError> {
        self.replay_buffers(backend)?;
        for (key, pair) in &self.programs {
            let pair = Arc::clone(pair);
            backend.execute(Packet::UploadProgram { key, pair })?;
        }
        for (key, texture) in &self.textures {
            texture.replay(key, backend)?;
        }
        for (stage, bank) in [
            (ProgramType::Vertex, &self.vertex_constants),
            (ProgramType::Fragment, &self.fragment_constants),
        ] {
            if !bank.is_empty() {
                backend.execute(Packet::Constants {
                    stage,
                    first: 0,
                    values: Cow::Borrowed(bank),
                })?;
            }
        }
        if self.back_buffer.width != 0 {
            backend.execute(Packet::ConfigureBackBuffer(self.back_buffer))?;
        }
        // A target that lost a texture is never drawn to again: another one is set first.
        let alive = |(texture, _)| self.textures.contains_key(texture);
        if self.target != Target::BackBuffer && attachments(&self.target).all(alive) {
            backend.execute(Packet::SetTarget(self.target))?;
        }
        Ok(())
    }

    fn replay_buffers(&self, backend: &mut impl Backend) -> Result<(), BackendError> {
        for (key, buffer) in &self.vertex_buffers {
            let dynamic = buffer.dynamic;
            backend.execute(Packet::CreateVertexBuffer { key, bytes: buffer.bytes(), dynamic })?;
            let (offset, data) = (0, Cow::Borrowed(buffer.data.as_slice()));
            backend.execute(Packet::UploadVertexBuffer { key, offset, data })?;
        }
        for (key, buffer) in &self.index_buffers {
            let dynamic = buffer.dynamic;
            backend.execute(Packet::CreateIndexBuffer { key, bytes: buffer.bytes(), dynamic })?;
            let (offset, data) = (0, Cow::Borrowed(buffer.data.as_slice()));
            backend.execute(Packet::UploadIndexBuffer { key, offset, data })?;
        }
        Ok(())
    }
}

impl Buffer {
    fn new(bytes: u32, dynamic: bool) -> Self {
        Buffer { dynamic, data: vec![0; usize::try_from(bytes).unwrap_or(0)] }
    }

    fn bytes(&self) -> u32 {
        u32::try_from(self.data.len()).unwrap_or(0)
    }
}

fn write(buffer: Option<&mut Buffer>, offset: u32, data: &[u8]) {
    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
    let end = offset.saturating_add(data.len());
    if let Some(place) = buffer.and_then(|buffer| buffer.data.get_mut(offset..end)) {
        place.copy_from_slice(data);
    }
}

fn upload(
    backend: &mut impl Backend,
    key: TextureKey,
    (side, level): (u8, u8),
    (layout, data): &(TexelLayout, Vec<u8>),
) -> Result<(), BackendError> {
    backend.execute(Packet::UploadTexture {
        key,
        side,
        level,
        layout: *layout,
        data: Cow::Borrowed(data),
    })
}

/// A level's bit.
fn bit(level: u8) -> u16 {
    1u16.checked_shl(level.into()).unwrap_or(0)
}

/// A face's bit.
fn face(side: u8) -> u8 {
    1u8.checked_shl(side.into()).unwrap_or(0)
}

impl Texture {
    fn set_level(&mut self, place: (u8, u8), layout: TexelLayout, data: Vec<u8>) {
        if place.1 == 0 {
            self.blank &= !face(place.0);
        }
        self.levels.insert(place, (layout, data));
    }

    /// Keeps a level that is about to be replaced, if smaller levels may have been generated from it.
    fn keep_source(&mut self, side: u8, level: u8) {
        let place = (side, level);
        if self.made_level(side, level.saturating_add(1))
            && !self.made_level(side, level)
            && !self.sources.contains_key(&place)
            && let Some(source) = self.levels.remove(&place)
        {
            self.sources.insert(place, source);
        }
    }

    fn made_level(&self, side: u8, level: u8) -> bool {
        self.made.get(&side).is_some_and(|made| made & bit(level) != 0)
    }

    fn replay(&self, key: TextureKey, backend: &mut impl Backend) -> Result<(), BackendError> {
        let desc = self.desc;
        backend.execute(Packet::CreateTexture { key, desc })?;
        self.replay_blank(key, backend)?;
        for (place, content) in &self.levels {
            if !self.made_level(place.0, place.1) {
                let content = self.sources.get(place).unwrap_or(content);
                upload(backend, key, *place, content)?;
            }
        }
        for (&side, &levels) in &self.made {
            backend.execute(Packet::GenerateMips { key, side, levels })?;
        }
        for (place, content) in &self.levels {
            if self.made_level(place.0, place.1) || self.sources.contains_key(place) {
                upload(backend, key, *place, content)?;
            }
        }
        Ok(())
    }

    fn replay_blank(
        &self,
        key: TextureKey,
        backend: &mut impl Backend,
    ) -> Result<(), BackendError> {
        if self.blank == 0 {
            return Ok(());
        }
        let layout = self.desc.format.layout();
        let bytes = layout.bytes(self.desc.width, self.desc.height);
        let zeros = (layout, vec![0; bytes]);
        for side in (0..8).filter(|side| self.blank & face(*side) != 0) {
            upload(backend, key, (side, 0), &zeros)?;
        }
        Ok(())
    }
}
