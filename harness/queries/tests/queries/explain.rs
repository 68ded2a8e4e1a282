//! Tests that `explain` finds injected errors, by the image of the capture without the error.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use molehill_analysis::edit::{apply, parse};
use molehill_analysis::{Capture, CaptureLimits, InspectError, Inspector};
use molehill_capture::CaptureReader;
use molehill_queries::explain::{Bounds, Explanation, explain};
use molehill_replay::image::RgbaImage;

use crate::scene::{knot, scene};

const BOUNDS: Bounds = Bounds { time: Duration::from_secs(120), threads: 2 };

pub(crate) fn stored(name: &str) -> Capture {
    let path = format!("../captures/scenes/{name}/capture.s3d.jsonl.zst");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    Capture::read(&mut CaptureReader::open(&path).unwrap(), CaptureLimits::default()).unwrap()
}

pub(crate) fn changed(capture: &Capture, edit: &str) -> Capture {
    let edits = parse(capture, edit, &mut |_| panic!("no file is named")).unwrap();
    apply(capture, &edits).unwrap()
}

pub(crate) fn last_picture(capture: &Capture) -> (u32, RgbaImage) {
    let frame = capture.frames().last().unwrap().number;
    let copy = apply(capture, &[]).unwrap();
    (frame, Inspector::new(copy).screen(frame).unwrap())
}

fn explained(
    capture: &Capture,
    (frame, expected): &(u32, RgbaImage),
    bounds: Bounds,
) -> Explanation {
    let mut inspector = Inspector::new(apply(capture, &[]).unwrap());
    explain(&mut inspector, *frame, expected, bounds, &|_| ControlFlow::Continue(())).unwrap()
}

/// `explain` must find each injected error among the first `EARLY` tried candidates, with up to `LATE` exceptions.
const EARLY: usize = 20;
const LATE: usize = 3;

/// A scene, the edit that injects an error, and the call name and parameter that `explain` must find.
const FAULTS: [(&str, &str, &str, &str); 15] = [
    (
        "api.culling.back",
        r#"{"match": "clear", "with": {"red": 0.7, "green": 0.1, "blue": 0.9}}"#,
        "clear",
        "red, green, blue",
    ),
    (
        "raster.varyings.8",
        r#"{"match": "setVertexBufferAt", "where": {"index": 1}, "with": {"index": 0}}"#,
        "setVertexBufferAt",
        "index",
    ),
    (
        "api.culling.back",
        r#"{"match": "setCulling", "with": {"triangleFaceToCull": "front"}}"#,
        "setCulling",
        "triangleFaceToCull",
    ),
    (
        "api.depth.less.written",
        r#"{"match": "setDepthTest", "with": {"passCompareMode": "greater"}}"#,
        "setDepthTest",
        "passCompareMode",
    ),
    (
        "api.depth.less.written",
        r#"{"match": "setDepthTest", "where": {"depthMask": true}, "with": {"depthMask": false}}"#,
        "setDepthTest",
        "depthMask",
    ),
    (
        "api.blend.sourceAlpha.oneMinusSourceAlpha",
        r#"{"match": "setBlendFactors", "where": {"sourceFactor": "sourceAlpha"}, "with": {"sourceFactor": "one"}}"#,
        "setBlendFactors",
        "sourceFactor",
    ),
    (
        "api.color_mask.ba",
        r#"{"match": "setColorMask", "with": {"red": true}}"#,
        "setColorMask",
        "red",
    ),
    (
        "raster.varyings.8",
        r#"{"match": "setVertexBufferAt", "where": {"index": 1}, "with": {"bufferOffset": 2}}"#,
        "setVertexBufferAt",
        "bufferOffset",
    ),
    (
        "raster.fan.7",
        r#"{"match": "drawTriangles", "with": {"firstIndex": 1, "numTriangles": 3}}"#,
        "drawTriangles",
        "firstIndex, numTriangles",
    ),
    (
        "vertex.stream.overlapping",
        r#"{"match": "setVertexBufferAt", "where": {"index": 1}, "with": {"format": "float1"}}"#,
        "setVertexBufferAt",
        "format",
    ),
    (
        "stencil.two_sided.incrementWrap.decrementSaturate",
        r#"{"match": "setStencilActions", "where": {"actionOnBothPass": "incrementWrap"}, "with": {"actionOnBothPass": "keep"}}"#,
        "setStencilActions",
        "actionOnBothPass",
    ),
    (
        "rtt.cube.all_faces",
        r#"{"match": "setRenderToTexture", "where": {"surfaceSelector": 3}, "with": {"surfaceSelector": 2}}"#,
        "setRenderToTexture",
        "surfaceSelector",
    ),
    (
        "texture.unit.all_eight",
        r#"{"match": "setTextureAt", "where": {"sampler": 3}, "with": {"texture": 5}}"#,
        "setTextureAt",
        "texture",
    ),
    (
        "texture.wrap.linear.miplinear.clamp_u_repeat_v.by_state",
        r#"{"match": "setSamplerStateAt", "with": {"wrap": "repeat"}}"#,
        "setSamplerStateAt",
        "wrap",
    ),
    (
        "texture.cube.1.linear.miplinear",
        "{\"call\": 8, \"with\": {\"side\": 3}}\n{\"call\": 9, \"with\": {\"side\": 2}}",
        "uploadFromByteArray",
        "side",
    ),
];

#[test]
fn the_first_suggestion_is_the_fault() {
    let mut places = Vec::new();
    for (scene, fault, call, field) in FAULTS {
        let right = stored(scene);
        let (expected, wrong) = (last_picture(&right), changed(&right, fault));
        let found = explained(&wrong, &expected, BOUNDS);
        assert!(found.before.differing > 0, "{scene}: {fault} changes nothing");
        let Some(first) = found.suggestions.first() else { panic!("{scene}: {fault}: {found}") };
        assert!((first.call, first.field.as_str()) == (call, field), "{scene}: {fault}: {found}");
        assert_eq!(first.after.differing, 0, "{scene}: {found}");
        places.push(first.place);
        // The suggested edits correct the image in the whole capture.
        let edits: Vec<String> =
            first.edits.iter().map(|it| serde_json::to_string(it).unwrap()).collect();
        let mended = last_picture(&changed(&wrong, &edits.join("\n")));
        assert_eq!(mended.1.rgba(), expected.1.rgba(), "{scene}: {edits:?}");
    }
    let early = places.iter().filter(|place| **place <= EARLY).count();
    assert!(early + LATE >= FAULTS.len(), "{places:?}");
}

#[test]
fn a_pattern_mends_every_frame() {
    let right = scene(3);
    let fault = r#"{"match": "drawTriangles", "with": {"numTriangles": 1}}"#;
    let (expected, wrong) = (last_picture(&right), changed(&right, fault));
    let found = explained(&wrong, &expected, BOUNDS);
    let first = found.suggestions.first().unwrap_or_else(|| panic!("{found}"));
    assert_eq!((first.call, first.field.as_str()), ("drawTriangles", "numTriangles"), "{found}");
    assert_eq!((first.frames, first.of), (3, 3), "{found}");
    let pattern = serde_json::to_string(first.pattern.as_ref().unwrap()).unwrap();
    let mended = changed(&wrong, &pattern);
    for frame in 0..3 {
        let mut pictures = [&right, &mended].map(|it| Inspector::new(apply(it, &[]).unwrap()));
        let [right, mended] = pictures.each_mut().map(|it| it.screen(frame).unwrap());
        assert_eq!(right.rgba(), mended.rgba(), "frame {frame}");
    }
}

#[test]
fn a_search_says_that_nothing_helps() {
    let capture = stored("api.culling.back");
    let (frame, picture) = last_picture(&capture);
    let same = explained(&capture, &(frame, picture.clone()), BOUNDS);
    assert_eq!((same.before.differing, same.candidates), (0, 0));
    // `explain` finds nothing, because no change of the scene's calls can draw noise.
    let noise = (0..picture.rgba().len()).map(|at| u8::try_from(at * at / 7 % 251).unwrap());
    let noise = RgbaImage::from_rgba(picture.width(), picture.height(), noise.collect()).unwrap();
    let found = explained(&capture, &(frame, noise), BOUNDS);
    assert!(found.suggestions.is_empty() && found.tried == found.candidates, "{found}");
    assert!(found.to_string().contains("no tried change makes the image more like"), "{found}");
    let small = RgbaImage::filled(3, 2, [0; 4]);
    let mut inspector = Inspector::new(capture);
    let refused = explain(&mut inspector, frame, &small, BOUNDS, &|_| ControlFlow::Continue(()));
    assert!(
        matches!(refused, Err(InspectError::Unsupported(text)) if text.contains("3×2 expected"))
    );
}

#[test]
fn a_search_ends_early_with_the_best_so_far() {
    let right = stored("api.culling.back");
    let fault = r#"{"match": "setCulling", "with": {"triangleFaceToCull": "front"}}"#;
    let ((frame, expected), wrong) = (last_picture(&right), changed(&right, fault));
    let bounds = Bounds { threads: 1, ..BOUNDS };
    let mut inspector = Inspector::new(apply(&wrong, &[]).unwrap());
    let stop = explain(&mut inspector, frame, &expected, bounds, &|state| match state.tried {
        3.. => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    let stop = stop.unwrap();
    assert_eq!((stop.tried, stop.finished), (3, false));
    let late = Bounds { time: Duration::ZERO, ..bounds };
    let late =
        explain(&mut inspector, frame, &expected, late, &|_| ControlFlow::Continue(())).unwrap();
    assert_eq!((late.tried, late.finished, late.suggestions.len()), (0, false, 0));
}

#[test]
fn a_pattern_names_its_mistakes() {
    let capture = stored("api.culling.back");
    for (edit, reason) in [
        (
            r#"{"match": "setCulling", "where": {"triangleFaceToCull": "all"}, "delete": true}"#,
            "no call matches the pattern of setCulling",
        ),
        (r#"{"match": 5, "delete": true}"#, "\"match\" must be the name of a call, not 5"),
        (
            r#"{"match": "present", "program": "x", "delete": true}"#,
            "\"program\" must be the id of an object",
        ),
        (
            r#"{"match": "present", "where": 1, "delete": true}"#,
            "\"where\" must be an object with arguments",
        ),
        (r#"{"match": "present", "frame": 77, "delete": true}"#, "no frame 77"),
        (r#"{"match": "present", "frame": "x", "delete": true}"#, "\"x\" is not a number"),
    ] {
        let error = parse(&capture, edit, &mut |_| panic!("no file is named")).unwrap_err();
        assert!(error.to_string().contains(reason), "{edit}: {error}");
    }
}

#[test]
fn a_pattern_matches_by_program_object_and_frame() {
    let capture = knot();
    let count = |edit: &str| {
        parse(&capture, edit, &mut |_| panic!("no file is named")).map_or(0, |it| it.len())
    };
    let all = count(r#"{"match": "drawTriangles", "delete": true}"#);
    let last = count(r#"{"match": "drawTriangles", "frame": "last", "delete": true}"#);
    let first = count(r#"{"match": "drawTriangles", "frame": 0, "delete": true}"#);
    assert_eq!(all, first + last);
    let program = |id: u32| {
        count(&format!(r#"{{"match": "drawTriangles", "program": {id}, "delete": true}}"#))
    };
    assert_eq!((0..40).map(program).sum::<usize>(), all);
    assert!(program(3) > 0 && program(3) < all);
    let object = |id: u32| {
        count(&format!(r#"{{"match": "drawTriangles", "object": {id}, "delete": true}}"#))
    };
    assert!(object(5) > 0 && object(5) < all, "{}", object(5));
    // The pattern `program` also matches state that is set before the program.
    assert!(count(r#"{"match": "setCulling", "program": 3, "delete": true}"#) > 0);
}
