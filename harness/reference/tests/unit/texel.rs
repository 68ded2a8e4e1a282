use super::*;

#[test]
fn uploads_come_back() {
    let budget = Budget::new(1 << 20);
    let data: Vec<u8> = (0..=255).collect();
    for (format, layout, bytes) in [
        (TextureFormat::Bgra, TexelLayout::Bgra8, 4),
        (TextureFormat::BgrPacked565, TexelLayout::Bgr565, 2),
        (TextureFormat::BgraPacked4444, TexelLayout::Bgra4444, 2),
        (TextureFormat::RgbaHalfFloat, TexelLayout::RgbaHalf, 8),
    ] {
        let mut texels = storage(format).texels(&budget, 256 / bytes).unwrap();
        texels.decode(layout, false, &data);
        let mut out = Vec::new();
        texels.encode(layout, &mut out);
        assert_eq!(out, data, "{format:?}");
    }
}

/// Texel layouts have the byte order of the reference [context3d.format.bgra] [context3d.format.packed565]
/// [context3d.format.packed4444] [context3d.format.half_float].
#[test]
fn layouts_are_those_of_the_reference() {
    let budget = Budget::new(1 << 20);
    let load = |format: TextureFormat, data: &[u8]| {
        let mut texels = storage(format).texels(&budget, 1).unwrap();
        texels.decode(format.layout(), format == TextureFormat::Compressed, data);
        texels.load(0)
    };
    let unit = |value: f32| value / 255.0;
    assert_eq!(load(TextureFormat::Bgra, &[1, 2, 3, 4]), [3.0, 2.0, 1.0, 4.0].map(unit));
    assert_eq!(load(TextureFormat::Compressed, &[0, 0, 255, 4]), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(load(TextureFormat::BgrPacked565, &[0x00, 0xF8]), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(
        load(TextureFormat::BgraPacked4444, &[0x34, 0x12]),
        [2.0 / 15.0, 3.0 / 15.0, 4.0 / 15.0, 1.0 / 15.0]
    );
    assert_eq!(
        load(TextureFormat::RgbaHalfFloat, &[0, 0x3C, 0, 0xC0, 0, 0, 0, 0x38]),
        [1.0, -2.0, 0.0, 0.5]
    );
}

#[test]
fn means_round_to_the_nearest() {
    let mean = |bytes: &[u8]| {
        let texels = bytes.iter().map(|byte| Rgba8([*byte; 4]));
        Rgba8::mean(texels).0[0]
    };
    assert_eq!(mean(&[0, 255, 0, 255]), 128);
    assert_eq!(mean(&[1, 1, 1, 2]), 1);
    assert_eq!(mean(&[7]), 7);
}

#[test]
fn equal_samples_are_resolved_to_themselves() {
    fn check<T: TexelFloats + std::fmt::Debug>(texels: &[T]) {
        for a in texels {
            for b in texels {
                for samples in
                    [vec![*a; 1], vec![*a; 4], vec![*a; 16], vec![*a, *b], vec![*a, *a, *a, *b]]
                {
                    let mean = T::mean(samples.iter().copied());
                    assert_eq!(resolved(&samples), mean, "{samples:?}");
                }
            }
        }
    }
    check(&[0u8, 1, 127, 254, 255].map(|value| Rgba8([value, 255 - value, value / 2, 3])));
    check(&[0u16, 1, 0x1234, 0xFFFF].map(Rgb565));
    check(&[0x3C00u16, 0x0001, 0xC123, 0x7C00].map(|half| RgbaHalf([half, 0, half, 0x3800])));
}
