//! THE table of texture and vertex formats.
//!
//! Source: `textures-and-atf.md` section 1, `context3d.md` section 6.

use crate::backend::BackendCaps;
use crate::block;
use crate::names::{TextureFormat, VertexFormat};
use crate::packet::TexelLayout;

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

/// Converts a level of B, G, R, A bytes into the layout, appending to `out`.
pub(crate) fn convert(
    bgra: &[u8],
    (width, height): (u32, u32),
    layout: TexelLayout,
    out: &mut Vec<u8>,
) {
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

/// `value / 255` as a half float, truncated. A byte is never a subnormal half: 1/255 is larger than 2^-14.
fn half(value: u8) -> u16 {
    let bits = (f32::from(value) / 255.0).to_bits();
    if value == 0 {
        return 0;
    }
    let exponent = (bits >> 23).saturating_sub(127 - 15);
    u16::try_from(exponent << 10 | (bits >> 13 & 0x3ff)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bitmaps_become_packed_texels() {
        let convert = |layout| {
            let mut out = Vec::new();
            super::convert(&[0x00, 0x80, 0xff, 0x40], (1, 1), layout, &mut out);
            out
        };
        assert_eq!(convert(TexelLayout::Bgr565), 0xfc00u16.to_le_bytes());
        assert_eq!(convert(TexelLayout::Bgra4444), 0x4f80u16.to_le_bytes());
        let half = convert(TexelLayout::RgbaHalf);
        assert_eq!(
            (&half[0..2], &half[4..6]),
            (&0x3c00u16.to_le_bytes()[..], &[0, 0][..])
        );
    }

    #[test]
    fn half_floats_are_close_to_the_byte() {
        for value in 1..=255u8 {
            let bits = half(value);
            let float =
                f32::from(1024 + (bits & 0x3ff)) / 1024.0 * 2f32.powi(i32::from(bits >> 10) - 15);
            assert!(
                (float - f32::from(value) / 255.0).abs() < 1.0 / 1024.0,
                "{value}: {float}"
            );
        }
    }
}
