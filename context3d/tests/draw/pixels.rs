//! Conversion of bitmaps and frames between Flash's memory layout and a host's.

use context3d::arguments::{Bitmap, BitmapPatch, ByteOrder, PixelLayout};
use context3d::backend::{FrameRead, FrameReadError};

const STRAIGHT_RGBA: PixelLayout =
    PixelLayout { order: ByteOrder::Rgba, straight_alpha: true, stride: Some(12) };

fn bitmap(pixels: &[u8], width: u32) -> Bitmap<'_> {
    let layout = STRAIGHT_RGBA;
    Bitmap { width, height: 2, transparent: true, pixels: Some(pixels), layout }
}

#[test]
fn rows_and_channels_are_put_in_order() {
    // Two pixels per row, and four bytes of padding.
    let host =
        [[255, 0, 0, 255, 0, 255, 0, 128, 9, 9, 9, 9], [1, 2, 3, 0, 10, 20, 30, 255, 9, 9, 9, 9]]
            .concat();
    let flash = PixelLayout::default();
    let bgra = bitmap(&host, 2).to_layout(flash).expect("enough memory");
    assert_eq!(bgra, [0, 0, 255, 255, 0, 128, 0, 128, 0, 0, 0, 0, 30, 20, 10, 255]);
    assert!(bitmap(&host[..20], 2).to_layout(flash).is_some(), "the last row has no padding");
    assert_eq!(bitmap(&host[..19], 2).to_layout(flash), None);
    assert_eq!(bitmap(&[0; 99], 4).to_layout(flash), None, "rows overlap");
    let patch = BitmapPatch { x: 0, y: 0, width: 2, height: 2, bgra };
    let mut back = host.clone();
    patch.write_to(&mut back, 2, STRAIGHT_RGBA);
    let transparent = [0, 0, 0, 0];
    assert_eq!(back[..12], host[..12]);
    assert_eq!((&back[12..16], &back[16..]), (&transparent[..], &host[16..]));
}

#[test]
fn a_patch_stays_inside_the_bitmap() {
    let patch = BitmapPatch { x: 1, y: 1, width: 2, height: 2, bgra: (0..16).collect() };
    let mut bitmap = vec![0xEE; 16];
    patch.write_to(&mut bitmap, 2, PixelLayout::default());
    assert_eq!(bitmap[..12], [0xEE; 12]);
    assert_eq!(bitmap[12..], [0, 1, 2, 3]);
}

#[test]
fn rows_of_a_frame_lie_as_the_host_says() {
    let rgba = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
    let layout =
        |order, stride, bottom_up| FrameRead { order, stride, bottom_up, ..FrameRead::ALL };
    let mut out = [0; 18];
    let turned = layout(ByteOrder::Bgra, 10, true);
    assert_eq!(turned.arrange(&rgba, (2, 2), &mut out), Ok(()));
    let expected = [11, 10, 9, 12, 15, 14, 13, 16, 0, 0, 3, 2, 1, 4, 7, 6, 5, 8];
    assert_eq!(out, expected);
    let plain = layout(ByteOrder::Rgba, 8, false);
    for plain in [plain, layout(ByteOrder::Rgba, 0, false)] {
        out.fill(7);
        assert_eq!(plain.arrange(&rgba, (2, 2), &mut out[..16]), Ok(()));
        assert_eq!(out[..16], rgba);
    }
    for (layout, bytes, needed) in [
        (turned, 17, 18),
        (layout(ByteOrder::Rgba, 7, false), 18, 16),
        (layout(ByteOrder::Rgba, usize::MAX, false), 18, usize::MAX),
    ] {
        let result = layout.arrange(&rgba, (2, 2), &mut out[..bytes]);
        assert_eq!(result, Err(FrameReadError::Memory { width: 2, height: 2, needed }));
    }
    assert_eq!(plain.arrange(&[], (0, 5), &mut []), Ok(()));
}
