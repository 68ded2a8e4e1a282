//! Executes all packets except draws.

use std::sync::Arc;

use context3d::agal::LinkedPair;
use context3d::backend::{Backend as _, BackendError};
use context3d::keys::ProgramKey;
use context3d::packets::Packet;
use wgpu::BufferUsages;

use crate::backend::WgpuBackend;
use crate::buffer::WgpuBuffer;
use crate::draw::WgpuObjects;
use crate::program::{WgpuProgram, missing};

impl WgpuBackend {
    #[inline(never)]
    pub(crate) fn dispatch(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        let id = self.next_id();
        let Self { objects, commands, blits, .. } = self;
        let WgpuObjects {
            vertex_buffers, index_buffers, textures, targets, pipelines, last, ..
        } = objects;
        if matches!(
            packet,
            Packet::CreateVertexBuffer { .. }
                | Packet::UploadVertexBuffer { .. }
                | Packet::PadVertexBuffer { .. }
                | Packet::DisposeVertexBuffer(_)
        ) {
            last.streams = Default::default();
        }
        let mut gone = None;
        match packet {
            Packet::Draw(_) | Packet::Constants { .. } => self.execute(packet)?,
            Packet::BeginPass(pass) => {
                targets.begin_pass(commands, textures, pipelines, blits, &pass)?
            }
            Packet::EndPass { resolve } => targets.end_pass(commands, resolve),
            Packet::Present => self.present()?,
            Packet::ConfigureBackBuffer(desc) => targets.configure(commands, &desc)?,
            Packet::CreateVertexBuffer { key, bytes, .. } => {
                vertex_buffers
                    .insert(key, WgpuBuffer::create(commands, bytes, BufferUsages::VERTEX, id)?);
            }
            Packet::UploadVertexBuffer { key, offset, data } => {
                let buffer = vertex_buffers.get_mut(key).ok_or_else(|| missing("vertex buffer"))?;
                buffer.upload(commands, offset, &data, id)?;
            }
            Packet::PadVertexBuffer { key, bytes } => {
                let buffer = vertex_buffers.get_mut(key).ok_or_else(|| missing("vertex buffer"))?;
                buffer.pad(commands, bytes, id)?;
            }
            Packet::DisposeVertexBuffer(key) => drop(vertex_buffers.remove(key)),
            Packet::CreateIndexBuffer { key, bytes, .. } => {
                index_buffers
                    .insert(key, WgpuBuffer::create(commands, bytes, BufferUsages::INDEX, id)?);
            }
            Packet::UploadIndexBuffer { key, offset, data } => {
                let buffer = index_buffers.get_mut(key).ok_or_else(|| missing("index buffer"))?;
                buffer.upload(commands, offset, &data, id)?;
            }
            Packet::DisposeIndexBuffer(key) => drop(index_buffers.remove(key)),
            Packet::UploadProgram { key, pair } => self.upload_program(key, pair)?,
            Packet::DisposeProgram(key) => self.dispose_program(key),
            Packet::CreateTexture { key, desc } => {
                targets.texture_disposed(key);
                gone = textures.create(key, desc);
            }
            Packet::UploadTexture { key, side, level, layout, data } => {
                gone = textures.upload(commands, key, (side, level), layout, &data)?;
            }
            Packet::ZeroLevel { key, side, level } => {
                gone = textures.zero(commands, key, (side, level))?;
            }
            Packet::GenerateMips { key, side, levels } => {
                gone = textures.generate_mips(commands, blits, key, side, levels)?;
            }
            Packet::DisposeTexture(key) => {
                targets.texture_disposed(key);
                gone = textures.dispose(key);
            }
        }
        if let Some(view) = gone {
            self.objects.groups.view_gone(view);
            self.objects.last.textures = Default::default();
        }
        Ok(())
    }

    fn present(&mut self) -> Result<(), BackendError> {
        self.objects.targets.present(&mut self.commands)?;
        self.commands.submit()?;
        self.presents += u64::from(self.objects.targets.back_buffer.is_some());
        Ok(())
    }

    fn upload_program(
        &mut self,
        key: ProgramKey,
        pair: Arc<LinkedPair>,
    ) -> Result<(), BackendError> {
        let id = u32::try_from(self.last_id).unwrap_or(u32::MAX);
        let program =
            WgpuProgram::compile(&self.commands.device, &mut self.objects.layouts, pair, id)?;
        self.dispose_program(key);
        self.objects.programs.insert(key, program);
        Ok(())
    }

    fn dispose_program(&mut self, key: ProgramKey) {
        if let Some(program) = self.objects.programs.remove(key) {
            self.objects.pipelines.program_gone(program.id);
        }
    }
}
