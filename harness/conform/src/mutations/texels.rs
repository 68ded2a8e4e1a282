//! Applies deliberate errors to uploaded texels.

use std::borrow::Cow;
use std::collections::HashMap;

use context3d::keys::TextureKey;
use context3d::packets::{Packet, TexelLayout, TextureDesc, TextureKind};

pub(super) struct TexelMutation {
    pub(super) kind: TextureKind,
    pub(super) side: u8,
    pub(super) level: u8,
    pub(super) layout: TexelLayout,
    /// The number of bytes of a row of texels or texel blocks.
    row: usize,
    pub(super) data: Vec<u8>,
}

impl TexelMutation {
    pub(super) fn upside_down(&mut self) {
        let rows: Vec<&[u8]> = self.data.chunks(self.row.max(1)).rev().collect();
        self.data = rows.concat();
    }

    /// Swaps the upper right and the lower left block of 4×4 texels in every square of four blocks.
    pub(super) fn exchange_blocks(&mut self, texel: usize) {
        let (block, row) = (4 * texel, self.row.max(1));
        for square in self.data.chunks_exact_mut(8 * row) {
            let (upper, lower) = square.split_at_mut(4 * row);
            for (upper, lower) in upper.chunks_mut(row).zip(lower.chunks_mut(row)) {
                let pairs =
                    upper.chunks_exact_mut(2 * block).zip(lower.chunks_exact_mut(2 * block));
                pairs.for_each(|(upper, lower)| {
                    upper[block..].swap_with_slice(&mut lower[..block]);
                });
            }
        }
    }

    /// Calls a function for every texel, half float or block of `N` bytes, if the list contains the data's layout.
    pub(super) fn each_of<const N: usize>(
        &mut self,
        of: &[TexelLayout],
        change: impl Fn(&mut [u8; N]),
    ) {
        if of.contains(&self.layout) {
            self.data.as_chunks_mut::<N>().0.iter_mut().for_each(change);
        }
    }
}

pub(super) fn mutate(
    packet: &mut Packet<'_>,
    textures: &HashMap<TextureKey, TextureDesc>,
    change: fn(&mut TexelMutation),
) {
    let Packet::UploadTexture { key, side, level, layout, data } = packet else { return };
    let (level, layout) = (*level, *layout);
    let height = textures.get(key).map_or(1, |desc| {
        let rows = desc.height.checked_shr(level.into()).unwrap_or(0).max(1);
        if layout.is_blocks() { rows.div_ceil(4) } else { rows }
    });
    let mut texels = TexelMutation {
        kind: textures.get(key).map_or(TextureKind::TwoD, |desc| desc.kind),
        side: *side,
        level,
        layout,
        row: data.len() / height as usize,
        data: data.to_vec(),
    };
    change(&mut texels);
    (*side, *data) = (texels.side, Cow::Owned(texels.data));
}
