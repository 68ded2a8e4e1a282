//! Round trips through writer and reader; `errors` has the invalid lines.

mod binary;
mod errors;
mod extent;
mod recording;

use std::io::Cursor;

use context3d::arguments::Rectangle;
use context3d::enums::FlashName;
use proptest::prelude::*;

use super::*;
use crate::call::samples;
use crate::data::*;
use crate::objects::*;

/// A source of random values. It returns zeros at its end, so that proptest shrinks by removing bytes.
pub(super) struct Entropy(std::vec::IntoIter<u8>);

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

pub(super) trait Sample: Sized {
    fn sample(entropy: &mut Entropy) -> Self;

    /// A random argument of a method of `receiver`.
    fn sample_of(_receiver: ObjectKind, entropy: &mut Entropy) -> Self {
        Self::sample(entropy)
    }
}

impl Sample for CubeSide {
    fn sample(entropy: &mut Entropy) -> Self {
        CubeSide(Some(u32::sample(entropy)))
    }

    fn sample_of(receiver: ObjectKind, entropy: &mut Entropy) -> Self {
        match receiver {
            ObjectKind::CubeTexture => Self::sample(entropy),
            _ => CubeSide(None),
        }
    }
}

impl Sample for MipLevel {
    fn sample(entropy: &mut Entropy) -> Self {
        MipLevel(Some(u32::sample(entropy)))
    }

    fn sample_of(receiver: ObjectKind, entropy: &mut Entropy) -> Self {
        match receiver {
            ObjectKind::RectangleTexture => MipLevel(None),
            _ => Self::sample(entropy),
        }
    }
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
    f32: |entropy| f32::from_le_bytes(entropy.bytes());
    char: |entropy| char::from_u32(u32::sample(entropy) % 0x11_0000).unwrap_or('"');
    String: |entropy| entropy.list::<char>(8).into_iter().collect();
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
        endian: if bool::sample(entropy) { context3d::agal::Endian::Big } else { context3d::agal::Endian::Little },
    };
    Numbers: |entropy| Numbers(entropy.list(8));
    Floats: |entropy| Floats(entropy.list(8));
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
        (!entropy.byte().is_multiple_of(4)).then(|| T::sample(entropy))
    }
}

impl<T: FlashName> Sample for Enum<T> {
    fn sample(entropy: &mut Entropy) -> Self {
        match entropy.byte() {
            0 => Enum::Null,
            byte @ 1..64 => Enum::parse(Some(&format!("{byte} \"{}", String::sample(entropy)))),
            byte => T::NAMES[usize::from(byte) % T::NAMES.len()].0.into(),
        }
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

fn line(on: ObjectKind, call: Call, result: Option<ObjectId>) -> CallLine {
    CallLine { on: first_of(on), call, result, throws: None, time: None }
}

/// One object of every kind.
fn prologue() -> Vec<Record> {
    let mut entropy = Entropy(Vec::new().into_iter());
    let mut created: Vec<ObjectKind> = Vec::new();
    let mut records = Vec::new();
    for (on, call) in samples(&mut entropy) {
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

fn read(text: &[u8]) -> Result<Vec<Record>, CaptureError> {
    let reader = Reader::new(Cursor::new(text.to_vec()))?;
    reader.map(|item| item.map(|(_, record)| record)).collect()
}

/// A line whose keys have another order is parsed as a whole, which costs several times as much.
#[test]
fn lines_are_read_in_the_order_in_which_they_are_written() {
    use crate::fields::{Fields, Line};
    let mut objects = Objects::default();
    let on = first_of(ObjectKind::Texture);
    let events = [Event::TextureReady, Event::Error(3700)]
        .map(|event| Record::Event(EventLine { on, event, time: Some(0.5) }));
    let mut writer = Writer::with_form(Vec::new(), &header(), Form::Lines, EVENT_VERSION).unwrap();
    let records = [prologue(), events.to_vec(), vec![Record::Frame(3)]].concat();
    records.iter().for_each(|record| writer.write(record).unwrap());
    let text = writer.finish().unwrap();
    for (line, written) in text.trim_ascii().split(|byte| *byte == b'\n').skip(1).zip(records) {
        let mut fields = Line::new(line);
        let read = crate::record::read_record(&mut fields, &mut objects, EVENT_VERSION);
        assert!(fields.is_complete(), "{written:?}");
        assert_eq!(format!("{:?}", read.unwrap()), format!("{written:?}"));
    }
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
        for (index, (on, mut call)) in samples(&mut entropy).into_iter().enumerate() {
            if let Call::RequestContext3D { stage3d_index, .. } = &mut call {
                *stage3d_index = 0;
            }
            let result = call.creates().map(|_| ObjectId(100 + index as u64));
            records.push(Record::Call(CallLine { throws, time, ..line(on, call, result) }));
        }
        records.push(Record::Frame(entropy.byte().into()));
        let text = write(&records);
        let back = read(&text).unwrap();
        // Not `==`, because NaN is not equal to itself.
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
