//! Levels of blocks, kept as they were uploaded: an eighth or a quarter of what their texels take, which is what Flash
//! counts for them (`textures-and-atf.md` section 1).

use context3d::BackendError;
use context3d::packets::TexelLayout;

use super::budget::{Budget, Buffer};
use super::number::length;
use super::texel::{Rgba8, Texel};

/// Texels along a block's side.
const SIDE: usize = 4;

/// One level.
#[derive(Debug)]
pub(super) struct Blocks {
    layout: TexelLayout,
    width: usize,
    height: usize,
    /// Bytes of a block.
    size: usize,
    data: Buffer<u8>,
}

impl Blocks {
    /// A level of this size; `data` is as long as the layout has it.
    ///
    /// # Errors
    /// [`BackendError::OutOfMemory`]
    pub(super) fn new(
        budget: &Budget,
        layout: TexelLayout,
        (width, height): (u32, u32),
        data: &[u8],
    ) -> Result<Self, BackendError> {
        let mut kept = budget.buffer(data.len())?;
        kept.copy_from_slice(data);
        let side = u32::try_from(SIDE).unwrap_or(1);
        Ok(Blocks {
            layout,
            width: length(width),
            height: length(height),
            size: layout.bytes(side, side),
            data: kept,
        })
    }

    /// How many texels there are.
    pub(super) fn len(&self) -> usize {
        self.width.saturating_mul(self.height)
    }

    /// One texel; zero where there is none.
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

    /// The texels as bytes R, G, B, A, appended to `out`.
    pub(super) fn rgba(&self, out: &mut Vec<u8>) {
        let texels = (0..self.len()).map(|index| self.texel(index).unwrap_or_default());
        out.extend(texels.flat_map(|Rgba8(texel)| texel));
    }
}
