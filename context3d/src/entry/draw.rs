//! Draw calls: checks in Flash's order, then one packet.
//!
//! The order of the checks is the one in which the reference lists them (`context3d-errors.md`, "Order of checks").

use std::borrow::Cow;

use crate::backend::{Backend, BackendError};
use crate::check::{self, DrawInputs};
use crate::command::Reply;
use crate::context::Context3D;
use crate::dirty::{INPUTS, bits};
use crate::entry::{bindable, non_null};
use crate::enums::MipFilter;
use crate::error::{CheckError, Error, ErrorCode, Raised};
use crate::handle::{Handle, IndexBufferKey};
use crate::packets::{Changes, Clear, Packet};
use crate::resource::Texture;

impl<B: Backend> Context3D<B> {
    #[inline]
    pub(crate) fn draw_triangles_impl(
        &mut self,
        index_buffer: Option<Handle<IndexBufferKey>>,
        first_index: i32,
        num_triangles: i32,
    ) -> Result<Reply, Error> {
        self.draw_call(index_buffer, 1, first_index, num_triangles)
    }

    pub(crate) fn draw_triangles_instanced_impl(
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

    /// An unchanged draw is checked here, a usual one in [`Self::check_plain`], and all others in [`Self::check_draw`]: code
    /// that a draw doesn't need would take cache space from the driver.
    #[inline(always)]
    fn draw_call(
        &mut self,
        index_buffer: Option<Handle<IndexBufferKey>>,
        instances: i32,
        first_index: i32,
        num_triangles: i32,
    ) -> Result<Reply, Error> {
        let key = self.own(non_null(index_buffer, &"indexBuffer")?);
        // No error number is published for a negative number of instances.
        let instances = u32::try_from(instances).map_err(|_| ErrorCode::InvalidParameter)?;
        // "More than 32768 draw calls": a silently dropped call counts too (unverified), a rejected one doesn't.
        if self.state.frame.draws >= self.limits.draws_per_present {
            return Err(ErrorCode::TooManyDraws.into());
        }
        let Some(indices) = self.resources.index_buffers.get(key) else {
            return self.without_indices(key, instances, first_index, num_triangles);
        };
        let last_vertex = u32::from(indices.max());
        let checking = self.state.error_checking;
        let range = check::triangles(checking, indices, first_index, num_triangles);
        let unchanged =
            self.checked.dirty == Changes::NOTHING && self.long_enough(last_vertex, instances);
        let range = if unchanged || self.check_plain(last_vertex, instances) {
            range
        } else {
            self.check_draw(key, instances, first_index, num_triangles)
        };
        let (first_index, index_count) = match range {
            Ok(range) => range,
            Err(error) => return self.rejected(error),
        };
        if index_count > 0 && instances > 0 {
            let dirty = self.checked.dirty;
            let draw = &mut *self.draw;
            draw.changes = dirty;
            draw.index_buffer = key;
            (draw.first_index, draw.index_count) = (first_index, index_count);
            draw.instances = instances;
            if dirty.has(Changes::REST) || self.checked.mip_mapping && dirty.has(Changes::TEXTURES)
            {
                self.prepare(dirty)?;
            }
            if self.checked.constants {
                self.flush_constants()?;
            }
            self.backend.execute(Packet::Draw(Cow::Borrowed(&self.draw)))?;
            if dirty.has(Changes::REST) {
                self.mark_rendered();
            }
            // Not before: what the first draw makes, a failed one leaves to the next.
            self.checked.dirty = Changes::NOTHING;
        }
        self.state.frame.draws += 1;
        Ok(Reply::Done)
    }

    /// The reply to a draw with an index buffer that is disposed or another context's.
    #[cold]
    #[inline(never)]
    fn without_indices(
        &mut self,
        index_buffer: IndexBufferKey,
        instances: u32,
        first_index: i32,
        num_triangles: i32,
    ) -> Result<Reply, Error> {
        bindable(index_buffer, false)?;
        let checked = self.check_draw(index_buffer, instances, first_index, num_triangles);
        let missing = || CheckError::new(ErrorCode::NoIndexBuffer);
        self.rejected(checked.err().unwrap_or_else(missing))
    }

    /// The reply to a draw with this error: without error checking, Flash silently drops most of them.
    #[cold]
    #[inline(never)]
    fn rejected(&mut self, error: CheckError) -> Result<Reply, Error> {
        if self.state.error_checking || error.code.raised() == Raised::Always {
            return Err(error.into());
        }
        self.state.frame.draws += 1;
        Ok(Reply::Skipped(error.code))
    }

    /// Whether the streams, as they were checked last, are long enough.
    #[inline]
    fn long_enough(&self, last_vertex: u32, instances: u32) -> bool {
        let checked = &self.checked;
        last_vertex < checked.vertices && (!checked.instanced || instances == self.draw.instances)
    }

    /// Checks what may have changed and fills in `self.draw` but for the indices, in the common case: error checking is
    /// off, textures are 2D and complete, streams advance by vertex and are long enough. False if [`Self::check_draw`] must
    /// decide.
    #[inline(never)]
    fn check_plain(&mut self, last_vertex: u32, instances: u32) -> bool {
        let dirty = self.checked.dirty;
        if self.state.error_checking
            || dirty.has(Changes::REST)
                && (self.check_back_buffer().is_err() || self.check_target().is_err())
        {
            return false;
        }
        let (checked, draw) = (&mut self.checked, &mut *self.draw);
        if dirty.has(INPUTS) {
            let inputs =
                DrawInputs { state: &self.state, resources: &self.resources, checking: false };
            if dirty.has(Changes::PROGRAM) {
                let Ok((program, _)) = check::program(&inputs) else {
                    return false;
                };
                draw.program = program.device.unwrap_or_default();
                checked.inputs = program.inputs;
            }
            if dirty.has(Changes::TEXTURES)
                && !check::plain_textures(&inputs, checked, &mut draw.textures)
                || dirty.has(Changes::STREAMS) && !check::plain_streams(&inputs, checked, draw)
            {
                return false;
            }
        }
        self.long_enough(last_vertex, instances)
            && (!dirty.has(Changes::RASTER) || self.check_raster().is_ok())
    }

    fn check_raster(&mut self) -> Result<(), CheckError> {
        let scissor = check::scissor(self.state.scissor, self.target_size())?;
        self.draw.raster = self.state.raster;
        self.draw.raster.scissor = scissor;
        Ok(())
    }

    /// Checks everything that may have changed, in Flash's order, and fills in `self.draw` but for the indices. Returns the
    /// range of indices. Without error checking, only errors that prevent the draw count.
    #[cold]
    #[inline(never)]
    fn check_draw(
        &mut self,
        index_buffer: IndexBufferKey,
        instances: u32,
        first_index: i32,
        num_triangles: i32,
    ) -> Result<(u32, u32), CheckError> {
        let checking = self.state.error_checking;
        if self.checked.dirty.has(Changes::REST) {
            self.check_back_buffer().map_err(CheckError::new)?;
            self.check_target().map_err(CheckError::new)?;
        }
        let (checked, draw) = (&mut self.checked, &mut *self.draw);
        let inputs = DrawInputs { state: &self.state, resources: &self.resources, checking };
        let (program, interface) = check::program(&inputs)?;
        draw.program = program.device.unwrap_or_default();
        checked.inputs = program.inputs;
        // Before the streams (context3d-witnesses.md: another context's buffers raise 3601).
        let indices = self.resources.index_buffers.get(index_buffer);
        let indices = indices.ok_or_else(|| CheckError::new(ErrorCode::NoIndexBuffer))?;
        let range = check::triangles(checking, indices, first_index, num_triangles)?;
        if checked.dirty.has(Changes::TEXTURES) {
            check::textures(&inputs, interface, checked, &mut draw.textures)?;
        }
        check::outputs(&inputs, interface)?;
        // The length of streams depends on the indices too.
        checked.dirty = checked.dirty.with(Changes::STREAMS);
        check::streams(&inputs, interface, indices, range, instances, checked, draw)?;
        if checked.dirty.has(Changes::RASTER) {
            self.check_raster()?;
        }
        Ok(range)
    }

    /// Whether there is something to draw into.
    fn check_target(&self) -> Result<(), ErrorCode> {
        match (self.state.on_back_buffer(), self.state.error_checking) {
            (true, true) => self.check_cleared(),
            (true, false) => Ok(()),
            (false, _) => self.check_textures_as_target(),
        }
    }

    /// Brings the target and the textures into the state that a draw needs.
    #[inline(never)]
    fn prepare(&mut self, dirty: Changes) -> Result<(), BackendError> {
        if dirty.has(Changes::REST) {
            if self.state.on_back_buffer() {
                self.clear_if_forgotten()?;
            } else {
                self.clear_target_depth()?;
            }
        }
        if self.checked.mip_mapping && dirty.has(Changes::TEXTURES) {
            self.make_needed_mips()?;
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
