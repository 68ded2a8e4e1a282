//! The texels of uploads that are decoded in the call or by another thread.

use context3d::ObjectHandle;
use context3d::arguments::{Bitmap, ByteOrder, PixelLayout};
use context3d::enums::TextureFormat;
use context3d::keys::TextureKey;
use context3d::packets::{Packet, TexelLayout};
use molehill_testing::atf_files::samples;

use super::common::{Rig, legal};
use super::{LOG, SIDE, Tasks, begin, bitmap, device, dxt, events, pixels, rig, texture, uploads};

/// For each encoding and layout, decoding in the call and on another thread leads to the same packets and events.
#[test]
fn elsewhere_decodes_to_the_same_texels() {
    let mut elsewhere = 0;
    for blocks in [true, false] {
        let mut compare = |format, begin: &dyn Fn(&mut Rig, ObjectHandle<TextureKey>)| {
            let results = [false, true].map(|later| {
                let (mut rig, tasks) = (device(blocks), Tasks::default());
                if later {
                    rig.context.set_executor(tasks.executor(usize::MAX));
                }
                let texture = texture(&mut rig, format);
                begin(&mut rig, texture);
                elsewhere += tasks.run();
                let events = events(&mut rig).into_iter().map(|(_, error)| error);
                (events.collect::<Vec<_>>(), rig.packets())
            });
            let [(here, packets), (later, others)] = results;
            assert!(here == later && packets == others, "{here:?} {later:?}");
            assert_eq!(here, [None]);
            assert!(!packets.is_empty());
        };
        for sample in samples(false, (LOG, LOG), 8) {
            let format = TextureFormat::from(sample.file().format.texture());
            compare(format, &|rig, texture| legal(begin(rig, texture, &sample.bytes())));
        }
        for format in
            [TextureFormat::Bgra, TextureFormat::Compressed, TextureFormat::CompressedAlpha]
        {
            for (side, transparent) in [(SIDE, true), (SIDE, false), (50, true), (200, false)] {
                let pixels = pixels(side);
                compare(format, &|rig, texture| {
                    let source = Some(bitmap(&pixels, side, transparent));
                    let context = &mut rig.context;
                    legal(context.texture_upload_from_bitmap_data_async(texture, source, None, 0));
                });
            }
            compare(format, &|rig, texture| {
                let padded = [&[7; 3], &*pixels(SIDE)].concat();
                let context = &mut rig.context;
                let data = Some(&*padded);
                legal(context.texture_upload_from_byte_array_async(texture, data, 3, None, 0));
            });
        }
    }
    assert!(elsewhere > 50, "{elsewhere}");
}

/// The bitmap has padded rows, and is larger than the texture.
#[test]
fn the_rows_that_show_are_copied() {
    let (mut rig, tasks) = rig();
    let target = texture(&mut rig, TextureFormat::Bgra);
    let stride = 4u32 * 130;
    let pixels: Vec<u8> = (0..stride * 200).map(|at| at.to_le_bytes()[0]).collect();
    let order = ByteOrder::Bgra;
    let layout = PixelLayout { order, straight_alpha: false, stride: Some(stride as usize) };
    let (width, height) = (129, 199);
    let source = Bitmap { width, height, transparent: true, pixels: Some(&pixels), layout };
    legal(rig.context.texture_upload_from_bitmap_data_async(target, Some(source), None, 0));
    assert_eq!((tasks.run(), events(&mut rig)), (1, vec![(target, None)]));
    let packets = rig.packets();
    let [Packet::UploadTexture { data, layout: TexelLayout::Bgra8, .. }] = &packets[..] else {
        panic!("{}", packets.len())
    };
    let rows = pixels.chunks_exact(stride as usize).take(128);
    assert!(data.chunks_exact(512).eq(rows.map(|row| &row[..512])));
}

/// Uploads that are decoded in the call: other threads wouldn't speed them up, or the next call depends on them.
#[test]
fn some_uploads_are_carried_out_in_the_call() {
    let (mut rig, tasks) = rig();
    let check = |rig: &mut Rig, texture| {
        assert_eq!((uploads(rig), tasks.take().len()), (1, 0));
        assert_eq!(events(rig), [(texture, None)]);
    };
    let bgra = texture(&mut rig, TextureFormat::Bgra);
    // BGRA pixels need no decoding.
    let all = pixels(SIDE);
    legal(rig.context.texture_upload_from_byte_array_async(bgra, Some(&all), 0, None, 0));
    check(&mut rig, bgra);
    // The upload is small.
    let small = rig.target(64, TextureFormat::Bgra);
    let of_small = pixels(64);
    let source = Some(bitmap(&of_small, 64, true));
    legal(rig.context.texture_upload_from_bitmap_data_async(small, source, None, 0));
    check(&mut rig, small);
    // The texture is the render target, and later draws must render over the upload.
    legal(rig.context.set_render_to_texture(Some(bgra), false, 0, 0, 0));
    let source = Some(bitmap(&all, SIDE, true));
    legal(rig.context.texture_upload_from_bitmap_data_async(bgra, source, None, 0));
    check(&mut rig, bgra);
    // The uncompressed texels count for the memory limit [context3d.limit.uncompressed].
    let compressed = texture(&mut rig, TextureFormat::Compressed);
    legal(rig.context.texture_upload_from_bitmap_data_async(compressed, source, None, 0));
    check(&mut rig, compressed);
    // The device supports the file's blocks, so that they need no decoding.
    let mut rig = device(true);
    rig.context.set_executor(tasks.executor(usize::MAX));
    let stored = texture(&mut rig, TextureFormat::Compressed);
    legal(begin(&mut rig, stored, &dxt()));
    check(&mut rig, stored);
}

/// If the bytes in flight exceed the limit, an upload is decoded in the call, and its event follows the earlier events.
#[test]
fn bytes_in_flight_are_bounded() {
    let (mut rig, tasks) = rig();
    let texels = 4 * (SIDE * SIDE) as usize;
    rig.context.set_executor(tasks.executor(2 * (texels + dxt().len())));
    let textures = [(); 3].map(|()| texture(&mut rig, TextureFormat::Compressed));
    for texture in textures {
        legal(begin(&mut rig, texture, &dxt()));
    }
    assert_eq!((uploads(&mut rig), events(&mut rig)), (1, vec![]));
    assert_eq!(tasks.run(), 2);
    assert_eq!(events(&mut rig), textures.map(|texture| (texture, None)));
    // Disposing a texture releases the bytes in flight of its upload.
    for texture in [textures[0], textures[0], textures[1]] {
        legal(begin(&mut rig, textures[2], &dxt()));
        assert_eq!(tasks.take().len(), 1);
        legal(rig.context.texture_dispose(texture));
        assert!(rig.context.take_texture_event_of(textures[2]).is_some());
    }
}
