//! `configureBackBuffer`, `clear`, `present`, `dispose`, and the presented frame.

use agal::Profile;

use crate::backend::{Backend, BackendError, FrameSource, PresentedFrame, ReadSurface, TakenFrame};
use crate::context::{Context3D, EndReason};
use crate::convert::single;
use crate::error::{CheckError, Error, ErrorClass, ErrorCode, ErrorCondition, FlashError};
use crate::host::scaled;
use crate::packets::{BackBufferDesc, Clear, Packet};
use crate::pixels::opaque;
use crate::resource::alive;
use crate::state::OutputAttachments;

/// Oldest SWF version in which sizes out of range raise 3780 and 3781; earlier versions raise 3669
/// [context3d.error.3669.back_buffer].
const SIZE_ERRORS_SWF: u32 = 30;
/// Oldest SWF version in which the depth flag must match the application descriptor (3709).
const DESCRIPTOR_SWF: u32 = 15;
/// The bits of `Context3DClearMask`.
const CLEAR_COLOR: u32 = 1;
const CLEAR_DEPTH: u32 = 2;
const CLEAR_STENCIL: u32 = 4;
/// The debug pattern: alternating clear colours of the back buffer, used if a program without error checking draws or
/// presents without a `clear` [context3d.present.pattern] [context3d.present.first_color].
const DEBUG_PATTERN: [[f32; 4]; 2] = [[1.0, 1.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]];

/// A clear without a colour, depth or stencil bit has no effect, and doesn't count as a clear for 3692 and 3777: "all
/// buffers need to be cleared" [context3d.error.3692]. No source says if clearing one buffer avoids 3692
/// [context3d.clear.counts].
const COUNTED_AS_CLEAR: u32 = CLEAR_COLOR | CLEAR_DEPTH | CLEAR_STENCIL;

/// Clamps a number to 0..1; NaN becomes 0 [context3d.clear.nan].
fn unit(value: f64) -> f64 {
    if value > 0.0 { value.min(1.0) } else { 0.0 }
}

/// Clamps a clear colour and truncates it to eight bits, because 0.3 appears as 76 in player images
/// [context3d.clear.truncated].
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "truncates and clamps; NaN becomes 0"
)]
fn eight_bits(value: f64) -> f32 {
    f32::from((value * 255.0) as u8) / 255.0
}

impl<B: Backend> Context3D<B> {
    pub(crate) fn configure_back_buffer_impl(
        &mut self,
        width: i32,
        height: i32,
        anti_alias: i32,
        depth_stencil: bool,
        best_resolution: bool,
        best_on_browser_zoom: bool,
    ) -> Result<(), Error> {
        let nothing = (width, height, anti_alias, depth_stencil) == (0, 0, 0, false);
        let (width, height) = self.back_buffer_sides(width, height, nothing)?;
        // The order of the descriptor's and position's errors is unknown [context3d.order.back_buffer_rest].
        self.check_descriptor(depth_stencil)?;
        self.check_placement(self.position, [width, height])?;
        self.state.requested_size = (width, height);
        self.state.best_resolution = [best_resolution, best_on_browser_zoom];
        self.state.back_buffer.samples = self.samples(anti_alias);
        self.state.back_buffer.depth_stencil = depth_stencil;
        self.make_back_buffer()
    }

    /// Returns the back buffer with the size that the program requests on the current display.
    fn wanted_back_buffer(&self) -> BackBufferDesc {
        let most = self.backend.caps().max_target_size;
        let pixels = |side| match self.state.best_resolution {
            [true, _] => scaled(side, self.host.scale.contents, most),
            [false, _] => side.min(most),
        };
        let (width, height) = self.back_buffer_size();
        BackBufferDesc { width: pixels(width), height: pixels(height), ..self.state.back_buffer }
    }

    fn make_back_buffer(&mut self) -> Result<(), Error> {
        let back_buffer = self.wanted_back_buffer();
        // A trace contains error 3710 for a failed resize [context3d.error.3710].
        let failed = |error: Error| error.with_memory_error(ErrorCode::OperationFailed);
        self.resolve_and_unset_target().map_err(|error| failed(error.into()))?;
        let configured = self.emit(Packet::ConfigureBackBuffer(back_buffer));
        // Even if the new back buffer can't be created, the old one no longer exists.
        match configured {
            Ok(()) => self.state.back_buffer = back_buffer,
            Err(_) => {
                self.state.back_buffer = BackBufferDesc::default();
                self.state.requested_size = (0, 0);
            }
        }
        self.state.frame.cleared = false;
        configured.map_err(failed)
    }

    /// Returns the samples per pixel for `antiAlias`. 0 and 1 disable multisampling; the documented values are 2, 4 and
    /// 16. Undocumented values of `antiAlias` are accepted, because a released program passes 10
    /// [context3d.back_buffer.anti_alias_others]; the device uses the nearest supported sample count. Software
    /// rendering always has one sample [context3d.back_buffer.software].
    pub(super) fn samples(&self, anti_alias: i32) -> u8 {
        let most = if self.software { 1 } else { 16 };
        u8::try_from(anti_alias.clamp(1, most)).unwrap_or(1)
    }

    /// Checks the requested size; raises 3669, 3780 or 3781. `nothing` means that all arguments are 0.
    fn back_buffer_sides(
        &self,
        width: i32,
        height: i32,
        nothing: bool,
    ) -> Result<(u32, u32), CheckError> {
        let least = self.limits.min_back_buffer;
        let (most_wide, most_high) = self.max_back_buffer_size();
        let side = |side: i32, most: u32| {
            u32::try_from(side).ok().filter(|side| (least..=most).contains(side))
        };
        let old_rules = self.options.swf_version < SIZE_ERRORS_SWF;
        match (side(width, most_wide), side(height, most_high)) {
            (Some(width), Some(height)) => Ok((width, height)),
            // In older SWF versions, Flash silently accepts 0, 0, 0, false [context3d.error.3669.back_buffer].
            _ if old_rules && nothing => Ok((0, 0)),
            // The error class is `Error` here, although other calls raise this error as `RangeError`.
            _ if old_rules => {
                Err(CheckError::new(ErrorCode::BadInputSize).as_class(ErrorClass::Error))
            }
            (width, _) => {
                let (code, most) = if width.is_none() {
                    (ErrorCode::BackBufferWidth, most_wide)
                } else {
                    (ErrorCode::BackBufferHeight, most_high)
                };
                Err(CheckError::with(code, [i64::from(least), i64::from(most)]))
            }
        }
    }

    /// Raises 3709 if the depth flag differs from the AIR application's descriptor.
    fn check_descriptor(&self, depth_stencil: bool) -> Result<(), ErrorCode> {
        let descriptor = self.host.descriptor_depth_and_stencil;
        let bound = self.options.swf_version >= DESCRIPTOR_SWF;
        match descriptor.filter(|_| bound) {
            Some(flag) if flag != depth_stencil => Err(ErrorCode::DescriptorDepth),
            _ => Ok(()),
        }
    }

    /// Sets the position of the Stage3D. [`Stage3D::execute`](crate::Stage3D::execute) and
    /// [`Stage3D::create`](crate::Stage3D::create) call this.
    ///
    /// # Errors
    /// 3723 if the back buffer would not be inside the [stage](crate::Host::stage), in `baselineConstrained`; the
    /// position stays unchanged. Engines configure 32×32 pixels before they set the position [context3d.error.3723].
    pub fn set_position(&mut self, x: f64, y: f64) -> Result<(), Error> {
        let (width, height) = self.state.requested_size;
        if width > 0 {
            let checked = self.check_placement([x, y], [width, height]);
            checked.map_err(|error| self.host.with_host_wording(error))?;
        }
        self.position = [x, y];
        Ok(())
    }

    /// Raises 3723 if the back buffer is not inside the stage, in `baselineConstrained` only.
    fn check_placement(&self, at: [f64; 2], size: [u32; 2]) -> Result<(), FlashError> {
        let constrained = self.options.profile == Profile::BaselineConstrained;
        let Some(stage) = self.host.stage.filter(|_| constrained) else {
            return Ok(());
        };
        let [width, height] = size.map(f64::from);
        let inside = |at: f64, length: f64, start: f64, size: f64| {
            at >= start && at + length <= start + size
        };
        let [x, y] = at;
        if inside(x, width, stage.x, stage.width) && inside(y, height, stage.y, stage.height) {
            return Ok(());
        }
        let own = [x, y, width, height];
        let stage = [stage.x, stage.y, stage.width, stage.height];
        let numbers = [own, stage].concat();
        Err(FlashError::new(ErrorCode::OutsideStageBounds, &numbers))
    }

    pub(crate) fn set_max_back_buffer_width_impl(&mut self, value: i32) -> Result<(), Error> {
        self.limit_back_buffer(0, value);
        Ok(())
    }

    pub(crate) fn set_max_back_buffer_height_impl(&mut self, value: i32) -> Result<(), Error> {
        self.limit_back_buffer(1, value);
        Ok(())
    }

    /// Sets `maxBackBufferWidth` (axis 0) or `maxBackBufferHeight`. No error is documented for a size out of range, so
    /// the size is clamped [context3d.property.max_outside]. The minimum is the size of the configured back buffer.
    fn limit_back_buffer(&mut self, axis: usize, value: i32) {
        let (width, height) = self.state.requested_size;
        let least = self.limits.min_back_buffer.max([width, height][axis]);
        let most = self.system_back_buffer().max(least);
        let value = u32::try_from(value).unwrap_or(0);
        self.state.max_back_buffer[axis] = value.clamp(least, most);
    }

    /// Raises 3698 if the render target is a back buffer that was not configured.
    #[inline]
    pub(super) fn check_back_buffer(&self) -> Result<(), ErrorCode> {
        let missing = self.state.back_buffer.width == 0;
        if missing && self.state.on_back_buffer() { Err(ErrorCode::NoBackBuffer) } else { Ok(()) }
    }

    pub(crate) fn set_error_checking_impl(&mut self, value: bool) -> Result<(), Error> {
        self.state.error_checking = value;
        Ok(())
    }

    pub(crate) fn set_ignore_resource_limits_impl(&mut self, value: bool) -> Result<(), Error> {
        self.state.ignore_limits = Some(value);
        Ok(())
    }

    #[allow(clippy::too_many_arguments, reason = "as many as ActionScript's")]
    pub(crate) fn clear_impl(
        &mut self,
        red: f64,
        green: f64,
        blue: f64,
        alpha: f64,
        depth: f64,
        stencil: u32,
        mask: u32,
    ) -> Result<(), Error> {
        self.check_back_buffer()?;
        if !self.state.on_back_buffer()
            && let Err(code) = self.target_of(&self.state.targets)
        {
            // Like a draw into incompatible textures, the clear raises an error with error checking, and is ignored
            // without.
            return if self.state.error_checking || code.raised() == ErrorCondition::Always {
                Err(code.into())
            } else {
                Ok(())
            };
        }
        let (depth_stencil, eight_bit) = match self.state.targets[0] {
            Some(slot) => {
                let format = alive(&self.resources.textures, slot.texture)?.desc.format;
                (slot.depth_stencil, !format.is_float())
            }
            None => (self.state.back_buffer.depth_stencil, true),
        };
        let channel = |value| {
            if eight_bit { eight_bits(value) } else { single(unit(value)) }
        };
        let color = || [channel(red), channel(green), channel(blue), channel(alpha)];
        let clear = Clear {
            color: (mask & CLEAR_COLOR != 0).then(color),
            depth: (depth_stencil && mask & CLEAR_DEPTH != 0).then(|| single(unit(depth))),
            stencil: (depth_stencil && mask & CLEAR_STENCIL != 0)
                .then(|| u8::try_from(stencil).unwrap_or(u8::MAX)),
        };
        if clear.color.is_some() || clear.depth.is_some() || clear.stencil.is_some() {
            self.begin_pass(clear)?;
        }
        if self.state.on_back_buffer() {
            let counts = mask & COUNTED_AS_CLEAR != 0;
            self.state.frame.cleared |= counts;
            self.state.frame.ever_cleared |= counts;
        } else if clear.color.is_some() {
            self.mark_rendered();
        }
        Ok(())
    }

    /// Without error checking, clears the back buffer to the debug pattern, if the program hasn't cleared it.
    pub(super) fn clear_debug_pattern(&mut self) -> Result<(), Error> {
        if self.state.frame.cleared || self.state.back_buffer.width == 0 {
            return Ok(());
        }
        let color = DEBUG_PATTERN[usize::from(self.state.frame.debug_pattern)];
        let depth_stencil = self.state.back_buffer.depth_stencil;
        self.begin_pass(Clear {
            color: Some(color),
            depth: depth_stencil.then_some(1.0),
            stencil: depth_stencil.then_some(0),
        })?;
        self.state.frame.cleared = true;
        self.state.frame.debug_pattern = !self.state.frame.debug_pattern;
        Ok(())
    }

    /// Raises the error of a draw or present without a clear of the back buffer. Draws before the very first clear
    /// raise 3777; no source shows which error `present` raises before the first clear [context3d.error.3777].
    pub(super) fn check_cleared(&self) -> Result<(), ErrorCode> {
        match self.state.frame {
            crate::state::FrameState { cleared: true, .. } => Ok(()),
            crate::state::FrameState { ever_cleared: true, .. } => Err(ErrorCode::NotCleared),
            _ => Err(ErrorCode::NeverCleared),
        }
    }

    /// Presents the back buffer, which must be configured even if a texture is the render target.
    pub(crate) fn present_impl(&mut self) -> Result<(), Error> {
        if self.is_disposed() {
            return Ok(());
        }
        self.check_foreground()?;
        if self.state.back_buffer.width == 0 {
            return Err(ErrorCode::NoBackBuffer.into());
        }
        if self.state.error_checking {
            self.check_cleared()?;
        }
        // `present` sets the back buffer as the render target [context3d.present.target].
        self.state.targets = OutputAttachments::default();
        self.clear_debug_pattern()?;
        self.resolve_and_unset_target()?;
        self.emit(Packet::Present)?;
        self.state.frame.cleared = false;
        self.state.frame.draws = 0;
        self.end_uploads()?;
        self.collect_released()?;
        // Resizes the back buffer if the browser's zoom has changed.
        if self.state.best_resolution[1] && self.wanted_back_buffer() != self.state.back_buffer {
            self.make_back_buffer()?;
        }
        Ok(())
    }

    /// Implements `Context3D.dispose`: frees all resources even after a failure, and returns the first failure.
    pub(crate) fn dispose_impl(&mut self, recreate: bool) -> Result<(), Error> {
        if self.is_disposed() {
            return Ok(());
        }
        let mut result = self.resolve_and_unset_target().map_err(Error::from);
        let resources = self.end_life(if recreate {
            EndReason::DisposedToRecreate
        } else {
            EndReason::Disposed
        });
        let textures = resources.textures.iter();
        let textures = textures.filter(|(_, texture)| texture.on_device());
        let packets = (resources.vertex_buffers.keys().map(Packet::DisposeVertexBuffer))
            .chain(resources.index_buffers.keys().map(Packet::DisposeIndexBuffer))
            .chain(resources.device_programs.keys().map(Packet::DisposeProgram))
            .chain(textures.map(|(key, _)| Packet::DisposeTexture(key)))
            .chain([Packet::ConfigureBackBuffer(BackBufferDesc::default())]);
        for packet in packets {
            result = result.and(self.emit(packet));
        }
        result
    }
}

impl<B: FrameSource> Context3D<B> {
    /// Returns the width and height of a presented pixel in stage pixels. Both factors differ from 1 on a display that
    /// is finer than the stage, and with an `EnhancedBackend` of the crate `context3d-layers`. If no frame is
    /// presented, returns the scale of the last taken frame.
    pub fn frame_scale(&self) -> [f64; 2] {
        let (width, height) = self.back_buffer_size();
        let Some(frame) = self.backend.frame() else { return self.taken.1 };
        [(width, frame.width), (height, frame.height)].map(|(stage, pixels)| match pixels {
            0 => 1.0,
            pixels => f64::from(stage) / f64::from(pixels),
        })
    }

    /// Returns the presented frame if the host has not taken it yet. If the backend
    /// [shares](FrameSource::shares_frames) frames, the frame is in the exchange; otherwise waits for its pixels.
    ///
    /// # Errors
    /// Those of [`Backend::execute`].
    pub fn take_frame(
        &mut self,
        exchange: &B::Exchange,
    ) -> Result<Option<TakenFrame>, BackendError> {
        if self.backend.shares_frames() {
            let is_new = self.backend.publish_frame(exchange)?;
            self.taken.1 = self.frame_scale();
            return Ok(is_new.then_some(TakenFrame::Handle));
        }
        let new = self.backend.frame().filter(|frame| frame.presents != self.taken.0);
        let Some(PresentedFrame { presents, .. }) = new else { return Ok(None) };
        let mut rgba = Vec::new();
        let (width, height) = self.backend.read_pixels(ReadSurface::Front, &mut rgba)?;
        opaque(&mut rgba);
        self.taken = (presents, self.frame_scale());
        Ok(Some(TakenFrame::Pixels(width, height, rgba)))
    }
}
