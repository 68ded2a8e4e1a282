//! Uploads of raw blocks by a host that reads ATF files itself: packets equal to those of the file, and all errors.

use context3d::enums::{BlockFormat, EnumArg, TextureFormat};
use context3d::keys::TextureKey;
use context3d::{ErrorCode, Invocation, ObjectHandle, Profile, Reply};
use molehill_testing::atf_files::{AtfSample, samples};

use crate::common::{Rig, legal};
use crate::errors::draw;
use crate::upload::{device_with, error_number, upload};

fn texture(rig: &mut Rig, sample: &AtfSample) -> ObjectHandle<TextureKey> {
    let file = sample.file();
    let format = TextureFormat::from(file.format.texture());
    let [width, height] = <[u32; 2]>::from(file.size(0)).map(|side| i32::try_from(side).unwrap());
    legal(match file.cube {
        true => rig.context.create_cube_texture(width, format, false, 0),
        false => rig.context.create_texture(width, height, format, false, 0),
    })
}

#[test]
fn blocks_are_what_a_file_of_them_is() {
    let mut compared = 0;
    for sample in [samples(false, (4, 3), 5), samples(true, (3, 3), 4)].concat() {
        let Some(format) = sample.encoding().layout().and_then(BlockFormat::of) else {
            continue;
        };
        let file = sample.file();
        // Only raw files contain whole blocks; other files store blocks in parts.
        let raw = |face, level| {
            let records = sample.records(face, level).into_iter();
            let mut present = records.filter(|record| !record.is_empty());
            present.next().filter(|_| present.next().is_none())
        };
        if raw(0, 0).is_none() {
            continue;
        }
        for (s3tc, etc2) in [(true, true), (true, false), (false, true), (false, false)] {
            let mut whole = device_with(s3tc, etc2);
            let made = texture(&mut whole, &sample);
            legal(upload(&mut whole, made, &sample.bytes(), 0));
            let mut single = device_with(s3tc, etc2);
            let made = texture(&mut single, &sample);
            for face in 0..file.faces() {
                for level in 0..file.count {
                    let blocks = raw(face, level).expect("all levels are present");
                    let side = file.cube.then(|| u32::from(face ^ 1));
                    legal(single.context.texture_upload_blocks(
                        made,
                        Some(&blocks),
                        format,
                        side,
                        level.into(),
                    ));
                }
            }
            let what = format!("{}, s3tc {s3tc}, etc2 {etc2}", sample.name());
            assert_eq!(single.packets(), whole.packets(), "{what}");
            let total = |rig: &Rig| rig.context.total_gpu_memory();
            assert_eq!(total(&single), total(&whole), "{what}");
        }
        compared += 1;
    }
    assert_eq!(compared, 28, "samples with raw blocks");
}

/// All uploads into a texture have the layout of its first upload.
#[test]
fn later_blocks_take_the_layout_of_the_first() {
    use context3d::packets::TexelLayout::{Dxt1, Etc2};
    let mut rig = device_with(true, true);
    let format = TextureFormat::Compressed;
    let texture = legal(rig.context.create_texture(4, 4, format, false, 0));
    // Every texel is the base colour 0x11, plus the smallest modifier of table 0.
    let etc = [0x11, 0x11, 0x11, 0, 0, 0, 0, 0];
    for (data, format) in [(&[0xFF; 8], BlockFormat::Dxt1), (&etc, BlockFormat::Etc2)] {
        let (side, level) = (None, 0);
        let done = rig.context.texture_upload_blocks(texture, Some(data), format, side, level);
        legal(done);
    }
    let layouts = crate::upload::uploads(&mut rig);
    assert_eq!(layouts, [(0, 0, Dxt1, 8), (0, 0, Dxt1, 8)]);
    let other = legal(rig.context.create_texture(4, 4, format, false, 0));
    legal(rig.context.texture_upload_blocks(other, Some(&etc), BlockFormat::Etc2, None, 0));
    assert_eq!(crate::upload::uploads(&mut rig), [(0, 0, Etc2, 8)]);
}

#[test]
fn every_refusal() {
    let mut rig = Rig::new(Profile::Standard, 30);
    let context = &mut rig.context;
    let (opaque, alpha) = (TextureFormat::Compressed, TextureFormat::CompressedAlpha);
    let flat = legal(context.create_texture(8, 8, opaque, false, 0));
    let with_alpha = legal(context.create_texture(8, 8, alpha, false, 0));
    let cube = legal(context.create_cube_texture(8, opaque, false, 0));
    let bgra = legal(context.create_texture(8, 8, TextureFormat::Bgra, false, 0));
    let rectangle = legal(context.create_rectangle_texture(8, 8, TextureFormat::Bgra, false));
    let video = legal(context.create_video_texture()).expect("the host shows videos");
    let gone = legal(context.create_texture(8, 8, opaque, false, 0));
    legal(context.texture_dispose(gone));
    rig.packets();
    let (dxt1, dxt5) = (EnumArg::Is(BlockFormat::Dxt1), EnumArg::Is(BlockFormat::Dxt5));
    let zeros = [0; 128];
    let bytes = |count: usize| Some(&zeros[..count]);
    for (number, texture, data, format, side, miplevel) in [
        (3694, gone, bytes(32), dxt1, None, 0),
        (2007, flat, None, dxt1, None, 0),
        (2007, flat, bytes(32), EnumArg::Null, None, 0),
        (2008, flat, bytes(32), EnumArg::Unknown("dxt3"), None, 0),
        (2004, rectangle, bytes(32), dxt1, None, 0),
        (2004, video, bytes(32), dxt1, None, 0),
        (3673, flat, bytes(32), dxt1, Some(1), 0),
        (3673, cube, bytes(32), dxt1, Some(6), 0),
        (3674, flat, bytes(8), dxt1, None, 4),
        (3674, flat, bytes(8), dxt1, None, 256),
        (3675, bgra, bytes(32), dxt1, None, 0),
        (3675, flat, bytes(64), dxt5, None, 0),
        (3675, with_alpha, bytes(32), dxt1, None, 0),
        // The data must contain all blocks of the level.
        (3669, flat, bytes(0), dxt1, None, 0),
        (3669, flat, bytes(31), dxt1, None, 0),
        (3669, flat, bytes(33), dxt1, None, 0),
        (3669, flat, bytes(64), dxt1, None, 0),
        (3669, flat, bytes(4), dxt1, None, 2),
        (3669, with_alpha, bytes(32), dxt5, None, 0),
    ] {
        let command = Invocation::TextureUploadBlocks { texture, data, format, side, miplevel };
        let raised = error_number(rig.context.execute(&command));
        assert_eq!(raised, number, "{command:?}");
        let call = command.method();
        assert!(
            call.errors.iter().any(|code| code.number() == number) || number == 3694,
            "{number} is not in the table"
        );
    }
    assert_eq!(rig.packets(), [], "a rejected call changes nothing");
    // If mip levels are missing, a draw that samples them is rejected, as after an incomplete file.
    let incomplete = ErrorCode::IncompleteTexture.number();
    for miplevel in 0..4 {
        let drawn = draw(&mut rig, flat, "miplinear");
        assert_eq!(error_number(drawn), incomplete, "before level {miplevel}");
        let command = Invocation::TextureUploadBlocks {
            texture: flat,
            data: bytes(if miplevel == 0 { 32 } else { 8 }),
            format: dxt1,
            side: None,
            miplevel,
        };
        assert_eq!(rig.context.execute(&command), Ok(Reply::Done));
        assert_eq!(draw(&mut rig, flat, "mipnone"), Ok(Reply::Done));
    }
    assert_eq!(draw(&mut rig, flat, "miplinear"), Ok(Reply::Done));
}
