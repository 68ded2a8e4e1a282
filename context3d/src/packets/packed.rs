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
#[path = "../../tests/unit/packed.rs"]
mod tests;
