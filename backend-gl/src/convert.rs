//! The tables that map `context3d`'s enumerations and texture formats to GL's.

use context3d::enums::{
    BlendFactor, CompareMode, MipFilter, StencilAction, TextureFilter, TextureFormat, TriangleFace,
    VertexFormat, WrapMode,
};
use context3d::packets::{TexelLayout, packed};
use half::f16;

use crate::caps::GlCaps;
use crate::detect::BGRA;
use crate::gl::GlFormat;
use crate::workarounds::Remedy;

/// Defines a conversion function for each enumeration, with an exhaustive match.
macro_rules! to_gl {
    ($($(#[$doc:meta])* $name:ident: $from:ident -> $to:ty { $($member:ident => $value:expr,)+ })+) => {$(
        $(#[$doc])*
        pub(crate) fn $name(value: $from) -> $to {
            match value { $($from::$member => $value),+ }
        }
    )+};
}

to_gl! {
    /// Returns the factor for `glBlendFunc`.
    blend_factor: BlendFactor -> u32 {
        Zero => glow::ZERO,
        One => glow::ONE,
        SourceColor => glow::SRC_COLOR,
        OneMinusSourceColor => glow::ONE_MINUS_SRC_COLOR,
        SourceAlpha => glow::SRC_ALPHA,
        OneMinusSourceAlpha => glow::ONE_MINUS_SRC_ALPHA,
        DestinationAlpha => glow::DST_ALPHA,
        OneMinusDestinationAlpha => glow::ONE_MINUS_DST_ALPHA,
        DestinationColor => glow::DST_COLOR,
        OneMinusDestinationColor => glow::ONE_MINUS_DST_COLOR,
    }
    /// Returns the depth or stencil function.
    compare: CompareMode -> u32 {
        Always => glow::ALWAYS,
        Equal => glow::EQUAL,
        Greater => glow::GREATER,
        GreaterEqual => glow::GEQUAL,
        Less => glow::LESS,
        LessEqual => glow::LEQUAL,
        Never => glow::NEVER,
        NotEqual => glow::NOTEQUAL,
    }
    /// Returns the stencil operation. `incrementSaturate` is `GL_INCR`.
    stencil_action: StencilAction -> u32 {
        Keep => glow::KEEP,
        Zero => glow::ZERO,
        Set => glow::REPLACE,
        Invert => glow::INVERT,
        IncrementSaturate => glow::INCR,
        DecrementSaturate => glow::DECR,
        IncrementWrap => glow::INCR_WRAP,
        DecrementWrap => glow::DECR_WRAP,
    }
    /// Returns the culled faces; `None` if culling is off. Flash's front faces are GL's, as the crate page explains.
    cull_face: TriangleFace -> Option<u32> {
        None => None,
        Back => Some(glow::BACK),
        Front => Some(glow::FRONT),
        FrontAndBack => Some(glow::FRONT_AND_BACK),
    }
    /// Returns the wrap modes for s and t.
    wrap: WrapMode -> (u32, u32) {
        Clamp => (glow::CLAMP_TO_EDGE, glow::CLAMP_TO_EDGE),
        Repeat => (glow::REPEAT, glow::REPEAT),
        ClampURepeatV => (glow::CLAMP_TO_EDGE, glow::REPEAT),
        RepeatUClampV => (glow::REPEAT, glow::CLAMP_TO_EDGE),
    }
    /// Returns whether filtering within a level is linear, and the maximum anisotropy. Anisotropy implies linear
    /// filtering [context3d.sampler.anisotropic].
    filter: TextureFilter -> (bool, f32) {
        Nearest => (false, 1.0),
        Linear => (true, 1.0),
        Anisotropic2x => (true, 2.0),
        Anisotropic4x => (true, 4.0),
        Anisotropic8x => (true, 8.0),
        Anisotropic16x => (true, 16.0),
    }
    /// Returns the number of components, their type, and whether they are normalised.
    vertex_format: VertexFormat -> (i32, u32, bool) {
        Float1 => (1, glow::FLOAT, false),
        Float2 => (2, glow::FLOAT, false),
        Float3 => (3, glow::FLOAT, false),
        Float4 => (4, glow::FLOAT, false),
        Bytes4 => (4, glow::UNSIGNED_BYTE, true),
    }
}

/// Returns the minification filter for a filter within and between mip levels.
pub(crate) fn min_filter(linear: bool, mip: MipFilter) -> u32 {
    match (linear, mip) {
        (false, MipFilter::None) => glow::NEAREST,
        (true, MipFilter::None) => glow::LINEAR,
        (false, MipFilter::Nearest) => glow::NEAREST_MIPMAP_NEAREST,
        (true, MipFilter::Nearest) => glow::LINEAR_MIPMAP_NEAREST,
        (false, MipFilter::Linear) => glow::NEAREST_MIPMAP_LINEAR,
        (true, MipFilter::Linear) => glow::LINEAR_MIPMAP_LINEAR,
    }
}

/// The conversion of texels before their upload to GL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TexelConversion {
    /// No conversion.
    AsIs,
    /// B, G, R, A bytes become R, G, B, A.
    SwapRedBlue,
    /// 16-bit A, R, G, B become R, G, B, A bytes.
    Expand4444,
    /// B, G, R, A bytes become R, G, B.
    DropAlpha,
}

/// Storage and uploads of textures in one format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextureStorage {
    /// The GL formats of the storage and of uploaded data.
    pub(crate) texels: GlFormat,
    /// The texel layout of uploads.
    pub(crate) layout: TexelLayout,
    /// The conversion of uploaded texels.
    pub(crate) convert_texels: TexelConversion,
    /// Alpha reads as 1 regardless of the upload: `compressed` samples as RGB [context3d.format.compressed].
    pub(crate) opaque: bool,
    /// Sets `GL_TEXTURE_SWIZZLE_A` for `opaque`, because the storage has alpha.
    pub(crate) swizzled: bool,
    /// The format stores values outside of 0 to 1.
    pub(crate) float: bool,
}

/// The columns are name, internal format, renderbuffer format with equal precision, data format, data type, bytes.
macro_rules! texels {
    ($($name:ident = $internal:ident, $render:ident, $format:ident, $ty:ident, $bytes:literal;)+) => {$(
        const $name: GlFormat = GlFormat {
            internal: glow::$internal,
            render_buffer: glow::$render,
            format: glow::$format,
            data_type: glow::$ty,
            bytes: $bytes,
        };
    )+};
}

texels! {
    RGBA8       = RGBA8,   RGBA8,   RGBA, UNSIGNED_BYTE,              4;
    RGBA8_BGRA  = RGBA8,   RGBA8,   BGRA, UNSIGNED_BYTE,              4;
    RGBA8_4444  = RGBA8,   RGBA8,   BGRA, UNSIGNED_SHORT_4_4_4_4_REV, 2;
    RGB8        = RGB8,    RGB8,    RGB,  UNSIGNED_BYTE,              3;
    RGB565      = RGB565,  RGB565,  RGB,  UNSIGNED_SHORT_5_6_5,       2;
    RGB8_565    = RGB8,    RGB8,    RGB,  UNSIGNED_SHORT_5_6_5,       2;
    RGBA16F     = RGBA16F, RGBA16F, RGBA, HALF_FLOAT,                 8;
}

/// Returns the storage of textures in a format on this driver.
pub(crate) fn storage(format: TextureFormat, caps: &GlCaps) -> TextureStorage {
    use TexelLayout::{Bgr565, Bgra8, Bgra4444, RgbaHalf};
    let row = |texels, layout, convert_texels| TextureStorage {
        texels,
        layout,
        convert_texels,
        opaque: format.ignores_alpha(),
        swizzled: format.ignores_alpha() && convert_texels != TexelConversion::DropAlpha,
        float: format.is_float(),
    };
    match format {
        _ if format.ignores_alpha() && caps.needs(Remedy::Rgb8ForOpaque) => {
            row(RGB8, Bgra8, TexelConversion::DropAlpha)
        }
        TextureFormat::Bgra | TextureFormat::Compressed | TextureFormat::CompressedAlpha => {
            if caps.needs(Remedy::SwapBgraOnCpu) {
                row(RGBA8, Bgra8, TexelConversion::SwapRedBlue)
            } else if caps.es {
                row(BGRA, Bgra8, TexelConversion::AsIs)
            } else {
                row(RGBA8_BGRA, Bgra8, TexelConversion::AsIs)
            }
        }
        // OpenGL ES always has GL_RGB565, and doesn't accept 565 data for GL_RGB8.
        TextureFormat::BgrPacked565 if !caps.es && caps.needs(Remedy::Rgb8For565) => {
            row(RGB8_565, Bgr565, TexelConversion::AsIs)
        }
        TextureFormat::BgrPacked565 => row(RGB565, Bgr565, TexelConversion::AsIs),
        TextureFormat::BgraPacked4444 if caps.needs(Remedy::Expand4444OnCpu) => {
            row(RGBA8, Bgra4444, TexelConversion::Expand4444)
        }
        TextureFormat::BgraPacked4444 => row(RGBA8_4444, Bgra4444, TexelConversion::AsIs),
        TextureFormat::RgbaHalfFloat => row(RGBA16F, RgbaHalf, TexelConversion::AsIs),
    }
}

/// Returns the internal format for blocks of a layout; `None` for layouts without blocks.
pub(crate) fn blocks(layout: TexelLayout) -> Option<u32> {
    match layout {
        // The format has no alpha, because Flash's DXT1 is opaque [context3d.format.dxt1_opaque].
        TexelLayout::Dxt1 => Some(glow::COMPRESSED_RGB_S3TC_DXT1_EXT),
        TexelLayout::Dxt5 => Some(glow::COMPRESSED_RGBA_S3TC_DXT5_EXT),
        TexelLayout::Etc2 => Some(glow::COMPRESSED_RGB8_ETC2),
        TexelLayout::Etc2Eac => Some(glow::COMPRESSED_RGBA8_ETC2_EAC),
        TexelLayout::Bgra8
        | TexelLayout::Bgr565
        | TexelLayout::Bgra4444
        | TexelLayout::RgbaHalf => None,
    }
}

/// Converts pixels of a readback (RGBA bytes, or floats if the layout is half float) to an upload's layout. Texels that
/// were uploaded in this layout are restored exactly.
pub(crate) fn pack(layout: TexelLayout, pixels: &mut Vec<u8>) {
    match layout {
        TexelLayout::Bgra8 => {
            for pixel in pixels.as_chunks_mut::<4>().0 {
                pixel.swap(0, 2);
            }
        }
        TexelLayout::Bgr565 => {
            let texels = pixels.as_chunks::<4>().0.iter();
            *pixels = texels.flat_map(|texel| packed::pack_565(*texel)).collect();
        }
        TexelLayout::Bgra4444 => {
            let texels = pixels.as_chunks::<4>().0.iter();
            *pixels = texels.flat_map(|texel| packed::pack_4444(*texel)).collect();
        }
        TexelLayout::RgbaHalf => {
            let floats = pixels.as_chunks::<4>().0.iter();
            let halves = floats.map(|bytes| f16::from_f32(f32::from_ne_bytes(*bytes)));
            *pixels = halves.flat_map(f16::to_le_bytes).collect();
        }
        // Readbacks never have block layouts, because block-compressed textures can't be render targets.
        TexelLayout::Dxt1 | TexelLayout::Dxt5 | TexelLayout::Etc2 | TexelLayout::Etc2Eac => {}
    }
}

/// The back buffer's storage.
pub(crate) const BACK_BUFFER: GlFormat = RGBA8;

#[cfg(test)]
#[path = "../tests/unit/convert.rs"]
mod tests;
