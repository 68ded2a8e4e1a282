//! `uploadCompressedTextureFromByteArray`: packets for the backend, and the order of errors.

use atf::AtfFormat;
use context3d::arguments::Bitmap;
use context3d::enums::TextureFormat;
use context3d::keys::TextureKey;
use context3d::packets::{Packet, TexelLayout};
use context3d::{Error, ErrorCode, Invocation, ObjectHandle, Profile, Reply, TextureEvent};

use crate::common::{Rig, TEXTURED, legal};
use molehill_testing::atf_files::{AtfSpec, dxt1, dxt5};

pub(crate) fn upload(
    rig: &mut Rig,
    texture: ObjectHandle<TextureKey>,
    data: &[u8],
    offset: u32,
) -> Result<Reply, Error> {
    rig.context.execute(&Invocation::TextureUploadCompressedFromByteArray {
        texture,
        data: Some(data),
        byte_array_offset: offset,
        is_async: false,
    })
}

pub(crate) fn error_number(result: Result<Reply, Error>) -> u16 {
    match result {
        Err(Error::Flash(error)) => error.number(),
        other => panic!("{other:?}"),
    }
}

/// Returns side, level, layout and length of every upload since the last call.
pub(crate) fn uploads(rig: &mut Rig) -> Vec<(u8, u8, TexelLayout, usize)> {
    let upload = |packet: &Packet<'_>| match packet {
        Packet::UploadTexture { side, level, layout, data, .. } => {
            Some((*side, *level, *layout, data.len()))
        }
        _ => None,
    };
    rig.packets().iter().filter_map(upload).collect()
}

pub(crate) fn device(s3tc: bool) -> Rig {
    device_with(s3tc, false)
}

pub(crate) fn device_with(s3tc: bool, etc2: bool) -> Rig {
    Rig::with_caps(Profile::Baseline, |caps| {
        (caps.s3tc, caps.etc2) = (s3tc, etc2);
    })
}

pub(crate) fn raw_records(file: &AtfSpec, level: u8) -> Vec<Vec<u8>> {
    let blocks = file.blocks(level);
    let dxt = match file.format {
        AtfFormat::RawCompressed => dxt1(0x1234).repeat(blocks),
        _ => dxt5(0x1234, 77).repeat(blocks),
    };
    vec![dxt, vec![], vec![]]
}

#[test]
fn blocks_go_as_they_are_or_decoded() {
    for (format, texture_format, layout, bytes) in [
        (AtfFormat::RawCompressed, TextureFormat::Compressed, TexelLayout::Dxt1, 8),
        (AtfFormat::RawCompressedAlpha, TextureFormat::CompressedAlpha, TexelLayout::Dxt5, 16),
    ] {
        let file = AtfSpec { format, ..AtfSpec::raw((3, 2), 4) };
        let data = file.write(|_, level| raw_records(&file, level));
        let mut rig = device(true);
        let texture = legal(rig.context.create_texture(8, 4, texture_format, false, 0));
        legal(upload(&mut rig, texture, &data, 0));
        assert_eq!(
            uploads(&mut rig),
            [
                (0, 0, layout, 2 * bytes),
                (0, 1, layout, bytes),
                (0, 2, layout, bytes),
                (0, 3, layout, bytes)
            ]
        );
        let mut rig = device(false);
        let texture = legal(rig.context.create_texture(8, 4, texture_format, false, 0));
        legal(upload(&mut rig, texture, &data, 0));
        let bgra = TexelLayout::Bgra8;
        assert_eq!(
            uploads(&mut rig),
            [(0, 0, bgra, 128), (0, 1, bgra, 32), (0, 2, bgra, 8), (0, 3, bgra, 4)]
        );
    }
}

/// A device receives the best encoding that it supports unchanged, or else the best encoding, decoded
/// (`LevelEncoding::BY_QUALITY`). [atf.encoding.choice]
#[test]
fn the_best_encoding_for_the_device() {
    use TexelLayout::{Bgra8, Dxt1, Dxt5, Etc2, Etc2Eac};
    let etc = [0x11, 0x11, 0x11, 0, 0, 0, 0, 0].to_vec();
    let dxt = dxt1(0xffff).to_vec();
    // A PVRTC block with two equal, opaque colours.
    let pvrtc = [0, 0, 0, 0, 0x84, 0x90, 0x84, 0x90].repeat(4);
    let eac = [[0x55, 0, 0, 0, 0, 0, 0, 0].to_vec(), etc.clone()].concat();
    let dxt_5 = dxt5(0xffff, 0x55).to_vec();
    let none = Vec::new();
    let opaque = |records: [&Vec<u8>; 4]| (AtfFormat::RawCompressed, records.map(Vec::clone));
    let alpha = |records: [&Vec<u8>; 4]| (AtfFormat::RawCompressedAlpha, records.map(Vec::clone));
    let twice = etc.repeat(2);
    // Each file, with its uploads to devices with S3TC and ETC2, with S3TC, with ETC2, and with neither.
    let cases = [
        (opaque([&dxt, &pvrtc, &etc, &etc]), [Dxt1, Dxt1, Etc2, Bgra8]),
        (opaque([&dxt, &pvrtc, &etc, &none]), [Dxt1, Dxt1, Etc2, Bgra8]),
        (opaque([&dxt, &none, &none, &none]), [Dxt1, Dxt1, Bgra8, Bgra8]),
        (opaque([&none, &none, &etc, &none]), [Etc2, Bgra8, Etc2, Bgra8]),
        (opaque([&none, &pvrtc, &none, &none]), [Bgra8; 4]),
        (alpha([&dxt_5, &pvrtc, &twice, &eac]), [Dxt5, Dxt5, Etc2Eac, Bgra8]),
        (alpha([&none, &none, &twice, &eac]), [Etc2Eac, Bgra8, Etc2Eac, Bgra8]),
        (alpha([&none, &none, &twice, &none]), [Bgra8; 4]),
    ];
    let devices = [(true, true), (true, false), (false, true), (false, false)];
    for ((format, records), layouts) in cases {
        let file = AtfSpec { version: 3, format, ..AtfSpec::raw((2, 2), 1) };
        let data = file.write(|_, _| records.to_vec());
        for ((s3tc, has_etc2), layout) in devices.into_iter().zip(layouts) {
            let mut rig = device_with(s3tc, has_etc2);
            let texture = legal(rig.context.create_texture(
                4,
                4,
                TextureFormat::from(format.texture()),
                false,
                0,
            ));
            legal(upload(&mut rig, texture, &data, 0));
            let expected = [(0, 0, layout, layout.bytes(4, 4))];
            assert_eq!(uploads(&mut rig), expected, "{records:?}, {s3tc}, {has_etc2}");
        }
    }
}

/// If a level lacks the first level's encoding, another encoding is decoded and converted to the first level's layout.
#[test]
fn levels_with_other_encodings() {
    let file = AtfSpec::raw((3, 3), 4);
    let etc = |level| [0x66, 0x66, 0x66, 0, 0, 0, 0, 0].repeat(file.blocks(level));
    let data = file.write(|_, level| match level {
        0 | 2 => raw_records(&file, level),
        _ => vec![vec![], vec![], etc(level)],
    });
    for (s3tc, etc2, layout) in [
        (true, true, TexelLayout::Dxt1),
        (false, true, TexelLayout::Bgra8),
        (false, false, TexelLayout::Bgra8),
    ] {
        let mut rig = device_with(s3tc, etc2);
        let texture = legal(rig.context.create_texture(8, 8, TextureFormat::Compressed, false, 0));
        legal(upload(&mut rig, texture, &data, 0));
        let found = uploads(&mut rig);
        assert_eq!(found.len(), 4);
        for (level, upload) in (0u8..).zip(found) {
            let side = 8 >> level;
            assert_eq!(upload, (0, level, layout, layout.bytes(side, side)));
        }
    }
}

/// [atf.face.order] [atf.face.mirror]
#[test]
fn cubes_in_the_order_of_the_api() {
    let file = AtfSpec { cube: true, ..AtfSpec::raw((2, 2), 3) };
    let data = file.write(|_, level| raw_records(&file, level));
    let mut rig = device(true);
    let cube = rig.context.create_cube_texture(4, TextureFormat::Compressed, false, 0);
    let cube = legal(cube);
    legal(upload(&mut rig, cube, &data, 0));
    let places: Vec<(u8, u8)> = uploads(&mut rig).iter().map(|u| (u.0, u.1)).collect();
    let sides = [1u8, 0, 3, 2, 5, 4];
    let expected = sides.iter().flat_map(|side| (0..3).map(|level| (*side, level)));
    assert_eq!(places, expected.collect::<Vec<_>>());
}

/// All uploads into a texture have the layout of its first upload: bitmaps are encoded, or blocks are decoded.
/// [atf.encoding.choice]
#[test]
fn bitmaps_and_files_mix() {
    let file = AtfSpec::raw((2, 2), 1);
    let data = file.write(|_, level| raw_records(&file, level));
    let texels = [10, 20, 30, 255].repeat(16);
    let bitmap = Bitmap {
        width: 4,
        height: 4,
        transparent: false,
        layout: context3d::arguments::PixelLayout::default(),
        pixels: Some(&texels),
    };
    let mut rig = device(true);
    let texture = legal(rig.context.create_texture(4, 4, TextureFormat::Compressed, false, 0));
    legal(upload(&mut rig, texture, &data, 0));
    legal(rig.context.texture_upload_from_bitmap_data(texture, Some(bitmap), None, 1));
    legal(rig.context.texture_upload_from_byte_array(texture, Some(&texels), 0, None, 0));
    let dxt1 = TexelLayout::Dxt1;
    assert_eq!(uploads(&mut rig), [(0, 0, dxt1, 8), (0, 1, dxt1, 8), (0, 0, dxt1, 8)]);

    let etc = [0x66, 0x66, 0x66, 0, 0, 0, 0, 0].to_vec();
    let etc = file.write(|_, _| vec![vec![], vec![], etc.clone()]);
    let mut rig = device_with(false, true);
    let texture = legal(rig.context.create_texture(4, 4, TextureFormat::Compressed, false, 0));
    legal(upload(&mut rig, texture, &etc, 0));
    legal(rig.context.texture_upload_from_bitmap_data(texture, Some(bitmap), None, 1));
    legal(upload(&mut rig, texture, &data, 0));
    let etc2 = TexelLayout::Etc2;
    assert_eq!(uploads(&mut rig), [(0, 0, etc2, 8), (0, 1, etc2, 8), (0, 0, etc2, 8)]);

    // "Run-time compression" encodes bitmaps if the device supports the blocks.
    for (s3tc, etc2, layout, bytes) in
        [(true, true, dxt1, 8), (false, true, etc2, 8), (false, false, TexelLayout::Bgra8, 64)]
    {
        let mut rig = device_with(s3tc, etc2);
        let texture = legal(rig.context.create_texture(4, 4, TextureFormat::Compressed, false, 0));
        legal(rig.context.texture_upload_from_byte_array(texture, Some(&texels), 0, None, 0));
        legal(upload(&mut rig, texture, &data, 0));
        assert_eq!(uploads(&mut rig), [(0, 0, layout, bytes); 2]);
    }
}

#[test]
fn the_offset_is_where_the_file_begins() {
    let file = AtfSpec::raw((2, 2), 3);
    let mut data = vec![0; 5];
    data.extend(file.write(|_, level| raw_records(&file, level)));
    data.push(0);
    let mut rig = device(true);
    let texture = legal(rig.context.create_texture(4, 4, TextureFormat::Compressed, false, 0));
    legal(upload(&mut rig, texture, &data, 5));
    assert_eq!(uploads(&mut rig).len(), 3);
    assert_eq!(error_number(upload(&mut rig, texture, &data, 4)), 3677);
    let length = u32::try_from(data.len()).unwrap();
    for offset in [length - 5, length, length + 1, u32::MAX] {
        assert_eq!(error_number(upload(&mut rig, texture, &data, offset)), 3669);
    }
}

#[test]
fn an_asynchronous_upload_announces_itself() {
    let file = AtfSpec::raw((2, 2), 3);
    let data = file.write(|_, level| raw_records(&file, level));
    let mut rig = device(true);
    let fragment = TEXTURED.1.replace("<2d", "<2d,dxt1");
    rig.use_program((TEXTURED.0, &fragment), 1);
    let texture = legal(rig.context.create_texture(4, 4, TextureFormat::Compressed, false, 0));
    legal(rig.context.set_texture_at(0, Some(texture)));
    let upload = |rig: &mut Rig, data: &[u8]| {
        let uploaded =
            rig.context.texture_upload_compressed_from_byte_array(texture, Some(data), 0, true);
        uploaded.map(|()| Reply::Done)
    };
    assert_eq!(error_number(upload(&mut rig, &data[..20])), 3669);
    assert_eq!(rig.context.take_texture_event(), None);
    assert_eq!(legal(rig.draw()), Reply::Skipped(ErrorCode::IncompleteTexture), "nothing uploaded");
    rig.packets();
    legal(upload(&mut rig, &data));
    assert_eq!(uploads(&mut rig).len(), 3);
    assert_eq!(legal(rig.draw()), Reply::Skipped(ErrorCode::IncompleteTexture), "still running");
    assert!(upload(&mut rig, &data).is_err(), "still running");
    let notice = rig.context.take_texture_event();
    let ready = TextureEvent { texture, user_data: 0, error: None };
    assert_eq!(notice, Some(ready));
    assert_eq!(legal(rig.draw()), Reply::Done);
    legal(upload(&mut rig, &data));
    // The event of a disposed texture is not dispatched.
    legal(rig.context.texture_dispose(texture));
    assert_eq!(rig.context.take_texture_event(), None);
}
