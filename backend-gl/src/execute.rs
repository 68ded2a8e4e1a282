//! Executes packets: dispatches them to methods, and creates objects.

use context3d::agal;
use context3d::backend::BackendError;
use context3d::enums::ProgramType;
use context3d::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use context3d::packets::{Packet, TexelLayout, TextureDesc};

use crate::backend::Objects;
use crate::buffer::Buffer;

use crate::device::{Device, DrawError};
use crate::indices::Indices;
use crate::shadow::NOBODY;
use crate::texture::Texture;

impl Objects {
    /// Executes a packet; the context is current.
    pub(crate) fn dispatch(
        &mut self,
        device: &mut Device,
        packet: Packet<'_>,
    ) -> Result<(), BackendError> {
        match packet {
            Packet::Draw(draw) => self.draw(device, &draw).map_err(|error| *error),
            Packet::Constants { stage, first, values } => {
                self.set_constants(stage, first, &values);
                Ok(())
            }
            Packet::SetTarget(target) => {
                self.set_target(device, &target);
                Ok(())
            }
            Packet::Clear(clear) => self.clear(device, &clear).map_err(|error| *error),
            Packet::Present => self.present(device),
            Packet::ConfigureBackBuffer(shape) => self.configure(device, &shape),
            Packet::CreateVertexBuffer { key, bytes, dynamic } => {
                self.create_vertex_buffer(key, bytes, dynamic)
            }
            Packet::UploadVertexBuffer { key, offset, data } => {
                let buffer = self.vertex_buffers.get_mut(key);
                let buffer = buffer.ok_or_else(|| missing("buffer"))?;
                buffer.upload(&self.gl, offset, &data)
            }
            Packet::DisposeVertexBuffer(key) => {
                self.dispose_vertex_buffer(key);
                Ok(())
            }
            Packet::CreateIndexBuffer { key, bytes, dynamic } => {
                self.create_index_buffer(device, key, (bytes, dynamic))
            }
            Packet::UploadIndexBuffer { key, offset, data } => {
                let indices = self.index_buffers.get_mut(key);
                let indices = indices.ok_or_else(|| missing("buffer"))?;
                indices.upload(&self.gl, &self.caps, &mut device.shadow, offset, &data)
            }
            Packet::DisposeIndexBuffer(key) => {
                self.index_buffers.remove(key);
                Ok(())
            }
            Packet::UploadProgram { key, pair } => self.upload_program(device, key, &pair),
            Packet::DisposeProgram(key) => {
                self.programs.dispose(key);
                Ok(())
            }
            Packet::CreateTexture { key, desc } => self.create_texture(key, desc),
            Packet::UploadTexture { key, side, level, layout, data } => {
                self.upload_texture(device, key, (side, level), layout, &data)
            }
            Packet::GenerateMips { key, side, levels } => {
                self.generate_mips(device, key, side, levels)
            }
            Packet::DisposeTexture(key) => {
                self.dispose_texture(device, key);
                Ok(())
            }
        }
    }

    #[inline]
    pub(crate) fn set_constants(&mut self, stage: ProgramType, first: u16, values: &[[f32; 4]]) {
        let bank = match stage {
            ProgramType::Vertex => &mut self.vertex_constants,
            ProgramType::Fragment => &mut self.fragment_constants,
        };
        bank.set(first, values);
        self.constants_changed = true;
    }

    fn create_vertex_buffer(
        &mut self,
        key: VertexBufferKey,
        bytes: u32,
        dynamic: bool,
    ) -> Result<(), BackendError> {
        let buffer = Buffer::create(&self.gl, bytes, dynamic)?;
        self.vertex_buffers.insert(key, buffer);
        Ok(())
    }

    fn dispose_vertex_buffer(&mut self, key: VertexBufferKey) {
        if let Some(buffer) = self.vertex_buffers.remove(key) {
            self.padding = self.padding.saturating_sub(u64::from(buffer.padding()));
        }
    }

    fn create_index_buffer(
        &mut self,
        device: &mut Device,
        key: IndexBufferKey,
        size: (u32, bool),
    ) -> Result<(), BackendError> {
        let indices = Indices::create(&self.gl, &self.caps, &mut device.shadow, size)?;
        self.index_buffers.insert(key, indices);
        Ok(())
    }

    fn upload_program(
        &mut self,
        device: &mut Device,
        key: ProgramKey,
        pair: &agal::LinkedPair,
    ) -> Result<(), BackendError> {
        // The old program is removed first, because a failed upload leaves no program (context3d.md section 8).
        self.programs.dispose(key);
        self.programs.upload(&self.gl, &self.caps, device, key, pair)
    }

    fn create_texture(&mut self, key: TextureKey, desc: TextureDesc) -> Result<(), BackendError> {
        let texture = Texture::create(&self.gl, &self.caps, desc)?;
        self.textures.insert(key, texture);
        Ok(())
    }

    fn upload_texture(
        &mut self,
        device: &mut Device,
        key: TextureKey,
        place: (u8, u8),
        layout: TexelLayout,
        data: &[u8],
    ) -> Result<(), BackendError> {
        self.resolve_if_target(device, key);
        let texture = self.textures.get_mut(key);
        let texture = texture.ok_or_else(|| missing("texture"))?;
        texture.upload(&self.gl, &mut device.shadow, place, layout, data)
    }

    fn generate_mips(
        &mut self,
        device: &mut Device,
        key: TextureKey,
        side: u8,
        levels: u16,
    ) -> Result<(), BackendError> {
        self.resolve_if_target(device, key);
        let texture = self.textures.get_mut(key);
        let texture = texture.ok_or_else(|| missing("texture"))?;
        texture.generate_mips(&self.gl, &mut device.shadow, side, levels)
    }

    fn dispose_texture(&mut self, device: &mut Device, key: TextureKey) {
        self.resolve_if_target(device, key);
        self.render_targets.texture_deleted(device, key);
        self.textures.remove(key);
        device.shadow.owned_by(NOBODY);
    }
}

/// The error for a packet with an unknown object: its creation failed, or the layer above is wrong.
#[cold]
pub(crate) fn missing(what: &str) -> BackendError {
    BackendError::Driver(format!("a packet names a {what} that was never made"))
}

/// As [`missing`], for draws.
#[cold]
#[inline(never)]
pub(crate) fn missing_in_draw(what: &str) -> DrawError {
    missing(what).into()
}
