//! Tests of the conversion to packed texels and half floats.

use atf::{TexelLayout, convert};

/// Converts a texel to a layout.
fn texel(bgra: [u8; 4], layout: TexelLayout) -> Vec<u8> {
    let mut out = Vec::new();
    convert(&bgra, (1, 1), layout, &mut out);
    out
}

#[test]
fn bitmaps_become_packed_texels() {
    let convert = |layout| texel([0x00, 0x80, 0xff, 0x40], layout);
    assert_eq!(convert(TexelLayout::Bgr565), 0xfc00u16.to_le_bytes());
    assert_eq!(convert(TexelLayout::Bgra4444), 0x4f80u16.to_le_bytes());
    let half = convert(TexelLayout::RgbaHalf);
    assert_eq!((&half[0..2], &half[4..6]), (&0x3c00u16.to_le_bytes()[..], &[0, 0][..]));
}

#[test]
fn half_floats_are_close_to_the_byte() {
    for value in 1..=255u8 {
        let half = texel([0, 0, value, 0], TexelLayout::RgbaHalf);
        let bits = u16::from_le_bytes([half[0], half[1]]);
        let float =
            f32::from(1024 + (bits & 0x3ff)) / 1024.0 * 2f32.powi(i32::from(bits >> 10) - 15);
        assert!((float - f32::from(value) / 255.0).abs() < 1.0 / 1024.0, "{value}: {float}");
    }
}
