//! Tests error messages for captures, including line numbers.

use std::io::Cursor;

use super::samples::{line, prologue};
use super::{read, write, write_as};
use molehill_capture::objects::{ObjectId, ObjectKind};
use molehill_capture::{Call, CallLine, CaptureReader, CaptureRecord, Form};

/// Returns the reader's message for a line after the prologue.
fn refusal(line: &str) -> String {
    let mut text = write_as(&prologue(), Form::Lines);
    let number = 2 + prologue().len() as u64;
    text.extend(line.as_bytes());
    text.extend(b"\n{\"frame\":0}\n");
    let error = read(&text).expect_err(line);
    assert_eq!(error.at.line, number, "{line}");
    // The prologue consists of calls. Frame ends, events and notes aren't calls.
    let others = ["{\"frame\"", "{\"event\"", "{\"note\""];
    let call = match others.iter().any(|other| line.starts_with(other)) {
        true => 0,
        false => number - 1,
    };
    assert_eq!(error.at.call, call, "{line}");
    error.kind.to_string()
}

/// Lines after a prologue (object 1 is a Context3D, 2 a VertexBuffer3D, 3 an IndexBuffer3D, 4 a Program3D, 5 a
/// Texture), and their messages.
const BAD_LINES: &[(&str, &str)] = &[
    (r#"{"call":"#, "invalid JSON at column 8: EOF while parsing a value"),
    (r#"{} {}"#, "invalid JSON at column 4: trailing characters"),
    (r#"[1]"#, "not a JSON object"),
    (r#"{}"#, r#"no "call", "frame", "event" or "note" in this line"#),
    (r#"{"call":7}"#, r#"line: key "call" must be a string"#),
    (
        r#"{"call":"drawTringles","on":1}"#,
        r#"unknown call "drawTringles"; did you mean "drawTriangles"?"#,
    ),
    (r#"{"call":"present"}"#, r#"present: key "on" is missing"#),
    (
        r#"{"call":"present","on":-1}"#,
        r#"present: key "on" is out of range: must be an object's id"#,
    ),
    (
        r#"{"call":"present","on":77}"#,
        r#"present: key "on" names object 77, which no earlier line created"#,
    ),
    (r#"{"call":"present","on":4}"#, r#"present: object 4 is a Program3D, which has no "present""#),
    (
        r#"{"call":"drawTriangles","on":1,"indexBuffer":null,"firstIndex":0}"#,
        r#"drawTriangles: key "numTriangles" is missing"#,
    ),
    (
        r#"{"call":"drawTriangles","on":1,"indexBuffer":"3","firstIndex":0,"numTriangles":-1}"#,
        r#"drawTriangles: key "indexBuffer" must be an object's id"#,
    ),
    (
        r#"{"call":"drawTriangles","on":1,"indexBuffer":99,"firstIndex":0,"numTriangles":-1}"#,
        r#"drawTriangles: key "indexBuffer" names object 99, which no earlier line created"#,
    ),
    (
        r#"{"call":"drawTriangles","on":1,"indexBuffer":5,"firstIndex":0,"numTriangles":-1}"#,
        r#"drawTriangles: key "indexBuffer" names object 5, which is a Texture instead of an IndexBuffer3D"#,
    ),
    (
        r#"{"call":"drawTriangles","on":1,"indexBuffer":3,"firstIndex":4294967296,"numTriangles":-1}"#,
        r#"drawTriangles: key "firstIndex" is out of range: must be an int of 32 bits"#,
    ),
    (
        r#"{"call":"drawTriangles","on":1,"indexBuffer":3,"firstIndex":1e400,"numTriangles":-1}"#,
        "invalid JSON at column 65: number out of range",
    ),
    (
        r#"{"call":"uploadFromVector","on":2,"dataF64B64":5,"startVertex":0,"numVertices":1}"#,
        r#"uploadFromVector: key "dataF64B64" must be a base64 string"#,
    ),
    (
        r#"{"call":"uploadFromVector","on":2,"dataF64B64":"AA*A","startVertex":0,"numVertices":1}"#,
        r#"uploadFromVector: key "dataF64B64" is not base64: Invalid symbol 42, offset 2."#,
    ),
    (
        r#"{"call":"uploadFromVector","on":2,"dataF64B64":"AAAA","startVertex":0,"numVertices":1}"#,
        r#"uploadFromVector: key "dataF64B64" has 3 bytes instead of a multiple of 8"#,
    ),
    (
        r#"{"call":"setProgramConstantsFromMatrix","on":1,"programType":"vertex","firstRegister":0,"matrixB64":"AAAAAAAAAAA="}"#,
        r#"setProgramConstantsFromMatrix: key "matrixB64" has 8 bytes instead of 128"#,
    ),
    (
        r#"{"call":"upload","on":4,"vertexProgramB64":"","vertexProgramEndian":"middle"}"#,
        r#"upload: key "vertexProgramB64" must be accompanied by "bigEndian" or "littleEndian" as its endian"#,
    ),
    (
        r#"{"call":"uploadFromBitmapData","on":5,"source":{"width":1},"miplevel":0}"#,
        r#"uploadFromBitmapData: key "source" is wrong: key "height" is missing"#,
    ),
    (
        r#"{"call":"uploadFromBitmapData","on":5,"source":{"width":2,"height":1,"transparent":true,"argbPremultipliedB64":"AAAA"}}"#,
        r#"uploadFromBitmapData: key "source" is wrong: key "argbPremultipliedB64" has 3 bytes instead of 8"#,
    ),
    (
        r#"{"call":"uploadFromBitmapData","on":5,"source":{"width":4294967295,"height":4294967295,"transparent":true,"argbPremultipliedB64":""}}"#,
        r#"uploadFromBitmapData: key "source" is wrong: key "argbPremultipliedB64" has 0 bytes instead of 18446744073709551615"#,
    ),
    (
        r#"{"call":"createProgram","on":1,"result":1}"#,
        r#""result" 1 is the id of an object that exists already"#,
    ),
    (r#"{"frame":4294967296}"#, r#"frame: key "frame" is out of range: must be a uint of 32 bits"#),
    (
        r#"{"note":"name","on":77,"text":""}"#,
        r#"note: key "on" names object 77, which no earlier line created"#,
    ),
    (r#"{"note":"begin","text":null}"#, r#"note: key "text" must be a string"#),
    (r#"{"note":"stack","number":1,"functions":"f"}"#, r#"note: key "functions" must be a list"#),
    // A stage has a limited number of Stage3Ds [context3d.stage3d.count].
    (
        r#"{"call":"requestContext3D","on":900,"stage3DIndex":4}"#,
        r#""stage3DIndex" 4, but there are only 4"#,
    ),
    (
        r#"{"call":"requestContext3D","on":900,"stage3DIndex":0}"#,
        r#""stage3DIndex" 0 of object 900 is that of object 0"#,
    ),
    (
        r#"{"call":"requestContext3D","on":0,"stage3DIndex":1}"#,
        r#""stage3DIndex" 1 of object 0, which had 0"#,
    ),
];

#[test]
fn a_bad_line_is_named() {
    for (line, message) in BAD_LINES {
        assert_eq!(refusal(line), *message);
    }
    let long = format!(r#"{{"call":"{}","on":1}}"#, "z".repeat(9999));
    assert_eq!(refusal(&long), format!("unknown call \"{}…\"", "z".repeat(60)));
}

#[test]
fn a_bad_header_is_named() {
    let with = |from: &str, to: &str| String::from_utf8(write(&[])).unwrap().replace(from, to);
    for (text, message) in [
        (String::new(), "c:1: not a Stage3D capture: the first line has no \"stage3dCapture\""),
        (
            "{\"frame\":0}".to_owned(),
            "c:1: not a Stage3D capture: the first line has no \"stage3dCapture\"",
        ),
        (
            with("Capture\":1", "Capture\":4"),
            "c:1: capture of version 4; only versions 1 to 3 can be read",
        ),
        (
            with("500", "0"),
            "c:1: header: key \"stageWidth\" is out of range: must be from 1 to 16384",
        ),
        (
            with("400", "16385"),
            "c:1: header: key \"stageHeight\" is out of range: must be from 1 to 16384",
        ),
        (
            with("#ff0a00", "#ff0a0g"),
            "c:1: header: key \"stageColor\" must be a colour as \"#rrggbb\"",
        ),
        (
            with("#ff0a00", "#+f0a00"),
            "c:1: header: key \"stageColor\" must be a colour as \"#rrggbb\"",
        ),
        (with("swfVersion", "swf"), "c:1: header: key \"swfVersion\" is missing"),
    ] {
        assert_eq!(read(text.as_bytes()).expect_err(&text).located("c"), message);
    }
    let missing = CaptureReader::open(std::path::Path::new("no/such/file")).err().unwrap();
    assert_eq!(missing.at.line, 0);
}

#[test]
fn frames_go_up() {
    let error = read(&write(&[CaptureRecord::Frame(3), CaptureRecord::Frame(3)])).unwrap_err();
    assert_eq!(error.located("c"), "c:3: frame 3 ends after frame 3");
}

#[test]
fn stage3ds_are_four() {
    let visible = |id| CallLine {
        on: ObjectId(id),
        ..line(ObjectKind::Stage3D, Call::SetVisible { value: true }, None)
    };
    let calls = |count| (0..count).map(|id| CaptureRecord::Call(visible(id))).collect::<Vec<_>>();
    assert_eq!(read(&write(&calls(4))).unwrap().len(), 4);
    assert_eq!(
        read(&write(&calls(5))).unwrap_err().located("c"),
        "c:6: call 5: more than 4 Stage3D objects"
    );
}

#[test]
fn nothing_follows_an_error() {
    let mut reader = CaptureReader::new(Cursor::new(b"{\"stage3dCapture\":1}".to_vec())).err();
    assert!(reader.take().is_some());
    let mut text = write(&[]);
    text.extend(b"nonsense\n{\"frame\":0}\n");
    let mut reader = CaptureReader::new(Cursor::new(text)).unwrap();
    assert!(reader.next().unwrap().is_err());
    assert!(reader.next().is_none());
}
