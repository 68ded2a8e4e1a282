//! Targets, clears, draws and presents. The draw path has no allocation, hashing or GL query.

use context3d::backend::{BackendError, Region};
use context3d::enums::{FillMode, TriangleFace};
use context3d::keys::TextureKey;
use context3d::packets::{
    BackBuffer as Shape, Changes, Clear, Draw, Raster, Target, TextureBinding,
};

use crate::back_buffer::BackBuffer;
use crate::backend::Objects;
use crate::device::{Device, DrawError};
use crate::execute::{missing, missing_in_draw};
use crate::framebuffer::Surface;
use crate::strides::WIDE;
use crate::workarounds::Remedy;

/// The program decides which streams are read.
const STREAMS: Changes = Changes::STREAMS.with(Changes::PROGRAM);
/// What [`Objects::set_up`] sets.
const OTHERS: Changes =
    Changes::PROGRAM.with(Changes::TEXTURES).with(Changes::RASTER).with(Changes::REST);

impl Objects {
    /// Replaces the back buffer.
    pub(crate) fn configure(
        &mut self,
        device: &mut Device,
        shape: &Shape,
    ) -> Result<(), BackendError> {
        self.resolve_target(device);
        // The old one is deleted first, so that both need not fit in memory.
        self.back_buffer = None;
        if shape.width == 0 || shape.height == 0 {
            return Ok(());
        }
        let made = BackBuffer::create(&self.gl, &self.caps, &mut device.shadow, shape)?;
        self.back_buffer = Some(made);
        Ok(())
    }

    /// Stores the target. Framebuffers are created and bound at the first draw or clear.
    pub(crate) fn set_target(&mut self, device: &mut Device, target: &Target) {
        if self.target != *target {
            if let Target::Textures(key) = &self.target {
                self.render_targets.leave(device, key);
            }
            self.bound = None;
            self.target = *target;
        }
    }

    /// Resolves samples into the current target's textures. The next draw binds the target again.
    pub(crate) fn resolve_target(&mut self, device: &mut Device) {
        if let Target::Textures(key) = &self.target {
            self.render_targets.resolve(device, key);
        }
        self.bound = None;
    }

    /// As [`Objects::resolve_target`], if this texture is part of the target.
    pub(crate) fn resolve_if_target(&mut self, device: &mut Device, texture: TextureKey) {
        if let Target::Textures(key) = &self.target
            && key.color.iter().flatten().any(|a| a.texture == texture)
        {
            self.resolve_target(device);
        }
    }

    /// Binds the current target. `cleared`: its colour is about to be replaced.
    #[inline]
    fn enter_target(
        &mut self,
        device: &mut Device,
        cleared: bool,
    ) -> Result<&Surface, BackendError> {
        if self.bound.is_none() {
            self.bound = Some(self.find_target(device, cleared)?);
        }
        let Some(surface) = &self.bound else {
            return Err(missing("target"));
        };
        // Always, because other backends may have drawn in between.
        device.shadow.draw_framebuffer(surface.framebuffer);
        device.shadow.viewport(surface.size);
        Ok(surface)
    }

    fn find_target(&mut self, device: &mut Device, cleared: bool) -> Result<Surface, BackendError> {
        match &self.target {
            Target::BackBuffer => {
                let back_buffer = self.back_buffer.as_ref();
                Ok(back_buffer.ok_or_else(|| missing("back buffer"))?.surface())
            }
            Target::Textures(key) => {
                self.render_targets.enter(device, &self.caps, &mut self.textures, key, cleared)
            }
        }
    }

    /// Clears the whole target, regardless of the last draw's scissor and masks.
    pub(crate) fn clear(&mut self, device: &mut Device, clear: &Clear) -> Result<(), DrawError> {
        let surface = *self.enter_target(device, clear.color.is_some())?;
        device.shadow.open_all();
        if let Some(color) = &clear.color {
            for output in 0..surface.outputs {
                self.gl.clear_color(output, color);
            }
        }
        if surface.depth_stencil {
            self.gl.clear_depth_stencil(clear.depth, clear.stencil);
        }
        Ok(())
    }

    /// Draws triangles. Inlined with all that an unchanged draw needs, so that its code is in one place: the driver takes
    /// most of the instruction cache.
    #[inline(always)]
    pub(crate) fn draw(&mut self, device: &mut Device, draw: &Draw) -> Result<(), DrawError> {
        if draw.index_count == 0 || draw.instances == 0 {
            return Ok(());
        }
        // What this backend's last draw has set is still set, if that was the last thing that happened.
        let changes = match std::mem::take(&mut device.settled) == self.id {
            true => draw.changes,
            false => Changes::EVERYTHING,
        };
        if changes.has(OTHERS) {
            self.set_up(device, draw, changes)?;
        }
        if changes.has(STREAMS) {
            self.bind_streams(device, draw)?;
        }
        if self.constants_changed {
            self.update_constants(draw)?;
        }
        if self.draws_faces(&draw.raster) {
            return self.draw_faces(device, draw);
        }
        self.draw_elements(device, draw)?;
        device.settled = self.id;
        Ok(())
    }

    /// [`Remedy::DrawFacesApart`] is needed.
    #[inline]
    fn draws_faces(&self, raster: &Raster) -> bool {
        raster.fill == FillMode::Wireframe
            && raster.stencil_front != raster.stencil_back
            && self.caps.needs(Remedy::DrawFacesApart)
    }

    /// Sets what has changed of all that a draw depends on, but for streams and constants. What the shadow has by key isn't
    /// looked up.
    #[inline(never)]
    fn set_up(
        &mut self,
        device: &mut Device,
        draw: &Draw,
        changes: Changes,
    ) -> Result<(), DrawError> {
        if changes.has(Changes::REST) {
            self.enter_target(device, false)?;
        }
        if changes.has(Changes::PROGRAM) {
            let program = self.programs.get_mut(draw.program);
            let program = program.ok_or_else(|| missing_in_draw("program"))?;
            device.shadow.use_program(program.object());
            device.shadow.enabled_attributes(program.inputs.attributes);
            self.inputs = program.inputs;
            self.constants_changed = true;
        }
        if changes.has(Changes::PROGRAM.with(Changes::TEXTURES)) {
            device.shadow.owned_by(self.id);
            for slot in bits(self.inputs.slots) {
                let binding = draw.textures.get(slot).and_then(Option::as_ref);
                let binding = binding.ok_or_else(|| missing_in_draw("texture"))?;
                if !device.shadow.has_texture(slot, binding) {
                    let cube = has_bit(self.inputs.cubes, slot);
                    self.bind_texture(device, slot, cube, binding)?;
                }
            }
        }
        // Clears change some of it.
        if changes.has(Changes::RASTER.with(Changes::REST)) && !self.draws_faces(&draw.raster) {
            device.shadow.raster(&draw.raster);
        }
        Ok(())
    }

    /// [`Remedy::DrawFacesApart`].
    #[cold]
    fn draw_faces(&mut self, device: &mut Device, draw: &Draw) -> Result<(), DrawError> {
        let raster = draw.raster;
        for (state, other, culled) in [
            (raster.stencil_front, TriangleFace::Back, TriangleFace::Front),
            (raster.stencil_back, TriangleFace::Front, TriangleFace::Back),
        ] {
            if raster.cull == culled || raster.cull == TriangleFace::FrontAndBack {
                continue;
            }
            device.shadow.raster(&Raster {
                stencil_front: state,
                stencil_back: state,
                cull: other,
                ..raster
            });
            self.draw_elements(device, draw)?;
        }
        Ok(())
    }

    /// Brings the constants of the program in use up to date.
    #[inline(never)]
    fn update_constants(&mut self, draw: &Draw) -> Result<(), DrawError> {
        let program = self.programs.get_mut(draw.program);
        let program = program.ok_or_else(|| missing_in_draw("program"))?;
        program.vertex.update(&self.gl, &self.vertex_constants);
        program.fragment.update(&self.gl, &self.fragment_constants);
        self.constants_changed = false;
        Ok(())
    }

    /// Sets where the attributes of the program in use come from.
    #[inline(never)]
    fn bind_streams(&mut self, device: &mut Device, draw: &Draw) -> Result<(), DrawError> {
        if draw.short_streams != 0 {
            self.pad_streams(draw)?;
        }
        // The last attribute with a binding of its own.
        let mut leader = None;
        for register in bits(self.inputs.attributes) {
            let stream = draw.streams.get(register).and_then(Option::as_ref);
            let stream = stream.ok_or_else(|| missing_in_draw("vertex stream"))?;
            if leader.is_some_and(|leader| device.shadow.shares(register, stream, leader)) {
                continue;
            }
            let buffer = self.vertex_buffers.get_mut(stream.buffer);
            let buffer = buffer.ok_or_else(|| missing_in_draw("vertex buffer"))?;
            buffer.fill(&self.gl);
            let narrow = stream.stride >= WIDE && self.caps.needs(Remedy::NarrowStrides);
            let place = match narrow {
                true => buffer.narrowed(&self.gl, stream)?,
                false => (buffer.object(), stream.stride, stream.offset),
            };
            device.shadow.attribute(register, stream, place);
            leader = (!narrow).then_some((register, stream));
        }
        Ok(())
    }

    fn bind_texture(
        &self,
        device: &mut Device,
        slot: usize,
        cube: bool,
        binding: &TextureBinding,
    ) -> Result<(), DrawError> {
        let texture = self.textures.get(binding.texture);
        let texture = texture.ok_or_else(|| missing_in_draw("texture"))?;
        let wanted = if cube { glow::TEXTURE_CUBE_MAP } else { glow::TEXTURE_2D };
        if texture.target() != wanted {
            return Err(missing_in_draw("texture of the sampler's kind"));
        }
        let sampler = device.samplers.get(&self.gl, &self.caps, binding.sampler)?;
        device.shadow.texture(slot, wanted, texture.object(), sampler);
        device.shadow.bound_texture(slot, binding);
        Ok(())
    }

    #[inline(always)]
    fn draw_elements(&mut self, device: &mut Device, draw: &Draw) -> Result<(), DrawError> {
        let buffer = self.index_buffers.get_mut(draw.index_buffer);
        let buffer = buffer.ok_or_else(|| missing_in_draw("index buffer"))?;
        buffer.fill(&self.gl);
        let Some((index_type, offset)) = buffer.range(draw.first_index, draw.index_count) else {
            return Err(missing_in_draw("range of indices"));
        };
        // The buffer's size is an `i32`, so the count is below that.
        let [count, instances] = [draw.index_count, draw.instances].map(u32::cast_signed);
        if instances < 0 {
            return Err(missing_in_draw("range of instances"));
        }
        device.shadow.index_buffer(buffer.object());
        let mode = glow::TRIANGLES;
        if instances == 1 {
            self.gl.draw_elements(mode, count, index_type, offset);
        } else {
            self.gl.draw_elements_instanced(mode, count, index_type, offset, instances);
        }
        Ok(())
    }

    /// Shows the back buffer. The target is the back buffer afterwards (context3d.md section 5).
    pub(crate) fn present(&mut self, device: &mut Device) -> Result<(), BackendError> {
        self.resolve_target(device);
        if let Some(back_buffer) = &self.back_buffer {
            back_buffer.resolve(&self.gl, &mut device.shadow, Region::ALL);
        }
        // Before anything is swapped, because a failed packet is not applied.
        device.check_frame()?;
        self.set_target(device, &Target::BackBuffer);
        if let Some(back_buffer) = &mut self.back_buffer {
            back_buffer.swap();
        }
        self.bound = None;
        // Without a window there is no swap that would flush.
        self.gl.flush();
        Ok(())
    }
}

/// The set bits of a set, from the lowest.
#[inline]
pub(crate) fn bits(set: u16) -> impl Iterator<Item = usize> {
    let mut left = u32::from(set);
    std::iter::from_fn(move || {
        let lowest = left.trailing_zeros() & 15; // so that nothing asks whether it is below 16
        (left != 0).then(|| {
            left &= left.wrapping_sub(1);
            usize::try_from(lowest).unwrap_or(0)
        })
    })
}

pub(crate) fn has_bit(set: u16, bit: usize) -> bool {
    u32::try_from(bit).is_ok_and(|bit| set.checked_shr(bit).unwrap_or(0) & 1 != 0)
}
