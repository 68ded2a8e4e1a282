//! Tests diagnostics that need no expected image: each type of error is injected into a correct scene.

use std::collections::BTreeSet;

use context3d::agal::Stage;
use context3d::agal::cube::unproject;
use molehill_analysis::edit::{apply, parse};
use molehill_analysis::question::question;
use molehill_analysis::warnings::{Warning, WarningKind};
use molehill_analysis::{Capture, Inspector};
use molehill_capture::data::{ByteArray, CubeSide, Matrix, MipLevel, Numbers, Uints};
use molehill_capture::objects::{IndexBufferId, ObjectId, ProgramId, TextureId, VertexBufferId};
use molehill_capture::{Call, CaptureRecord};
use serde_json::{Value, json};

use crate::scene::{
    CONTEXT, INDICES, PROGRAM, VERTICES, agal, culling, frame, name, on, opening, scene,
};

const TEXTURE: ObjectId = ObjectId(6);
const OTHER: ObjectId = ObjectId(7);
const CUBE: ObjectId = ObjectId(8);
const TEXELS: u32 = 8;
const FRAGMENT: &str =
    "tex ft0, v0, fs0 <2d,clamp,nearest>\ntex ft1, v1, fs1 <cube,clamp,nearest>\nmul oc, ft0, ft1";

fn upload(on_object: ObjectId, side: Option<u32>, data: Vec<u8>) -> CaptureRecord {
    let call = Call::TextureUploadFromByteArray {
        data: ByteArray::from(data),
        byte_array_offset: 0,
        side: CubeSide(side),
        miplevel: MipLevel(Some(0)),
    };
    on(on_object, call, None)
}

/// Returns calls that create two premultiplied textures, and a cube texture with a smooth colour gradient.
fn textures() -> Vec<CaptureRecord> {
    let (format, streaming_levels, optimize) = (|| name("bgra"), 0, false);
    let mut records = Vec::new();
    for (texture, value) in [(TEXTURE, 64), (OTHER, 96)] {
        let create = Call::CreateTexture {
            width: TEXELS as i32,
            height: TEXELS as i32,
            format: format(),
            optimize_for_render_to_texture: optimize,
            streaming_levels,
        };
        records.push(on(CONTEXT, create, Some(texture)));
        records.push(upload(texture, None, vec![value; (TEXELS * TEXELS * 4) as usize]));
    }
    let create = Call::CreateCubeTexture {
        size: TEXELS as i32,
        format: format(),
        optimize_for_render_to_texture: optimize,
        streaming_levels,
    };
    records.push(on(CONTEXT, create, Some(CUBE)));
    let place = |at: u32| (at as f32 + 0.5) / TEXELS as f32 * 2.0 - 1.0;
    for side in 0..6u8 {
        let texels = (0..TEXELS).flat_map(|y| (0..TEXELS).map(move |x| [place(x), place(y)]));
        let data = texels.flat_map(|texel| {
            #[expect(clippy::cast_possible_truncation, reason = "0 to 254")]
            let [x, y, z] = unproject(side, texel).map(|it| ((it + 1.0) * 127.0) as u8);
            [z, y, x, 255]
        });
        records.push(upload(CUBE, Some(side.into()), data.collect()));
    }
    records
}

fn bind(sampler: i32, texture: ObjectId) -> CaptureRecord {
    on(CONTEXT, Call::SetTextureAt { sampler, texture: Some(TextureId(texture)) }, None)
}

/// Returns calls that create vertices with texture coordinates and ten quads' indices, and set the state.
fn mesh() -> Vec<CaptureRecord> {
    let usage = || name("staticDraw");
    let corner = |x: f64, y: f64| [x, y, 0.0, (x + 1.0) / 2.0, (1.0 - y) / 2.0];
    let corners = [corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, -1.0), corner(-1.0, -1.0)];
    let stream = |index, buffer_offset, format: &str| {
        let (buffer, format) = (Some(VertexBufferId(VERTICES)), name(format));
        on(CONTEXT, Call::SetVertexBufferAt { index, buffer, buffer_offset, format }, None)
    };
    let vertices =
        Call::CreateVertexBuffer { num_vertices: 4, data32_per_vertex: 5, buffer_usage: usage() };
    let data = Some(Numbers(corners.concat()));
    let filled = Call::VertexBufferUploadFromVector { data, start_vertex: 0, num_vertices: 4 };
    let indices = Call::CreateIndexBuffer { num_indices: 60, buffer_usage: usage() };
    let data = Some(Uints([0, 1, 2, 0, 2, 3].repeat(10)));
    let listed = Call::IndexBufferUploadFromVector { data, start_offset: 0, count: 60 };
    let (source_factor, destination_factor) = (name("one"), name("oneMinusSourceAlpha"));
    #[rustfmt::skip]
    let moved = [1.0, 0.0, 0.0, 0.0,  0.0, 1.0, 0.0, 0.0,  0.0, 0.0, 1.0, 0.0,  0.25, 0.0, 0.5, 1.0];
    let matrix = Call::SetProgramConstantsFromMatrix {
        program_type: name("vertex"),
        first_register: 0,
        matrix: Some(Matrix(Box::new(moved))),
        transposed_matrix: true,
    };
    vec![
        on(CONTEXT, vertices, Some(VERTICES)),
        on(VERTICES, filled, None),
        on(CONTEXT, indices, Some(INDICES)),
        on(INDICES, listed, None),
        on(CONTEXT, Call::SetProgram { program: Some(ProgramId(PROGRAM)) }, None),
        stream(0, 0, "float3"),
        stream(1, 3, "float2"),
        on(CONTEXT, Call::SetBlendFactors { source_factor, destination_factor }, None),
        on(CONTEXT, matrix, None),
        bind(1, CUBE),
    ]
}

/// Returns a frame with a clear and four draws, the last of which uses another texture.
fn drawn(number: u32) -> Vec<CaptureRecord> {
    let mut records = vec![frame(0).swap_remove(0)];
    for texture in [TEXTURE, TEXTURE, TEXTURE, OTHER] {
        let index_buffer = Some(IndexBufferId(INDICES));
        let draw = Call::DrawTriangles { index_buffer, first_index: 0, num_triangles: -1 };
        records.extend([culling("none"), bind(0, texture), on(CONTEXT, draw, None)]);
    }
    records.extend([on(CONTEXT, Call::Present {}, None), CaptureRecord::Frame(number)]);
    records
}

fn room() -> Capture {
    let mut records: Vec<CaptureRecord> = opening().into_iter().take(3).collect();
    let vertex = "m44 op, va0, vc0\nmov v0, va1\nmov v1, va0";
    let programs = Call::ProgramUpload {
        vertex_program: agal(vertex, Stage::Vertex),
        fragment_program: agal(FRAGMENT, Stage::Fragment),
    };
    records.push(on(PROGRAM, programs, None));
    records.extend(textures().into_iter().chain(mesh()).chain((0..2).flat_map(drawn)));
    Capture::new(scene(0).header().clone(), records)
}

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

fn ask(what: &str, parameters: Value) -> (Value, String) {
    let Value::Object(parameters) = parameters else { panic!("{parameters}") };
    let mut inspector = Inspector::new(room());
    let answer = question(what).unwrap().ask(&mut inspector, &parameters, None, None).unwrap();
    (answer.json, answer.text)
}

#[test]
fn calls_are_listed_by_name_object_and_program() {
    let number = |parameters| ask("dump", parameters).0["calls"].as_array().unwrap().len();
    assert_eq!(number(json!({ "frame": 1, "only": "drawTriangles" })), 4);
    assert_eq!(number(json!({ "object": "texture#7" })), 4);
    assert_eq!(number(json!({ "program": "3", "only": "setCulling" })), 8);
    assert_eq!(number(json!({ "program": "9" })), 0);
    let text = ask("dump", json!({ "only": "uploadFromByteArray", "object": "8" })).1;
    assert!(text.contains("side: 3 (-y)"), "{text}");
    // Bulk data comes last in a line, and is complete only on request.
    let matrix = json!({ "only": "setProgramConstantsFromMatrix" });
    let text = ask("dump", matrix).1;
    assert!(text.find("transposedMatrix") < text.find("matrix: ["), "{text}");
    let text = ask("dump", json!({ "only": "uploadFromVector", "data": true })).1;
    assert!(text.contains("0: -1, 1, 0, 0, 0\n") && text.contains("19: 0, 2, 3\n"), "{text}");
    assert!(!ask("dump", json!({ "only": "uploadFromVector" })).1.contains("19: 0, 2, 3"));
}

#[test]
fn a_census_counts_values_by_program_and_place() {
    let (json, text) = ask("dump", json!({ "census": true, "only": "setTextureAt" }));
    let rows = json["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["parameter"] == "texture" && row["value"] == "7").unwrap();
    assert_eq!((row["calls"].as_u64(), &row["places"]), (Some(2), &json!([[4, 2]])), "{row}");
    assert_eq!(row["programs"], json!([["program#3", 2]]));
    assert!(text.contains("program#3 2; draw 4: 2"), "{text}");
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
