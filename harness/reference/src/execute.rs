//! Executes packets.

use std::sync::Arc;

use context3d::backend::BackendError;
use context3d::keys::TextureKey;
use context3d::packets::{Clear, Draw, Packet, Target};

use super::ReferenceBackend;
use super::back_buffer::BackBuffer;
use super::draw::{draw, draw_watched};
use super::store::{Program, Texture, missing, upload};
use super::surface::Surface;

/// The number of samples to use: the requested one, unless the options override it for multisampling.
fn taken(told: Option<u8>, asked: u8) -> u8 {
    told.filter(|_| asked > 1).unwrap_or(asked)
}

impl ReferenceBackend {
    pub(super) fn dispatch(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        let store = &mut self.store;
        match packet {
            Packet::Draw(draw) => return self.draw(&draw),
            Packet::Clear(clear) => return self.clear(&clear),
            Packet::Constants { stage, first, values } => {
                store.set_constants(stage, first, &values)
            }
            Packet::SetTarget(target) => self.set_target(target),
            Packet::Present => self.present(),
            Packet::ConfigureBackBuffer(mut shape) => {
                shape.samples = taken(self.samples, shape.samples);
                self.targets.leave(&mut store.textures);
                // Freed first, so that both need not fit.
                self.back_buffer = None;
                if shape.width != 0 && shape.height != 0 {
                    let made = BackBuffer::new(&store.budget, &shape, self.max_samples)?;
                    self.back_buffer = Some(made);
                }
            }
            Packet::CreateVertexBuffer { key, bytes, .. } => {
                let buffer = store.budget.buffer(super::number::length(bytes))?;
                store.vertex_buffers.insert(key, buffer);
            }
            Packet::UploadVertexBuffer { key, offset, data } => {
                return upload(store.vertex_buffers.get_mut(key), offset, &data);
            }
            Packet::DisposeVertexBuffer(key) => drop(store.vertex_buffers.remove(key)),
            Packet::CreateIndexBuffer { key, bytes, .. } => {
                let buffer = store.budget.buffer(super::number::length(bytes))?;
                store.index_buffers.insert(key, buffer);
            }
            Packet::UploadIndexBuffer { key, offset, data } => {
                return upload(store.index_buffers.get_mut(key), offset, &data);
            }
            Packet::DisposeIndexBuffer(key) => drop(store.index_buffers.remove(key)),
            Packet::UploadProgram { key, pair } => {
                store.programs.insert(key, Arc::new(Program::new(pair)));
            }
            Packet::DisposeProgram(key) => drop(store.programs.remove(key)),
            Packet::CreateTexture { key, desc } => {
                store.textures.insert(key, Texture::new(desc));
            }
            Packet::UploadTexture { key, side, level, layout, data } => {
                self.leave_if_target(key);
                let budget = self.store.budget.clone();
                let texture = self.store.texture(key)?;
                return texture.upload(&budget, (side, level), layout, &data);
            }
            Packet::GenerateMips { key, side, levels } => {
                self.leave_if_target(key);
                if self.skip.mips {
                    return Ok(());
                }
                let budget = self.store.budget.clone();
                let texture = self.store.texture(key)?;
                return texture.generate_mips(&budget, side, levels);
            }
            Packet::DisposeTexture(key) => {
                self.leave_target();
                self.targets.texture_deleted(key);
                self.store.textures.remove(key);
            }
        }
        Ok(())
    }

    fn set_target(&mut self, mut target: Target) {
        if let Target::Textures(textures) = &mut target {
            textures.samples = taken(self.samples, textures.samples);
        }
        if self.target != target {
            self.leave_target();
            self.target = target;
        }
    }

    /// Copies drawn content to the current target's textures. The next draw enters the target again.
    pub(super) fn leave_target(&mut self) {
        self.targets.leave(&mut self.store.textures);
    }

    fn leave_if_target(&mut self, texture: TextureKey) {
        if let Target::Textures(key) = &self.target
            && key.color.iter().flatten().any(|a| a.texture == texture)
        {
            self.leave_target();
        }
    }

    /// Shows the back buffer and makes it the target (context3d.md section 5).
    fn present(&mut self) {
        self.set_target(Target::BackBuffer);
        if let Some(back_buffer) = &mut self.back_buffer {
            back_buffer.present(!self.skip.presents);
        }
    }

    /// Runs an operation on the current target's surface. `cleared`: the operation replaces the colour, so the textures
    /// need not be loaded.
    pub(super) fn on_target(
        &mut self,
        cleared: bool,
        action: impl FnOnce(&mut Self, &mut Surface) -> Result<(), BackendError>,
    ) -> Result<(), BackendError> {
        let absent = || missing("back buffer");
        if let Target::Textures(key) = self.target {
            if !self.targets.is_entered() {
                let most = self.max_samples;
                self.targets.enter(&mut self.store, &key, most, cleared)?;
            }
            let surface = self.targets.take(&mut self.store.textures);
            let mut surface = surface.ok_or_else(absent)?;
            let result = action(self, &mut surface);
            self.targets.put_back(surface, &mut self.store.textures);
            return result;
        }
        let back_buffer = self.back_buffer.as_mut();
        let surface = back_buffer.and_then(|back_buffer| back_buffer.slot().take());
        let mut surface = surface.ok_or_else(absent)?;
        let result = action(self, &mut surface);
        if let Some(back_buffer) = &mut self.back_buffer {
            *back_buffer.slot() = Some(surface);
        }
        result
    }

    fn clear(&mut self, clear: &Clear) -> Result<(), BackendError> {
        let clears = !self.skip.clears;
        self.on_target(clear.color.is_some(), |_, surface| {
            if clears {
                surface.clear(clear);
            }
            Ok(())
        })
    }

    fn draw(&mut self, packet: &Draw) -> Result<(), BackendError> {
        if packet.index_count == 0 || packet.instances == 0 {
            return Ok(());
        }
        self.on_target(false, |backend, surface| {
            if backend.skip.draws {
                return Ok(());
            }
            let ReferenceBackend { store, scratch, threads, watch, watched, .. } = backend;
            let Some(watch) = watch else {
                return draw(store, scratch, surface, packet, *threads);
            };
            let seen = draw_watched(store, scratch, surface, packet, (*threads, *watch))?;
            *watched = Some(seen);
            Ok(())
        })
    }
}
