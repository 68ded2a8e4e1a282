//! The tables of texture and vertex formats.
//!
//! The tables follow the reference: [context3d.format.bgra] [context3d.sampling.read_mode] [context3d.stream.bytes4].

use agal::sampler::SamplerFormat;
use atf::TextureClass;

use crate::backend::BackendCaps;
use crate::enums::{BlockFormat, FlashName as _, TextureFormat, VertexFormat};
use crate::packets::TexelLayout;

impl From<TextureClass> for TextureFormat {
    fn from(class: TextureClass) -> Self {
        match class {
            TextureClass::Bgra => TextureFormat::Bgra,
            TextureClass::Compressed => TextureFormat::Compressed,
            TextureClass::CompressedAlpha => TextureFormat::CompressedAlpha,
        }
    }
}

impl From<BlockFormat> for TexelLayout {
    fn from(blocks: BlockFormat) -> Self {
        match blocks {
            BlockFormat::Dxt1 => TexelLayout::Dxt1,
            BlockFormat::Dxt5 => TexelLayout::Dxt5,
            BlockFormat::Etc2 => TexelLayout::Etc2,
            BlockFormat::Etc2Eac => TexelLayout::Etc2Eac,
        }
    }
}

impl BlockFormat {
    /// Returns the block format with this layout; `None` for layouts without blocks.
    /// [`layout`](atf::LevelEncoding::layout) returns the layout of an ATF file's encoding.
    pub fn of(layout: TexelLayout) -> Option<Self> {
        let mut all = BlockFormat::NAMES.iter().map(|(format, _)| *format);
        all.find(|format| TexelLayout::from(*format) == layout)
    }
}

/// The properties of a texture format of Flash.
#[derive(Clone, Copy, Debug)]
struct FormatInfo {
    /// Layout of uploads from the program. Compressed textures accept BGRA as well as blocks.
    layout: TexelLayout,
    /// Block layouts that textures of this format may have, best first.
    blocks: &'static [TexelLayout],
    /// Bits per texel in Flash, for the memory limits.
    bits: u64,
    /// The format that an AGAL sampler must declare to read the texture.
    read_mode: SamplerFormat,
    /// `RectangleTexture` allows the format: three in the reference, half float in an article [context3d.error.3762].
    rectangle: bool,
    /// Shaders read alpha as 1.
    ignores_alpha: bool,
    /// Texels are half floats, which the profile and the device must support.
    float: bool,
}

macro_rules! texture_formats {
    ($($format:ident $layout:ident [$($blocks:ident)*] $bits:literal $read:ident $rectangle:literal $ignores_alpha:literal $float:literal;)+) => {
        impl TextureFormat {
            const fn info(self) -> &'static FormatInfo {
                match self {
                    $(TextureFormat::$format => &FormatInfo {
                        layout: TexelLayout::$layout,
                        blocks: &[$(TexelLayout::$blocks),*],
                        bits: $bits,
                        read_mode: SamplerFormat::$read,
                        rectangle: $rectangle,
                        ignores_alpha: $ignores_alpha,
                        float: $float,
                    },)+
                }
            }
        }
    };
}

// Columns: format, layout, blocks, bits, AGAL's sampler format, rectangle, ignores alpha, float.
texture_formats! {
    Bgra            Bgra8    []             32 Rgba            true  false false;
    BgrPacked565    Bgr565   []             16 Rgba            true  false false;
    BgraPacked4444  Bgra4444 []             16 Rgba            true  false false;
    Compressed      Bgra8    [Dxt1 Etc2]    4  Compressed      false true  false;
    CompressedAlpha Bgra8    [Dxt5 Etc2Eac] 8  CompressedAlpha false false false;
    RgbaHalfFloat   RgbaHalf []             64 Rgba            true  false true;
}

impl TextureFormat {
    /// Returns the layout of uploads from the program. Compressed textures accept BGRA as well as blocks.
    pub fn layout(self) -> TexelLayout {
        self.info().layout
    }

    /// Returns the block layouts for textures of this format, best first.
    pub fn blocks(self) -> &'static [TexelLayout] {
        self.info().blocks
    }

    /// Returns whether uploads to the backend may have this layout.
    pub fn supports(self, layout: TexelLayout) -> bool {
        layout == self.layout() || self.blocks().contains(&layout)
    }

    /// Returns the layout on the device of texels from bitmaps and byte arrays. Compressed textures use blocks if the
    /// device supports them [context3d.format.compression], so that they use the memory that Flash counts.
    pub(crate) fn device_layout(self, caps: &BackendCaps) -> TexelLayout {
        let mut blocks = self.blocks().iter().copied();
        blocks.find(|layout| caps.supports(*layout)).unwrap_or(self.layout())
    }

    /// Returns whether the format is `compressed` or `compressedAlpha`.
    pub fn is_compressed(self) -> bool {
        !self.blocks().is_empty()
    }

    /// Returns the bits per texel in Flash, for the memory limits.
    pub fn bits_per_texel(self) -> u64 {
        self.info().bits
    }

    /// Returns whether `RectangleTexture` can have this format.
    pub fn rectangle(self) -> bool {
        self.info().rectangle
    }

    /// Returns whether shaders read alpha as 1 [context3d.format.dxt1_opaque].
    pub fn ignores_alpha(self) -> bool {
        self.info().ignores_alpha
    }

    /// Returns whether texels are half floats, which the profile and the device must support.
    pub fn is_float(self) -> bool {
        self.info().float
    }

    /// Returns the format that an AGAL sampler must declare (error 3763).
    pub fn read_mode(self) -> SamplerFormat {
        self.info().read_mode
    }
}

impl VertexFormat {
    /// Returns the size of an attribute in bytes.
    pub fn bytes(self) -> u32 {
        match self {
            VertexFormat::Float1 | VertexFormat::Bytes4 => 4,
            VertexFormat::Float2 => 8,
            VertexFormat::Float3 => 12,
            VertexFormat::Float4 => 16,
        }
    }
}
