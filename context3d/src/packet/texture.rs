//! The shape of textures, and the layout of what is uploaded to them.

use crate::block::BlockKind;
use crate::names::TextureFormat;

/// Kind of a texture object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureKind {
    /// `Texture`
    TwoD,
    /// `CubeTexture`
    Cube,
    /// `RectangleTexture`: any size, clamp, no mips. A `VideoTexture` too, made anew when the size of its frames changes.
    Rectangle,
}

impl TextureKind {
    /// How many faces it has: six for a cube, in the order of [`agal::cube`], else one.
    pub fn faces(self) -> u8 {
        match self {
            TextureKind::TwoD | TextureKind::Rectangle => 1,
            TextureKind::Cube => agal::cube::FACES,
        }
    }
}

/// A texture's shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureDesc {
    /// 2D, cube or rectangle.
    pub kind: TextureKind,
    /// Flash's format. `Compressed` and `CompressedAlpha` are fed uncompressed where the device lacks the blocks.
    pub format: TextureFormat,
    /// Level 0, texels.
    pub width: u32,
    /// Level 0, texels.
    pub height: u32,
    /// Levels down to 1×1; 1 for rectangles.
    pub levels: u8,
    /// Hint that it will be rendered to. Either value can be a target.
    pub render_target: bool,
}

/// Layout of uploaded texels.
///
/// `bgra`, `compressed` and `compressedAlpha` textures take `Bgra8`; the packed and half-float formats take their own.
/// Beside it `compressed` takes `Dxt1` and `Etc2`, and `compressedAlpha` takes `Dxt5` and `Etc2Eac`
/// ([`TextureFormat::takes`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TexelLayout {
    /// Four bytes B, G, R, A.
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
    /// ETC2 blocks of 4×4 texels, 8 bytes each, opaque; ETC1 is a part of it.
    Etc2,
    /// ETC2 blocks with EAC alpha before their colours, 16 bytes each.
    Etc2Eac,
}

impl TexelLayout {
    /// Bytes that a level of this size takes; `usize::MAX` where memory could not hold them.
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

    /// The texels of a level of blocks as B, G, R, A bytes; `None` for layouts that aren't blocks, and for data that is not
    /// [as long](TexelLayout::bytes) as it must be.
    pub fn decode_blocks(self, width: u32, height: u32, data: &[u8]) -> Option<Vec<u8>> {
        self.block_kind()?.decode(data, width, height)
    }

    /// The texels of one block, row by row, each B, G, R, A; `None` for layouts that aren't blocks, and for data that is
    /// not one block.
    pub fn decode_block(self, block: &[u8]) -> Option<[[u8; 4]; 16]> {
        self.block_kind()?.decode_block(block)
    }

    /// Blocks of 4×4 texels, which only [some devices](crate::BackendCaps::takes) take.
    pub fn is_blocks(self) -> bool {
        self.block_kind().is_some()
    }

    fn block_kind(self) -> Option<BlockKind> {
        match self {
            TexelLayout::Dxt1 => Some(BlockKind::Dxt1),
            TexelLayout::Dxt5 => Some(BlockKind::Dxt5),
            TexelLayout::Etc2 => Some(BlockKind::Etc),
            TexelLayout::Etc2Eac => Some(BlockKind::EtcEac),
            TexelLayout::Bgra8
            | TexelLayout::Bgr565
            | TexelLayout::Bgra4444
            | TexelLayout::RgbaHalf => None,
        }
    }
}
