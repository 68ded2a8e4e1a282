//! Tests conversions of texels.

use context3d::packets::TexelLayout;

use super::pack;

#[test]
fn packed_texels_come_back() {
    for texel in [0u16, 0xFFFF, 0x1234, 0xABCD, 0x8001] {
        let expand = |shift: u32, bits: u32| {
            let most = (1u32 << bits) - 1;
            let value = u32::from(texel) >> shift & most;
            u8::try_from((value * 255 + most / 2) / most).expect("a byte")
        };
        let mut pixel = vec![expand(11, 5), expand(5, 6), expand(0, 5), 255];
        pack(TexelLayout::Bgr565, &mut pixel);
        assert_eq!(pixel, texel.to_le_bytes());
        let mut pixel = vec![expand(8, 4), expand(4, 4), expand(0, 4), expand(12, 4)];
        pack(TexelLayout::Bgra4444, &mut pixel);
        assert_eq!(pixel, texel.to_le_bytes());
    }
}
