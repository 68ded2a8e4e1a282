//! Errors of ATF uploads and their order. A rejected call changes nothing.

use atf::AtfFormat;
use context3d::backend::BackendError;
use context3d::enums::TextureFormat;
use context3d::keys::TextureKey;
use context3d::{Error, Invocation, ObjectHandle, Profile, Reply, TextureEvent};

use crate::common::{Rig, TEXTURED, legal};
use crate::upload::{device, error_number, raw_records, upload, uploads};
use molehill_testing::atf_files::{AtfSpec, dxt1, jxr, lzma};

const FORMATS: [TextureFormat; 6] = [
    TextureFormat::Bgra,
    TextureFormat::BgrPacked565,
    TextureFormat::BgraPacked4444,
    TextureFormat::Compressed,
    TextureFormat::CompressedAlpha,
    TextureFormat::RgbaHalfFloat,
];

const SIZE: &str = "RangeError: Error #3669: Bad input size.";
const LEVEL: &str = "ArgumentError: Error #3674: Miplevel too large.";
const FORMAT: &str = "ArgumentError: Error #3675: Texture format mismatch.";
const DECODING: &str = "ArgumentError: Error #3677: Texture decoding failed. Internal error.";
const SQUARE: &str = "ArgumentError: Error #3678: Texture needs to be square.";
const MISMATCH: &str = "ArgumentError: Error #3679: Texture size does not match.";

#[track_caller]
fn raised(result: Result<Reply, Error>) -> String {
    match result {
        Err(Error::Flash(error)) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

fn compressed(rig: &mut Rig) -> ObjectHandle<TextureKey> {
    let texture = legal(rig.context.create_texture(8, 8, TextureFormat::Compressed, false, 0));
    rig.packets();
    texture
}

/// Returns the result of a draw that samples the texture, with or without mip mapping.
pub(crate) fn draw(
    rig: &mut Rig,
    texture: ObjectHandle<TextureKey>,
    mip: &str,
) -> Result<Reply, Error> {
    let fragment = TEXTURED.1.replace("<2d", "<2d,dxt1").replace("mipnone", mip);
    rig.use_program((TEXTURED.0, &fragment), 1);
    legal(rig.context.set_error_checking(true));
    legal(rig.context.clear(0.0, 0.0, 0.0, 0.0, 1.0, 0, u32::MAX));
    legal(rig.context.set_texture_at(0, Some(texture)));
    rig.draw()
}

/// The cases are in the order of the checks: the first failing check determines the error [context3d.order.atf]
/// [context3d.order.atf_rest]. [atf.error.overrun]
#[test]
fn errors_in_order() {
    let mut rig = device(true);
    let texture = compressed(&mut rig);
    let base = AtfSpec::raw((3, 3), 4);
    let mut try_file = |file: &AtfSpec, change: &dyn Fn(&mut Vec<u8>)| {
        let mut data = file.write(|_, level| raw_records(file, level));
        change(&mut data);
        raised(upload(&mut rig, texture, &data, 0))
    };
    let cut = |data: &mut Vec<u8>| {
        data.pop();
    };
    assert_eq!(try_file(&base, &|data| data.truncate(5)), SIZE);
    assert_eq!(try_file(&base, &|data| data[0] = b'B'), DECODING);
    let newest = AtfSpec { version: 3, ..base };
    assert_eq!(try_file(&newest, &|data| data[7] = 9), DECODING);
    let mut wrong = AtfSpec {
        cube: true,
        format: AtfFormat::RawCompressedAlpha,
        log: (4, 3),
        count: 5,
        ..base
    };
    assert_eq!(try_file(&wrong, &cut), SQUARE, "cube not square");
    wrong.log = (4, 4);
    assert_eq!(try_file(&wrong, &cut), MISMATCH, "size before format and cube");
    wrong.log = (3, 3);
    assert_eq!(try_file(&wrong, &cut), FORMAT, "format and cube before levels");
    wrong.format = AtfFormat::RawCompressed;
    assert_eq!(try_file(&wrong, &cut), FORMAT, "cube");
    wrong.cube = false;
    assert_eq!(try_file(&wrong, &cut), LEVEL, "levels before the length");
    wrong.count = 4;
    assert_eq!(try_file(&wrong, &cut), SIZE, "truncated");
    // A record extends past the uploaded data in the first case, and only past the header's file length in the second.
    assert_eq!(try_file(&base, &|data| data[10] = 1), SIZE);
    let leaves_the_file = |data: &mut Vec<u8>| {
        data[10] = 1;
        data.resize(1 << 17, 0);
    };
    assert_eq!(try_file(&base, &leaves_the_file), DECODING);
    assert_eq!(uploads(&mut rig), [], "a damaged file changes nothing");
}

/// Errors of the call's other arguments precede errors of the file.
#[test]
fn other_arguments() {
    let mut rig = device(true);
    let texture = compressed(&mut rig);
    let mut call = |texture, data| {
        let upload = Invocation::TextureUploadCompressedFromByteArray {
            texture,
            data,
            byte_array_offset: 9,
            is_async: false,
        };
        raised(rig.context.execute(&upload))
    };
    let null = "TypeError: Error #2007: Parameter data must be non-null.";
    assert_eq!(call(texture, None), null);
    assert_eq!(call(texture, Some(b"ATF")), SIZE);
    let rectangle = rig.context.create_rectangle_texture(8, 8, TextureFormat::Bgra, false);
    let rectangle = legal(rectangle);
    let none = upload(&mut rig, rectangle, b"ATF", 0);
    assert!(none.is_err(), "a rectangle texture has no such method");
    legal(rig.context.texture_dispose(texture));
    let gone = "Error: Error #3694: The object was disposed by an earlier call of dispose() on it.";
    assert_eq!(raised(upload(&mut rig, texture, b"ATF", 0)), gone);
}

/// Each version of ATF requires an SWF version [atf.version.2] [atf.version.1]. [context3d.swf.29]
#[test]
fn versions_by_swf_version() {
    for (version, swf, taken) in
        [(0, 13, true), (1, 13, true), (2, 20, false), (2, 21, true), (3, 28, false), (3, 29, true)]
    {
        let file = AtfSpec { version, ..AtfSpec::raw((3, 3), 1) };
        let mut rig = Rig::new(Profile::Baseline, swf);
        let texture = compressed(&mut rig);
        // The newest ATF version has an additional record.
        let data = file.write(|_, level| {
            let mut records = raw_records(&file, level);
            records.resize(if version == 3 { 4 } else { 3 }, Vec::new());
            records
        });
        let result = upload(&mut rig, texture, &data, 0);
        match taken {
            true => assert_eq!(result, Ok(Reply::Done), "{version}, {swf}"),
            false => assert_eq!(raised(result), DECODING, "{version}, {swf}"),
        }
    }
}

/// Only textures of the file's format and class accept the file; other textures raise 3675. [atf.format.codes]
/// [context3d.error.3675]
#[test]
fn formats_and_kinds() {
    let mut taken = 0;
    for format in AtfFormat::ALL.iter().copied() {
        for (texture_format, cube, cube_texture) in FORMATS
            .into_iter()
            .flat_map(|format| [(format, false), (format, true)])
            .flat_map(|(format, cube)| [(format, cube, false), (format, cube, true)])
        {
            let mut rig = Rig::new(Profile::StandardExtended, 50);
            let texture = legal(match cube_texture {
                true => rig.context.create_cube_texture(8, texture_format, false, 0),
                false => rig.context.create_texture(8, 8, texture_format, false, 0),
            });
            rig.packets();
            let file = AtfSpec { format, cube, ..AtfSpec::raw((3, 3), 4) };
            // Empty records suffice, because the file is rejected before they are read.
            let records = match format {
                AtfFormat::Rgb888 | AtfFormat::Rgba8888 => 1,
                AtfFormat::RawCompressed | AtfFormat::RawCompressedAlpha => 3,
                AtfFormat::Compressed | AtfFormat::CompressedLossy => 8,
                AtfFormat::CompressedAlpha | AtfFormat::CompressedAlphaLossy => 10,
            };
            let data = file.write(|_, _| vec![Vec::new(); records]);
            let result = upload(&mut rig, texture, &data, 0);
            let what = format!("{format:?} in {texture_format:?}, {cube} in {cube_texture}");
            let fits = texture_format == format.texture().into() && cube == cube_texture;
            match fits {
                true => assert_eq!(result, Ok(Reply::Done), "{what}"),
                false => assert_eq!(raised(result), FORMAT, "{what}"),
            }
            taken += u32::from(fits);
            assert_eq!(uploads(&mut rig), [], "{what}");
        }
    }
    assert_eq!(taken, 16);
}

/// [atf.format.levels] [atf.format.sides]
#[test]
fn sizes_and_levels() {
    let mut rig = device(true);
    let texture = legal(rig.context.create_texture(8, 32, TextureFormat::Compressed, false, 0));
    rig.packets();
    let mut number = |log, count| {
        let file = AtfSpec::raw(log, count);
        let data = file.write(|_, level| raw_records(&file, level));
        upload(&mut rig, texture, &data, 0).map_err(|error| error.to_string())
    };
    for (log, count, expected) in [
        ((3, 5), 6, None),
        ((3, 5), 1, None),
        ((3, 5), 7, Some(LEVEL)),
        ((5, 3), 6, Some(MISMATCH)),
        ((3, 4), 5, Some(MISMATCH)),
        ((2, 5), 6, Some(MISMATCH)),
        ((3, 6), 7, Some(MISMATCH)),
    ] {
        let found = number(log, count).err();
        assert_eq!(found.as_deref(), expected, "{log:?}, {count}");
    }
}

/// Missing data raises 3669 at any position, and the texture keeps its content.
/// [atf.error.truncated]
#[test]
fn every_truncation() {
    let file = AtfSpec::raw((3, 3), 4);
    let data = file.write(|_, level| raw_records(&file, level));
    for version in [0, 2] {
        let file = AtfSpec { version, ..file };
        let data = file.write(|_, level| raw_records(&file, level));
        let mut rig = device(true);
        let texture = compressed(&mut rig);
        for length in 0..data.len() {
            let result = upload(&mut rig, texture, &data[..length], 0);
            assert_eq!(raised(result), SIZE, "{length} of {}", data.len());
        }
        assert_eq!(uploads(&mut rig), []);
    }
    // After an upload of invalid data raised an error, draws with the texture succeed as before.
    let mut rig = device(true);
    let texture = compressed(&mut rig);
    legal(upload(&mut rig, texture, &data, 0));
    assert_eq!(draw(&mut rig, texture, "miplinear"), Ok(Reply::Done));
    rig.packets();
    assert_eq!(raised(upload(&mut rig, texture, &data[..30], 0)), SIZE);
    assert_eq!(uploads(&mut rig), []);
    assert_eq!(draw(&mut rig, texture, "miplinear"), Ok(Reply::Done));
}

/// Blocks for another size, and parts whose LZMA record or JPEG-XR image doesn't fit the level. An error in the last
/// level prevents the upload of all levels. [atf.error.partial]
#[test]
fn damage_in_the_last_level() {
    let raw = AtfSpec::raw((2, 2), 3);
    let parts = AtfSpec { format: AtfFormat::Compressed, ..raw };
    let picture = |word| jxr::words565((1, 2), |_, _| word);
    let good = vec![lzma(&[0; 4]), picture(7)];
    let wrong_parts = [
        vec![lzma(&[0; 3]), picture(7)],
        vec![vec![], picture(7)],
        vec![vec![1; 9], picture(7)],
        vec![lzma(&[0; 4]), vec![]],
        vec![lzma(&[0; 4]), jxr::words565((1, 1), |_, _| 7)],
        vec![lzma(&[0; 4]), jxr::words565((2, 2), |_, _| 7)],
        vec![lzma(&[0; 4]), jxr::gray((1, 2), |_, _| 7)],
        vec![lzma(&[0; 4]), picture(7)[..90].to_vec()],
    ];
    let mut cases = Vec::new();
    for mut last in wrong_parts {
        last.resize(8, Vec::new());
        cases.push(parts.write(|_, level| match level {
            2 => last.clone(),
            _ => [good.clone(), vec![Vec::new(); 6]].concat(),
        }));
    }
    for length in [1, 7, 9, 16] {
        cases.push(raw.write(|_, level| match level {
            2 => vec![vec![0; length], vec![], vec![]],
            _ => vec![dxt1(7).to_vec(), vec![], vec![]],
        }));
    }
    let mut rig = device(true);
    let texture = legal(rig.context.create_texture(4, 4, TextureFormat::Compressed, false, 0));
    rig.packets();
    let whole = parts.write(|_, _| [good.clone(), vec![Vec::new(); 6]].concat());
    for data in &cases {
        assert_eq!(raised(upload(&mut rig, texture, data, 0)), DECODING);
        assert_eq!(uploads(&mut rig), []);
    }
    legal(upload(&mut rig, texture, &whole, 0));
    assert_eq!(uploads(&mut rig).len(), 3);
    // An asynchronous upload of a damaged file reports the error by an event, and uploads no level.
    for data in &cases {
        legal(rig.context.texture_upload_compressed_from_byte_array(texture, Some(data), 0, true));
        assert_eq!(uploads(&mut rig), []);
        let Some(TextureEvent { texture: failed, error: Some(error), .. }) =
            rig.context.take_texture_event()
        else {
            panic!("no notice of the failure");
        };
        assert_eq!((failed, error.number()), (texture, 3790));
        assert_eq!(rig.context.take_texture_event(), None);
    }
}

/// Errors of the header are also raised by asynchronous uploads, without an event.
/// [context3d.upload.async_errors]
#[test]
fn asynchronous_uploads_check_the_header_at_once() {
    let mut rig = device(true);
    let texture = compressed(&mut rig);
    let good = AtfSpec::raw((3, 3), 4);
    let cube = AtfSpec { cube: true, ..good };
    let alpha = AtfSpec { format: AtfFormat::RawCompressedAlpha, ..good };
    for (file, expected) in [(AtfSpec::raw((2, 3), 1), MISMATCH), (cube, FORMAT), (alpha, FORMAT)] {
        let data = file.write(|_, level| raw_records(&file, level));
        let uploaded =
            rig.context.texture_upload_compressed_from_byte_array(texture, Some(&data), 0, true);
        assert_eq!(raised(uploaded.map(|()| Reply::Done)), expected);
        assert_eq!(rig.context.take_texture_event(), None);
    }
    // An asynchronous upload reports by an event that the device is out of memory; a synchronous one raises it.
    let data = good.write(|_, level| raw_records(&good, level));
    rig.context.backend_mut().fail_next(BackendError::OutOfMemory);
    assert_eq!(error_number(upload(&mut rig, texture, &data, 0)), 3684);
    rig.context.backend_mut().fail_next(BackendError::OutOfMemory);
    let uploaded =
        rig.context.texture_upload_compressed_from_byte_array(texture, Some(&data), 0, true);
    legal(uploaded);
    let notice = rig.context.take_texture_event();
    assert!(
        matches!(notice, Some(TextureEvent { texture: failed, error: Some(_), .. }) if failed == texture)
    );
}

/// Draws with mip mapping need every level; draws without need only level 0 [context3d.level.complete].
#[test]
fn files_with_few_levels() {
    let incomplete = 3700;
    let all = AtfSpec::raw((3, 3), 4);
    let flagged = |flags| AtfSpec { version: 2, flags, ..all };
    for (what, file, absent, mapped, unmapped) in [
        ("whole", all, None, None, None),
        ("one level", AtfSpec::raw((3, 3), 1), None, Some(incomplete), None),
        ("without the smallest", AtfSpec::raw((3, 3), 3), None, Some(incomplete), None),
        ("only level 0 has data", flagged(1), None, Some(incomplete), None),
        ("two levels are packaged", flagged(2 << 1), None, Some(incomplete), None),
        ("an empty level", all, Some(2), Some(incomplete), None),
        ("an empty level 0", all, Some(0), Some(incomplete), Some(incomplete)),
    ] {
        let data = file.write(|_, level| match absent {
            Some(absent) if absent == level => vec![vec![]; 3],
            _ => raw_records(&file, level),
        });
        let mut rig = device(true);
        let texture = compressed(&mut rig);
        legal(upload(&mut rig, texture, &data, 0));
        for (mip, expected) in [("miplinear", mapped), ("mipnone", unmapped)] {
            let number = draw(&mut rig, texture, mip).err().map(|error| match error {
                Error::Flash(error) => error.number(),
                other => panic!("{other}"),
            });
            assert_eq!(number, expected, "{what}, {mip}");
        }
    }
}

/// The largest levels of a streaming texture may be missing; a later file adds them.
#[test]
fn streaming_levels() {
    let file = AtfSpec::raw((4, 4), 5);
    let part = |first: u8| {
        file.write(|_, level| match level < first {
            true => vec![vec![]; 3],
            false => raw_records(&file, level),
        })
    };
    let mut rig = device(true);
    let created = rig.context.execute(&Invocation::CreateTexture {
        width: 16,
        height: 16,
        format: context3d::enums::EnumArg::Is(TextureFormat::Compressed),
        optimize_for_render_to_texture: false,
        streaming_levels: 2,
    });
    let Ok(Reply::Texture(texture)) = created else {
        panic!("{created:?}");
    };
    legal(upload(&mut rig, texture, &part(3), 0));
    assert_eq!(error_number(draw(&mut rig, texture, "miplinear")), 3700);
    legal(upload(&mut rig, texture, &part(2), 0));
    assert_eq!(draw(&mut rig, texture, "miplinear"), Ok(Reply::Done));
    // Draws without mip mapping need level 0.
    assert_eq!(error_number(draw(&mut rig, texture, "mipnone")), 3713);
    legal(upload(&mut rig, texture, &part(0), 0));
    assert_eq!(draw(&mut rig, texture, "mipnone"), Ok(Reply::Done));
}
