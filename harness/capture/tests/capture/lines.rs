//! Tests JSON Lines and their values.

use std::io::Cursor;

use super::samples::prologue;
use super::{header, read, write};
use molehill_capture::errors::{CaptureErrorKind, KeyError};
use molehill_capture::{
    Call, CaptureError, CaptureHeader, CaptureReader, CaptureRecord, CaptureWriter,
};

/// Returns the last call of a capture that ends with this line.
fn last(line: &str) -> Result<Call, CaptureErrorKind> {
    let capture = [&write(&prologue())[..], line.as_bytes()].concat();
    match read(&capture).map_err(|CaptureError { kind, .. }| kind)?.pop() {
        Some(CaptureRecord::Call(line)) => Ok(line.call),
        record => panic!("{record:?}"),
    }
}

fn first_index(text: &str) -> Result<i32, CaptureErrorKind> {
    let call = last(&format!(
        r#"{{"call":"drawTriangles","on":1,"indexBuffer":3,"firstIndex":{text},"numTriangles":-1}}"#
    ))?;
    match call {
        Call::DrawTriangles { first_index, .. } => Ok(first_index),
        call => panic!("{call:?}"),
    }
}

fn miplevel(text: &str) -> Result<u32, CaptureErrorKind> {
    let line = r#"{"call":"uploadFromByteArray","on":5,"dataB64":null,"byteArrayOffset":0"#;
    match last(&format!("{line},\"miplevel\":{text}}}"))? {
        Call::TextureUploadFromByteArray { miplevel, .. } => Ok(miplevel.0.unwrap()),
        call => panic!("{call:?}"),
    }
}

fn x(text: &str) -> Result<f64, CaptureErrorKind> {
    match last(&format!(r#"{{"call":"x","on":0,"value":{text}}}"#))? {
        Call::SetX { value } => Ok(value),
        call => panic!("{call:?}"),
    }
}

#[test]
fn ints_are_32_bits() {
    assert_eq!(first_index("-2147483648").unwrap(), i32::MIN);
    assert_eq!(miplevel("4294967295").unwrap(), u32::MAX);
    assert_eq!(first_index("3.0").unwrap(), 3);
    let fault = |error| match error {
        CaptureErrorKind::Key { fault, .. } => fault,
        error => panic!("{error}"),
    };
    for text in ["2147483648", "-2147483649", "1e300", "99999999999999999999999"] {
        let fault = fault(first_index(text).unwrap_err());
        assert!(matches!(fault, KeyError::OutOfRange { .. }), "{text}");
    }
    assert!(matches!(fault(miplevel("-1").unwrap_err()), KeyError::OutOfRange { .. }));
    for text in ["3.5", "\"3\"", "null", "[]", "true"] {
        let fault = fault(first_index(text).unwrap_err());
        assert!(matches!(fault, KeyError::WrongType { .. }), "{text}");
    }
}

/// Returns a number as the writer formats it.
fn written(value: f64) -> String {
    let mut writer = CaptureWriter::new(Vec::new(), &header()).unwrap();
    let Some(CaptureRecord::Call(mut line)) = prologue().into_iter().next() else {
        panic!("a call")
    };
    line.result = None;
    line.call = Call::SetX { value };
    writer.call(&line).unwrap();
    let text = String::from_utf8(writer.finish().unwrap()).unwrap();
    let (_, value) = text.trim_end().rsplit_once("\"value\":").unwrap();
    value.strip_suffix('}').unwrap().to_owned()
}

#[test]
fn numbers_read_back_as_they_were() {
    for value in
        [0.0, -0.0, 0.1, 1.0, 5e-324, f64::MAX, -1e21, 1e16, f64::INFINITY, f64::NEG_INFINITY]
    {
        let text = written(value);
        assert_eq!(x(&text).unwrap().to_bits(), value.to_bits(), "{text}");
    }
    assert_eq!(written(1.0), "1.0");
    assert!(x(&written(f64::NAN)).unwrap().is_nan());
    assert!(x("\"1\"").is_err());
}

#[test]
fn any_string() {
    for text in ["", "a\"b\\c\n\r\t\u{1}\u{7f}", "ü€😀\u{2028}", "\u{0}"] {
        let header = CaptureHeader { title: text.to_owned(), ..header() };
        let capture = CaptureWriter::new(Vec::new(), &header).unwrap().finish().unwrap();
        let json: serde_json::Value = serde_json::from_slice(&capture).unwrap();
        assert_eq!(json["title"], text);
        assert_eq!(CaptureReader::new(Cursor::new(capture)).unwrap().header().title, text);
    }
}

#[test]
fn hostile_lines_are_refused() {
    let error = |line: &str| last(line).unwrap_err().to_string();
    let wide = format!("[{}0]", "0,".repeat(65_536));
    assert!(error(&wide).contains("more than 65536 values"));
    assert!(error(&"[".repeat(1 << 20)).contains("recursion limit"));
    for line in ["{} x", "1e999"] {
        assert!(error(line).contains("invalid JSON"), "{line}");
    }
    let capture = [&write(&[])[..], b"\"\xff\""].concat();
    assert!(read(&capture).unwrap_err().to_string().contains("invalid JSON"));
}

#[test]
fn the_nearest_name_is_named() {
    let error = |name: &str| last(&format!(r#"{{"call":"{name}","on":1}}"#)).unwrap_err();
    for (name, nearest) in [
        ("drawTringles", Some("drawTriangles")),
        ("DrawTriangles", Some("drawTriangles")),
        ("setColourMask", Some("setColorMask")),
        ("fly", None),
        ("", None),
    ] {
        let CaptureErrorKind::UnknownCall { nearest: found, .. } = error(name) else {
            panic!("{name}");
        };
        assert_eq!(found, nearest, "{name}");
    }
}

#[test]
fn any_line_ends_and_blank_lines() {
    let head = String::from_utf8(write(&[])).unwrap();
    let numbers = |text: String| -> Vec<u64> {
        let reader = CaptureReader::new(Cursor::new(text.into_bytes())).unwrap();
        reader.map(|item| item.unwrap().0).collect()
    };
    let head = head.trim_end();
    let frames = r#"{"frame":0}"#.to_owned() + "\n" + r#"{"frame":1}"#;
    assert_eq!(numbers(format!("\u{feff}{head}\r\n\n \t\r\n{frames}")), [4, 5]);
    assert!(numbers(format!("{head}\n\n\n")).is_empty());
    for empty in ["", "\n\n"] {
        assert!(CaptureReader::new(Cursor::new(empty)).is_err());
    }
}
