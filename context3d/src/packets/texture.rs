//! The shape of textures.

pub use atf::TexelLayout;

use crate::enums::TextureFormat;

/// Kind of a texture object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureKind {
    /// `Texture`
    TwoD,
    /// `CubeTexture`
    Cube,
    /// `RectangleTexture`: any size, clamp, no mips. Also `VideoTexture`, created again when its frames change size.
    Rectangle,
}

impl TextureKind {
    /// Number of faces: six for a cube, in the order of [`agal::cube`], else one.
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
    /// Flash's format. `Compressed` and `CompressedAlpha` are uploaded uncompressed if the device lacks the blocks.
    pub format: TextureFormat,
    /// Level 0, texels.
    pub width: u32,
    /// Level 0, texels.
    pub height: u32,
    /// Number of levels: down to 1×1 in a program's texture, 1 for rectangles. [`Enhanced`](crate::backend::Enhanced)
    /// makes textures with fewer.
    pub levels: u8,
    /// Hint that it will be rendered to. A texture without it can be a target too.
    pub render_target: bool,
}
