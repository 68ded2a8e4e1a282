//! Render targets: the back buffer, and textures. A pass begins at the first draw, so that clears are its load
//! operations.

use context3d::backend::BackendError;
use context3d::keys::TextureKey;
use context3d::packets::{
    BackBuffer as Desc, Clear, ColorAttachment, MAX_COLOR_OUTPUTS, POSITION_BIAS, Pass, Target,
    TextureTarget,
};
use wgpu::{
    Color, LoadOp, Operations, RenderPassColorAttachment, RenderPassDepthStencilAttachment,
    RenderPassDescriptor, StoreOp, TextureView,
};

use crate::back_buffer::BackBuffer;
use crate::blit::Blits;
use crate::commands::Commands;
use crate::format::DEPTH_STENCIL;
use crate::pipeline::{Pipelines, TargetFormats};
use crate::program::missing;
use crate::surface::{Current, attachment};
use crate::texture::Textures;

/// Depth and samples of so many shapes of texture targets are kept.
const MAX_SHAPES: usize = 8;
/// Everything that a backend draws into.
#[derive(Default)]
pub(crate) struct Targets {
    pub(crate) back_buffer: Option<BackBuffer>,
    shapes: Vec<Shape>,
    current: Option<Current>,
}

/// The depth and samples of texture targets with one shape, which don't survive a change of targets.
struct Shape {
    size: (u32, u32),
    formats: TargetFormats,
    color: [Option<TextureView>; MAX_COLOR_OUTPUTS],
    depth: Option<TextureView>,
}

impl Targets {
    /// Makes the back buffer anew; 0×0 removes it.
    pub(crate) fn configure(
        &mut self,
        commands: &mut Commands,
        desc: &Desc,
    ) -> Result<(), BackendError> {
        // The old one is dropped first, so that both need not fit in memory.
        self.current = None;
        self.back_buffer = None;
        commands.submit()?;
        if desc.width > 0 && desc.height > 0 {
            self.back_buffer = Some(BackBuffer::create(commands, desc)?);
        }
        Ok(())
    }

    /// Begins a pass. wgpu's pass begins with the first draw: uploads may come before it.
    pub(crate) fn begin_pass(
        &mut self,
        commands: &mut Commands,
        textures: &mut Textures,
        pipelines: &mut Pipelines,
        blits: &mut Blits,
        pass: &Pass,
    ) -> Result<(), BackendError> {
        if self.current.as_ref().is_none_or(|current| current.target != pass.target) {
            self.current = None;
            self.current = Some(match &pass.target {
                Target::BackBuffer => {
                    let back_buffer = self.back_buffer.as_ref();
                    back_buffer.ok_or_else(|| missing("back buffer"))?.target(pipelines)
                }
                Target::Textures(key) => self.textures(commands, textures, pipelines, key)?,
            });
        }
        let Some(current) = &mut self.current else { return Ok(()) };
        if let Target::Textures(key) = &current.target {
            for (_, attachment) in attachments(key) {
                textures.face(commands, attachment.texture, attachment.side)?;
            }
        }
        if pass.load_samples {
            current.load_samples(commands, blits)?;
        }
        current.clear = pass.clear;
        Ok(())
    }

    /// Ends a pass; with `resolve`, the textures get the mean of the samples.
    pub(crate) fn end_pass(&mut self, commands: &mut Commands, resolve: bool) {
        self.end(commands);
        if resolve {
            self.resolve_samples(commands);
        }
    }

    fn textures(
        &mut self,
        commands: &mut Commands,
        textures: &mut Textures,
        pipelines: &mut Pipelines,
        key: &TextureTarget,
    ) -> Result<Current, BackendError> {
        let mut views = [const { None }; MAX_COLOR_OUTPUTS];
        let mut color = [None; MAX_COLOR_OUTPUTS];
        let mut opaque = 0;
        for (output, ColorAttachment { texture, side }) in attachments(key) {
            let (view, storage) = textures.face(commands, texture, side)?;
            opaque |= u8::from(storage.opaque) << output;
            if let (Some(place), Some(format)) = (views.get_mut(output), color.get_mut(output)) {
                (*place, *format) = (Some(view), Some(storage.format));
            }
        }
        let samples = commands.device.samples(key.samples, color.iter().flatten().copied());
        let formats = TargetFormats { color, opaque, depth_stencil: key.depth_stencil, samples };
        let shape = self.shape(commands, (key.width, key.height), &formats)?;
        let (depth, samples) = (shape.depth.clone(), shape.color.clone());
        let (color, textures) =
            if formats.samples > 1 { (samples, views) } else { (views, Default::default()) };
        Ok(Current {
            target: Target::Textures(*key),
            size: (key.width, key.height),
            number: pipelines.target(&formats),
            formats,
            color,
            textures,
            depth,
            clear: Clear::default(),
        })
    }

    /// Returns the depth and samples of a shape. Those that were unused for longest are dropped.
    fn shape(
        &mut self,
        commands: &mut Commands,
        size: (u32, u32),
        formats: &TargetFormats,
    ) -> Result<&Shape, BackendError> {
        let found =
            self.shapes.iter().position(|shape| shape.size == size && shape.formats == *formats);
        let shape = match found {
            Some(index) => self.shapes.remove(index),
            None => {
                if self.shapes.len() >= MAX_SHAPES {
                    self.shapes.remove(0);
                }
                match Shape::create(commands, size, formats) {
                    Err(BackendError::OutOfMemory) => {
                        self.shapes.clear();
                        commands.submit()?;
                        Shape::create(commands, size, formats)
                    }
                    made => made,
                }?
            }
        };
        self.shapes.push(shape);
        self.shapes.last().ok_or_else(|| missing("target"))
    }

    /// Returns the target.
    #[inline]
    pub(crate) fn current(&self) -> Result<&Current, BackendError> {
        self.current.as_ref().ok_or_else(|| missing("target"))
    }

    /// Begins wgpu's pass on the target.
    pub(crate) fn begin(&mut self, commands: &mut Commands) -> Result<(), BackendError> {
        let current = self.current.as_mut().ok_or_else(|| missing("target"))?;
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

    /// Ends wgpu's pass. Clears that no draw followed get their own.
    pub(crate) fn end(&mut self, commands: &mut Commands) {
        if self.current.as_ref().is_some_and(|current| current.clear != Clear::default()) {
            // It fails without a target only, which is there.
            let _ = self.begin(commands).is_ok();
        }
        commands.end_pass();
    }

    /// Resolves the samples of the target into its textures.
    pub(crate) fn resolve_samples(&mut self, commands: &mut Commands) {
        self.end(commands);
        let Some(current) = &self.current else { return };
        for pair in current.color.iter().zip(&current.textures) {
            if let (Some(samples), Some(texture)) = pair {
                commands.resolve(samples, texture);
            }
        }
    }

    /// Shows the back buffer.
    pub(crate) fn present(&mut self, commands: &mut Commands) -> Result<(), BackendError> {
        self.current = None;
        self.back_buffer.as_mut().map_or(Ok(()), |back_buffer| back_buffer.present(commands))
    }

    /// Forgets the target, if it has this texture.
    pub(crate) fn texture_disposed(&mut self, gone: TextureKey) {
        self.current.take_if(|current| match &current.target {
            Target::BackBuffer => false,
            Target::Textures(key) => {
                attachments(key).any(|(_, attachment)| attachment.texture == gone)
            }
        });
    }
}

/// The attachments by output.
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

impl Shape {
    fn create(
        commands: &Commands,
        size: (u32, u32),
        formats: &TargetFormats,
    ) -> Result<Self, BackendError> {
        let several = formats.samples > 1;
        let mut shape = Shape { size, formats: *formats, color: Default::default(), depth: None };
        for (place, format) in shape.color.iter_mut().zip(formats.color) {
            if let Some(format) = format.filter(|_| several) {
                *place = Some(attachment(commands, size, format, formats.samples)?.1);
            }
        }
        if formats.depth_stencil {
            shape.depth = Some(attachment(commands, size, DEPTH_STENCIL, formats.samples)?.1);
        }
        Ok(shape)
    }
}
