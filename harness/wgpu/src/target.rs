//! Render targets: the back buffer and textures. A wgpu render pass begins at the first draw, so that clears become
//! load operations.

use context3d::backend::BackendError;
use context3d::keys::TextureKey;
use context3d::packets::{
    BackBufferDesc as Desc, Clear, ColorAttachment, MAX_COLOR_OUTPUTS, POSITION_BIAS, PassStart,
    RenderTarget, TextureTarget,
};
use wgpu::{
    Color, LoadOp, Operations, RenderPassColorAttachment, RenderPassDepthStencilAttachment,
    RenderPassDescriptor, StoreOp, TextureView,
};

use crate::back_buffer::WgpuBackBuffer;
use crate::blit::Blits;
use crate::commands::Commands;
use crate::format::DEPTH_STENCIL;
use crate::pipeline::{Pipelines, TargetFormats};
use crate::program::missing;
use crate::surface::{CurrentTarget, TargetViews, attachment};
use crate::texture::WgpuTextures;

/// The maximum number of render targets that are kept for later passes.
const MAX_KNOWN: usize = 16;

/// The render targets of a backend.
#[derive(Default)]
pub(crate) struct WgpuTargets {
    pub(crate) back_buffer: Option<WgpuBackBuffer>,
    /// The render targets of earlier passes, kept for reuse.
    known: Vec<CurrentTarget>,
    /// The index of the current render target in `known`.
    current: Option<usize>,
}

impl WgpuTargets {
    /// Recreates the back buffer. The size 0×0 removes the back buffer.
    pub(crate) fn configure(
        &mut self,
        commands: &mut Commands,
        desc: &Desc,
    ) -> Result<(), BackendError> {
        // The old back buffer is freed first, so that memory needs to hold only one.
        self.forget_back_buffer();
        self.back_buffer = None;
        commands.submit()?;
        if desc.width > 0 && desc.height > 0 {
            self.back_buffer = Some(WgpuBackBuffer::create(commands, desc)?);
        }
        Ok(())
    }

    /// Begins a pass to a target. The wgpu render pass begins with the first draw, so that uploads can precede it.
    pub(crate) fn begin_pass(
        &mut self,
        commands: &mut Commands,
        textures: &mut WgpuTextures,
        pipelines: &mut Pipelines,
        blits: &mut Blits,
        pass: &PassStart,
    ) -> Result<(), BackendError> {
        let is_target = |known: &CurrentTarget| known.target.as_ref() == Some(&pass.target);
        self.current = self.known.iter().position(is_target);
        if self.current.is_none() {
            let made = match &pass.target {
                RenderTarget::BackBuffer => {
                    let back_buffer = self.back_buffer.as_ref();
                    back_buffer.ok_or_else(|| missing("back buffer"))?.target(pipelines)
                }
                RenderTarget::Textures(key) => self.textures(commands, textures, pipelines, key)?,
            };
            if self.known.len() >= MAX_KNOWN {
                self.known.remove(0);
            }
            self.current = Some(self.known.len());
            self.known.push(made);
        }
        let current = self.current_mut()?;
        if pass.load_samples {
            current.load_samples(commands, blits)?;
        }
        current.clear = pass.clear;
        Ok(())
    }

    /// Ends a pass. With `resolve`, the samples are resolved into the target's textures.
    pub(crate) fn end_pass(&mut self, commands: &mut Commands, resolve: bool) {
        self.end(commands);
        if resolve {
            self.resolve_samples(commands);
        }
    }

    /// Creates a render target with these textures.
    fn textures(
        &mut self,
        commands: &mut Commands,
        textures: &mut WgpuTextures,
        pipelines: &mut Pipelines,
        key: &TextureTarget,
    ) -> Result<CurrentTarget, BackendError> {
        let mut views = [const { None }; MAX_COLOR_OUTPUTS];
        let mut color = [None; MAX_COLOR_OUTPUTS];
        let mut opaque = 0;
        for (output, ColorAttachment { texture, side }) in attachments(key) {
            let (view, storage) = textures.face(texture, side)?;
            opaque |= u8::from(storage.opaque) << output;
            if let (Some(place), Some(format)) = (views.get_mut(output), color.get_mut(output)) {
                (*place, *format) = (Some(view), Some(storage.format));
            }
        }
        let samples = commands.device.samples(key.samples, color.iter().flatten().copied());
        let formats = TargetFormats { color, opaque, depth_stencil: key.depth_stencil, samples };
        let size = (key.width, key.height);
        let (samples, depth) = match self.surfaces(commands, size, &formats) {
            Err(BackendError::OutOfMemory) => {
                self.known.clear();
                commands.submit()?;
                self.surfaces(commands, size, &formats)?
            }
            made => made?,
        };
        let (color, textures) =
            if formats.samples > 1 { (samples, views) } else { (views, Default::default()) };
        let number = pipelines.target(&formats);
        let target = Some(RenderTarget::Textures(*key));
        let clear = Clear::default();
        Ok(CurrentTarget { target, size, formats, number, color, textures, depth, clear })
    }

    /// Returns the multisampled and depth surfaces for a target. Targets with equal size and formats share the
    /// surfaces, because their content doesn't survive a change of the target.
    fn surfaces(
        &self,
        commands: &Commands,
        size: (u32, u32),
        formats: &TargetFormats,
    ) -> Result<(TargetViews, Option<TextureView>), BackendError> {
        let same = |it: &&CurrentTarget| {
            it.size == size && it.formats == *formats && it.target != Some(RenderTarget::BackBuffer)
        };
        if let Some(known) = self.known.iter().find(same) {
            return Ok((known.color.clone(), known.depth.clone()));
        }
        let make = |format| Ok(attachment(commands, size, format, formats.samples)?.1);
        let mut color = TargetViews::default();
        for (place, format) in color.iter_mut().zip(formats.color) {
            *place = format.filter(|_| formats.samples > 1).map(make).transpose()?;
        }
        let depth = formats.depth_stencil.then(|| make(DEPTH_STENCIL)).transpose()?;
        Ok((color, depth))
    }

    #[inline]
    pub(crate) fn current(&self) -> Result<&CurrentTarget, BackendError> {
        let current = self.current.and_then(|number| self.known.get(number));
        current.ok_or_else(|| missing("target"))
    }

    fn current_mut(&mut self) -> Result<&mut CurrentTarget, BackendError> {
        let current = self.current.and_then(|number| self.known.get_mut(number));
        current.ok_or_else(|| missing("target"))
    }

    /// Begins a wgpu render pass on the current target.
    pub(crate) fn begin(&mut self, commands: &mut Commands) -> Result<(), BackendError> {
        let current = self.current_mut()?;
        let clear = std::mem::take(&mut current.clear);
        let count =
            current.formats.color.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        let attachments = [0, 1, 2, 3].map(|output: usize| {
            let view = current.color.get(output)?.as_ref()?;
            let opaque = current.formats.opaque >> output & 1 != 0;
            let ops = operations(clear.color.map(|color| wgpu_color(color, opaque)));
            Some(RenderPassColorAttachment { view, depth_slice: None, resolve_target: None, ops })
        });
        let depth = current.depth.as_ref().map(|view| RenderPassDepthStencilAttachment {
            view,
            depth_ops: Some(operations(clear.depth)),
            stencil_ops: Some(operations(clear.stencil.map(u32::from))),
        });
        let pass = commands.begin_pass(&RenderPassDescriptor {
            color_attachments: attachments.get(..count).unwrap_or_default(),
            depth_stencil_attachment: depth,
            ..Default::default()
        });
        #[allow(clippy::cast_precision_loss, reason = "sides are at most 16384")]
        let (width, height) = (current.size.0 as f32, current.size.1 as f32);
        let [left, down] = [-width, height].map(|side| side / 2.0 * POSITION_BIAS);
        pass.set_viewport(left, down, width, height, 0.0, 1.0);
        Ok(())
    }

    /// Ends the wgpu render pass. If clears are pending without a draw, a render pass executes them.
    pub(crate) fn end(&mut self, commands: &mut Commands) {
        if self.current().is_ok_and(|current| current.clear != Clear::default()) {
            // `begin` fails only if there is no render target.
            let _ = self.begin(commands).is_ok();
        }
        commands.end_pass();
    }

    /// Resolves the current target's samples into its textures.
    pub(crate) fn resolve_samples(&mut self, commands: &mut Commands) {
        self.end(commands);
        let Ok(current) = self.current() else { return };
        for pair in current.color.iter().zip(&current.textures) {
            if let (Some(samples), Some(texture)) = pair {
                commands.resolve(samples, texture);
            }
        }
    }

    pub(crate) fn present(&mut self, commands: &mut Commands) -> Result<(), BackendError> {
        self.forget_back_buffer();
        self.back_buffer.as_mut().map_or(Ok(()), |back_buffer| back_buffer.present(commands))
    }

    /// Removes the back buffer from the cached render targets.
    fn forget_back_buffer(&mut self) {
        self.current = None;
        self.known.retain(|known| known.target != Some(RenderTarget::BackBuffer));
    }

    /// Removes a texture from the cached render targets, whose other surfaces are kept for reuse.
    pub(crate) fn texture_disposed(&mut self, gone: TextureKey) {
        for (number, known) in self.known.iter_mut().enumerate() {
            if let Some(RenderTarget::Textures(key)) = &known.target
                && attachments(key).any(|(_, attachment)| attachment.texture == gone)
            {
                known.target = None;
                known.textures = TargetViews::default();
                if known.formats.samples == 1 {
                    known.color = TargetViews::default();
                }
                self.current.take_if(|current| *current == number);
            }
        }
    }
}

/// Returns the attachments of a texture target, with their output index.
fn attachments(key: &TextureTarget) -> impl Iterator<Item = (usize, ColorAttachment)> {
    key.color.iter().enumerate().filter_map(|(output, attachment)| Some((output, (*attachment)?)))
}

fn operations<V>(clear: Option<V>) -> Operations<V> {
    Operations { load: clear.map_or(LoadOp::Load, LoadOp::Clear), store: StoreOp::Store }
}

fn wgpu_color([r, g, b, a]: [f32; 4], opaque: bool) -> Color {
    let a = if opaque { 1.0 } else { a };
    Color { r: r.into(), g: g.into(), b: b.into(), a: a.into() }
}
