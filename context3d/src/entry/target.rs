//! `setRenderToTexture` and `setRenderToBackBuffer` [context3d.target.set].

use crate::backend::{Backend, BackendError};
use crate::check::TargetSize;
use crate::context::Context3D;
use crate::dirty::DirtyFlags;
use crate::error::{Error, ErrorCode};
use crate::handle::{ObjectHandle, TextureKey};
use crate::packets::{
    Clear, ColorAttachment, MAX_COLOR_OUTPUTS, Packet, PassStart, RenderTarget, TextureDesc,
    TextureKind, TextureTarget,
};
use crate::resource::{TextureState, alive};
use crate::state::{BoundTarget, DevicePass, OutputAttachments};

/// The error if the texture of `setRenderToTexture` is a video texture [context3d.error.2004.video_target].
const NOT_A_TARGET: ErrorCode = ErrorCode::InvalidParameter;

/// `setRenderToBackBuffer`, and `setRenderToTexture` with null and output 0, unbind all outputs. If
/// `BACK_BUFFER_UNBINDS_ALL` is false, a switch to the back buffer unbinds only output 0, and draws raise 3728 while
/// outputs 1 to 3 are bound. No source shows if Flash unbinds outputs 1 to 3 [context3d.output.unbound]; engines unbind
/// these outputs themselves.
const BACK_BUFFER_UNBINDS_ALL: bool = true;

/// Returns the face that a `surfaceSelector` selects; raises 3771 to 3773 for an invalid selector.
fn side(texture: &TextureState, selector: i32) -> Result<u8, ErrorCode> {
    let sides = 0..i32::from(texture.faces());
    match u8::try_from(selector) {
        Ok(side) if sides.contains(&selector) => Ok(side),
        _ => Err(match texture.desc.kind {
            TextureKind::TwoD => ErrorCode::Selector2d,
            TextureKind::Cube => ErrorCode::SelectorCube,
            TextureKind::Rectangle => ErrorCode::SelectorRectangle,
        }),
    }
}

impl<B: Backend> Context3D<B> {
    pub(crate) fn set_render_to_texture_impl(
        &mut self,
        texture: Option<ObjectHandle<TextureKey>>,
        depth_stencil: bool,
        anti_alias: i32,
        selector: i32,
        output: i32,
    ) -> Result<(), Error> {
        let output = usize::try_from(output).ok().filter(|output| *output < MAX_COLOR_OUTPUTS);
        let output = output.ok_or(ErrorCode::OutputIndex)?;
        if output >= self.registers.color_outputs {
            return Err(ErrorCode::NeedsStandard.into());
        }
        let Some(key) = texture.map(|texture| self.own(texture)) else {
            if output == 0 {
                return self.set_render_to_back_buffer_impl();
            }
            self.set_output(output, None);
            return Ok(());
        };
        self.finish_upload(key)?;
        let texture = alive(&self.resources.textures, key)?;
        if texture.video {
            return Err(NOT_A_TARGET.into());
        }
        if texture.desc.format.is_compressed() {
            return Err(ErrorCode::CompressedTarget.into());
        }
        if texture.streaming > 0 {
            return Err(ErrorCode::StreamingTarget.into());
        }
        let side = side(texture, selector)?;
        self.check_renderable(&texture.desc, output)?;
        let slot =
            BoundTarget { texture: key, side, depth_stencil, samples: self.samples(anti_alias) };
        self.set_output(output, Some(slot));
        if let Some(texture) = self.resources.textures.get_mut(key) {
            texture.set_target(side);
        }
        Ok(())
    }

    /// Rejects render targets that Flash allows and this device doesn't support.
    fn check_renderable(&self, desc: &TextureDesc, output: usize) -> Result<(), Error> {
        let caps = self.backend.caps();
        if desc.format.is_float() && !caps.half_float_targets {
            return Err(ErrorCode::FeatureUnavailable.into());
        }
        if output >= usize::from(caps.max_color_outputs)
            || desc.width.max(desc.height) > caps.max_target_size
        {
            return Err(ErrorCode::FeatureUnavailable.into());
        }
        Ok(())
    }

    pub(crate) fn set_render_to_back_buffer_impl(&mut self) -> Result<(), Error> {
        if BACK_BUFFER_UNBINDS_ALL {
            self.state.targets = OutputAttachments::default();
        } else {
            self.set_output(0, None);
        }
        Ok(())
    }

    /// Sets the attachment of one colour output. If the attachments are incompatible, the next draw raises the error.
    fn set_output(&mut self, output: usize, slot: Option<BoundTarget>) {
        self.state.targets[output] = slot;
        // Backends rely on this: depth and stencil don't survive a change of targets.
        self.state.frame.target_depth_cleared = false;
    }

    /// Returns the current render target.
    fn target(&self) -> Result<RenderTarget, ErrorCode> {
        if self.state.on_back_buffer() {
            return Ok(RenderTarget::BackBuffer);
        }
        self.target_of(&self.state.targets).map(RenderTarget::Textures)
    }

    /// Begins a pass into the render target, unless the open pass has this target.
    pub(super) fn flush_target(&mut self) -> Result<(), Error> {
        let goes_on = self.device_pass.open && self.device_pass.target == Some(self.target()?);
        if goes_on && !self.needs_depth_clear() {
            Ok(())
        } else {
            self.begin_pass(Clear::default())
        }
    }

    /// Returns whether the depth and stencil buffers of a texture target must be cleared before the first draw
    /// [context3d.target.depth].
    fn needs_depth_clear(&self) -> bool {
        let has_depth = self.state.targets[0].is_some_and(|slot| slot.depth_stencil);
        has_depth && !self.state.frame.target_depth_cleared
    }

    /// Begins a pass into the current render target.
    pub(super) fn begin_pass(&mut self, mut clear: Clear) -> Result<(), Error> {
        let target = self.target()?;
        let same = self.device_pass.target == Some(target);
        self.end_pass(!same)?;
        let mut load_samples = false;
        if let RenderTarget::Textures(textures) = &target {
            for attachment in textures.color.iter().flatten() {
                self.ensure_levels_resident(attachment.texture, 1)?;
            }
            let loaded = same && self.device_pass.loaded || clear.color.is_some();
            load_samples = textures.samples > 1 && !loaded;
        }
        if self.needs_depth_clear() {
            clear.depth.get_or_insert(1.0);
            clear.stencil.get_or_insert(0);
        }
        self.device_pass = DevicePass::default();
        self.emit(Packet::BeginPass(PassStart { target, load_samples, clear }))?;
        self.device_pass = DevicePass { target: Some(target), open: true, loaded: true };
        self.state.frame.target_depth_cleared = true;
        Ok(())
    }

    /// Ends the open pass, if any. If `resolve` is true, resolves the pass's samples into the textures.
    fn end_pass(&mut self, resolve: bool) -> Result<(), BackendError> {
        if !std::mem::take(&mut self.device_pass.open) {
            return Ok(());
        }
        self.checked.dirty = self.checked.dirty.with(DirtyFlags::TARGET);
        let resolve = resolve && self.device_pass.has_samples();
        self.backend.execute(Packet::EndPass { resolve })
    }

    /// Resolves multisampled rendering into a texture. Call this before the texture is read, or changed by anything but
    /// a draw.
    pub(super) fn resolve_texture(&mut self, key: TextureKey) -> Result<(), BackendError> {
        if !self.device_pass.has(key) {
            return Ok(());
        }
        self.device_pass.loaded = false;
        self.end_pass(true)
    }

    /// Resolves multisampled rendering into all textures of the target, before one of them is disposed.
    pub(super) fn resolve_before_dispose(&mut self, key: TextureKey) -> Result<(), BackendError> {
        if self.device_pass.has(key) { self.resolve_and_unset_target() } else { Ok(()) }
    }

    /// Resolves and unsets the target of the last pass. Call this before the back buffer or the target is replaced.
    pub(super) fn resolve_and_unset_target(&mut self) -> Result<(), BackendError> {
        let ended = self.end_pass(true);
        self.device_pass = DevicePass::default();
        ended
    }

    /// Fills mip levels without content with zeros on the backend, from level 0 on, in all faces.
    pub(super) fn ensure_levels_resident(
        &mut self,
        key: TextureKey,
        levels: u8,
    ) -> Result<(), BackendError> {
        while let Some(texture) = self.resources.textures.get_mut(key)
            && let Some((side, level)) = texture.missing(levels)
        {
            self.backend.execute(Packet::ZeroLevel { key, side, level })?;
            texture.set_resident(side, level);
        }
        Ok(())
    }

    /// Combines the attachments to a render target; raises 3728 to 3730 or 3761 if they are incompatible. A disposed
    /// texture stays attached [context3d.error.3694.target], so that later draws don't reach the back buffer.
    pub(super) fn target_of(
        &self,
        targets: &OutputAttachments,
    ) -> Result<TextureTarget, ErrorCode> {
        let first = targets[0].ok_or(ErrorCode::TargetSlots)?;
        let textures = &self.resources.textures;
        let desc = alive(textures, first.texture)?.desc;
        let mut color = [None; MAX_COLOR_OUTPUTS];
        for (output, slot) in targets.iter().enumerate() {
            let Some(slot) = slot else { continue };
            let other = alive(textures, slot.texture)?.desc;
            let settings = |slot: &BoundTarget| (slot.depth_stencil, slot.samples);
            if (other.width, other.height) != (desc.width, desc.height)
                || settings(slot) != settings(&first)
            {
                return Err(ErrorCode::TargetsDiffer);
            }
            if other.format.bits_per_texel() != desc.format.bits_per_texel() {
                return Err(ErrorCode::TargetBitDepth);
            }
            let attachment = ColorAttachment { texture: slot.texture, side: slot.side };
            if color.contains(&Some(attachment)) {
                return Err(ErrorCode::TargetTwice);
            }
            color[output] = Some(attachment);
        }
        Ok(TextureTarget {
            color,
            width: desc.width,
            height: desc.height,
            samples: first.samples,
            depth_stencil: first.depth_stencil,
        })
    }

    /// Returns the size of the render target, in the scissor rectangle's units and in pixels.
    pub(super) fn target_size(&self) -> TargetSize {
        match self.state.targets[0].and_then(|slot| self.resources.textures.get(slot.texture)) {
            Some(texture) => TargetSize::same((texture.desc.width, texture.desc.height)),
            None => {
                TargetSize { units: self.back_buffer_size(), pixels: self.back_buffer_pixels() }
            }
        }
    }

    /// Marks the target textures as having content.
    pub(super) fn mark_rendered(&mut self) {
        for slot in self.state.targets.iter().flatten() {
            if let Some(texture) = self.resources.textures.get_mut(slot.texture) {
                texture.set_rendered(slot.side);
            }
        }
    }
}
