//! Texel layouts of mip levels, and conversion between them.

use crate::block::{self, BlockCodec};

/// The memory layout of uploaded texels.
///
/// `bgra`, `compressed` and `compressedAlpha` textures accept `Bgra8`; packed and half-float formats accept the layout
/// of the same name. `compressed` also accepts `Dxt1` and `Etc2`, and `compressedAlpha` accepts `Dxt5` and `Etc2Eac`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TexelLayout {
    /// B, G, R, A, one byte each.
    Bgra8,
    /// 16-bit little endian, R in bits 15–11, G 10–5, B 4–0.
    Bgr565,
    /// 16-bit little endian, A in bits 15–12, R 11–8, G 7–4, B 3–0.
    Bgra4444,
    /// Four little-endian half floats R, G, B, A.
    RgbaHalf,
    /// Blocks of 4×4 texels, 8 bytes each, opaque.
    Dxt1,
    /// Blocks of 4×4 texels, 16 bytes each.
    Dxt5,
    /// ETC2 blocks of 4×4 texels, 8 bytes each, opaque; includes ETC1.
    Etc2,
    /// ETC2 blocks with EAC alpha before their colours, 16 bytes each.
    Etc2Eac,
}

impl TexelLayout {
    /// Returns the size of a level in bytes; `usize::MAX` on overflow.
    pub fn bytes(self, width: u32, height: u32) -> usize {
        let texels = |bytes: usize| {
            let texels = (width as usize).checked_mul(height as usize);
            texels.and_then(|texels| texels.checked_mul(bytes))
        };
        let bytes = match self {
            TexelLayout::Bgra8 => texels(4),
            TexelLayout::Bgr565 | TexelLayout::Bgra4444 => texels(2),
            TexelLayout::RgbaHalf => texels(8),
            TexelLayout::Dxt1 | TexelLayout::Dxt5 | TexelLayout::Etc2 | TexelLayout::Etc2Eac => {
                self.block_kind().and_then(|kind| kind.bytes(width, height))
            }
        };
        bytes.unwrap_or(usize::MAX)
    }

    /// Decodes a level of blocks to B, G, R, A bytes. Returns `None` for layouts without blocks and for data of the
    /// wrong [length](TexelLayout::bytes).
    pub fn decode_blocks(self, width: u32, height: u32, data: &[u8]) -> Option<Vec<u8>> {
        self.block_kind()?.decode(data, width, height)
    }

    /// Decodes one block to B, G, R, A texels, row by row. Returns `None` for layouts without blocks and for data of
    /// another size.
    pub fn decode_block(self, block: &[u8]) -> Option<[[u8; 4]; 16]> {
        self.block_kind()?.decode_block(block)
    }

    /// Returns whether the layout has blocks of 4×4 texels, which only some devices support.
    pub fn is_blocks(self) -> bool {
        self.block_kind().is_some()
    }

    fn block_kind(self) -> Option<BlockCodec> {
        match self {
            TexelLayout::Dxt1 => Some(BlockCodec::Dxt1),
            TexelLayout::Dxt5 => Some(BlockCodec::Dxt5),
            TexelLayout::Etc2 => Some(BlockCodec::Etc),
            TexelLayout::Etc2Eac => Some(BlockCodec::EtcEac),
            TexelLayout::Bgra8
            | TexelLayout::Bgr565
            | TexelLayout::Bgra4444
            | TexelLayout::RgbaHalf => None,
        }
    }
}

/// Converts a level of B, G, R, A bytes to a layout and appends it to `out`.
pub fn convert(bgra: &[u8], (width, height): (u32, u32), layout: TexelLayout, out: &mut Vec<u8>) {
    let pixels = bgra.as_chunks::<4>().0;
    match layout {
        TexelLayout::Bgra8 => out.extend_from_slice(bgra),
        TexelLayout::Bgr565 => out.extend(pixels.iter().flat_map(|[b, g, r, _]| {
            (u16::from(*r >> 3) << 11 | u16::from(*g >> 2) << 5 | u16::from(*b >> 3)).to_le_bytes()
        })),
        TexelLayout::Bgra4444 => out.extend(pixels.iter().flat_map(|[b, g, r, a]| {
            let nibble = |value: &u8| u16::from(value >> 4);
            (nibble(a) << 12 | nibble(r) << 8 | nibble(g) << 4 | nibble(b)).to_le_bytes()
        })),
        TexelLayout::RgbaHalf => out.extend(
            pixels
                .iter()
                .flat_map(|[b, g, r, a]| [*r, *g, *b, *a])
                .flat_map(|value| half(value).to_le_bytes()),
        ),
        TexelLayout::Dxt1 => block::encode_dxt1(bgra, width, height, out),
        TexelLayout::Dxt5 => block::encode_dxt5(bgra, width, height, out),
        TexelLayout::Etc2 => block::encode_etc2(bgra, width, height, out),
        TexelLayout::Etc2Eac => block::encode_etc2_eac(bgra, width, height, out),
    }
}

/// Returns `value / 255` as a half float, truncated. No result is subnormal, because 1/255 is larger than 2^-14.
fn half(value: u8) -> u16 {
    let bits = (f32::from(value) / 255.0).to_bits();
    if value == 0 {
        return 0;
    }
    let exponent = (bits >> 23).saturating_sub(127 - 15);
    u16::try_from(exponent << 10 | (bits >> 13 & 0x3ff)).unwrap_or(0)
}
