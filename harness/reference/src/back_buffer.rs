//! The back buffer of the reference renderer.

use context3d::backend::{BackendError, Region};
use context3d::packets::BackBufferDesc as Shape;

use super::budget::Budget;
use super::surface::{SurfaceBuffers, area, depth_stencil, pattern};
use super::texel::{TexelBuffer, TexelVec};

#[derive(Clone)]
pub(super) struct RasterBackBuffer {
    /// The surface to draw to; `None` while a draw owns the surface.
    drawn: Option<SurfaceBuffers>,
    /// The resolved samples. `None` without multisampling, because a present then swaps `drawn` and `front`.
    resolved: Option<TexelVec>,
    front: TexelVec,
    size: (u32, u32),
    presented: bool,
}

impl RasterBackBuffer {
    pub(super) fn new(budget: &Budget, shape: &Shape, most: u8) -> Result<Self, BackendError> {
        let (width, height) = (shape.width, shape.height);
        let pattern = pattern(shape.samples, most);
        let pixels = area(width, height);
        let samples = pixels.saturating_mul(pattern.len());
        let several = pattern.len() > 1;
        let texels = |count| TexelBuffer::Rgba8(()).texels(budget, count);
        Ok(RasterBackBuffer {
            drawn: Some(SurfaceBuffers {
                width,
                height,
                pattern,
                color: [Some(texels(samples)?), None, None, None],
                depth_stencil: depth_stencil(budget, shape.depth_stencil, samples)?,
            }),
            resolved: several.then(|| texels(pixels)).transpose()?,
            front: texels(pixels)?,
            size: (width, height),
            presented: false,
        })
    }

    /// Returns the drawn content with one texel per pixel. Only `region`, which must be within the buffer, is valid.
    pub(super) fn read(&mut self, region: Region) -> Option<&TexelVec> {
        let drawn = self.drawn.as_ref()?;
        let color = drawn.color.first()?.as_ref()?;
        match &mut self.resolved {
            None => Some(color),
            Some(resolved) => {
                let rows = area(self.size.0, region.y);
                let rows = rows..rows + area(self.size.0, region.height);
                color.resolve(drawn.pattern.len(), rows, resolved);
                Some(resolved)
            }
        }
    }

    /// Makes the drawn content the front buffer. If `seen` is false, samples are not resolved, and the front buffer of
    /// a multisampled back buffer keeps its previous image.
    pub(super) fn present(&mut self, seen: bool) {
        let Some(drawn) = &mut self.drawn else {
            return;
        };
        let [Some(color), ..] = &mut drawn.color else {
            return;
        };
        match &mut self.resolved {
            None => std::mem::swap(color, &mut self.front),
            Some(_) if !seen => {}
            Some(_) => {
                let all = 0..self.front.len();
                color.resolve(drawn.pattern.len(), all, &mut self.front);
            }
        }
        self.presented = true;
    }

    pub(super) fn front(&self) -> Option<&TexelVec> {
        self.presented.then_some(&self.front)
    }

    pub(super) fn size(&self) -> (u32, u32) {
        self.size
    }

    /// Returns the surface to draw to. The caller may take the surface, and must put it back.
    pub(super) fn slot(&mut self) -> &mut Option<SurfaceBuffers> {
        &mut self.drawn
    }
}
