//! THE table of texture and vertex formats.
//!
//! Source: `textures-and-atf.md` section 1, `context3d.md` section 6.

use atf::TextureClass;

use crate::backend::BackendCaps;
use crate::names::{TextureFormat, VertexFormat};
use crate::packet::TexelLayout;

impl From<TextureClass> for TextureFormat {
    fn from(class: TextureClass) -> Self {
        match class {
            TextureClass::Bgra => TextureFormat::Bgra,
            TextureClass::Compressed => TextureFormat::Compressed,
            TextureClass::CompressedAlpha => TextureFormat::CompressedAlpha,
        }
    }
}

impl TextureFormat {
    /// How the program gives its texels; a compressed texture is fed from BGRA, and compressed or not.
    pub fn layout(self) -> TexelLayout {
        match self {
            TextureFormat::Bgra | TextureFormat::Compressed | TextureFormat::CompressedAlpha => {
                TexelLayout::Bgra8
            }
            TextureFormat::BgrPacked565 => TexelLayout::Bgr565,
            TextureFormat::BgraPacked4444 => TexelLayout::Bgra4444,
            TextureFormat::RgbaHalfFloat => TexelLayout::RgbaHalf,
        }
    }

    /// The layouts of blocks that it may have, best first.
    pub fn blocks(self) -> &'static [TexelLayout] {
        match self {
            TextureFormat::Compressed => &[TexelLayout::Dxt1, TexelLayout::Etc2],
            TextureFormat::CompressedAlpha => &[TexelLayout::Dxt5, TexelLayout::Etc2Eac],
            TextureFormat::Bgra
            | TextureFormat::BgrPacked565
            | TextureFormat::BgraPacked4444
            | TextureFormat::RgbaHalfFloat => &[],
        }
    }

    /// Whether uploads to the backend may have this layout.
    pub fn takes(self, layout: TexelLayout) -> bool {
        layout == self.layout() || self.blocks().contains(&layout)
    }

    /// How a device keeps texels from bitmaps and byte arrays: a compressed texture's in blocks where it takes them
    /// (`textures-and-atf.md`, "Run-time compression"), so that they take the memory that Flash counts.
    pub(crate) fn kept(self, caps: &BackendCaps) -> TexelLayout {
        let mut blocks = self.blocks().iter().copied();
        blocks
            .find(|layout| caps.takes(*layout))
            .unwrap_or(self.layout())
    }

    /// One of the two block formats.
    pub fn is_compressed(self) -> bool {
        matches!(
            self,
            TextureFormat::Compressed | TextureFormat::CompressedAlpha
        )
    }

    /// Bits a texel takes on Flash's device, for the memory limits.
    pub fn bits_per_texel(self) -> u64 {
        match self {
            TextureFormat::Compressed => 4,
            TextureFormat::CompressedAlpha => 8,
            TextureFormat::BgrPacked565 | TextureFormat::BgraPacked4444 => 16,
            TextureFormat::Bgra => 32,
            TextureFormat::RgbaHalfFloat => 64,
        }
    }

    /// Formats that a `RectangleTexture` may have. The reference lists the first three, a vendor's article half float.
    pub fn rectangle(self) -> bool {
        !self.is_compressed()
    }

    /// The format nibble that an AGAL sampler must carry to read it (error 3763).
    pub fn read_mode(self) -> agal::SamplerFormat {
        match self {
            TextureFormat::Compressed => agal::SamplerFormat::Compressed,
            TextureFormat::CompressedAlpha => agal::SamplerFormat::CompressedAlpha,
            _ => agal::SamplerFormat::Rgba,
        }
    }
}

impl VertexFormat {
    /// Bytes that one vertex delivers.
    pub fn bytes(self) -> u32 {
        match self {
            VertexFormat::Float1 | VertexFormat::Bytes4 => 4,
            VertexFormat::Float2 => 8,
            VertexFormat::Float3 => 12,
            VertexFormat::Float4 => 16,
        }
    }
}
