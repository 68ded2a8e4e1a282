//! Bulk data and structures in a capture: bytes, vectors, matrices, bitmaps, rectangles.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use base64_simd::Out;
use context3d::arguments::Rectangle;
use context3d::enums::{FlashName, Name};

use super::error::{Fault, KeyError};
use super::fields::Fields;
use super::json::{Json, Object};
use super::sink::Sink;
use super::value::{Field, Value, read_value};

pub use super::value::{CubeSide, MipLevel, Optional};

/// A string of one of Flash's enumeration classes, possibly null or another string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Enum<T> {
    /// One of the class's strings.
    Is(T),
    /// ActionScript's `null`.
    Null,
    /// Any other string. Boxed, because it is rare, and calls are copied.
    Unknown(Box<String>),
}

impl<T> From<T> for Enum<T> {
    fn from(value: T) -> Self {
        Enum::Is(value)
    }
}

impl<T: FlashName> Enum<T> {
    /// The value of a string; `None` is `null`.
    pub fn parse(text: Option<&str>) -> Self {
        match text.map(|text| T::from_name(text).ok_or(text)) {
            None => Enum::Null,
            Some(Ok(value)) => Enum::Is(value),
            Some(Err(unknown)) => Enum::Unknown(Box::new(unknown.to_owned())),
        }
    }

    /// The string; `None` is `null`.
    pub fn text(&self) -> Option<&str> {
        self.name().text()
    }

    /// The argument of a command.
    pub fn name(&self) -> Name<'_, T> {
        match self {
            Enum::Is(value) => Name::Is(*value),
            Enum::Null => Name::Null,
            Enum::Unknown(text) => Name::Unknown(text),
        }
    }
}

impl<T: FlashName> Value for Enum<T> {
    const EXPECTED: &'static str = String::EXPECTED;

    fn from_json(json: &Json<'_>) -> Result<Self, Fault> {
        match json {
            Json::Null => Ok(Enum::Null),
            Json::Text(text) => Ok(Enum::parse(Some(text))),
            _ => Err(Self::wrong_type()),
        }
    }

    #[inline(always)]
    fn read_found(fields: &mut impl Fields) -> Result<Self, Fault> {
        match fields.text() {
            Some(text) => {
                Ok(text.member().map_or_else(|| Self::parse(Some(text.as_str())), Enum::Is))
            }
            None => read_value(fields),
        }
    }

    fn write<S: Sink>(&self, out: &mut S) {
        match self.text() {
            Some(text) => out.text(text),
            None => out.null(),
        }
    }
}

/// The ByteArray argument of a call: its bytes, and its byte order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// The array's bytes.
    pub bytes: Vec<u8>,
    /// The array's `endian` property.
    pub endian: context3d::agal::Endian,
}

/// Suffix of the key for the byte order.
const ENDIAN_SUFFIX: &str = "Endian";
const BIG_ENDIAN: &str = "bigEndian";
const LITTLE_ENDIAN: &str = "littleEndian";

/// A ByteArray parameter, possibly null: one key for the bytes, one for the byte order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByteArray(pub Option<Bytes>);

impl ByteArray {
    /// Number of bytes.
    pub(super) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |array| array.bytes.len())
    }
}

impl From<Vec<u8>> for ByteArray {
    fn from(bytes: Vec<u8>) -> Self {
        ByteArray(Some(Bytes { bytes, endian: context3d::agal::Endian::Little }))
    }
}

impl Field for ByteArray {
    const SUFFIX: &'static str = "B64";

    fn read(fields: &mut impl Fields, name: &'static str) -> Result<Self, Fault> {
        let Some(bytes) = Option::<Base64>::read(fields, name)? else {
            return Ok(ByteArray(None));
        };
        let endian = fields.find(name, ENDIAN_SUFFIX);
        let endian = endian.then(|| String::read_found(fields).unwrap_or_default());
        let endian = match endian.as_deref() {
            None | Some(LITTLE_ENDIAN) => context3d::agal::Endian::Little,
            Some(BIG_ENDIAN) => context3d::agal::Endian::Big,
            Some(_) => {
                let expected = "accompanied by \"bigEndian\" or \"littleEndian\" as its endian";
                return Err(KeyError::WrongType { expected }.into());
            }
        };
        Ok(ByteArray(Some(Bytes { bytes: bytes.0, endian })))
    }

    fn append<S: Sink>(&self, name: &'static str, out: &mut S) {
        out.key(name, Self::SUFFIX);
        let Some(Bytes { bytes, endian }) = &self.0 else {
            return out.null();
        };
        out.bytes(bytes);
        if *endian == context3d::agal::Endian::Big {
            out.key(name, ENDIAN_SUFFIX);
            out.text(BIG_ENDIAN);
        }
    }
}

/// Bytes, as base64 in JSON.
struct Base64(Vec<u8>);

impl Value for Base64 {
    const EXPECTED: &'static str = "a string with base64";
    const SUFFIX: &'static str = "B64";

    fn from_json(json: &Json<'_>) -> Result<Self, Fault> {
        match json {
            Json::Bytes(bytes) => Ok(Base64(bytes.to_vec())),
            Json::Payload(payload) => Ok(Base64(payload.bytes().to_vec())),
            // The fast decoder doesn't say what is wrong.
            Json::Text(text) => base64_simd::STANDARD
                .decode_to_vec(text.as_bytes())
                .or_else(|_| STANDARD.decode(text.as_bytes()))
                .map(Base64)
                .map_err(|error| KeyError::Base64(error.to_string()).into()),
            _ => Err(Self::wrong_type()),
        }
    }

    fn write<S: Sink>(&self, out: &mut S) {
        out.bytes(&self.0);
    }
}

/// Bytes of base64 that are decoded at a time to 3/4 as many: whole elements of any size.
const PIECE: usize = 1024;

/// Reads elements of `N` bytes each.
fn elements<T, const N: usize>(
    json: &Json<'_>,
    element: impl Fn([u8; N]) -> T,
) -> Result<Vec<T>, Fault> {
    let bytes = match json {
        Json::Bytes(bytes) => Cow::Borrowed(*bytes),
        Json::Payload(payload) => Cow::Borrowed(payload.bytes()),
        Json::Text(text) if let Some(elements) = pieces(text, &element) => return Ok(elements),
        json => Cow::Owned(Base64::from_json(json)?.0),
    };
    let (chunks, rest) = bytes.as_chunks::<N>();
    if !rest.is_empty() {
        let (bytes, expected) = (bytes.len(), format!("a multiple of {N}"));
        return Err(KeyError::Length { bytes, expected }.into());
    }
    Ok(chunks.iter().map(|chunk| element(*chunk)).collect())
}

/// Decodes base64 to elements, without a copy of all bytes; `None` for an error.
fn pieces<T, const N: usize>(text: &str, element: impl Fn([u8; N]) -> T) -> Option<Vec<T>> {
    let mut elements = Vec::with_capacity(text.len() / 4 * 3 / N);
    let mut buffer = [0; PIECE / 4 * 3];
    let mut left = text.len();
    for piece in text.as_bytes().chunks(PIECE) {
        left -= piece.len();
        let bytes = base64_simd::STANDARD.decode(piece, Out::from_slice(&mut buffer));
        let (chunks, rest) = bytes.ok()?.as_chunks::<N>();
        // There is no padding before the end.
        if !rest.is_empty() || (left > 0 && chunks.len() * N < PIECE / 4 * 3) {
            return None;
        }
        elements.extend(chunks.iter().map(|chunk| element(*chunk)));
    }
    Some(elements)
}

/// The types of vectors: ActionScript's name, the elements, and the key's suffix.
macro_rules! vectors {
    ($($name:ident $class:literal $element:ty => $suffix:literal;)+) => {$(
        #[doc = concat!("A `", $class, "`.")]
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name(pub Vec<$element>);

        impl Value for $name {
            const EXPECTED: &'static str = Base64::EXPECTED;
            const SUFFIX: &'static str = $suffix;

            fn from_json(json: &Json<'_>) -> Result<Self, Fault> {
                elements(json, <$element>::from_le_bytes).map($name)
            }

            fn write<S: Sink>(&self, out: &mut S) {
                let bytes = self.0.iter().flat_map(|number| number.to_le_bytes());
                out.bytes(&bytes.collect::<Vec<u8>>());
            }
        }
    )+};
}

vectors! {
    Numbers "Vector.<Number>" f64 => "F64B64";
    Floats "Vector.<float>" f32 => "F32B64";
    Uints "Vector.<uint>" u32 => "U32B64";
}

/// A `Matrix3D`: its `rawData`, column-major.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix(pub Box<[f64; 16]>);

impl Value for Matrix {
    const EXPECTED: &'static str = Base64::EXPECTED;
    const SUFFIX: &'static str = "B64";

    fn from_json(json: &Json<'_>) -> Result<Self, Fault> {
        let numbers = Numbers::from_json(json)?.0;
        let matrix = <Box<[f64; 16]>>::try_from(numbers.into_boxed_slice());
        matrix.map(Matrix).map_err(|numbers| {
            let (bytes, expected) = (size_of_val(&*numbers), size_of::<[f64; 16]>().to_string());
            KeyError::Length { bytes, expected }.into()
        })
    }

    fn write<S: Sink>(&self, out: &mut S) {
        let bytes: Vec<u8> = self.0.iter().flat_map(|number| number.to_le_bytes()).collect();
        out.bytes(&bytes);
    }
}

/// Reads a value inside a structure; errors name the structure's key.
fn inside<T: Value>(object: &Object<'_>, key: &'static str) -> Result<T, Fault> {
    let value = match object.get(key) {
        Some(value) => T::from_json(value),
        None => Err(KeyError::Missing.into()),
    };
    value.map_err(|fault| KeyError::Inside(key, fault).into())
}

fn object<'j, 'a>(json: &'j Json<'a>, expected: &'static str) -> Result<&'j Object<'a>, Fault> {
    match json {
        Json::Object(object) => Ok(object),
        _ => Err(KeyError::WrongType { expected }.into()),
    }
}

/// The shape of a `BitmapData` that a call writes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitmapTarget {
    /// Pixels; 0 when disposed.
    pub width: u32,
    /// Pixels; 0 when disposed.
    pub height: u32,
    /// Whether it has an alpha channel.
    pub transparent: bool,
    /// Whether `dispose` was called on it.
    pub disposed: bool,
}

impl BitmapTarget {
    fn from_object(object: &Object<'_>) -> Result<Self, Fault> {
        Ok(BitmapTarget {
            width: inside(object, "width")?,
            height: inside(object, "height")?,
            transparent: inside(object, "transparent")?,
            disposed: match object.get("disposed") {
                None => false,
                Some(_) => inside(object, "disposed")?,
            },
        })
    }

    fn append<S: Sink>(&self, bytes: Option<&[u8]>, out: &mut S) {
        out.object(|out| {
            self.width.append("width", out);
            self.height.append("height", out);
            self.transparent.append("transparent", out);
            if self.disposed {
                self.disposed.append("disposed", out);
            }
            if let Some(bytes) = bytes {
                out.key(PIXELS, "");
                out.bytes(bytes);
            }
        });
    }
}

impl Value for BitmapTarget {
    const EXPECTED: &'static str = "a BitmapData object or null";

    fn from_json(json: &Json<'_>) -> Result<Self, Fault> {
        BitmapTarget::from_object(object(json, Self::EXPECTED)?)
    }

    fn write<S: Sink>(&self, out: &mut S) {
        self.append(None, out);
    }
}

/// A `BitmapData` that a call reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bitmap {
    /// Size and other properties.
    pub shape: BitmapTarget,
    /// Rows from top to bottom, with four bytes per pixel: B, G, R, A, colour premultiplied. Exactly the size of
    /// `shape`; empty if disposed.
    pub bgra: Vec<u8>,
}

/// Key of a bitmap's pixels.
const PIXELS: &str = "argbPremultipliedB64";

impl Value for Bitmap {
    const EXPECTED: &'static str = BitmapTarget::EXPECTED;

    fn from_json(json: &Json<'_>) -> Result<Self, Fault> {
        let object = object(json, Self::EXPECTED)?;
        let shape = BitmapTarget::from_object(object)?;
        let bgra = match object.get(PIXELS) {
            None if shape.disposed => Vec::new(),
            _ => inside::<Base64>(object, PIXELS)?.0,
        };
        let expected = match shape.disposed {
            true => 0,
            false => u64::from(shape.width).saturating_mul(shape.height.into()).saturating_mul(4),
        };
        if bgra.len() as u64 != expected {
            let fault = KeyError::Length { bytes: bgra.len(), expected: expected.to_string() };
            return Err(KeyError::Inside(PIXELS, fault.into()).into());
        }
        Ok(Bitmap { shape, bgra })
    }

    fn write<S: Sink>(&self, out: &mut S) {
        self.shape.append((!self.shape.disposed).then_some(self.bgra.as_slice()), out);
    }
}

impl Value for Rectangle {
    const EXPECTED: &'static str = "a rectangle or null";

    fn from_json(json: &Json<'_>) -> Result<Self, Fault> {
        let object = object(json, Self::EXPECTED)?;
        Ok(Rectangle {
            x: inside(object, "x")?,
            y: inside(object, "y")?,
            width: inside(object, "width")?,
            height: inside(object, "height")?,
        })
    }

    fn write<S: Sink>(&self, out: &mut S) {
        out.object(|out| {
            self.x.append("x", out);
            self.y.append("y", out);
            self.width.append("width", out);
            self.height.append("height", out);
        });
    }
}

/// A `flash.geom.Point`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The horizontal coordinate.
    pub x: f64,
    /// The vertical coordinate.
    pub y: f64,
}

impl Value for Point {
    const EXPECTED: &'static str = "a point or null";

    fn from_json(json: &Json<'_>) -> Result<Self, Fault> {
        let object = object(json, Self::EXPECTED)?;
        Ok(Point { x: inside(object, "x")?, y: inside(object, "y")? })
    }

    fn write<S: Sink>(&self, out: &mut S) {
        out.object(|out| {
            self.x.append("x", out);
            self.y.append("y", out);
        });
    }
}
