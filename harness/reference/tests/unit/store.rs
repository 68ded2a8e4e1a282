use context3d::enums::TextureFormat;

use super::*;

fn desc(kind: TextureKind, levels: u8) -> TextureDesc {
    TextureDesc {
        kind,
        format: TextureFormat::Bgra,
        width: 4,
        height: 4,
        levels,
        render_target: false,
    }
}

#[test]
fn the_range_of_levels_is_what_all_faces_have() {
    let budget = Budget::new(1 << 20);
    let mut texture = RasterTexture::new(desc(TextureKind::TwoD, 3));
    let mut upload = |level, bytes| {
        let data = vec![255; bytes];
        texture.upload(&budget, (0, level), TexelLayout::Bgra8, &data).unwrap();
        texture.range
    };
    assert_eq!([upload(2, 4), upload(0, 64), upload(1, 16)], [(2, 1), (0, 1), (0, 3)]);
    let mut cube = RasterTexture::new(desc(TextureKind::Cube, 3));
    for side in 0..6 {
        assert_eq!(cube.range, (0, 0));
        cube.upload(&budget, (side, 0), TexelLayout::Bgra8, &[1; 64]).unwrap();
    }
    assert_eq!(cube.range, (0, 1));
    for side in 0..6 {
        assert_eq!(cube.range, (0, 1));
        cube.generate_mips(&budget, side, 0b110).unwrap();
    }
    assert_eq!(cube.range, (0, 3));
    assert_eq!(cube.level(5, 2).map(|texels| texels.load(0)), Some([1.0 / 255.0; 4]));
}

#[test]
fn what_does_not_belong_is_refused() {
    let budget = Budget::new(1 << 20);
    let mut texture = RasterTexture::new(desc(TextureKind::TwoD, 3));
    for (place, layout, bytes) in [
        ((0, 0), TexelLayout::Bgra8, 63),
        ((0, 3), TexelLayout::Bgra8, 4),
        ((1, 0), TexelLayout::Bgra8, 64),
        ((0, 0), TexelLayout::Bgr565, 32),
        ((0, 0), TexelLayout::Dxt1, 8),
    ] {
        let refused = texture.upload(&budget, place, layout, &vec![0; bytes]);
        assert!(matches!(refused, Err(BackendError::Driver(_))), "{place:?} {layout:?}");
    }
    let refused = texture.upload(&Budget::new(63), (0, 0), TexelLayout::Bgra8, &[0; 64]);
    assert_eq!(refused, Err(BackendError::OutOfMemory));
}
