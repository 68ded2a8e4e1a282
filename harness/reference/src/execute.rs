//! Executes packets in the reference renderer.

use std::sync::Arc;

use context3d::backend::BackendError;
use context3d::packets::{Clear, Draw, Packet, PassStart, RenderTarget};

use super::ReferenceBackend;
use super::back_buffer::RasterBackBuffer;
use super::draw::{draw, draw_watched};
use super::store::{RasterProgram, RasterTexture, missing, upload};
use super::surface::SurfaceBuffers;
use super::target::RasterTarget;

/// Returns the sample count to use: the requested count, or the override in the options if multisampling is requested.
fn override_samples(samples: Option<u8>, requested: u8) -> u8 {
    samples.filter(|_| requested > 1).unwrap_or(requested)
}

impl ReferenceBackend {
    pub(super) fn dispatch(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        let store = &mut self.store;
        match packet {
            Packet::Draw(draw) => return self.draw(&draw),
            Packet::Constants { stage, first, values } => {
                store.set_constants(stage, first, &values)
            }
            Packet::BeginPass(pass) => return self.begin_pass(&pass),
            Packet::EndPass { resolve: true } => self.resolve_samples(),
            Packet::EndPass { resolve: false } => {}
            Packet::Present => {
                if let Some(back_buffer) = &mut self.back_buffer {
                    back_buffer.present(!self.skip.presents);
                    self.presents += 1;
                }
            }
            Packet::ConfigureBackBuffer(mut shape) => {
                shape.samples = override_samples(self.samples, shape.samples);
                // The old buffer is freed first, so that both buffers needn't fit into the budget.
                self.back_buffer = None;
                if shape.width != 0 && shape.height != 0 {
                    let made = RasterBackBuffer::new(&store.budget, &shape, self.max_samples)?;
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
            // Padding isn't needed, because data past the end of a buffer reads as zeros.
            Packet::PadVertexBuffer { .. } => {}
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
                store.programs.insert(key, Arc::new(RasterProgram::new(pair, self.float_rules)));
            }
            Packet::DisposeProgram(key) => drop(store.programs.remove(key)),
            Packet::CreateTexture { key, desc } => {
                store.textures.insert(key, RasterTexture::new(desc));
            }
            Packet::UploadTexture { key, side, level, layout, data } => {
                let budget = store.budget.clone();
                return store.texture(key)?.upload(&budget, (side, level), layout, &data);
            }
            Packet::ZeroLevel { key, side, level } => {
                let budget = store.budget.clone();
                return store.texture(key)?.zero_level(&budget, side, level);
            }
            Packet::GenerateMips { key, side, levels } => {
                if !self.skip.mips {
                    let budget = store.budget.clone();
                    return store.texture(key)?.generate_mips(&budget, side, levels);
                }
            }
            Packet::DisposeTexture(key) => drop(store.textures.remove(key)),
        }
        Ok(())
    }

    fn begin_pass(&mut self, pass: &PassStart) -> Result<(), BackendError> {
        let earlier = self.target.take();
        if let RenderTarget::Textures(mut key) = pass.target {
            key.samples = override_samples(self.samples, key.samples);
            let target = RasterTarget::new(&mut self.store, &key, self.max_samples, earlier)?;
            let target = self.target.insert(target);
            if pass.load_samples {
                target.load_samples(&self.store.textures);
            }
        }
        if self.skip.clears || pass.clear == Clear::default() {
            return Ok(());
        }
        self.on_target(|_, surface| {
            surface.clear(&pass.clear);
            Ok(())
        })
    }

    /// Resolves the current target's samples into its textures.
    pub(super) fn resolve_samples(&mut self) {
        if let Some(target) = &self.target {
            target.resolve_samples(&mut self.store.textures);
        }
    }

    pub(super) fn on_target(
        &mut self,
        action: impl FnOnce(&mut Self, &mut SurfaceBuffers) -> Result<(), BackendError>,
    ) -> Result<(), BackendError> {
        if let Some(target) = &mut self.target {
            let surface = target.take(&mut self.store.textures);
            let mut surface = surface.ok_or_else(|| missing("target"))?;
            let result = action(self, &mut surface);
            if let Some(target) = &mut self.target {
                target.put_back(surface, &mut self.store.textures);
            }
            return result;
        }
        let absent = || missing("back buffer");
        let back_buffer = self.back_buffer.as_mut();
        let surface = back_buffer.and_then(|back_buffer| back_buffer.slot().take());
        let mut surface = surface.ok_or_else(absent)?;
        let result = action(self, &mut surface);
        if let Some(back_buffer) = &mut self.back_buffer {
            *back_buffer.slot() = Some(surface);
        }
        result
    }

    fn draw(&mut self, packet: &Draw) -> Result<(), BackendError> {
        if packet.index_count == 0 || packet.instances == 0 {
            return Ok(());
        }
        self.on_target(|backend, surface| {
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
