//! Generates random calls, one for every entry of the table of calls.

use context3d::agal::Endian;
use context3d::arguments::Rectangle;
use context3d::enums::FlashName;
use molehill_capture::data::{
    BitmapData, BitmapTargetData, ByteArray, ByteArrayData, CubeSide, Enum, Floats, Matrix,
    MipLevel, Numbers, OptionalParameter, PointData, Uints,
};
use molehill_capture::objects::{
    IndexBufferId, ObjectId, ObjectKind, ProgramId, TextureId, VertexBufferId,
};
use molehill_capture::{Call, CallLine, CaptureNote, CaptureRecord};

/// A source of random values. After the last byte, the values are zero, so that proptest shrinks by removing bytes.
pub(crate) struct Entropy(pub(crate) std::vec::IntoIter<u8>);

impl Entropy {
    pub(crate) fn byte(&mut self) -> u8 {
        self.0.next().unwrap_or(0)
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.byte())
    }

    fn list<T: Sample>(&mut self, most: u8) -> Vec<T> {
        (0..self.byte() % (most + 1)).map(|_| T::sample(self)).collect()
    }
}

pub(crate) trait Sample: Sized {
    fn sample(entropy: &mut Entropy) -> Self;

    /// Returns a random argument of a method of `receiver`.
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
    ByteArrayData: |entropy| ByteArrayData {
        bytes: entropy.list(64),
        endian: if bool::sample(entropy) { Endian::Big } else { Endian::Little },
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
    PointData: |entropy| PointData { x: Sample::sample(entropy), y: Sample::sample(entropy) };
    BitmapTargetData: |entropy| {
        let disposed = bool::sample(entropy);
        let mut side = || if disposed { 0 } else { u32::from(entropy.byte() % 5) };
        let (width, height) = (side(), side());
        BitmapTargetData { width, height, transparent: bool::sample(entropy), disposed }
    };
    BitmapData: |entropy| {
        let shape = BitmapTargetData::sample(entropy);
        let bgra: Vec<u8> = (0..shape.width * shape.height * 4).map(|_| entropy.byte()).collect();
        BitmapData { shape, bgra: bgra.into() }
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

impl<T: Sample> Sample for OptionalParameter<T> {
    fn sample(entropy: &mut Entropy) -> Self {
        OptionalParameter(Option::sample(entropy))
    }
}

macro_rules! define_samples {
    ($(
        $(#[$doc:meta])*
        $variant:ident: $kind:ident $($class:ident)|+ $(($receiver:ident: $base:ident))? $name:literal $(-> $result:ident)?,
            since $since:literal, needs $needs:ident $(dirties [$($dirty:ident)*])? {
                $($field:ident $parameter:literal: $($type:ident)+ $(($($declared:tt)*))? $(= $default:expr)?),* $(,)?
            } [$($code:ident)*] $(as $like:ident)?
            => $witness:literal;
    )+) => {
        /// Returns each call of the table on every class that has it, with random arguments.
        pub(crate) fn samples(entropy: &mut Entropy) -> Vec<(ObjectKind, Call)> {
            let mut calls = Vec::new();
            $(for class in [$(ObjectKind::$class),+] {
                calls.push((class, Call::$variant { $($field: Sample::sample_of(class, entropy)),* }));
            })+
            calls
        }
    };
}

// The calls on a Stage3D precede those on a context and its objects, as in the library.
context3d::call_table! { define_samples {
    RequestContext3D: method Stage3D "requestContext3D" -> Context3D, since "13", needs Nothing {
        stage3d_index "": uint, render_mode "": enum RenderMode, profile "": enum Profile, profiles "": Profiles,
    } [] => "";
    SetX: setter Stage3D "x", since "13", needs Nothing { value "": Number } [] => "";
    SetY: setter Stage3D "y", since "13", needs Nothing { value "": Number } [] => "";
    SetVisible: setter Stage3D "visible", since "13", needs Nothing { value "": Boolean } [] => "";
} }

/// Returns one note of every type; the name is that of an object of class `on`.
pub(crate) fn notes(entropy: &mut Entropy, on: ObjectKind) -> [CaptureRecord; 4] {
    let number = u32::sample(entropy);
    [
        CaptureNote::Name { on: first_of(on), text: Sample::sample(entropy) },
        CaptureNote::Begin(Sample::sample(entropy)),
        CaptureNote::End,
        CaptureNote::Stack { number, functions: Sample::sample(entropy) },
    ]
    .map(CaptureRecord::Note)
}

/// Returns the id of the object of this class that [`prologue`] creates.
pub(crate) fn first_of(kind: ObjectKind) -> ObjectId {
    ObjectId(kind as u64)
}

pub(crate) fn line(on: ObjectKind, call: Call, result: Option<ObjectId>) -> CallLine {
    CallLine { result, ..CallLine::new(first_of(on), call) }
}

/// Returns calls that create one object of every class.
pub(crate) fn prologue() -> Vec<CaptureRecord> {
    let mut entropy = Entropy(Vec::new().into_iter());
    let mut created: Vec<ObjectKind> = Vec::new();
    let mut records = Vec::new();
    for (on, call) in samples(&mut entropy) {
        if let Some(kind) = call.creates().filter(|kind| !created.contains(kind)) {
            created.push(kind);
            records.push(CaptureRecord::Call(line(on, call, Some(first_of(kind)))));
        }
    }
    records
}
