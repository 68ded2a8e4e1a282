//! Tests diagnostics that need no expected image: each type of error is injected into a correct scene.

use std::collections::BTreeSet;

use molehill_analysis::edit::{apply, parse};
use molehill_analysis::warnings::{Warning, WarningKind};
use molehill_analysis::{Capture, Inspector};

use crate::room::{FRAGMENT, TEXELS, room};

fn changed(edits: &str) -> Capture {
    let (capture, mut no_file) = (room(), |_: &str| panic!("no file is named"));
    let edits = parse(&capture, edits, &mut no_file).unwrap();
    apply(&capture, &edits).unwrap()
}

/// Returns the diagnostics of frame 1 after edits.
fn evidence(edits: &str) -> Vec<Warning> {
    let report = Inspector::new(changed(edits)).draws(1).unwrap();
    report.warnings.into_iter().filter(|it| it.kind.is_evidence()).collect()
}

/// Returns the indices of the calls of frame 1 with a name.
fn calls(call: &str) -> Vec<usize> {
    let capture = room();
    let of_frame = capture.frames()[1].calls.clone();
    of_frame.filter(|number| capture.call(*number).unwrap().1.call.name() == call).collect()
}

/// Returns AGAL instructions that sample both textures, escaped for JSON.
fn samples() -> String {
    FRAGMENT.rsplit_once('\n').unwrap().0.replace('\n', "\\n")
}

/// Returns edits that inject an error, each with the type, call name and text of the expected warning.
fn cases() -> Vec<(String, WarningKind, &'static str, &'static str)> {
    let odd = calls("setCulling")[2];
    let (last, draw) = (calls("drawTriangles")[3], r#"{"match": "drawTriangles", "with": "#);
    let (first, black) = (calls("drawTriangles")[0], samples());
    let idle = format!(
        r#"{{"call": 4, "fragment": "{black}\nmul ft0, ft0, ft1\nmul oc, ft0, fc0"}}
           {{"call": {first}, "insert": {{"call": "setDepthTest", "depthMask": false, "passCompareMode": "always"}}}}
           {{"call": {last}, "constant": "fc0", "values": [1, 1, 1, 1]}}
           {{"call": {last}, "insert": {{"call": "setScissorRectangle", "rectangle": {{"x": 9, "y": 9, "width": 1, "height": 1}}}}}}"#
    );
    let own = str::to_owned;
    vec![
        (
            format!(r#"{{"call": {odd}, "with": {{"triangleFaceToCull": "back"}}}}"#),
            WarningKind::OddArgument,
            "setCulling",
            "triangleFaceToCull is back for 1 of the 4 draws with program#3, and none for the others",
        ),
        (
            own(
                r#"{"match": "setVertexBufferAt", "where": {"bufferOffset": "2-3"}, "with": {"bufferOffset": 2}}"#,
            ),
            WarningKind::VertexLayout,
            "setVertexBufferAt",
            "va0 reads values 0 to 2 and va1 reads values 2 to 3 of the 5 of a vertex of vertices#4: they overlap, and no \
             attribute reads value 4; with bufferOffset 3 of va1, each value is read once",
        ),
        (
            own(
                r#"{"match": "setVertexBufferAt", "where": {"index": [0, 9]}, "with": {"format": "float2"}}"#,
            ),
            WarningKind::VertexLayout,
            "setVertexBufferAt",
            "no draw of the frame reads value 2 of the 5 of a vertex of vertices#4",
        ),
        (
            format!(r#"{draw}{{"firstIndex": 1, "numTriangles": 19}}}}"#),
            WarningKind::IndexRange,
            "drawTriangles",
            "the triangles of indices 1 to 57 of indices#5 begin inside the triangles from index 0: firstIndex 1 is not a multiple \
             of 3; indices 0, 58, 59 of the 60 are never drawn",
        ),
        (
            format!(r#"{draw}{{"numTriangles": 19}}}}"#),
            WarningKind::IndexRange,
            "drawTriangles",
            "indices#5: indices 57, 58, 59 of the 60 are never drawn",
        ),
        (
            own(r#"{"match": "setTextureAt", "where": {"texture": 7}, "with": {"texture": 6}}"#),
            WarningKind::NeverBound,
            "uploadFromByteArray",
            "texture#7 \"8×8 bgra\" is uploaded and never used",
        ),
        (
            own(r#"{"match": "setBlendFactors", "with": {"sourceFactor": "sourceAlpha"}}"#),
            WarningKind::Premultiplied,
            "setBlendFactors",
            "texture#6 \"8×8 bgra\" is premultiplied: no colour is above its alpha. The source factor sourceAlpha multiplies by \
             alpha again",
        ),
        (
            own(
                r#"{"match": "setProgramConstantsFromMatrix", "with": {"transposedMatrix": false}}"#,
            ),
            WarningKind::Transposed,
            "setProgramConstantsFromMatrix",
            "transposedMatrix is false, and the program multiplies with vc0 to vc3: their translation is in the last row instead \
             of the last column",
        ),
        (
            own(
                "{\"match\": \"uploadFromByteArray\", \"where\": {\"side\": \"+y\"}, \"with\": {\"side\": \"-y\"}}\n\
                 {\"match\": \"uploadFromByteArray\", \"where\": {\"side\": 3}, \"with\": {\"side\": \"+y\"}}",
            ),
            WarningKind::CubeSeams,
            "uploadFromByteArray",
            "with +y and -y exchanged",
        ),
        (
            idle,
            WarningKind::IdlePass,
            "drawTriangles",
            "pass 1 has 26,890 passed fragments, but changes only 1 pixel of back buffer",
        ),
    ]
}

#[test]
fn each_kind_is_found_where_it_is_and_nowhere_else() {
    assert_eq!(evidence(""), []);
    let mut kinds = BTreeSet::new();
    for (edits, kind, call, text) in cases() {
        let found = evidence(&edits);
        let is = |it: &&Warning| it.kind == kind && it.name == call && it.text.contains(text);
        assert!(found.iter().any(|it| is(&it)), "{edits}: {found:?}");
        // Each injected error causes only warnings of one type.
        assert!(found.iter().all(|it| it.kind == kind), "{edits}: {found:?}");
        kinds.insert(kind);
    }
    assert_eq!(kinds.len(), 8, "{kinds:?}");
}

/// Checks that divisions which undo premultiplied alpha, and overlapping attributes whose values are all read, give no
/// warning.
#[test]
fn what_may_be_meant_is_not_told() {
    let divides = FRAGMENT.replace('\n', "\\n").replace("mul oc", "div ft0, ft0, ft0.w\\nmul oc");
    let straight = format!(
        "{}\n{}",
        format_args!(r#"{{"call": 4, "fragment": "{divides}"}}"#),
        r#"{"match": "setBlendFactors", "with": {"sourceFactor": "sourceAlpha"}}"#
    );
    let nested = "{\"match\": \"setVertexBufferAt\", \"where\": {\"index\": 0}, \"with\": {\"format\": \"float4\"}}";
    for edits in [straight.as_str(), nested] {
        assert_eq!(evidence(edits), [], "{edits}");
    }
}

#[test]
fn the_state_of_a_draw_has_what_is_odd_about_it() {
    let odd = calls("setCulling")[2];
    let edit = format!(r#"{{"call": {odd}, "with": {{"triangleFaceToCull": "back"}}}}"#);
    let mut inspector = Inspector::new(changed(&edit));
    let mut of = |draw: usize| {
        let mut state = inspector.state(calls("drawTriangles")[draw]).unwrap();
        inspector.add_evidence(&mut state).unwrap();
        state
    };
    let state = of(2);
    let text = format!("call {odd}: triangleFaceToCull is back for 1 of the 4 draws");
    assert!(
        state.evidence.len() == 1 && state.evidence[0].starts_with(&text),
        "{:?}",
        state.evidence
    );
    assert!(state.to_string().contains(&format!("\n? {text}")), "{state}");
    assert_eq!(of(1).evidence, [""; 0]);

    let like = inspector.like(calls("drawTriangles")[2]).unwrap();
    let rows: Vec<_> = like.rows.iter().map(|row| (row.name.as_str(), row.odd)).collect();
    assert_eq!((like.draws, rows), (4, vec![("culling", true), ("fs0", false)]), "{like}");
    let text = like.to_string();
    assert!(text.contains("!  culling  back"), "{text}");
    let other = inspector.like(calls("drawTriangles")[0]).unwrap();
    assert!(other.rows.iter().all(|row| !row.odd), "{other}");
    assert!(inspector.like(1).is_err());
}

#[test]
fn a_cube_is_written_as_a_cross() {
    let mut inspector = Inspector::new(room());
    let textures = inspector.textures(calls("drawTriangles")[0]).unwrap();
    let crosses = molehill_analysis::evidence::crosses(&textures);
    let [(1, cross)] = &crosses[..] else { panic!("{}", crosses.len()) };
    assert_eq!((cross.width(), cross.height()), (4 * TEXELS, 3 * TEXELS));
    // In the unfolded cross, adjacent faces match along an edge, and the corners are transparent.
    let at = |x: u32, y: u32| cross.pixel(x, y).unwrap();
    for x in [TEXELS, 2 * TEXELS, 3 * TEXELS] {
        let (left, right) = (at(x - 1, TEXELS + 2), at(x, TEXELS + 2));
        assert!(left.iter().zip(right).all(|(a, b)| a.abs_diff(b) < 40), "{left:?} {right:?}");
    }
    assert_eq!(at(0, 0), [0; 4]);
}
