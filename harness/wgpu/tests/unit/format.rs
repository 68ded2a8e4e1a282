use super::*;
use context3d::enums::TextureFormat as Format;
use context3d::packets::TextureKind;

fn storage(format: Format, layout: TexelLayout, side: u32) -> StorageFormat {
    let (kind, levels) = (TextureKind::TwoD, 1);
    let desc =
        TextureDesc { kind, format, width: side, height: side, levels, render_target: false };
    StorageFormat::of(&desc, layout)
}

#[test]
fn texels_of_16_bits_come_back_as_they_were() {
    let layouts = [
        (Format::BgrPacked565, TexelLayout::Bgr565),
        (Format::BgraPacked4444, TexelLayout::Bgra4444),
    ];
    for (format, layout) in layouts {
        let storage = storage(format, layout, 256);
        let texels: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
        let mut stored = storage.store((256, 256), &texels).into_owned();
        assert_eq!(stored.len(), texels.len() * 2);
        storage.unstore(&mut stored);
        assert!(stored == texels, "{layout:?}");
    }
}

#[test]
fn formats_without_alpha_store_one() {
    for (format, layout) in
        [(Format::BgrPacked565, TexelLayout::Bgr565), (Format::Compressed, TexelLayout::Bgra8)]
    {
        let storage = storage(format, layout, 4);
        let stored = storage.store((4, 4), &[0; 64]).into_owned();
        assert!(
            storage.opaque
                && stored.as_chunks::<4>().0.iter().all(|texel| *texel == [0, 0, 0, 255])
        );
    }
}

#[test]
fn blocks_that_are_not_whole_are_decoded() {
    let whole = storage(Format::Compressed, TexelLayout::Dxt1, 4);
    assert!(whole.has_blocks() && whole.opaque_in_shader && !whole.opaque);
    let part = storage(Format::Compressed, TexelLayout::Dxt1, 2);
    assert!(!part.has_blocks() && part.opaque && !part.opaque_in_shader);
    // All texels select the block's fourth colour, which is transparent black in DXT1 and opaque black in Flash.
    let stored = part.store((2, 2), &[0, 0, 1, 0, 255, 255, 255, 255]).into_owned();
    assert_eq!(stored, [0, 0, 0, 255].repeat(4));
}
