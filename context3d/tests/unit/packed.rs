//! Tests of 16-bit texels.

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
