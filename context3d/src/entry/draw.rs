//! Draw calls: checks in Flash's order, then one packet.
//!
//! The order of the checks is the one in which the reference lists them (`context3d-errors.md`, "Order of checks").

use std::borrow::Cow;

use crate::backend::{Backend, BackendError};
use crate::check::{self, DrawInputs};
use crate::command::Reply;
use crate::context::Context3D;
use crate::entry::non_null;
use crate::enums::MipFilter;
use crate::error::{Error, ErrorCode, Fault, Raised};
use crate::handle::{Handle, IndexBufferKey};
use crate::packets::{Changes, Clear, Packet};
use crate::resource::Texture;
use crate::stale::{INPUTS, bits};

impl<B: Backend> Context3D<B> {
    #[inline]
    pub(crate) fn draw_once(
        &mut self,
        index_buffer: Option<Handle<IndexBufferKey>>,
        first_index: i32,
        num_triangles: i32,
    ) -> Result<Reply, Error> {
        self.draw_call(index_buffer, 1, first_index, num_triangles)
    }

    pub(crate) fn draw_instances(
        &mut self,
        index_buffer: Option<Handle<IndexBufferKey>>,
        instances: i32,
        first_index: i32,
        num_triangles: i32,
    ) -> Result<Reply, Error> {
        if !self.limits.instanced_drawing {
            return Err(ErrorCode::NeedsStandardExtended.into());
        }
        self.draw_call(index_buffer, instances, first_index, num_triangles)
    }

    fn draw_call(
        &mut self,
        index_buffer: Option<Handle<IndexBufferKey>>,
        instances: i32,
        first_index: i32,
        num_triangles: i32,
    ) -> Result<Reply, Error> {
        let index_buffer = self.own(non_null(index_buffer, &"indexBuffer")?);
        if !self.resources.index_buffers.contains_key(index_buffer) {
            return Err(ErrorCode::Disposed.into());
        }
        // No error number is published for a negative number of instances.
        let instances = u32::try_from(instances).map_err(|_| ErrorCode::InvalidParameter)?;
        // "More than 32768 draw calls": a silently dropped call counts too (unverified), a rejected one doesn't.
        if self.state.frame.draws >= self.limits.draws_per_present {
            return Err(ErrorCode::TooManyDraws.into());
        }
        if self.checked.stale.has(Changes::REST) {
            self.check_back_buffer()?;
        }
        match self.check_draw(index_buffer, instances, first_index, num_triangles) {
            Ok(()) => {}
            Err(fault) if self.state.error_checking || fault.code.raised() == Raised::Always => {
                return Err(fault.into());
            }
            Err(fault) => {
                self.state.frame.draws += 1;
                return Ok(Reply::Skipped(fault.code));
            }
        }
        if self.draw.index_count > 0 && self.draw.instances > 0 {
            self.emit_draw()?;
            // Not before: what the first draw makes, a failed one leaves to the next.
            self.checked.stale = Changes::NOTHING;
        }
        self.state.frame.draws += 1;
        Ok(Reply::Done)
    }

    /// Fills `self.draw`, or returns the error. Without error checking, only errors that prevent the draw count. What has
    /// passed and isn't stale passes again.
    #[inline]
    fn check_draw(
        &mut self,
        index_buffer: IndexBufferKey,
        instances: u32,
        first_index: i32,
        num_triangles: i32,
    ) -> Result<(), Fault> {
        let checking = self.state.error_checking;
        if self.checked.stale.has(Changes::REST) {
            self.check_target().map_err(Fault::new)?;
        }
        let indices = self.resources.index_buffers.get(index_buffer);
        let indices = indices.ok_or(Fault::new(ErrorCode::NoIndexBuffer))?;
        let checked = &self.checked;
        let long_enough = u64::from(indices.max()) < checked.vertices
            && (!checked.instanced || instances == self.draw.instances);
        let range;
        if checked.stale.has(INPUTS) || !long_enough {
            range = self.check_inputs(
                (index_buffer, long_enough),
                instances,
                first_index,
                num_triangles,
            )?;
        } else {
            range = check::triangles(checking, indices, first_index, num_triangles)?;
        }
        if self.checked.stale.has(Changes::RASTER) {
            let scissor = check::scissor(self.state.scissor, self.target_size())?;
            self.draw.raster = self.state.raster;
            self.draw.raster.scissor = scissor;
        }
        let draw = &mut *self.draw;
        draw.changes = self.checked.stale;
        draw.index_buffer = index_buffer;
        (draw.first_index, draw.index_count) = range;
        draw.instances = instances;
        Ok(())
    }

    /// Whether there is something to draw into.
    fn check_target(&self) -> Result<(), ErrorCode> {
        match (self.state.on_back_buffer(), self.state.error_checking) {
            (true, true) => self.check_cleared(),
            (true, false) => Ok(()),
            (false, _) => self.texture_target().map(drop),
        }
    }

    /// Program, textures and streams, and the range of indices between them, as Flash's order has it.
    fn check_inputs(
        &mut self,
        (index_buffer, long_enough): (IndexBufferKey, bool),
        instances: u32,
        first_index: i32,
        num_triangles: i32,
    ) -> Result<(u32, u32), Fault> {
        let checking = self.state.error_checking;
        let indices = self.resources.index_buffers.get(index_buffer);
        let indices = indices.ok_or(Fault::new(ErrorCode::NoIndexBuffer))?;
        let checked = &mut self.checked;
        let draw = &mut *self.draw;
        let scene = DrawInputs {
            state: &self.state,
            resources: &self.resources,
            checking,
        };
        let (program, interface) = check::program(&scene)?;
        draw.program = self.state.program.unwrap_or_default();
        let range = check::triangles(checking, indices, first_index, num_triangles)?;
        if checked.stale.has(Changes::TEXTURES)
            && !check::plain_textures(&scene, program, checked, &mut draw.textures)
        {
            let slots = program.slots;
            check::textures(&scene, interface, slots, checked, &mut draw.textures)?;
        }
        check::outputs(&scene, interface)?;
        if checked.stale.has(Changes::STREAMS) || !long_enough {
            // Until they have passed.
            checked.stale = checked.stale.with(Changes::STREAMS);
            if !check::plain_streams(&scene, interface, indices, checked, draw) {
                check::streams(&scene, interface, indices, range, instances, checked, draw)?;
            }
        }
        Ok(range)
    }

    fn emit_draw(&mut self) -> Result<(), BackendError> {
        let stale = self.checked.stale;
        if stale.has(Changes::REST) {
            if self.state.on_back_buffer() {
                self.clear_if_forgotten()?;
            } else {
                self.clear_target_depth()?;
            }
        }
        if stale.has(Changes::TEXTURES) {
            self.make_needed_mips()?;
        }
        self.flush_constants()?;
        self.backend
            .execute(Packet::Draw(Cow::Borrowed(&self.draw)))?;
        if stale.has(Changes::REST) {
            self.mark_rendered();
        }
        Ok(())
    }

    /// "Depth/stencil are cleared by force at the first draw if they were not" (`context3d.md` section 7).
    fn clear_target_depth(&mut self) -> Result<(), BackendError> {
        let frame = &mut self.state.frame;
        let has_depth = self.state.targets[0].is_some_and(|slot| slot.depth_stencil);
        if has_depth && !(frame.target_depth_cleared && frame.target_stencil_cleared) {
            self.backend.execute(Packet::Clear(Clear {
                color: None,
                depth: (!frame.target_depth_cleared).then_some(1.0),
                stencil: (!frame.target_stencil_cleared).then_some(0),
            }))?;
            frame.target_depth_cleared = true;
            frame.target_stencil_cleared = true;
        }
        Ok(())
    }

    /// Generates the mip levels of rendered textures when a draw first needs them (the reference doesn't say when:
    /// unverified).
    fn make_needed_mips(&mut self) -> Result<(), BackendError> {
        for slot in bits(self.checked.textures) {
            let binding = self.draw.textures.get(slot).copied().flatten();
            let Some(binding) = binding.filter(|binding| binding.sampler.mip != MipFilter::None)
            else {
                continue;
            };
            let texture = self.resources.textures.get(binding.texture);
            for side in 0..texture.map_or(0, Texture::faces) {
                self.make_mips(binding.texture, side)?;
            }
        }
        Ok(())
    }
}
