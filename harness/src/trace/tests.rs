//! Reader and writer against each other, against the shared captures, and against every kind of bad line.

use std::io::Cursor;

use context3d::Rectangle;
use proptest::prelude::*;

use super::*;

/// Bytes that values are made of; zeros once they are used up, so that proptest shrinks by taking bytes away.
struct Entropy(std::vec::IntoIter<u8>);

impl Entropy {
    fn byte(&mut self) -> u8 {
        self.0.next().unwrap_or(0)
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.byte())
    }

    fn list<T: Sample>(&mut self, most: u8) -> Vec<T> {
        (0..self.byte() % (most + 1)).map(|_| T::sample(self)).collect()
    }
}

trait Sample {
    fn sample(entropy: &mut Entropy) -> Self;
}

macro_rules! samples {
    ($($type:ty: |$entropy:ident| $value:expr;)+) => {$(
        impl Sample for $type {
            fn sample($entropy: &mut Entropy) -> Self {
                $value
            }
        }
    )+};
}

samples! {
    bool: |entropy| entropy.byte() & 1 == 1;
    u8: |entropy| entropy.byte();
    i32: |entropy| i32::from_le_bytes(entropy.bytes());
    u32: |entropy| u32::from_le_bytes(entropy.bytes());
    f64: |entropy| match entropy.byte() % 8 {
        0 => 0.0,
        1 => f64::NAN,
        2 => f64::INFINITY,
        3 => f64::NEG_INFINITY,
        4 => f64::from(i32::sample(entropy)),
        _ => f64::from_le_bytes(entropy.bytes()),
    };
    char: |entropy| char::from_u32(u32::sample(entropy) % 0x11_0000).unwrap_or('"');
    String: |entropy| entropy.list::<char>(8).into_iter().collect();
    NoParameter: |_entropy| NoParameter;
    VertexBufferId: |_entropy| VertexBufferId(first_of(ObjectKind::VertexBuffer3D));
    IndexBufferId: |_entropy| IndexBufferId(first_of(ObjectKind::IndexBuffer3D));
    ProgramId: |_entropy| ProgramId(first_of(ObjectKind::Program3D));
    TextureId: |entropy| TextureId(first_of(match entropy.byte() % 3 {
        0 => ObjectKind::Texture,
        1 => ObjectKind::RectangleTexture,
        _ => ObjectKind::CubeTexture,
    }));
    ByteArray: |entropy| ByteArray(Option::sample(entropy));
    Bytes: |entropy| Bytes {
        bytes: entropy.list(64),
        endian: if bool::sample(entropy) { agal::Endian::Big } else { agal::Endian::Little },
    };
    Numbers: |entropy| Numbers(entropy.list(8));
    Uints: |entropy| Uints(entropy.list(8));
    Matrix: |entropy| Matrix(Box::new(std::array::from_fn(|_| f64::sample(entropy))));
    Rectangle: |entropy| Rectangle {
        x: Sample::sample(entropy),
        y: Sample::sample(entropy),
        width: Sample::sample(entropy),
        height: Sample::sample(entropy),
    };
    Point: |entropy| Point { x: Sample::sample(entropy), y: Sample::sample(entropy) };
    BitmapTarget: |entropy| match bool::sample(entropy) {
        true => BitmapTarget { width: 0, height: 0, transparent: bool::sample(entropy), disposed: true },
        false => BitmapTarget {
            width: u32::from(entropy.byte() % 5),
            height: u32::from(entropy.byte() % 5),
            transparent: bool::sample(entropy),
            disposed: false,
        },
    };
    Bitmap: |entropy| {
        let shape = BitmapTarget::sample(entropy);
        Bitmap { shape, bgra: (0..shape.width * shape.height * 4).map(|_| entropy.byte()).collect() }
    };
}

impl<T: Sample> Sample for Option<T> {
    fn sample(entropy: &mut Entropy) -> Self {
        (entropy.byte() % 4 > 0).then(|| T::sample(entropy))
    }
}

impl<T: Sample> Sample for Vec<T> {
    fn sample(entropy: &mut Entropy) -> Self {
        entropy.list(3)
    }
}

impl<T: Sample> Sample for Optional<T> {
    fn sample(entropy: &mut Entropy) -> Self {
        Optional(Option::sample(entropy))
    }
}

/// Ids of the objects that [`prologue`] creates.
fn first_of(kind: ObjectKind) -> ObjectId {
    ObjectId(kind as u64)
}

macro_rules! define_samples {
    ($($receiver:ident { $(
        $variant:ident $name:literal $(-> $creates:ident)? {
            $($field:ident $key:literal: $type:ty),* $(,)?
        } $(=> $command:ident $(($on:ident))?)?;
    )* })*) => {
        /// One call of every kind, random arguments.
        fn sample_calls(entropy: &mut Entropy) -> Vec<(ObjectKind, Call)> {
            vec![$($((ObjectKind::$receiver, Call::$variant { $($field: <$type>::sample(entropy)),* }),)*)*]
        }
    };
}
call_table!(define_samples);

fn line(on: ObjectKind, call: Call, result: Option<ObjectId>) -> CallLine {
    CallLine { on: first_of(on), call, result, throws: None, time: None }
}

/// One object of every kind.
fn prologue() -> Vec<Record> {
    let mut entropy = Entropy(Vec::new().into_iter());
    let mut created: Vec<ObjectKind> = Vec::new();
    let mut records = Vec::new();
    for (on, call) in sample_calls(&mut entropy) {
        if let Some(kind) = call.creates().filter(|kind| !created.contains(kind)) {
            created.push(kind);
            records.push(Record::Call(line(on, call, Some(first_of(kind)))));
        }
    }
    records
}

fn header() -> Header {
    Header {
        title: "a \"title\"".to_owned(),
        swf_version: 26,
        stage_width: 500,
        stage_height: 400,
        stage_color: [255, 0x0a, 0],
        frame_rate: Some(29.97),
        generator: None,
    }
}

fn write(records: &[Record]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), &header()).unwrap();
    for record in records {
        writer.write(record).unwrap();
    }
    writer.finish().unwrap()
}

fn read(text: &[u8]) -> Result<Vec<Record>, TraceError> {
    let reader = Reader::new(Cursor::new(text.to_vec()))?;
    reader.map(|item| item.map(|(_, record)| record)).collect()
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        entropy in prop::collection::vec(any::<u8>(), 0..4096),
        throws in prop::option::of(any::<u16>()),
        time in prop::option::of(0.0..1e6),
    ) {
        let mut entropy = Entropy(entropy.into_iter());
        let mut records = prologue();
        for (index, (on, mut call)) in sample_calls(&mut entropy).into_iter().enumerate() {
            if let Call::RequestContext3D { stage3d_index, .. } = &mut call {
                *stage3d_index = 0;
            }
            let result = call.creates().map(|_| ObjectId(100 + index as u64));
            records.push(Record::Call(CallLine { throws, time, ..line(on, call, result) }));
        }
        records.push(Record::Frame(entropy.byte().into()));
        let text = write(&records);
        let back = read(&text).unwrap();
        // Not `==`, for which no NaN is itself.
        prop_assert_eq!(format!("{back:?}"), format!("{records:?}"));
        prop_assert_eq!(write(&back), text);
    }

    #[test]
    fn any_text_is_read_or_refused(text in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(&text);
        let mut capture = write(&prologue());
        capture.extend(text);
        let _ = read(&capture);
    }

    #[test]
    fn damaged_captures_are_read_or_refused(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut capture = write(&prologue());
        let at = at.index(capture.len());
        capture[at] = byte;
        let _ = read(&capture);
    }
}

/// What the reader says of a line after the prologue.
fn refusal(line: &str) -> String {
    let mut text = write(&prologue());
    let number = 2 + prologue().len() as u64;
    text.extend(line.as_bytes());
    text.extend(b"\n{\"frame\":0}\n");
    let error = read(&text).expect_err(line);
    assert_eq!(error.line, number, "{line}");
    error.located("c")[format!("c:{number}: ").len()..].to_owned()
}

#[test]
fn a_bad_line_is_named() {
    let id = |kind| first_of(kind).0;
    let context = id(ObjectKind::Context3D);
    let draw = |index_buffer: &str, rest: &str| {
        format!(r#"{{"call":"drawTriangles","on":{context},"indexBuffer":{index_buffer}{rest}}}"#)
    };
    let complete = r#","firstIndex":0,"numTriangles":-1"#;
    let upload = |data: &str| {
        let buffer = id(ObjectKind::VertexBuffer3D);
        format!(r#"{{"call":"uploadFromVector","on":{buffer},"dataF64B64":{data},"startVertex":0,"numVertices":1}}"#)
    };
    let bitmap = |size: u32, pixels: &str| {
        let source = format!(r#"{{"width":{size},"height":1,"transparent":true,"argbPremultipliedB64":"{pixels}"}}"#);
        let texture = id(ObjectKind::Texture);
        format!(r#"{{"call":"uploadFromBitmapData","on":{texture},"source":{source},"miplevel":0}}"#)
    };
    for (line, message) in [
        ("{\"call\":".to_owned(), "invalid JSON at column 8: EOF while parsing a value"),
        ("{} {}".to_owned(), "invalid JSON at column 4: trailing characters"),
        ("[1]".to_owned(), "not a JSON object"),
        ("{}".to_owned(), "neither \"call\" nor \"frame\" in this line"),
        (r#"{"call":7}"#.to_owned(), "line: key \"call\" must be a string"),
        (r#"{"call":"drawTringles","on":1}"#.to_owned(), "unknown call \"drawTringles\"; did you mean \"drawTriangles\"?"),
        (format!(r#"{{"call":"{}","on":1}}"#, "z".repeat(9999)), &format!("unknown call \"{}…\"", "z".repeat(60))),
        (r#"{"call":"present"}"#.to_owned(), "present: key \"on\" is missing"),
        (r#"{"call":"present","on":-1}"#.to_owned(), "present: key \"on\" is out of range: must be an object's id"),
        (
            r#"{"call":"present","on":77}"#.to_owned(),
            "present: key \"on\" names object 77, which no earlier line created",
        ),
        (
            format!(r#"{{"call":"present","on":{}}}"#, id(ObjectKind::Program3D)),
            "present: object 4 is a Program3D, which has no \"present\"",
        ),
        (draw("null", r#","firstIndex":0"#), "drawTriangles: key \"numTriangles\" is missing"),
        (draw("\"3\"", complete), "drawTriangles: key \"indexBuffer\" must be an object's id"),
        (draw("99", complete), "drawTriangles: key \"indexBuffer\" names object 99, which no earlier line created"),
        (
            draw(&id(ObjectKind::Texture).to_string(), complete),
            "drawTriangles: key \"indexBuffer\" names object 5, which is a Texture instead of an IndexBuffer3D",
        ),
        (
            draw("null", r#","firstIndex":4294967296,"numTriangles":-1"#),
            "drawTriangles: key \"firstIndex\" is out of range: must be an int of 32 bits",
        ),
        (
            draw("null", r#","firstIndex":1e400,"numTriangles":-1"#),
            "invalid JSON at column 68: number out of range",
        ),
        (upload("5"), "uploadFromVector: key \"dataF64B64\" must be a string with base64"),
        (
            upload("\"AA*A\""),
            "uploadFromVector: key \"dataF64B64\" is not base64: Invalid symbol 42, offset 2.",
        ),
        (upload("\"AAAA\""), "uploadFromVector: key \"dataF64B64\" has 3 bytes instead of a multiple of 8"),
        (
            bitmap(2, "AAAA"),
            "uploadFromBitmapData: key \"source\" is wrong: key \"argbPremultipliedB64\" has 3 bytes instead of 8",
        ),
        (
            bitmap(u32::MAX, ""),
            "uploadFromBitmapData: key \"source\" is wrong: key \"argbPremultipliedB64\" has 0 bytes instead of 17179869180",
        ),
        (
            format!(r#"{{"call":"createProgram","on":{context},"result":1}}"#),
            "\"result\" 1 is the id of an object that exists already",
        ),
        (r#"{"frame":4294967296}"#.to_owned(), "frame: key \"frame\" is out of range: must be a uint of 32 bits"),
        (
            r#"{"call":"requestContext3D","on":900,"stage3DIndex":4}"#.to_owned(),
            "\"stage3DIndex\" 4, but there are only 4",
        ),
        (
            r#"{"call":"requestContext3D","on":900,"stage3DIndex":0}"#.to_owned(),
            "\"stage3DIndex\" 0 of object 900 is that of object 0",
        ),
    ] {
        assert_eq!(refusal(&line), message);
    }
}

#[test]
fn a_bad_header_is_named() {
    let with = |from: &str, to: &str| String::from_utf8(write(&[])).unwrap().replace(from, to);
    for (text, message) in [
        (String::new(), "c:1: not a Stage3D capture: the first line has no \"stage3dCapture\""),
        ("{\"frame\":0}".to_owned(), "c:1: not a Stage3D capture: the first line has no \"stage3dCapture\""),
        (with("Capture\":1", "Capture\":2"), "c:1: capture of version 2; only version 1 can be read"),
        (with("500", "0"), "c:1: header: key \"stageWidth\" is out of range: must be from 1 to 16384"),
        (with("400", "16385"), "c:1: header: key \"stageHeight\" is out of range: must be from 1 to 16384"),
        (with("#ff0a00", "#ff0a0g"), "c:1: header: key \"stageColor\" must be a colour as \"#rrggbb\""),
        (with("#ff0a00", "#+f0a00"), "c:1: header: key \"stageColor\" must be a colour as \"#rrggbb\""),
        (with("swfVersion", "swf"), "c:1: header: key \"swfVersion\" is missing"),
    ] {
        assert_eq!(read(text.as_bytes()).expect_err(&text).located("c"), message);
    }
    let missing = Reader::open(std::path::Path::new("no/such/file")).err().unwrap();
    assert_eq!(missing.line, 0);
}

#[test]
fn frames_go_up() {
    let error = read(&write(&[Record::Frame(3), Record::Frame(3)])).unwrap_err();
    assert_eq!(error.located("c"), "c:3: frame 3 ends after frame 3");
}

#[test]
fn stage3ds_are_four() {
    let visible = |id| CallLine { on: ObjectId(id), ..line(ObjectKind::Stage3D, Call::SetVisible { value: true }, None) };
    let calls = |count| (0..count).map(|id| Record::Call(visible(id))).collect::<Vec<_>>();
    assert_eq!(read(&write(&calls(4))).unwrap().len(), 4);
    assert_eq!(read(&write(&calls(5))).unwrap_err().located("c"), "c:6: more than 4 Stage3D objects");
}

#[test]
fn nothing_follows_an_error() {
    let mut reader = Reader::new(Cursor::new(b"{\"stage3dCapture\":1}".to_vec())).err();
    assert!(reader.take().is_some());
    let mut text = write(&[]);
    text.extend(b"nonsense\n{\"frame\":0}\n");
    let mut reader = Reader::new(Cursor::new(text)).unwrap();
    assert!(reader.next().unwrap().is_err());
    assert!(reader.next().is_none());
}
