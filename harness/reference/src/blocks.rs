//! Mip levels of block-compressed textures. The levels stay compressed: an eighth or a quarter of the decoded size,
//! which is the size that Flash counts [context3d.limit.texture_bytes].

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

use context3d::backend::{BackendError, Region};
use context3d::packets::TexelLayout;

use super::budget::{Budget, ChargedItems};
use super::number::length;
use super::texel::Rgba8;

const SIDE: usize = 4;

/// Size of each thread's cache of decoded blocks: a power of two.
const REMEMBERED: usize = 1024;

/// A decoded block, with its level's id and its index in the level.
type DecodedBlock = ((u64, usize), [[u8; 4]; SIDE * SIDE]);

thread_local! {
    /// The direct-mapped cache of decoded blocks: neighbouring texels belong to the same few blocks.
    static DECODED: RefCell<Vec<DecodedBlock>> = const { RefCell::new(Vec::new()) };
}

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

#[derive(Clone, Debug)]
pub(super) struct Blocks {
    /// Unique id of the level, the key of cached blocks. Cached blocks stay valid, because the content never changes.
    id: u64,
    layout: TexelLayout,
    width: usize,
    size: usize,
    data: ChargedItems<u8>,
}

impl Blocks {
    /// Creates a level of this width; `data` has the layout's length.
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
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            layout,
            width: length(width),
            size: layout.bytes(side, side),
            data: kept,
        })
    }

    /// Returns one texel; zero if the index is out of range.
    pub(super) fn texel(&self, index: usize) -> Rgba8 {
        self.find(index).unwrap_or_default()
    }

    fn find(&self, index: usize) -> Option<Rgba8> {
        let (x, y) = (index.checked_rem(self.width)?, index.checked_div(self.width)?);
        let block = y / SIDE * self.width.div_ceil(SIDE) + x / SIDE;
        let texel = y % SIDE * SIDE + x % SIDE;
        let [b, g, r, a] = DECODED.with_borrow_mut(|decoded| {
            decoded.resize(REMEMBERED, ((0, 0), [[0; 4]; SIDE * SIDE]));
            // Spreads the blocks of different levels over the cache.
            let place = block.wrapping_add(length(u32::try_from(self.id & 0xFFFF).ok()?) * 61);
            let (of, texels) = decoded.get_mut(place % REMEMBERED)?;
            if *of != (self.id, block) {
                *texels = self.decode(block)?;
                *of = (self.id, block);
            }
            texels.get(texel).copied()
        })?;
        Some(Rgba8([r, g, b, a]))
    }

    fn decode(&self, block: usize) -> Option<[[u8; 4]; SIDE * SIDE]> {
        let data = self.data.get(block.checked_mul(self.size)?..)?;
        self.layout.decode_block(data.get(..self.size)?)
    }

    /// Appends a region to `out` as bytes R, G, B, A.
    pub(super) fn rgba(&self, region: Region, out: &mut Vec<u8>) {
        for y in (length(region.y)..).take(length(region.height)) {
            for x in (length(region.x)..).take(length(region.width)) {
                let texel = self.texel(y.saturating_mul(self.width) + x);
                out.extend(texel.0);
            }
        }
    }
}
