//! Descriptions of textures.

pub use atf::TexelLayout;

use crate::enums::TextureFormat;

/// The class of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureKind {
    /// `Texture`
    TwoD,
    /// `CubeTexture`
    Cube,
    /// `RectangleTexture`: any size, clamped, without mip levels. Also `VideoTexture`, which is created again if its
    /// frames change size.
    Rectangle,
}

impl TextureKind {
    /// Returns the number of faces: six for a cube, in the order of [`agal::cube`]; one for others.
    pub fn faces(self) -> u8 {
        match self {
            TextureKind::TwoD | TextureKind::Rectangle => 1,
            TextureKind::Cube => agal::cube::FACES,
        }
    }
}

/// The description of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureDesc {
    /// The class.
    pub kind: TextureKind,
    /// Flash's format. `Compressed` and `CompressedAlpha` are uploaded uncompressed if the device lacks the blocks.
    pub format: TextureFormat,
    /// Width of level 0 in texels.
    pub width: u32,
    /// Height of level 0 in texels.
    pub height: u32,
    /// Number of levels: down to 1×1 in a program's texture, 1 for rectangles. [`Enhanced`](crate::backend::Enhanced)
    /// creates textures with fewer levels.
    pub levels: u8,
    /// Hint that the texture will be a render target. Textures without this hint can be targets too.
    pub render_target: bool,
}
