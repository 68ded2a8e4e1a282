//! Textures as render targets.

use context3d::backend::BackendError;
use context3d::keys::TextureKey;
use context3d::packets::{ColorAttachment, MAX_COLOR_OUTPUTS, TextureTarget};
use slotmap::SecondaryMap;

use super::budget::Budget;
use super::store::{RasterStore, RasterTexture, missing};
use super::surface::{SurfaceBuffers, area, depth_stencil, pattern};
use super::texel::TexelBuffer;

type TargetTextures = SecondaryMap<TextureKey, RasterTexture>;

/// The textures of a render target, with the surface that contains their depth, stencil and samples.
#[derive(Clone)]
pub(super) struct RasterTarget {
    pub(super) key: TextureTarget,
    desc: SurfaceDesc,
    /// The surface of the target; `None` while a draw owns the surface.
    surface: Option<SurfaceBuffers>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct SurfaceDesc {
    width: u32,
    height: u32,
    pattern: &'static [(i64, i64)],
    /// Formats of multisampled colour buffers; `None` with one sample per pixel, which is stored in the textures.
    color: [Option<TexelBuffer>; MAX_COLOR_OUTPUTS],
    depth_stencil: bool,
}

impl SurfaceDesc {
    fn of(store: &mut RasterStore, key: &TextureTarget, most: u8) -> Result<Self, BackendError> {
        let (width, height, pattern) = (key.width, key.height, pattern(key.samples, most));
        let mut color = [None; MAX_COLOR_OUTPUTS];
        for (output, attachment) in attachments(key) {
            let texture = store.texture(attachment.texture)?;
            if texture.size(0) != (width, height) {
                return Err(missing("texture of the target's size"));
            }
            if let (true, Some(color)) = (pattern.len() > 1, color.get_mut(output)) {
                *color = Some(texture.storage());
            }
        }
        Ok(SurfaceDesc { width, height, pattern, color, depth_stencil: key.depth_stencil })
    }

    fn surface(&self, budget: &Budget) -> Result<SurfaceBuffers, BackendError> {
        let samples = area(self.width, self.height).saturating_mul(self.pattern.len());
        let mut color = [const { None }; MAX_COLOR_OUTPUTS];
        for (color, storage) in color.iter_mut().zip(self.color) {
            *color = storage.map(|storage| storage.texels(budget, samples)).transpose()?;
        }
        Ok(SurfaceBuffers {
            width: self.width,
            height: self.height,
            pattern: self.pattern,
            color,
            depth_stencil: depth_stencil(budget, self.depth_stencil, samples)?,
        })
    }
}

impl RasterTarget {
    /// Creates a surface, or reuses the surface of an earlier target with equal size, samples and formats.
    pub(super) fn new(
        store: &mut RasterStore,
        key: &TextureTarget,
        most: u8,
        earlier: Option<RasterTarget>,
    ) -> Result<Self, BackendError> {
        let desc = SurfaceDesc::of(store, key, most)?;
        // An earlier surface of another size or format is freed before the new one is allocated.
        let same = earlier.filter(|earlier| earlier.desc == desc).and_then(|same| same.surface);
        let surface = same.map_or_else(|| desc.surface(&store.budget), Ok)?;
        Ok(RasterTarget { key: *key, desc, surface: Some(surface) })
    }

    /// Takes the surface for a draw. After the draw, the caller [puts the surface back](RasterTarget::put_back).
    pub(super) fn take(&mut self, textures: &mut TargetTextures) -> Option<SurfaceBuffers> {
        let mut surface = self.surface.take()?;
        if surface.pattern.len() == 1 {
            swap_colors(&self.key, &mut surface, textures);
        }
        Some(surface)
    }

    pub(super) fn put_back(&mut self, mut surface: SurfaceBuffers, textures: &mut TargetTextures) {
        if surface.pattern.len() == 1 {
            swap_colors(&self.key, &mut surface, textures);
        }
        self.surface = Some(surface);
    }

    pub(super) fn load_samples(&mut self, textures: &TargetTextures) {
        let Some(surface) = &mut self.surface else { return };
        for (output, attachment) in attachments(&self.key) {
            let texture = textures.get(attachment.texture);
            let texels = texture.and_then(|texture| texture.level(attachment.side, 0));
            if let (Some(texels), Some(Some(color))) = (texels, surface.color.get_mut(output)) {
                color.spread(surface.pattern.len(), texels);
            }
        }
    }

    pub(super) fn resolve_samples(&self, textures: &mut TargetTextures) {
        let Some(surface) = &self.surface else { return };
        for (output, attachment) in attachments(&self.key) {
            let texture = textures.get_mut(attachment.texture);
            let slot = texture.and_then(|texture| texture.slot(attachment.side, 0));
            if let (Some(Some(texels)), Some(Some(color))) = (slot, surface.color.get(output)) {
                let all = 0..texels.len();
                color.resolve(surface.pattern.len(), all, texels);
            }
        }
    }
}

fn attachments(key: &TextureTarget) -> impl Iterator<Item = (usize, ColorAttachment)> {
    let outputs = key.color.iter().enumerate();
    outputs.filter_map(|(output, attachment)| Some((output, (*attachment)?)))
}

fn swap_colors(key: &TextureTarget, surface: &mut SurfaceBuffers, textures: &mut TargetTextures) {
    for (output, attachment) in attachments(key) {
        let texture = textures.get_mut(attachment.texture);
        let slot = texture.and_then(|texture| texture.slot(attachment.side, 0));
        if let (Some(slot), Some(color)) = (slot, surface.color.get_mut(output)) {
            std::mem::swap(slot, color);
        }
    }
}
