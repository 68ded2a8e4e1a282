//! Draw calls: checks in Flash's order, then one packet.
//!
//! The reference has the order of the checks [context3d.order.draw].

use std::borrow::Cow;

use crate::backend::{Backend, BackendError};
use crate::check::{self, DrawChecks, DrawIndexRange, DrawInputs};
use crate::command::Reply;
use crate::context::Context3D;
use crate::dirty::DirtyFlags;
use crate::entry::{bindable, non_null};
use crate::enums::MipFilter;
use crate::error::{CheckError, Error, ErrorCode, ErrorCondition, FlashError};
use crate::handle::{IndexBufferKey, ObjectHandle, VertexBufferKey};
use crate::packets::{Packet, PipelineId, bits};
use crate::resource::TextureState;

/// Maximum total zero padding of all vertex buffers, in bytes. Beyond the limit, the padding of buffers that the
/// current draw doesn't use is freed. The padding of a single draw may exceed the maximum.
const MAX_PADDING: u64 = 128 << 20;

impl<B: Backend> Context3D<B> {
    #[inline]
    pub(crate) fn draw_triangles_impl(
        &mut self,
        index_buffer: Option<ObjectHandle<IndexBufferKey>>,
        first_index: i32,
        num_triangles: i32,
    ) -> Result<Reply, Error> {
        self.draw_call(index_buffer, 1, first_index, num_triangles)
    }

    pub(crate) fn draw_triangles_instanced_impl(
        &mut self,
        index_buffer: Option<ObjectHandle<IndexBufferKey>>,
        instances: i32,
        first_index: i32,
        num_triangles: i32,
    ) -> Result<Reply, Error> {
        if !self.limits.instanced_drawing {
            return Err(ErrorCode::NeedsStandardExtended.into());
        }
        self.draw_call(index_buffer, instances, first_index, num_triangles)
    }

    #[inline(always)]
    fn draw_call(
        &mut self,
        index_buffer: Option<ObjectHandle<IndexBufferKey>>,
        instances: i32,
        first_index: i32,
        num_triangles: i32,
    ) -> Result<Reply, Error> {
        let key = self.own(non_null(index_buffer, &"indexBuffer")?);
        bindable(key, self.resources.index_buffers.contains_key(key))?;
        // The error for a negative instance count is not documented.
        let instances = u32::try_from(instances).map_err(|_| ErrorCode::InvalidParameter)?;
        // The limit of draws counts silently dropped draws, but not rejected draws [context3d.error.3690.counting].
        if self.state.frame.draws >= self.limits.draws_per_present {
            return Err(ErrorCode::TooManyDraws.into());
        }
        match self.check_draw(key, instances, first_index, num_triangles) {
            Ok(range) if range.count == 0 || instances == 0 => {}
            Ok(range) => self.emit_draw(key, range, instances)?,
            Err(error) => return self.rejected(error),
        }
        self.state.frame.draws += 1;
        Ok(Reply::Done)
    }

    /// Returns the result of a draw with this error. Without error checking, Flash silently drops most failing draws.
    #[cold]
    #[inline(never)]
    fn rejected(&mut self, error: CheckError) -> Result<Reply, Error> {
        if self.state.error_checking || error.code.raised() == ErrorCondition::Always {
            return Err(error.into());
        }
        self.state.frame.draws += 1;
        Ok(Reply::Skipped(error.code))
    }

    /// Returns the error of [`Context3D::draw_triangles_instanced`] in the current state, with error checking on or
    /// off. With error checking off, Flash silently drops a draw for which this method returns an error. Returns `None`
    /// for a valid draw, and for arguments that always raise an error. For inspection tools.
    pub fn draw_error(
        &mut self,
        checking: bool,
        index_buffer: ObjectHandle<IndexBufferKey>,
        instances: u32,
        first_index: i32,
        num_triangles: i32,
    ) -> Option<FlashError> {
        let key = self.own(index_buffer);
        let before = (self.checked, *self.draw, self.state.error_checking);
        (self.checked, self.state.error_checking) = (DrawChecks::default(), checking);
        let found = self.check_draw(key, instances, first_index, num_triangles);
        (self.checked, *self.draw, self.state.error_checking) = before;
        found
            .err()
            .filter(|error| error.code.raised() != ErrorCondition::Always)
            .map(FlashError::from)
    }

    /// Checks all state that may have changed since the last draw, in Flash's order, and updates `self.draw`, except
    /// for the indices. Without error checking, checks only for errors that prevent the draw.
    #[inline]
    fn check_draw(
        &mut self,
        index_buffer: IndexBufferKey,
        instances: u32,
        first_index: i32,
        num_triangles: i32,
    ) -> Result<DrawIndexRange, CheckError> {
        let dirty = self.checked.dirty;
        if dirty.has(DirtyFlags::TARGET) {
            self.check_target().map_err(CheckError::new)?;
        }
        let checking = self.state.error_checking;
        let inputs = DrawInputs { state: &self.state, resources: &self.resources, checking };
        let (program, interface) = check::program(&inputs)?;
        // Flash checks indices before streams [context3d.order.index_before_streams].
        let indices = self.resources.index_buffers.get(index_buffer);
        let indices = indices.ok_or_else(|| CheckError::new(ErrorCode::NoIndexBuffer))?;
        let (first, count) = check::triangles(checking, indices, first_index, num_triangles)?;
        let (checked, draw) = (&mut self.checked, &mut *self.draw);
        if dirty.has(DirtyFlags::PROGRAM) {
            checked.restate(&mut draw.state.program, program.device.unwrap_or_default());
        }
        if dirty.has(DirtyFlags::TEXTURES) {
            check::textures(&inputs, interface, program.slots, checked, &mut draw.textures)?;
        }
        if dirty.has(DirtyFlags::PROGRAM.with(DirtyFlags::TARGET)) {
            check::outputs(&inputs, interface)?;
            let outputs = interface.color_outputs & self.state.outputs();
            checked.restate(&mut draw.state.outputs, outputs);
        }
        let mut range = DrawIndexRange { first, count, short_of: 0 };
        if dirty.has(DirtyFlags::STREAMS)
            || u32::from(indices.max()) >= checked.vertices
            || instances > checked.instances
        {
            // The streams stay dirty until all checks pass: a failed check leaves `self.draw` partly updated.
            checked.dirty = dirty.with(DirtyFlags::STREAMS);
            range.short_of =
                check::streams(&inputs, interface, indices, range, instances, checked, draw)?;
        }
        if dirty.has(DirtyFlags::RASTER) {
            self.draw.scissor = check::scissor(self.state.scissor, self.target_size())?;
            self.checked.restate(&mut self.draw.state.raster, self.state.raster);
        }
        Ok(range)
    }

    /// Checks that the render target can be drawn to.
    #[inline(never)]
    fn check_target(&self) -> Result<(), ErrorCode> {
        self.check_back_buffer()?;
        if !self.state.on_back_buffer() {
            self.target_of(&self.state.targets)?;
        } else if self.state.error_checking {
            self.check_cleared()?;
        }
        Ok(())
    }

    /// Executes the packets that the draw depends on, and the draw's packet.
    #[inline]
    fn emit_draw(
        &mut self,
        index_buffer: IndexBufferKey,
        range: DrawIndexRange,
        instances: u32,
    ) -> Result<(), Error> {
        let dirty = self.checked.dirty;
        if dirty.has(DirtyFlags::TARGET) {
            self.prepare_target()?;
        }
        if self.checked.mip_mapping && dirty.has(DirtyFlags::TEXTURES) {
            self.generate_pending_mips()?;
        }
        if range.short_of > 0 {
            self.pad_streams(range.short_of)?;
        }
        self.flush_constants()?;
        let draw = &mut *self.draw;
        if std::mem::take(&mut self.checked.restated) {
            draw.state.id = PipelineId::new();
        }
        draw.index_buffer = index_buffer;
        (draw.first_index, draw.index_count, draw.instances) =
            (range.first, range.count, instances);
        self.backend.execute(Packet::Draw(Cow::Borrowed(&self.draw)))?;
        // Clear the dirty flags only after the packet succeeded: if this draw fails, the next draw must repeat its
        // preparation.
        self.checked.dirty = DirtyFlags::NOTHING;
        Ok(())
    }

    /// Begins a pass into the target, and clears the back buffer if the program has not cleared it.
    #[inline(never)]
    fn prepare_target(&mut self) -> Result<(), Error> {
        if self.state.on_back_buffer() {
            self.clear_debug_pattern()?;
            self.flush_target()
        } else {
            self.flush_target()?;
            self.mark_rendered();
            Ok(())
        }
    }

    /// Pads the vertex buffers of the draw's streams with zeros to this vertex count.
    #[cold]
    fn pad_streams(&mut self, vertices: u32) -> Result<(), BackendError> {
        let streams = self.draw.streams;
        for stream in streams.iter().flatten().filter(|stream| stream.divisor == 0) {
            let Some(buffer) = self.resources.vertex_buffers.get(stream.buffer) else { continue };
            let missing = |vertices: u32| {
                let last = u64::from(stream.stride) * u64::from(vertices - 1);
                let end = last + u64::from(stream.offset) + u64::from(stream.format.bytes());
                end.saturating_sub(u64::from(buffer.bytes()))
            };
            if missing(vertices) <= u64::from(buffer.padding) {
                continue;
            }
            let padding = missing(vertices.next_power_of_two());
            if self.resources.memory.padding + padding > MAX_PADDING {
                let used = |key| streams.iter().flatten().any(|stream| stream.buffer == key);
                let buffers = self.resources.vertex_buffers.iter();
                let others = buffers.filter(|(key, buffer)| buffer.padding > 0 && !used(*key));
                for other in others.map(|(key, _)| key).collect::<Vec<_>>() {
                    self.set_padding(other, 0)?;
                }
            }
            self.set_padding(stream.buffer, u32::try_from(padding).unwrap_or(u32::MAX))?;
        }
        Ok(())
    }

    fn set_padding(&mut self, key: VertexBufferKey, padding: u32) -> Result<(), BackendError> {
        let Some(buffer) = self.resources.vertex_buffers.get_mut(key) else { return Ok(()) };
        let bytes = buffer.bytes().saturating_add(padding);
        self.backend.execute(Packet::PadVertexBuffer { key, bytes })?;
        let old = std::mem::replace(&mut buffer.padding, padding);
        let total = &mut self.resources.memory.padding;
        *total = *total - u64::from(old) + u64::from(padding);
        Ok(())
    }

    /// Generates the mip levels of rendered textures when a draw first needs them [context3d.target.mips_when].
    fn generate_pending_mips(&mut self) -> Result<(), BackendError> {
        for slot in bits(self.checked.textures) {
            let binding = self.draw.textures.get(slot).copied().flatten();
            let Some(binding) = binding.filter(|binding| binding.sampler.mip != MipFilter::None)
            else {
                continue;
            };
            let texture = self.resources.textures.get(binding.texture);
            for side in 0..texture.map_or(0, TextureState::faces) {
                self.generate_mips(binding.texture, side)?;
            }
        }
        Ok(())
    }
}
