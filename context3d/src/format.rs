//! The tables of texture and vertex formats.
//!
//! The sources are [context3d.format.bgra] [context3d.sampling.read_mode] [context3d.stream.bytes4].

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
    /// Returns the block format with this layout; `None` for layouts without blocks. [`layout`](atf::Encoding::layout)
    /// returns the layout of an ATF file's encoding.
    pub fn of(layout: TexelLayout) -> Option<Self> {
        let mut all = BlockFormat::NAMES.iter().map(|(format, _)| *format);
        all.find(|format| TexelLayout::from(*format) == layout)
    }
}

/// The properties of a texture format.
#[derive(Clone, Copy, Debug)]
struct FormatInfo {
    /// Layout of uploads from the program; compressed textures accept BGRA as well as blocks.
    layout: TexelLayout,
    /// Block layouts for its textures, best first.
    blocks: &'static [TexelLayout],
    /// Bits per texel on Flash's device.
    bits: u64,
    /// The format nibble that an AGAL sampler needs to read it.
    read_mode: SamplerFormat,
    /// Allowed for `RectangleTexture`. The reference lists the first three; a vendor's article adds half float.
    rectangle: bool,
    /// Reads alpha as 1.
    ignores_alpha: bool,
    /// Half floats; requires support by the profile and the device.
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

// Columns: format, texels, blocks, bits, how AGAL reads it, rectangle, ignores alpha, float.
texture_formats! {
    Bgra            Bgra8    []             32 Rgba            true  false false;
    BgrPacked565    Bgr565   []             16 Rgba            true  false false;
    BgraPacked4444  Bgra4444 []             16 Rgba            true  false false;
    Compressed      Bgra8    [Dxt1 Etc2]    4  Compressed      false true  false;
    CompressedAlpha Bgra8    [Dxt5 Etc2Eac] 8  CompressedAlpha false false false;
    RgbaHalfFloat   RgbaHalf []             64 Rgba            true  false true;
}

impl TextureFormat {
    /// Returns the layout of uploads from the program; compressed textures accept BGRA as well as blocks.
    pub fn layout(self) -> TexelLayout {
        self.info().layout
    }

    /// Returns the block layouts for textures of this format, best first.
    pub fn blocks(self) -> &'static [TexelLayout] {
        self.info().blocks
    }

    /// Returns whether uploads to the backend may have this layout.
    pub fn takes(self, layout: TexelLayout) -> bool {
        layout == self.layout() || self.blocks().contains(&layout)
    }

    /// Returns the layout on the device for texels from bitmaps and byte arrays. Compressed textures use blocks if the device has
    /// them [context3d.format.compression], so that they take the memory that Flash counts.
    pub(crate) fn device_layout(self, caps: &BackendCaps) -> TexelLayout {
        let mut blocks = self.blocks().iter().copied();
        blocks.find(|layout| caps.takes(*layout)).unwrap_or(self.layout())
    }

    /// Returns whether it is one of the two block formats.
    pub fn is_compressed(self) -> bool {
        !self.blocks().is_empty()
    }

    /// Returns the bits per texel on Flash's device, for the memory limits.
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

    /// Returns whether texels are half floats, which profile and device must support.
    pub fn is_float(self) -> bool {
        self.info().float
    }

    /// Returns the format nibble that an AGAL sampler must have (error 3763).
    pub fn read_mode(self) -> SamplerFormat {
        self.info().read_mode
    }
}

impl VertexFormat {
    /// Returns the bytes per vertex.
    pub fn bytes(self) -> u32 {
        match self {
            VertexFormat::Float1 | VertexFormat::Bytes4 => 4,
            VertexFormat::Float2 => 8,
            VertexFormat::Float3 => 12,
            VertexFormat::Float4 => 16,
        }
    }
}
