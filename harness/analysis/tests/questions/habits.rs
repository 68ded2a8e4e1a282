//! Tests the detection of changed constants, clears and uploads, and of mip levels that don't match.

use context3d::agal::Stage;
use context3d::enums::{BufferUsage, TextureFormat};
use molehill_analysis::edit::{CaptureEdit, EditChange, apply, parse};
use molehill_analysis::scan::{ScanState, ranked};
use molehill_analysis::{Capture, CaptureLimits, Inspector};
use molehill_capture::data::{BitmapData, BitmapTargetData, ByteArray, CubeSide, MipLevel};
use molehill_capture::objects::{ObjectId, ProgramId, TextureId};
use molehill_capture::{Call, CaptureReader};
use molehill_replay::image::RgbaImage;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::scene::{CONTEXT, agal, culling, frame, on, opening, scene, scissor};

const FRAMES: u32 = 12;
/// The frame with the injected error. `CLEAR` and `DRAW` are the clear and the first draw of frame 10.
const FRAME: u32 = 10;
const CLEAR: usize = 262;
const DRAW: usize = 266;

fn changed(lines: &str) -> Inspector {
    let edits = parse(&scene(FRAMES), lines, &mut |path| std::fs::read(path)).unwrap();
    Inspector::new(apply(&scene(FRAMES), &edits).unwrap())
}

/// Returns the anomalies of a frame after edits of the scene.
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
        (
            swapped,
            "constant vc0 and constant vc1 have changed places since frame 9; set by call 266 of frame 10: vc0; set by call \
             267 of frame 10: vc1",
        ),
        (
            constant("fc0", "0, 1, 0.5, 1"),
            "constant fc0.xyz is 0, 1, 0.5, in each of the 9 frames before 1, 0, 0; set by call 266 of frame 10: fc0",
        ),
        (constant("vc1", "0, 0, 5, 0"), "off-screen, beyond the far plane (z > w)"),
        (constant("vc1", "0, 0, -5, 0"), "off-screen, before the near plane (z < 0)"),
        (
            format!(r#"{{"call": {CLEAR}, "with": {{"mask": 5}}}}"#),
            "the last clear of the target is colour, stencil, in each of the 9 frames before colour, depth, stencil; set by call \
             262 of frame 10: the last clear of the target",
        ),
        (
            format!(r#"{{"call": {DRAW}, "with": {{"firstIndex": 3}}}}"#),
            "firstIndex is 3, in each of the 9 frames before 0",
        ),
    ] {
        let found = outliers(&lines, FRAME);
        assert!(found.iter().any(|it| it.contains(reason)), "{reason}: {found:?}");
    }
    // If the vertices are never uploaded, a warning says so. The unedited scene has no warning.
    let found = changed(r#"{"call": 6, "delete": true}"#).draws(0).unwrap().warnings;
    let never = "vertices#4 (va0) was never uploaded";
    assert!(found.iter().any(|it| it.text == never), "{found:?}");
    assert_eq!(outliers("", FRAME), [""; 0]);
    assert_eq!(outliers(&constant("vc1", "0, 0, 0.9, -0.0"), FRAME), [""; 0], "as many as 0");
}

#[test]
fn a_missing_clear_names_the_clear_before() {
    let mut records = opening();
    records.push(on(CONTEXT, Call::SetErrorChecking { value: true }, None));
    for number in 0..FRAMES {
        let calls = frame(number);
        records.extend(calls.into_iter().skip(usize::from(number == FRAME)));
    }
    let found = lines(Capture::new(scene(1).header().clone(), records));
    let text = "10! draw 266 is not executed, in frame 9 it had 1,024 passed fragments; Error: Error #3692: All buffers need to be \
        cleared every frame before drawing.; no clear precedes the draw, in frame 9 call 238 did (also draws ";
    assert!(found[0].starts_with(text), "{found:#?}");
    // The six draws have one line, `present` has one line, and the whole frame has the last line.
    assert_eq!((found.len(), found[2].starts_with("10! 0 draws, fewer than the 6")), (3, true));
}

#[test]
fn another_target_is_the_cause() {
    let texture = ObjectId(7);
    let mut records = opening();
    let create = Call::CreateTexture {
        width: 8,
        height: 8,
        format: TextureFormat::Bgra.into(),
        optimize_for_render_to_texture: true,
        streaming_levels: 0,
    };
    records.push(on(CONTEXT, create, Some(texture)));
    for number in 0..FRAMES {
        let mut calls = frame(number);
        // The first draw renders into the texture in all frames but one.
        let target = Call::SetRenderToTexture {
            texture: Some(TextureId(texture)),
            enable_depth_and_stencil: true,
            anti_alias: 0,
            surface_selector: 0,
            color_output_index: 0,
        };
        let target = if number == 3 { Call::SetRenderToBackBuffer {} } else { target };
        calls.splice(0..0, [on(CONTEXT, target, None), calls[0].clone()]);
        calls.splice(7..7, [on(CONTEXT, Call::SetRenderToBackBuffer {}, None), calls[1].clone()]);
        records.extend(calls);
    }
    let found = lines(Capture::new(scene(1).header().clone(), records));
    let (kept, targets) = (
        "has 1,024 passed fragments, in frame 2 it had 64",
        "output 0 is back buffer 32×32, depth and stencil, in frame 2 texture#7 \"8×8 bgra\"",
    );
    let line = &found[0];
    assert!(
        line.starts_with("3! draw ") && line.contains(kept) && line.contains(targets),
        "{found:#?}"
    );
    assert!(line.contains("of frame 3: output 0"), "{line}");
}

#[test]
fn a_fault_of_one_frame_is_one_line() {
    let mut records = opening();
    for number in 0..FRAMES {
        let mut calls = frame(number);
        if number == 6 {
            calls.insert(1, scissor(Some([0.0, 0.0, 8.0, 8.0])));
        }
        records.extend(calls);
    }
    let found = lines(Capture::new(scene(1).header().clone(), records));
    let first = "6! draw 167 has 64 passed fragments, in frame 5 it had 1,024; scissor is (0, 0, 8×8), in frame 5 none; set by call \
        163 of frame 6: scissor (also draws ";
    assert!(found[0].starts_with(first), "{found:#?}");
    assert!(found.iter().all(|line| !line.starts_with("7! draw")), "{found:#?}");
}

#[test]
fn frames_differ_from_both_sides_or_begin_something() {
    let more = |number: u32| matches!(number, 4 | 8..);
    let all = (0..FRAMES).flat_map(|number| {
        let mut calls = frame(number);
        let draws = calls[2..5].to_vec();
        calls.splice(2..2, draws.into_iter().cycle().take(if more(number) { 18 } else { 0 }));
        calls
    });
    let found = lines(Capture::new(scene(1).header().clone(), opening().into_iter().chain(all)));
    let frames = found.iter().filter(|line| !line.contains("! draw "));
    let frames: Vec<&str> = frames.map(|line| line.split(';').next().unwrap()).collect();
    assert_eq!(
        frames,
        [
            "4! 12 draws, more than the 6 of the frames around",
            "8! 12 draws, more than the 6 of the frames before"
        ]
    );
}

#[test]
fn memory_that_grows_in_every_frame_stands_out() {
    let create =
        Call::CreateIndexBuffer { num_indices: 4096, buffer_usage: BufferUsage::StaticDraw.into() };
    let leaks = |from: u32| {
        let records = (0..24).flat_map(|number| {
            let new = on(CONTEXT, create.clone(), Some(ObjectId(100 + u64::from(number))));
            (number >= from).then_some(new).into_iter().chain(frame(number))
        });
        lines(Capture::new(scene(1).header().clone(), opening().into_iter().chain(records)))
    };
    let [found] = &leaks(5)[..] else { panic!("{:#?}", leaks(5)) };
    assert!(
        found.starts_with("5! memory grows in each of the 19 frames up to the last, from "),
        "{found}"
    );
    assert_eq!(leaks(9), [""; 0], "15 frames");
}

#[test]
fn changed_pixels_are_compared_with_frames_that_have_a_frame_before() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../captures/symptoms/error.s3d.zst");
    let reader = &mut CaptureReader::open(Path::new(path)).unwrap();
    let found = lines(Capture::read(reader, CaptureLimits::default()).unwrap());
    // Changed pixels are not an anomaly, because frames 1 to 3 change equally many pixels.
    assert!(found.iter().all(|line| !line.contains("changed pixels")), "{found:#?}");
    assert!(
        found
            .iter()
            .any(|line| line.contains("dropped draws, more than the 0 of the frames before"))
    );
}

#[test]
fn a_file_for_another_format_is_the_cause() {
    let upload = Call::TextureUploadCompressedFromByteArray {
        data: ByteArray::from(white_dxt1()),
        byte_array_offset: 0,
        is_async: false,
    };
    let found = lines(textured(4, TextureFormat::CompressedAlpha, vec![upload]));
    let upload = "0! call 16: uploadCompressedTextureFromByteArray ArgumentError: Error #3675: Texture format mismatch. The \
        file is for compressed textures, call 15 created texture#7 \"4×4 compressedAlpha\"";
    assert_eq!(found[0], upload);
    let text = "Make sure to upload(). All miplevels are required when mipmapping is enabled. fs0 is texture#7 \"4×4 \
        compressedAlpha\", without content; set by call 17 of frame 0: fs0 (also draws ";
    assert!(found[1].contains(text) && found.len() == 2, "{found:#?}");
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
    let text = "the content of va0 is not uploaded in the frame, in each of the 9 frames before uploaded in the frame; set by \
        call 246 of frame 9: content of va0";
    assert!(found.iter().all(|it| it.frame == FRAME && it.reason.ends_with(text)), "{found:?}");
    assert_eq!(found.len(), 6, "each draw");
}

/// Returns the lines of a scan of all frames about anomalies.
fn lines(capture: impl Into<Arc<Capture>>) -> Vec<String> {
    let mut scan = Inspector::new(capture).frame_scan(0, u32::MAX).unwrap();
    scan.outliers = ranked(scan.outliers);
    scan.to_string()
        .lines()
        .filter(|line| line.contains("! "))
        .map(|line| line.trim().to_owned())
        .collect()
}

#[test]
fn what_comes_again_and_again_is_listed_once_and_last() {
    let mut records = opening();
    for number in 0..24 {
        let mut calls = frame(number);
        // In every fourth frame, a scissor rectangle clips the first draw to a corner. In frame 14, culling discards
        // the first draw.
        if number % 4 == 3 {
            calls.insert(1, scissor(Some([0.0, 0.0, 8.0, 8.0])));
        } else if number == 14 {
            calls.insert(4, culling("frontAndBack"));
        }
        records.extend(calls);
    }
    let capture = Arc::new(Capture::new(scene(1).header().clone(), records));
    let raw = Inspector::new(capture.clone()).frame_scan(0, 23).unwrap().outliers;
    assert!(raw.is_sorted_by_key(|it| it.frame) && raw.iter().all(|it| it.again.is_empty()));
    let joined = ranked(raw.clone());
    assert!(raw.iter().all(|it| it.also.is_empty()) && joined.len() < raw.len() / 3);
    // A scan in several steps, one of which is cancelled, has the same result as a scan in one step.
    let mut parts = Inspector::new(capture.clone());
    let calls = Arc::new(AtomicUsize::new(0));
    parts.on_progress(move |_| match calls.fetch_add(1, Ordering::Relaxed) {
        7 => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    let mut scan = ScanState::new(&capture, 0, 23);
    let found = (0..12).map(|_| scan.part(&mut parts, 3));
    let found: Vec<_> = found.filter_map(|part| part.ok()).collect();
    let done: Vec<usize> = found.iter().map(|(done, _)| *done).collect();
    assert_eq!(done[..4], [3, 6, 10, 13]);
    assert_eq!(found.last(), Some(&(24, joined)));
    let found = lines(capture);
    let place = |is: &dyn Fn(&String) -> bool| {
        found.iter().position(is).unwrap_or_else(|| {
            panic!(
                "{}",
                found.join(
                    "
"
                )
            )
        })
    };
    let once = place(&|line| line.starts_with("14! draw "));
    let often = place(&|line| line.ends_with("(also frames 7, 11, 19, … 1 more)"));
    assert!(once < often, "{found:#?}");
}

/// Returns three frames whose draws sample texture 7. `uploads` are upload calls of texture 7.
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
    records.extend((0..3).flat_map(frame));
    Capture::new(scene(1).header().clone(), records)
}

#[test]
fn a_level_that_is_no_smaller_picture_is_a_fault() {
    let faults = |other: u32, last: [u8; 4]| {
        let level = |level: u32| Call::TextureUploadFromBitmapData {
            source: Some(BitmapData {
                shape: BitmapTargetData {
                    width: 64 >> level,
                    height: 64 >> level,
                    transparent: true,
                    disposed: false,
                },
                bgra: Arc::new(
                    if level == other { last } else { [9, 90, 200, 255] }
                        .repeat(4096 >> (2 * level)),
                ),
            }),
            side: CubeSide(Some(0)),
            miplevel: MipLevel(Some(level)),
        };
        lines(textured(64, TextureFormat::Bgra, (0..7).map(level).collect()))
    };
    assert_eq!(faults(2, [9, 99, 180, 255]), [""; 0]);
    assert_eq!(faults(3, [255, 0, 255, 255]), [""; 0], "a level of 8×8 pixels");
    // One line reports six draws in three frames.
    let text = "0! draw 28: texture#7 \"64×64 bgra\" in slot 0 has a level 2 with the mean colour [255, 0, 255, 255], where \
        level 1 has [200, 90, 9, 255]; set by call 18 of frame 0: level 2 of fs0";
    assert_eq!(faults(2, [255, 0, 255, 255]), [text]);
}

#[test]
fn a_sprite_without_alpha_is_a_fault() {
    let found = |border: [u8; 4], inner: [u8; 4], destination: &str| {
        let inside = |at: usize| (1..7).contains(&(at / 8)) && (1..7).contains(&(at % 8));
        let texels = (0..64).flat_map(|at| if inside(at) { inner } else { border });
        let upload = Call::TextureUploadFromByteArray {
            data: ByteArray::from(texels.collect::<Vec<u8>>()),
            byte_array_offset: 0,
            side: CubeSide(None),
            miplevel: MipLevel(Some(0)),
        };
        let read = "tex ft0, v0, fs0 <2d,linear,mipnone>\nmov oc, ft0";
        let edits = format!(
            r#"{{"call": 13, "fragment": {read:?}}}
            {{"call": 17, "insert": {{"call": "setBlendFactors", "sourceFactor": "one", "destinationFactor": "{destination}"}}}}"#
        );
        let plain = textured(8, TextureFormat::Bgra, vec![upload]);
        let edits = parse(&plain, &edits, &mut |path| std::fs::read(path)).unwrap();
        lines(apply(&plain, &edits).unwrap())
    };
    let (black, red) = ([0, 0, 0, 255], [9, 20, 200, 255]);
    let text = "0! draw 23: texture#7 \"8×8 bgra\" in slot 0 has a level 0 without alpha and with a black border, although \
        alpha blends it: was its alpha lost?; set by call 16 of frame 0: level 0 of fs0";
    assert_eq!(found(black, red, "oneMinusSourceAlpha"), [text]);
    for (border, inner, destination) in [
        ([0; 4], red, "oneMinusSourceAlpha"),
        (black, [9, 20, 200, 100], "oneMinusSourceAlpha"),
        (red, red, "oneMinusSourceAlpha"),
        (red, black, "oneMinusSourceAlpha"),
        (black, red, "zero"),
        (black, red, "one"),
    ] {
        assert_eq!(
            found(border, inner, destination),
            [""; 0],
            "{border:?} {inner:?} {destination}"
        );
    }
}

/// Returns an ATF file (version 0, raw compressed) with one mip level: a white 4×4 block of DXT1.
fn white_dxt1() -> Vec<u8> {
    let mut file = b"ATF\x00\x00\x15\x03\x02\x02\x01".to_vec();
    file.extend([0, 0, 8, 0xff, 0xff, 0, 0, 0, 0, 0, 0]);
    file.extend([0; 6]);
    file
}

#[test]
fn a_picture_takes_the_place_of_an_atf_file() {
    let upload = Call::TextureUploadCompressedFromByteArray {
        data: ByteArray::from(white_dxt1()),
        byte_array_offset: 0,
        is_async: false,
    };
    let capture = textured(4, TextureFormat::Compressed, vec![upload]);
    let is_upload = |call: &usize| capture.call(*call).unwrap().1.call.atf_file().is_some();
    let upload = (1..).find(is_upload).unwrap();
    let orange = [250, 120, 10, 255];
    let change = |width, height| {
        let change = EditChange::Picture(RgbaImage::filled(width, height, orange));
        apply(&capture, &[CaptureEdit { call: upload, change }])
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
    assert!(error.message.starts_with("the image is 4×2, but the upload is 4×4"), "{error}");
    assert_eq!(levels(capture), [(4, [255; 4])]);
}
