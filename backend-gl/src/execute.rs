//! Packet → GL calls: which method handles which packet, and objects.

use context3d::packets::{Packet, TexelLayout, TextureDesc};
use context3d::{
    BackendError, IndexBufferKey, ProgramKey, ProgramType, TextureKey, VertexBufferKey, agal,
};

use crate::backend::GlBackend;
use crate::buffer::Buffer;
use crate::program::Program;
use crate::texture::Texture;
use crate::uniforms::Bank;

impl GlBackend {
    /// Carries out a packet. The context is current.
    pub(crate) fn dispatch(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        match packet {
            Packet::Draw(draw) => self.draw(&draw),
            Packet::Constants {
                stage,
                first,
                values,
            } => {
                self.bank(stage).set(first, &values);
                Ok(())
            }
            Packet::SetTarget(target) => {
                self.set_target(target);
                Ok(())
            }
            Packet::Clear(clear) => self.clear(&clear),
            Packet::Present => self.present(),
            Packet::ConfigureBackBuffer(shape) => self.configure(&shape),
            Packet::CreateVertexBuffer {
                key,
                bytes,
                dynamic,
            } => self.create_vertex_buffer(key, bytes, dynamic),
            Packet::UploadVertexBuffer { key, offset, data } => {
                let buffer = self.vertex_buffers.get(key);
                self.upload_buffer(buffer, offset, &data)
            }
            Packet::DisposeVertexBuffer(key) => {
                self.dispose_vertex_buffer(key);
                Ok(())
            }
            Packet::CreateIndexBuffer {
                key,
                bytes,
                dynamic,
            } => self.create_index_buffer(key, bytes, dynamic),
            Packet::UploadIndexBuffer { key, offset, data } => {
                let buffer = self.index_buffers.get(key);
                self.upload_buffer(buffer, offset, &data)
            }
            Packet::DisposeIndexBuffer(key) => {
                self.dispose_index_buffer(key);
                Ok(())
            }
            Packet::UploadProgram { key, pair } => self.upload_program(key, &pair),
            Packet::DisposeProgram(key) => {
                self.dispose_program(key);
                Ok(())
            }
            Packet::CreateTexture { key, desc } => self.create_texture(key, desc),
            Packet::UploadTexture {
                key,
                side,
                level,
                layout,
                data,
            } => self.upload_texture(key, (side, level), layout, &data),
            Packet::GenerateMips { key, side, levels } => self.generate_mips(key, side, levels),
            Packet::DisposeTexture(key) => {
                self.dispose_texture(key);
                Ok(())
            }
        }
    }

    fn bank(&mut self, stage: ProgramType) -> &mut Bank {
        match stage {
            ProgramType::Vertex => &mut self.vertex_constants,
            ProgramType::Fragment => &mut self.fragment_constants,
        }
    }

    fn upload_buffer(
        &self,
        buffer: Option<&Buffer>,
        offset: u32,
        data: &[u8],
    ) -> Result<(), BackendError> {
        let buffer = buffer.ok_or_else(|| missing("buffer"))?;
        buffer.upload(&self.gl, offset, data)
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
            self.shadow.vertex_buffer_deleted(buffer.name());
        }
    }

    fn create_index_buffer(
        &mut self,
        key: IndexBufferKey,
        bytes: u32,
        dynamic: bool,
    ) -> Result<(), BackendError> {
        let buffer = Buffer::create(&self.gl, bytes, dynamic)?;
        self.index_buffers.insert(key, buffer);
        Ok(())
    }

    fn dispose_index_buffer(&mut self, key: IndexBufferKey) {
        if self.index_buffers.remove(key).is_some() {
            self.shadow.index_buffer_deleted(key);
        }
    }

    fn upload_program(
        &mut self,
        key: ProgramKey,
        pair: &agal::LinkedPair,
    ) -> Result<(), BackendError> {
        // The old one goes first: a failed upload leaves nothing behind (context3d.md section 8).
        self.dispose_program(key);
        let program = Program::create(&self.gl, &self.caps, &mut self.shadow, pair)?;
        self.programs.insert(key, program);
        Ok(())
    }

    fn dispose_program(&mut self, key: ProgramKey) {
        if let Some(program) = self.programs.remove(key) {
            self.shadow.program_deleted(program.name());
        }
    }

    fn create_texture(&mut self, key: TextureKey, desc: TextureDesc) -> Result<(), BackendError> {
        let texture = Texture::create(&self.gl, &self.caps, desc)?;
        self.textures.insert(key, texture);
        Ok(())
    }

    fn upload_texture(
        &mut self,
        key: TextureKey,
        place: (u8, u8),
        layout: TexelLayout,
        data: &[u8],
    ) -> Result<(), BackendError> {
        self.leave_if_target(key);
        let texture = self.textures.get_mut(key);
        let texture = texture.ok_or_else(|| missing("texture"))?;
        texture.upload(&self.gl, &mut self.shadow, place, layout, data)
    }

    fn generate_mips(
        &mut self,
        key: TextureKey,
        side: u8,
        levels: u16,
    ) -> Result<(), BackendError> {
        self.leave_if_target(key);
        let texture = self.textures.get_mut(key);
        let texture = texture.ok_or_else(|| missing("texture"))?;
        let made = texture.generate_mips(&self.gl, &mut self.shadow, side, levels);
        // The current target, if it was left alone, is drawn to next.
        if let Some(surface) = self.bound {
            self.shadow.draw_framebuffer(surface.framebuffer);
        }
        made
    }

    fn dispose_texture(&mut self, key: TextureKey) {
        self.leave_if_target(key);
        self.setups.texture_deleted(&mut self.shadow, key);
        if let Some(texture) = self.textures.remove(key) {
            self.shadow.texture_deleted(texture.name());
        }
    }
}

/// The error for a packet that names what was never made, because making it failed or the layer above erred.
#[cold]
pub(crate) fn missing(what: &str) -> BackendError {
    BackendError::Driver(format!("a packet names a {what} that was never made"))
}
