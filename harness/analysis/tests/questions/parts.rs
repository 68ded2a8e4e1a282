//! Tests trimmed captures, and comparisons of two captures.

use molehill_analysis::diff::{DataDifference, DiffSide, diff};
use molehill_analysis::edit::{apply, parse};
use molehill_analysis::pixel::RenderFace;
use molehill_analysis::{Capture, Inspector, trim};
use molehill_capture::Call;
use molehill_capture::objects::{ObjectId, TextureId};
use molehill_reference::{RasterOptions, ReferenceFactory};

use crate::scene::{CONTEXT, draw, frame, name, on, opening, scene};

const TARGET: ObjectId = ObjectId(6);
/// The last frame. There are many frames, so that a trimmed capture is smaller than the whole one.
const LAST: u32 = 59;

/// Returns frames that draw into a texture and then draw the scene. `clears`: each frame first clears the texture.
fn into_texture(clears: bool) -> Capture {
    let mut records = opening();
    let (format, streaming_levels) = (name("bgra"), 0);
    let create = Call::CreateTexture {
        width: 32,
        height: 32,
        format,
        optimize_for_render_to_texture: true,
        streaming_levels,
    };
    records.push(on(CONTEXT, create, Some(TARGET)));
    let target = |texture: Option<ObjectId>| {
        let call = Call::SetRenderToTexture {
            texture: texture.map(TextureId),
            enable_depth_and_stencil: false,
            anti_alias: 0,
            surface_selector: 0,
            color_output_index: 0,
        };
        on(CONTEXT, call, None)
    };
    let clear = frame(0).swap_remove(0);
    for number in 0..=LAST {
        records.push(target(Some(TARGET)));
        records.extend((clears || number == 0).then(|| clear.clone()));
        let green = f64::from(number) / 64.0;
        records.extend(draw([0.5, 0.5], [0.0; 3], [1.0, green, 0.0]));
        records.push(target(None));
        records.extend(frame(number));
    }
    Capture::new(scene(0).header().clone(), records)
}

#[test]
fn a_part_leaves_out_what_is_cleared_before_it_is_read() {
    for clears in [true, false] {
        let mut whole = Inspector::new(into_texture(clears));
        let part = trim(&mut whole, LAST, LAST).unwrap();
        assert!(part.restored > 0, "clears: {clears}");
        let calls = (1..=part.capture.call_count()).map(|call| part.capture.call(call).unwrap().1);
        let uploads =
            calls.filter(|line| line.on == TARGET && line.call.name().starts_with("upload"));
        assert_eq!(uploads.count(), usize::from(!clears));
        // The trimmed capture also restores the texture's final content.
        let ends = [&mut whole, &mut Inspector::new(part.capture)].map(|inspector| {
            let texture =
                inspector.texture_pixel(LAST, RenderFace { texture: TARGET, side: 0 }, (9, 9));
            (inspector.screen(LAST).unwrap(), texture.unwrap().shown)
        });
        assert!(ends[0] == ends[1], "clears: {clears}");
    }
}

/// Returns the first difference in bulk data between the scene and the edited scene.
fn first(change: &str) -> (DataDifference, String) {
    let capture = scene(1);
    let edits = parse(&capture, change, &mut |path| std::fs::read(path)).unwrap();
    let changed = apply(&capture, &edits).unwrap();
    let mut factory = || ReferenceFactory(RasterOptions::default());
    let mut other = || ReferenceFactory(RasterOptions::default());
    let a = DiffSide { capture: &capture, input: Some("a"), factory: &mut factory };
    let b = DiffSide { capture: &changed, input: Some("b"), factory: &mut other };
    let found = diff(a, b, 0, 0).unwrap();
    let text = found.to_string();
    (found.call.unwrap().data.unwrap(), text)
}

#[test]
fn the_first_byte_that_differs_is_named() {
    // With another swizzle, only one source byte of the first instruction differs.
    let (data, text) = first(r#"{"call": 4, "fragment": "mov ft0, fc0.xyzz\nmov oc, ft0"}"#);
    assert_eq!((&*data.parameter, data.element), ("fragmentProgram", "byte"), "{data:?}");
    let (a, b) = (data.a.clone().unwrap(), data.b.clone().unwrap());
    let line = format!(
        "  first byte of fragmentProgram that differs: {}, which is {a} in a and {b} in b\n",
        data.index
    );
    assert!(a != b && text.contains(&line), "{text}");
    // The second index is 2 instead of 1, and the other indices are missing.
    let (data, text) = first(r#"{"call": 8, "with": {"dataU32B64": "AAAAAAIAAAA=", "count": 2}}"#);
    let expected = DataDifference {
        parameter: "data".to_owned(),
        element: "number",
        index: 1,
        a: Some("1".to_owned()),
        b: Some("2".to_owned()),
    };
    assert_eq!(data, expected);
    assert!(
        text.contains("first number of data that differs: 1, which is 1 in a and 2 in b"),
        "{text}"
    );
    let (data, _) = first(r#"{"call": 8, "with": {"dataU32B64": "AAAAAAEAAAA=", "count": 2}}"#);
    assert_eq!((data.index, data.a.as_deref(), data.b), (2, Some("2"), None));
}
