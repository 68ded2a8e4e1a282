//! Levels of blocks, stored as uploaded: an eighth or a quarter of their texels' size, which Flash counts
//! (`textures-and-atf.md` section 1).

use context3d::packets::TexelLayout;
use context3d::{BackendError, Region};

use super::budget::{Budget, Buffer};
use super::number::length;
use super::texel::{Rgba8, Texel};

/// Side of a block in texels.
const SIDE: usize = 4;

/// One level.
#[derive(Clone, Debug)]
pub(super) struct Blocks {
    layout: TexelLayout,
    width: usize,
    /// Bytes of a block.
    size: usize,
    data: Buffer<u8>,
}

impl Blocks {
    /// A level of this width; `data` has the layout's length.
    ///
    /// # Errors
    /// [`BackendError::OutOfMemory`]
    pub(super) fn new(
        budget: &Budget,
        layout: TexelLayout,
        width: u32,
        data: &[u8],
    ) -> Result<Self, BackendError> {
        let mut kept = budget.buffer(data.len())?;
        kept.copy_from_slice(data);
        let side = u32::try_from(SIDE).unwrap_or(1);
        Ok(Blocks {
            layout,
            width: length(width),
            size: layout.bytes(side, side),
            data: kept,
        })
    }

    /// One texel; zero if out of range.
    pub(super) fn load(&self, index: usize) -> [f32; 4] {
        self.texel(index).map_or([0.0; 4], Rgba8::load)
    }

    fn texel(&self, index: usize) -> Option<Rgba8> {
        let (x, y) = (
            index.checked_rem(self.width)?,
            index.checked_div(self.width)?,
        );
        let block = y / SIDE * self.width.div_ceil(SIDE) + x / SIDE;
        let data = self.data.get(block.checked_mul(self.size)?..)?;
        let texels = self.layout.decode_block(data.get(..self.size)?)?;
        let [b, g, r, a] = *texels.get(y % SIDE * SIDE + x % SIDE)?;
        Some(Rgba8([r, g, b, a]))
    }

    /// A region as bytes R, G, B, A, appended to `out`.
    pub(super) fn rgba(&self, region: Region, out: &mut Vec<u8>) {
        for y in (length(region.y)..).take(length(region.height)) {
            for x in (length(region.x)..).take(length(region.width)) {
                let texel = self.texel(y.saturating_mul(self.width) + x);
                out.extend(texel.unwrap_or_default().0);
            }
        }
    }
}
