//! Tests comparisons with an expected image, normal changes between frames, and overwritten invalid constants.

use std::sync::Arc;

use context3d::enums::TextureFormat;
use molehill_analysis::edit::apply;
use molehill_analysis::{Capture, FrameExpectation, InspectError, Inspector};
use molehill_capture::data::{ByteArray, CubeSide, MipLevel};
use molehill_capture::objects::{ObjectId, TextureId};
use molehill_capture::{Call, CaptureRecord};
use molehill_queries::explain::{expect_state, wrong_pixels};
use molehill_queries::question::question;
use serde_json::json;

use crate::explain::{changed, last_picture, stored};
use crate::scene::{CONTEXT, agal, frame, on, opening, scene};

/// The call of the green draw in the scene's first frame. `BLUE`, `CULLED` and `WHITE` are the call indices of three
/// more draws.
const GREEN: usize = 19;
const BLUE: usize = 22;
const CULLED: usize = 29;
const WHITE: usize = 34;

fn inspector(capture: &Capture) -> Inspector {
    Inspector::new(apply(capture, &[]).unwrap())
}

/// Returns the scene with culling disabled for one draw, so that its quad covers the stage.
fn without_culling() -> Capture {
    changed(&scene(1), r#"{"call": 26, "delete": true}"#)
}

fn expected(capture: &Capture) -> FrameExpectation {
    FrameExpectation::Picture(Arc::new(last_picture(capture).1))
}

#[test]
fn wrong_pixels_belong_to_the_draw_that_wrote_them_or_is_missing_there() {
    let found =
        wrong_pixels(&mut inspector(&scene(1)), 0, &mut expected(&without_culling())).unwrap();
    assert_eq!((found.remaining.differing, found.remaining.only_edges), (1024, false));
    let numbers = |call: usize| found.draw(call).map(|draw| (draw.wrong, draw.missed));
    assert_eq!(numbers(CULLED), Some((0, 1024)), "{found}");
    assert_eq!(numbers(GREEN), Some((448, 0)));
    // The green quad covers a part of the blue quad.
    assert_eq!(numbers(BLUE), Some((512, 512)));
    assert_eq!(numbers(WHITE).map(|it| it.0), Some(64));
    assert_eq!(found.draw(WHITE).unwrap().bounds, Some([0, 0, 8, 8]));
    assert_eq!(found.clusters.len(), 1);
    assert_eq!((found.clusters[0].bounds, found.clusters[0].pixels), ([0, 0, 32, 32], 1024));
    let mask = found.mask(WHITE, (32, 32), [1, 2, 3, 4]);
    let marked = mask.rgba().as_chunks::<4>().0.iter().filter(|it| **it == [1, 2, 3, 4]);
    assert_eq!((marked.count(), mask.pixel(8, 8)), (64, Some([0; 4])));

    let capture = scene(1);
    let mut expected = expected(&without_culling());
    let parameters = json!({ "frame": 0, "expect": "right.png" });
    let parameters = parameters.as_object().unwrap();
    let draws = question("draws").unwrap();
    let mut asked = inspector(&capture);
    let answer = draws.ask(&mut asked, parameters, Some(&mut expected), None).unwrap();
    assert!(answer.text.contains("≠ 64 wrong pixels in (0, 0, 8×8)"), "{}", answer.text);
    assert!(
        answer.text.contains("call 29: changes nothing at 1,024 wrong pixels"),
        "{}",
        answer.text
    );
    assert_eq!(answer.json["wrong"]["differing"], 1024);
    let draw = &answer.json["passes"][0]["draws"][2]["wrong"];
    assert_eq!((&draw["wrong"], &draw["missed"]), (&json!(512), &json!(512)));
    // The query fails, because `expect` is given without the expected image.
    assert!(draws.ask(&mut asked, parameters, None, None).is_err());
    let small = molehill_replay::image::RgbaImage::filled(3, 2, [0; 4]);
    let refused = wrong_pixels(&mut asked, 0, &mut FrameExpectation::Picture(Arc::new(small)));
    assert!(matches!(refused, Err(InspectError::Unsupported(text)) if text.contains("3×2")));
}

#[test]
fn wrong_pixels_are_followed_to_the_pass_that_first_differs() {
    // Each pass reads the texture of the previous pass.
    let right = stored("rtt.content.chain");
    let wrong = changed(&right, r#"{"call": 46, "with": {"numTriangles": 1}}"#);
    // An expected image shows which passes contribute to the wrong pixels.
    let found = wrong_pixels(&mut inspector(&wrong), 0, &mut expected(&right)).unwrap();
    let last = found.passes.last().unwrap();
    assert!(last.targets.is_empty() && last.wrong > 0, "{found}");
    let chain: Vec<(u32, &[u32])> =
        found.passes.iter().map(|pass| (pass.pass, &pass.reads[..])).collect();
    assert_eq!(
        chain,
        [(2, &[][..]), (3, &[2]), (4, &[3]), (5, &[4]), (6, &[5]), (7, &[6])],
        "{found}"
    );
    assert!(found.passes.iter().all(|it| it.wrong > 0 && it.differing.is_none()), "{found}");
    assert!(found.first_pass().is_none());
    // With an expected capture, the result also has the first pass that differs.
    let mut capture = FrameExpectation::Capture(Box::new(inspector(&right)), None);
    let found = wrong_pixels(&mut inspector(&wrong), 0, &mut capture).unwrap();
    let first = found.first_pass().unwrap_or_else(|| panic!("{found}"));
    assert!((first.pass, first.differing > Some(0)) == (4, true), "{found}");
    assert!(found.to_string().contains("is the first pass whose result differs"), "{found}");
    let same = wrong_pixels(&mut inspector(&right), 0, &mut capture).unwrap();
    assert_eq!((same.remaining.differing, same.passes.len()), (0, 0), "{same}");
}

#[test]
fn expected_pictures_are_files_frames_or_captures() {
    use molehill_analysis::expected::ExpectedFile;
    let picture = || molehill_replay::image::RgbaImage::filled(1, 1, [9; 4]);
    let mut read = |path: &str| match path {
        "a.png" => Ok(ExpectedFile::Picture(picture())),
        "mail@home" | "b" => Ok(ExpectedFile::Capture(Arc::new(scene(3)))),
        path => Err(InspectError::Unsupported(format!("no {path}"))),
    };
    let mut number = |text: &str| match FrameExpectation::read(text, &mut read) {
        Ok(FrameExpectation::Picture(_)) => Ok(None),
        Ok(FrameExpectation::Capture(_, frame)) => Ok(Some(frame)),
        Err(error) => Err(error.to_string()),
    };
    assert_eq!(number("a.png"), Ok(None));
    assert_eq!(number("b"), Ok(Some(None)));
    assert_eq!(number("b@1"), Ok(Some(Some(1))));
    assert_eq!(number("b@last"), Ok(Some(Some(2))));
    assert_eq!(number("mail@home"), Ok(Some(None)));
    assert!(number("a.png@1").unwrap_err().contains("a.png is an image"));
    assert!(number("b@7").unwrap_err().contains("no frame 7"));
    assert_eq!(number("c@1"), Err("no c".to_owned()));
}

#[test]
fn a_pixel_has_the_sum_of_its_blending_and_the_expected_colour() {
    let capture = stored("api.blend.sourceAlpha.oneMinusSourceAlpha");
    let mut inspector = inspector(&capture);
    let side = capture.header().stage_width;
    let places = (0..side).flat_map(|y| (0..side).map(move |x| (x, y)));
    let mut sums = 0;
    for at in places.step_by(41) {
        let history = inspector.pixel(0, at).unwrap();
        for fragment in history.events.iter().flat_map(|event| &event.fragments) {
            let Some(sum) = fragment.blend else { continue };
            if sum.source_factor.0 != "sourceAlpha" {
                continue;
            }
            let after = fragment.after[0].unwrap();
            for (result, stored) in sum.result.iter().zip(after) {
                let (result, stored) = (result.0.clamp(0.0, 1.0), stored.0);
                assert!((result - stored).abs() < 0.005, "{fragment} {sum}");
            }
            assert!(history.text(&capture, &[]).contains(" × sourceAlpha "), "{sum}");
            sums += 1;
        }
    }
    assert!(sums > 0);
    let mut history = inspector.pixel(0, (1, 1)).unwrap();
    history.expected = Some([1, 2, 3, 255]);
    assert!(
        history
            .text(&capture, &[])
            .ends_with("expected: 1,2,3,255, which is not the value after any call\n")
    );

    // The default position is the pixel with the largest difference in the largest wrong region.
    let parameters = json!({ "frame": 0, "expect": "x" });
    let right = &mut expected(&without_culling());
    let pixel = question("pixel").unwrap();
    let wrong = &mut Inspector::new(scene(1));
    let answer = pixel.ask(wrong, parameters.as_object().unwrap(), Some(right), None).unwrap();
    assert_eq!(answer.json["expected"], json!([255, 255, 0, 255]));
}

#[test]
fn state_has_the_calls_behind_its_values_and_the_first_vertices() {
    let right = scene(1);
    let wrong = changed(&right, r#"{"call": 21, "with": {"firstRegister": 1}}"#);
    let mut state = inspector(&wrong).state(BLUE).unwrap();
    let set_by = |name: &str| {
        let row = state.rows.iter().find(|row| row.name == name).unwrap();
        row.set_by.clone().unwrap_or_default()
    };
    assert_eq!(
        set_by("va0"),
        "#10 setVertexBufferAt(index: 0, buffer: vertices#4, bufferOffset: 0, format: float2)"
    );
    assert!(set_by("vc0").starts_with("#20 setProgramConstantsFromVector(programType: vertex"));
    assert_eq!(set_by("vc1"), "#20", "the arguments stand at the first register");
    assert_eq!(set_by("culling"), "#13 setCulling(triangleFaceToCull: none)");
    assert_eq!(set_by("scissor"), "");
    inspector(&wrong).add_vertices(&mut state).unwrap();
    assert_eq!(state.vertices.len(), 4);
    let mut other = FrameExpectation::Capture(Box::new(inspector(&right)), None);
    expect_state(&mut inspector(&wrong), &mut state, &mut other).unwrap();
    assert_eq!(state.expected_draw.unwrap().call, BLUE);
    let differing = state.rows.iter().filter(|row| row.expected.is_some());
    let differing: Vec<&str> = differing.map(|row| row.name.as_str()).collect();
    assert_eq!(differing, ["fc0", "fc1"]);
    assert_eq!(state.wrong.unwrap().wrong, 512);
    let text = state.to_string();
    for part in
        ["≠ 512 wrong pixels", "(expected: ", "← #10 setVertexBufferAt(", "va0 = -1, 1, 0, 1"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// Returns the anomalies of a scan as lines of text.
fn lines(capture: Capture) -> Vec<String> {
    let scan = Inspector::new(capture).frame_scan(0, u32::MAX).unwrap();
    scan.outliers.iter().map(|it| format!("{}! {it}", it.frame)).collect()
}

fn frames(content: impl Fn(u32) -> Vec<CaptureRecord>) -> Capture {
    let records = opening().into_iter().chain((0..16).flat_map(content));
    Capture::new(scene(1).header().clone(), records)
}

#[test]
fn frames_without_draws_are_usual_in_a_program_that_draws_on_change() {
    let rests = |number: u32| frame(number).split_off(37 - 12);
    assert_eq!(lines(frames(|it| if it % 4 == 3 { rests(it) } else { frame(it) })), [""; 0]);
    // A single frame without draws is an anomaly.
    let found = lines(frames(|it| if it == 9 { rests(it) } else { frame(it) }));
    assert!(found.iter().any(|line| line.starts_with("9! 0 draws")), "{found:?}");
}

#[test]
fn a_scene_begins() {
    // The frames before the scene contain only the clear, the first draw, and `present`.
    let first = |number: u32| {
        let mut calls = frame(number);
        calls.drain(5..24);
        calls
    };
    assert_eq!(lines(frames(|it| if it < 3 { first(it) } else { frame(it) })), [""; 0]);
    let found = lines(frames(|it| if it == 2 { frame(it) } else { first(it) }));
    assert!(found.iter().any(|line| line.starts_with("2! ")), "it ends again: {found:?}");
}

#[test]
fn no_frame_stands_out_names_the_way_to_a_fault_of_all_frames() {
    let scan = Inspector::new(scene(3)).frame_scan(0, 2).unwrap();
    assert!(scan.to_string().contains("--expect finds problems that all frames have"), "{scan}");
}

#[test]
fn frames_are_compared_with_those_of_another_capture() {
    let wrong = changed(
        &scene(3),
        r#"{"match": "drawTriangles", "frame": 1, "with": {"numTriangles": 1}}"#,
    );
    let mut inspector = inspector(&wrong);
    let mut scan = inspector.frame_scan(0, 2).unwrap();
    let mut right = FrameExpectation::Capture(Box::new(Inspector::new(scene(3))), None);
    inspector.expect_frames(&mut scan, &mut right).unwrap();
    let wrong: Vec<bool> = scan.frames.iter().map(|row| row.wrong.unwrap() > 0).collect();
    assert_eq!(wrong, [false, true, false]);
    assert!(
        scan.to_string().contains("1 of 3 frames are not as expected; the first is 1"),
        "{scan}"
    );
    let mut picture = expected(&scene(1));
    assert!(inspector.expect_frames(&mut scan, &mut picture).is_err());
}

fn faults(records: Vec<CaptureRecord>) -> Vec<String> {
    let capture = Capture::new(scene(1).header().clone(), records);
    let warnings = Inspector::new(capture).draws(0).unwrap().warnings;
    warnings.into_iter().filter(|it| !it.kind.is_lint()).map(|it| it.text).collect()
}

#[test]
fn a_constant_that_is_overwritten_may_be_nan() {
    let with = |fragment: &str| {
        let mut records = opening();
        records[3] = on(
            crate::scene::PROGRAM,
            Call::ProgramUpload {
                vertex_program: agal(
                    "mul vt0, va0, vc0\nadd op, vt0, vc1",
                    context3d::agal::Stage::Vertex,
                ),
                fragment_program: agal(fragment, context3d::agal::Stage::Fragment),
            },
            None,
        );
        records.push(on(
            CONTEXT,
            Call::SetProgramConstantsFromVector {
                program_type: crate::scene::name("fragment"),
                first_register: 1,
                data: Some(molehill_capture::data::Numbers(vec![f64::NAN, f64::NAN, 1.0, 1.0])),
                num_registers: -1,
            },
            None,
        ));
        records.extend(frame(0));
        faults(records).into_iter().filter(|it| it.contains("NaN, NaN, 1, 1")).count()
    };
    // `mov` overwrites the NaN constant, so the constant is reported only for the two draws without an effect.
    assert_eq!(with("mov ft0, fc1\nmov ft0, fc0\nmov oc, ft0"), 2);
    assert!(with("mov ft0, fc1\nadd ft0, ft0, fc0\nmov oc, ft0") > 2);
}

#[test]
fn a_texture_of_one_colour_may_be_black() {
    let with = |side: i32| {
        let texture = ObjectId(7);
        let bytes = [0u8, 0, 0, 255].repeat(usize::try_from(side * side).unwrap());
        let mut records = opening();
        records[3] = on(
            crate::scene::PROGRAM,
            Call::ProgramUpload {
                vertex_program: agal(
                    "mov v0, va0\nmul vt0, va0, vc0\nadd op, vt0, vc1",
                    context3d::agal::Stage::Vertex,
                ),
                fragment_program: agal(
                    "tex ft0, v0, fs0 <2d,nearest,clamp>\nadd oc, ft0, fc0",
                    context3d::agal::Stage::Fragment,
                ),
            },
            None,
        );
        let create = Call::CreateTexture {
            width: side,
            height: side,
            format: TextureFormat::Bgra.into(),
            optimize_for_render_to_texture: false,
            streaming_levels: 0,
        };
        let upload = Call::TextureUploadFromByteArray {
            data: ByteArray::from(bytes),
            byte_array_offset: 0,
            side: CubeSide(None),
            miplevel: MipLevel(Some(0)),
        };
        records.extend([
            on(CONTEXT, create, Some(texture)),
            on(texture, upload, None),
            on(CONTEXT, Call::SetTextureAt { sampler: 0, texture: Some(TextureId(texture)) }, None),
        ]);
        records.extend(frame(0));
        faults(records).iter().any(|it| it.contains("black everywhere"))
    };
    assert_eq!([1, 4, 8].map(with), [false, false, true]);
}
