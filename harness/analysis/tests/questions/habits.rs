//! What only the frames before tell: constants, clears, uploads; and textures whose levels don't belong together.

use context3d::agal::Stage;
use context3d::enums::TextureFormat;
use molehill_analysis::edit::{Change, Edit, apply, parse};
use molehill_analysis::{Capture, Inspector};
use molehill_capture::Call;
use molehill_capture::data::{Bitmap, BitmapTarget, ByteArray, CubeSide, MipLevel};
use molehill_capture::objects::{ObjectId, ProgramId, TextureId};
use molehill_replay::image::Image;
use std::sync::Arc;

use crate::scene::{CONTEXT, agal, frame, on, opening, scene};

const FRAMES: u32 = 12;
/// The frame with the fault, its clear, and its first draw.
const FRAME: u32 = 10;
const CLEAR: usize = 262;
const DRAW: usize = 266;

fn changed(lines: &str) -> Inspector {
    let edits = parse(lines, &mut |path| std::fs::read(path)).unwrap();
    Inspector::new(apply(&scene(FRAMES), &edits).unwrap())
}

/// The reasons why a frame of a changed scene stands out.
fn outliers(lines: &str, frame: u32) -> Vec<String> {
    let mut inspector = changed(lines);
    let found = inspector.frame_scan(0, FRAMES).unwrap().outliers.into_iter();
    found.filter(|it| it.frame == frame).map(|it| it.reason).collect()
}

#[test]
fn what_every_frame_before_did_is_missed() {
    let constant = |name: &str, values: &str| {
        format!(r#"{{"call": {DRAW}, "constant": "{name}", "values": [{values}]}}"#)
    };
    let swapped = format!("{}\n{}", constant("vc0", "0, 0, 0.9, 0"), constant("vc1", "1, 1, 1, 1"));
    for (lines, reason) in [
        (swapped, "constant vc0 and constant vc1 have changed places since frame 9"),
        (
            constant("fc0", "0, 1, 0.5, 1"),
            "constant fc0 is 0, 1, 0.5, 1, in each of the 9 frames before 1, 0, 0, 1",
        ),
        (constant("vc1", "0, 0, 5, 0"), "off-screen, beyond the far plane (z > w)"),
        (constant("vc1", "0, 0, -5, 0"), "off-screen, before the near plane (z < 0)"),
        (
            format!(r#"{{"call": {CLEAR}, "with": {{"mask": 5}}}}"#),
            "what is cleared before is colour, stencil, in each of the 9 frames before colour, depth, stencil",
        ),
        (
            format!(r#"{{"call": {DRAW}, "with": {{"firstIndex": 3}}}}"#),
            "firstIndex is 3, in each of the 9 frames before 0",
        ),
    ] {
        let found = outliers(&lines, FRAME);
        assert!(found.iter().any(|it| it.contains(reason)), "{reason}: {found:?}");
    }
    // The vertices' upload; and nothing is found without a fault.
    let found = changed(r#"{"call": 6, "delete": true}"#).draws(0).unwrap().warnings;
    let never = "vertices#4 (va0) was never uploaded";
    assert!(found.iter().any(|it| it.text == never), "{found:?}");
    assert_eq!(outliers("", FRAME), [""; 0]);
}

#[test]
fn a_lost_upload_is_missed() {
    let whole = scene(1);
    let upload = whole.call(6).unwrap().1;
    let mut records = opening();
    for number in 0..FRAMES {
        let upload = on(upload.on, upload.call.clone(), None);
        records.extend((number != FRAME).then_some(upload));
        records.extend(frame(number));
    }
    let capture = Capture::new(whole.header().clone(), records);
    let found = Inspector::new(capture).frame_scan(0, FRAMES).unwrap().outliers;
    let text = "the content of va0 is not uploaded in the frame, in each of the 9 frames before uploaded in the frame";
    assert!(found.iter().all(|it| it.frame == FRAME && it.reason.ends_with(text)), "{found:?}");
    assert_eq!(found.len(), 6, "each draw");
}

/// A frame whose draws read texture 7 after these calls on it.
fn textured(side: i32, format: TextureFormat, uploads: Vec<Call>) -> Capture {
    let (program, texture) = (ObjectId(6), ObjectId(7));
    let mut records = opening();
    let create = Call::CreateTexture {
        width: side,
        height: side,
        format: format.into(),
        optimize_for_render_to_texture: false,
        streaming_levels: 0,
    };
    let read = Call::ProgramUpload {
        vertex_program: agal("mul vt0, va0, vc0\nadd op, vt0, vc1\nmov v0, va0", Stage::Vertex),
        fragment_program: agal(
            "tex ft0, v0, fs0 <2d,linear,miplinear>\nmov oc, ft0",
            Stage::Fragment,
        ),
    };
    records.extend([
        on(CONTEXT, Call::CreateProgram {}, Some(program)),
        on(program, read, None),
        on(CONTEXT, Call::SetProgram { program: Some(ProgramId(program)) }, None),
        on(CONTEXT, create, Some(texture)),
    ]);
    records.extend(uploads.into_iter().map(|upload| on(texture, upload, None)));
    let bind = Call::SetTextureAt { sampler: 0, texture: Some(TextureId(texture)) };
    records.push(on(CONTEXT, bind, None));
    records.extend(frame(0));
    Capture::new(scene(1).header().clone(), records)
}

#[test]
fn a_level_that_is_no_smaller_picture_is_a_fault() {
    let faults = |last: [u8; 4]| {
        let level = |(level, side): (u32, u32)| Call::TextureUploadFromBitmapData {
            source: Some(Bitmap {
                shape: BitmapTarget {
                    width: side,
                    height: side,
                    transparent: true,
                    disposed: false,
                },
                bgra: Arc::new(
                    if level == 2 { last } else { [9, 90, 200, 255] }.repeat(side.pow(2) as usize),
                ),
            }),
            side: CubeSide(Some(0)),
            miplevel: MipLevel(Some(level)),
        };
        let capture = textured(
            16,
            TextureFormat::Bgra,
            [(0, 16), (1, 8), (2, 4), (3, 2), (4, 1)].map(level).into(),
        );
        let warnings = Inspector::new(capture).draws(0).unwrap().warnings;
        let texts = warnings.into_iter().map(|warning| warning.text);
        texts.filter(|text| text.contains("level")).collect::<Vec<_>>()
    };
    assert_eq!(faults([9, 99, 180, 255]), [""; 0]);
    let text = "has a level 2 with the mean colour [255, 0, 255, 255], where level 1 has [200, 90, 9, 255]";
    assert!(faults([255, 0, 255, 255])[0].ends_with(text), "{:?}", faults([255, 0, 255, 255]));
}

#[test]
fn a_picture_takes_the_place_of_an_atf_file() {
    // Version 0, raw compressed, 4×4, one level: a white block of DXT1.
    let mut file = b"ATF\x00\x00\x15\x03\x02\x02\x01".to_vec();
    file.extend([0, 0, 8, 0xff, 0xff, 0, 0, 0, 0, 0, 0]);
    file.extend([0; 6]);
    let upload = Call::TextureUploadCompressedFromByteArray {
        data: ByteArray::from(file),
        byte_array_offset: 0,
        is_async: false,
    };
    let capture = textured(4, TextureFormat::Compressed, vec![upload]);
    let is_upload = |call: &usize| capture.call(*call).unwrap().1.call.atf_file().is_some();
    let upload = (1..).find(is_upload).unwrap();
    let orange = [250, 120, 10, 255];
    let change = |width, height| {
        let change = Change::Picture(Image::filled(width, height, orange));
        apply(&capture, &[Edit { call: upload, change }])
    };
    let levels = |capture: Capture| {
        let mut inspector = Inspector::new(capture);
        let binds = |call: &usize| {
            matches!(inspector.capture().call(*call).unwrap().1.call, Call::SetTextureAt { .. })
        };
        let bound = (1..).find(binds).unwrap();
        let textures = inspector.textures(bound).unwrap();
        let pixels = textures.iter().map(|it| (it.image.width(), it.image.pixel(0, 0).unwrap()));
        pixels.collect::<Vec<_>>()
    };
    assert_eq!(levels(change(4, 4).unwrap()), [(4, orange), (2, orange), (1, orange)]);
    let error = change(4, 2).unwrap_err();
    assert!(error.message.starts_with("the picture is 4×2, the upload 4×4"), "{error}");
    assert_eq!(levels(capture), [(4, [255; 4])]);
}
