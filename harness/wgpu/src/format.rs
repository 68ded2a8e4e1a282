//! Texture formats. Converts uploads to stored texels, and stored texels to results of reads.

use std::borrow::Cow;

use context3d::packets::packed::{pack_565, pack_4444, unpack_565, unpack_4444};
use context3d::packets::{TexelLayout, TextureDesc};
use half::f16;
use wgpu::{Extent3d, TextureFormat};

/// The format of depth and stencil buffers: 24-bit depth and 8-bit stencil.
pub(crate) const DEPTH_STENCIL: TextureFormat = TextureFormat::Depth24PlusStencil8;
pub(crate) const BACK_BUFFER: TextureFormat = TextureFormat::Rgba8Unorm;

/// The format in which a texture is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StorageFormat {
    pub(crate) format: TextureFormat,
    /// The texel layout of uploads.
    pub(crate) layout: TexelLayout,
    /// True if alpha is always 1: uploads set alpha to 1, and draws don't change it.
    pub(crate) opaque: bool,
    /// True if shaders must replace alpha by 1. DXT1 blocks have alpha, but in Flash they are opaque
    /// [context3d.format.dxt1_opaque].
    pub(crate) opaque_in_shader: bool,
}

impl StorageFormat {
    /// Returns the storage for this upload layout. Blocks need a width and height that are multiples of four.
    pub(crate) fn of(desc: &TextureDesc, layout: TexelLayout) -> StorageFormat {
        let whole = desc.width.is_multiple_of(4) && desc.height.is_multiple_of(4);
        let blocks = |format| if whole { format } else { TextureFormat::Bgra8Unorm };
        let format = match layout {
            TexelLayout::Bgra8 => TextureFormat::Bgra8Unorm,
            TexelLayout::Bgr565 | TexelLayout::Bgra4444 => TextureFormat::Rgba8Unorm,
            TexelLayout::RgbaHalf => TextureFormat::Rgba16Float,
            TexelLayout::Dxt1 => blocks(TextureFormat::Bc1RgbaUnorm),
            TexelLayout::Dxt5 => blocks(TextureFormat::Bc3RgbaUnorm),
            TexelLayout::Etc2 => blocks(TextureFormat::Etc2Rgb8Unorm),
            TexelLayout::Etc2Eac => blocks(TextureFormat::Etc2Rgba8Unorm),
        };
        let opaque = desc.format.ignores_alpha() || layout == TexelLayout::Bgr565;
        let has_blocks = format.is_compressed();
        StorageFormat {
            format,
            layout,
            opaque: opaque && !has_blocks,
            opaque_in_shader: has_blocks && layout == TexelLayout::Dxt1,
        }
    }

    /// Returns whether the texture stores compressed blocks, which can't be rendered to.
    pub(crate) fn has_blocks(&self) -> bool {
        self.format.is_compressed()
    }

    /// Converts uploaded texels to stored texels.
    pub(crate) fn store<'a>(&self, (width, height): (u32, u32), data: &'a [u8]) -> Cow<'a, [u8]> {
        let mut stored = match self.layout {
            TexelLayout::Bgr565 => each_texel(data, unpack_565),
            TexelLayout::Bgra4444 => each_texel(data, unpack_4444),
            _ if self.layout.is_blocks() && !self.has_blocks() => {
                Cow::Owned(self.layout.decode_blocks(width, height, data).unwrap_or_default())
            }
            _ => Cow::Borrowed(data),
        };
        if self.opaque && self.layout != TexelLayout::Bgr565 {
            stored.to_mut().as_chunks_mut::<4>().0.iter_mut().for_each(|texel| texel[3] = u8::MAX);
        }
        stored
    }

    /// Converts the stored texels of a region with this size to R, G, B, A bytes.
    pub(crate) fn rgba(&self, (width, height): (u32, u32), stored: &mut Vec<u8>) {
        if self.has_blocks() {
            *stored = self.layout.decode_blocks(width, height, stored).unwrap_or_default();
        }
        if self.format == TextureFormat::Rgba16Float {
            let halves =
                stored.as_chunks::<2>().0.iter().map(|half| f16::from_le_bytes(*half).to_f32());
            *stored = halves.map(unorm).collect();
        } else if self.format != TextureFormat::Rgba8Unorm {
            stored.as_chunks_mut::<4>().0.iter_mut().for_each(|texel| texel.swap(0, 2));
        }
    }

    /// Converts stored texels to the layout of uploads, in place.
    pub(crate) fn unstore(&self, stored: &mut Vec<u8>) {
        match self.layout {
            TexelLayout::Bgr565 => *stored = each_texel(stored, pack_565).into_owned(),
            TexelLayout::Bgra4444 => *stored = each_texel(stored, pack_4444).into_owned(),
            TexelLayout::Bgra8
            | TexelLayout::RgbaHalf
            | TexelLayout::Dxt1
            | TexelLayout::Dxt5
            | TexelLayout::Etc2
            | TexelLayout::Etc2Eac => {}
        }
    }
}

/// Returns the bytes per row of texels or blocks, and the number of rows, for a level of this size.
pub(crate) fn rows(format: TextureFormat, (width, height): (u32, u32)) -> (u32, u32) {
    let (across, down) = format.block_dimensions();
    let bytes = format.block_copy_size(None).unwrap_or(4);
    (width.div_ceil(across).saturating_mul(bytes), height.div_ceil(down))
}

/// Returns a size rounded up to whole blocks.
pub(crate) fn physical(format: TextureFormat, (width, height): (u32, u32)) -> Extent3d {
    let (across, down) = format.block_dimensions();
    extent(width.next_multiple_of(across), height.next_multiple_of(down), 1)
}

pub(crate) fn extent(width: u32, height: u32, layers: u32) -> Extent3d {
    Extent3d { width, height, depth_or_array_layers: layers }
}

/// Converts each texel with a function.
fn each_texel<const FROM: usize, const TO: usize>(
    data: &[u8],
    convert: fn([u8; FROM]) -> [u8; TO],
) -> Cow<'static, [u8]> {
    Cow::Owned(data.as_chunks::<FROM>().0.iter().flat_map(|texel| convert(*texel)).collect())
}

/// Converts 0..1 to 0..255 with rounding.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "limited before")]
fn unorm(value: f32) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
}

#[cfg(test)]
#[path = "../tests/unit/format.rs"]
mod tests;
