//! Conversion between 16-bit texels and R, G, B, A bytes, for devices without such formats.

/// Expands a channel to a byte as a GPU does: 0 becomes 0, and the maximum `most` becomes 255.
fn wide(texel: u16, shift: u32, most: u16) -> u8 {
    let part = u32::from(texel >> shift & most);
    u8::try_from((part * 510 + u32::from(most)) / (u32::from(most) * 2)).unwrap_or(u8::MAX)
}

/// Scales a byte to `0..=most`, rounded.
fn narrow(value: u8, most: u16) -> u16 {
    (u16::from(value) * most + 127) / 255
}

/// Unpacks a texel of [`TexelLayout::Bgr565`](super::TexelLayout), with alpha 255.
pub fn unpack_565(texel: [u8; 2]) -> [u8; 4] {
    let texel = u16::from_le_bytes(texel);
    [wide(texel, 11, 31), wide(texel, 5, 63), wide(texel, 0, 31), u8::MAX]
}

/// Unpacks a texel of [`TexelLayout::Bgra4444`](super::TexelLayout).
pub fn unpack_4444(texel: [u8; 2]) -> [u8; 4] {
    let texel = u16::from_le_bytes(texel);
    [8, 4, 0, 12].map(|shift| wide(texel, shift, 15))
}

/// Returns the nearest texel of [`TexelLayout::Bgr565`](super::TexelLayout), without alpha.
pub fn pack_565([red, green, blue, _]: [u8; 4]) -> [u8; 2] {
    (narrow(red, 31) << 11 | narrow(green, 63) << 5 | narrow(blue, 31)).to_le_bytes()
}

/// Returns the nearest texel of [`TexelLayout::Bgra4444`](super::TexelLayout).
pub fn pack_4444([red, green, blue, alpha]: [u8; 4]) -> [u8; 2] {
    [alpha, red, green, blue]
        .iter()
        .fold(0, |texel, part| texel << 4 | narrow(*part, 15))
        .to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texels_come_back() {
        for texel in (0..=u16::MAX).map(u16::to_le_bytes) {
            assert_eq!(pack_565(unpack_565(texel)), texel);
            assert_eq!(pack_4444(unpack_4444(texel)), texel);
        }
        // Red is in the upper five bits [context3d.format.packed565]. The 4444 texel has A = 1, R = 2, G = 3, B = 4.
        assert_eq!(unpack_565([0x1F, 0xF8]), [255, 0, 255, 255]);
        assert_eq!(unpack_4444([0x34, 0x12]), [34, 51, 68, 17]);
    }
}
