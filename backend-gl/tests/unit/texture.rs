//! Tests the conversion of uploaded texels.

use super::{TexelConversion, convert_texels};

#[test]
fn rewrites() {
    assert_eq!(
        *convert_texels(TexelConversion::SwapRedBlue, &[1, 2, 3, 4, 5, 6, 7, 8]),
        [3, 2, 1, 4, 7, 6, 5, 8]
    );
    // The channels are A = 0x1, R = 0x2, G = 0x3, B = 0x4.
    assert_eq!(
        *convert_texels(TexelConversion::Expand4444, &[0x34, 0x12]),
        [0x22, 0x33, 0x44, 0x11]
    );
    assert_eq!(
        *convert_texels(TexelConversion::DropAlpha, &[1, 2, 3, 4, 5, 6, 7, 8]),
        [3, 2, 1, 7, 6, 5]
    );
    assert_eq!(*convert_texels(TexelConversion::AsIs, &[9]), [9]);
}
