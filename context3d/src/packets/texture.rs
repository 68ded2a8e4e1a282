//! Texture descriptors.

pub use atf::TexelLayout;

use crate::enums::TextureFormat;

/// The class of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureKind {
    /// A texture of class `Texture`.
    TwoD,
    /// A texture of class `CubeTexture`.
    Cube,
    /// A texture of class `RectangleTexture`: any size, clamped, without mip levels. A `VideoTexture` has this type,
    /// too; the texture is created again if the size of the video's frames changes.
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

/// The descriptor of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureDesc {
    /// The class of the texture.
    pub kind: TextureKind,
    /// The format in Flash. A device without block compression stores `Compressed` and `CompressedAlpha` uncompressed.
    pub format: TextureFormat,
    /// Width of level 0 in texels.
    pub width: u32,
    /// Height of level 0 in texels.
    pub height: u32,
    /// Number of mip levels: down to 1×1 in textures of programs, 1 in rectangle textures.
    /// `EnhancedBackend` of the crate `context3d-layers` creates textures with fewer levels.
    pub levels: u8,
    /// Hint that the texture will be a render target. Textures without the hint can be targets too.
    pub render_target: bool,
}
