//! Bulk data and structures in a capture: bytes, vectors, matrices, bitmaps, rectangles.

use std::borrow::Cow;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use context3d::agal::Endian;
use context3d::arguments::Rectangle;
use context3d::enums::{EnumArg, FlashName};

use crate::error::{KeyError, ReaderError};
use crate::json::{Json, JsonObject};
use crate::value::{self, CallField, ParameterValue, described_list};

pub use crate::value::{CubeSide, MipLevel, OptionalParameter};

/// A string argument: a constant of one of Flash's enumeration classes, null, or any other string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Enum<T> {
    /// A constant of the class.
    Is(T),
    /// A null reference instead of a string.
    Null,
    /// A string that names no member of the enumeration. The string is boxed, because unknown strings are rare and
    /// calls are copied.
    Unknown(Box<String>),
}

impl<T> From<T> for Enum<T> {
    fn from(value: T) -> Self {
        Enum::Is(value)
    }
}

impl<T: FlashName> Enum<T> {
    /// Converts a string; `None` is ActionScript's `null`.
    pub fn parse(text: Option<&str>) -> Self {
        match text.map(|text| T::from_name(text).ok_or(text)) {
            None => Enum::Null,
            Some(Ok(value)) => Enum::Is(value),
            Some(Err(unknown)) => Enum::Unknown(Box::new(unknown.to_owned())),
        }
    }

    /// Returns the string; `None` is ActionScript's `null`.
    pub fn text(&self) -> Option<&str> {
        self.name().text()
    }

    /// Returns the value as an argument of `context3d`.
    pub fn name(&self) -> EnumArg<'_, T> {
        match self {
            Enum::Is(value) => EnumArg::Is(*value),
            Enum::Null => EnumArg::Null,
            Enum::Unknown(text) => EnumArg::Unknown(text),
        }
    }
}

impl<T: FlashName> ParameterValue for Enum<T> {
    const EXPECTED: &'static str = String::EXPECTED;

    fn from_json(json: Json<'_>) -> Result<Self, ReaderError> {
        match json {
            Json::Null => Ok(Enum::Null),
            Json::Text(text) => Ok(Enum::parse(Some(&text))),
            _ => Err(Self::wrong_type()),
        }
    }

    fn to_json(&self) -> Json<'_> {
        self.text().map_or(Json::Null, Json::text)
    }
}

/// The `ByteArray` argument of a call: its bytes and byte order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByteArrayData {
    /// All bytes of the `ByteArray`, starting at position 0.
    pub bytes: Vec<u8>,
    /// The byte order of the `ByteArray`.
    pub endian: Endian,
}

const ENDIAN_SUFFIX: &str = "Endian";
const BIG_ENDIAN: &str = "bigEndian";
const LITTLE_ENDIAN: &str = "littleEndian";

/// A `ByteArray` parameter, possibly null, with one key for the bytes and one for the byte order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByteArray(pub Option<ByteArrayData>);

impl From<Vec<u8>> for ByteArray {
    fn from(bytes: Vec<u8>) -> Self {
        ByteArray(Some(ByteArrayData { bytes, endian: Endian::Little }))
    }
}

impl CallField for ByteArray {
    const SUFFIX: &'static str = "B64";

    fn take(values: &mut JsonObject<'_>, name: &'static str) -> Result<Self, ReaderError> {
        let bytes = match values.take(name, Self::SUFFIX).ok_or(KeyError::Missing)? {
            Json::Null => return Ok(ByteArray(None)),
            json => bytes(json)?.into_owned(),
        };
        let expected = "accompanied by \"bigEndian\" or \"littleEndian\" as its endian";
        let endian = match values.take(name, ENDIAN_SUFFIX) {
            None => Endian::Little,
            Some(Json::Text(text)) if text == LITTLE_ENDIAN => Endian::Little,
            Some(Json::Text(text)) if text == BIG_ENDIAN => Endian::Big,
            Some(_) => return Err(KeyError::WrongType { expected }.into()),
        };
        Ok(ByteArray(Some(ByteArrayData { bytes, endian })))
    }

    fn append<'a>(&'a self, name: &'static str, values: &mut JsonObject<'a>) {
        let bytes =
            self.0.as_ref().map_or(Json::Null, |array| Json::Bytes(array.bytes.as_slice().into()));
        values.push(name, Self::SUFFIX, bytes);
        if self.0.as_ref().is_some_and(|array| array.endian == Endian::Big) {
            values.push(name, ENDIAN_SUFFIX, Json::text(BIG_ENDIAN));
        }
    }

    fn describe(&self, _: value::NameOf<'_>) -> Option<String> {
        Some(self.0.as_ref().map_or("null".to_owned(), |_| format!("{} bytes", self.bytes())))
    }

    fn bytes(&self) -> usize {
        self.0.as_ref().map_or(0, |array| array.bytes.len())
    }
}

const BASE64: &str = "a base64 string";

fn bytes(json: Json<'_>) -> Result<Cow<'_, [u8]>, ReaderError> {
    match json {
        Json::Bytes(bytes) => Ok(bytes),
        // The fast decoder's errors contain no reason.
        Json::Text(text) => base64_simd::STANDARD
            .decode_to_vec(text.as_bytes())
            .or_else(|_| STANDARD.decode(text.as_bytes()))
            .map(Cow::Owned)
            .map_err(|error| KeyError::Base64(error.to_string()).into()),
        _ => Err(KeyError::WrongType { expected: BASE64 }.into()),
    }
}

/// Reads elements of `N` bytes each.
fn elements<T, const N: usize>(
    json: Json<'_>,
    element: impl Fn([u8; N]) -> T,
) -> Result<Vec<T>, ReaderError> {
    let bytes = bytes(json)?;
    let (chunks, rest) = bytes.as_chunks::<N>();
    if !rest.is_empty() {
        let (bytes, expected) = (bytes.len(), format!("a multiple of {N}"));
        return Err(KeyError::Length { bytes, expected }.into());
    }
    Ok(chunks.iter().map(|chunk| element(*chunk)).collect())
}

/// Defines vector types: ActionScript's name, the Rust type of the elements, and the key's suffix.
macro_rules! vectors {
    ($($name:ident $class:literal $element:ty => $suffix:literal;)+) => {$(
        #[doc = concat!("A `", $class, "`.")]
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name(pub Vec<$element>);

        impl ParameterValue for $name {
            const EXPECTED: &'static str = BASE64;
            const SUFFIX: &'static str = $suffix;

            fn from_json(json: Json<'_>) -> Result<Self, ReaderError> {
                elements(json, <$element>::from_le_bytes).map($name)
            }

            fn to_json(&self) -> Json<'_> {
                Json::Bytes(self.0.iter().flat_map(|number| number.to_le_bytes()).collect())
            }

            fn describe(&self, _: value::NameOf<'_>) -> String {
                described_list(self.0.iter().map(<$element>::to_string))
            }

            fn bytes(&self) -> usize {
                size_of_val(self.0.as_slice())
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

impl ParameterValue for Matrix {
    const EXPECTED: &'static str = BASE64;
    const SUFFIX: &'static str = "B64";

    fn from_json(json: Json<'_>) -> Result<Self, ReaderError> {
        let numbers = Numbers::from_json(json)?.0;
        let matrix = <Box<[f64; 16]>>::try_from(numbers.into_boxed_slice());
        matrix.map(Matrix).map_err(|numbers| {
            let (bytes, expected) = (size_of_val(&*numbers), size_of::<[f64; 16]>().to_string());
            KeyError::Length { bytes, expected }.into()
        })
    }

    fn to_json(&self) -> Json<'_> {
        Json::Bytes(self.0.iter().flat_map(|number| number.to_le_bytes()).collect())
    }

    fn describe(&self, _: value::NameOf<'_>) -> String {
        let columns = self.0.as_chunks::<4>().0.iter();
        let columns = columns.map(|column| column.map(|number| number.to_string()).join(" "));
        format!("[{}]", columns.collect::<Vec<_>>().join(" | "))
    }
}

/// Reads a value inside a structure. The returned errors name the structure's key.
fn inside<T: ParameterValue>(
    values: &mut JsonObject<'_>,
    key: &'static str,
) -> Result<T, ReaderError> {
    T::take(values, key).map_err(|fault| KeyError::Inside(key, fault).into())
}

fn structure<'a, T: ParameterValue>(json: Json<'a>) -> Result<JsonObject<'a>, ReaderError> {
    match json {
        Json::Object(object) => Ok(object),
        _ => Err(T::wrong_type()),
    }
}

/// The size and flags of a `BitmapData` that a call writes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitmapTargetData {
    /// Width in pixels; 0 if the bitmap is disposed.
    pub width: u32,
    /// Height in pixels; 0 if the bitmap is disposed.
    pub height: u32,
    /// True if the bitmap has an alpha channel.
    pub transparent: bool,
    /// True if `dispose` was called on the bitmap.
    pub disposed: bool,
}

impl BitmapTargetData {
    fn take(values: &mut JsonObject<'_>) -> Result<Self, ReaderError> {
        Ok(BitmapTargetData {
            width: inside(values, "width")?,
            height: inside(values, "height")?,
            transparent: inside(values, "transparent")?,
            disposed: values.get("disposed").is_some() && inside(values, "disposed")?,
        })
    }

    fn values(&self) -> JsonObject<'static> {
        let mut values = JsonObject::default();
        values.push("width", "", Json::Integer(self.width.into()));
        values.push("height", "", Json::Integer(self.height.into()));
        values.push("transparent", "", Json::Bool(self.transparent));
        if self.disposed {
            values.push("disposed", "", Json::Bool(true));
        }
        values
    }
}

impl ParameterValue for BitmapTargetData {
    const EXPECTED: &'static str = "a BitmapData object or null";

    fn from_json(json: Json<'_>) -> Result<Self, ReaderError> {
        BitmapTargetData::take(&mut structure::<Self>(json)?)
    }

    fn to_json(&self) -> Json<'_> {
        Json::Object(self.values())
    }

    fn describe(&self, _: value::NameOf<'_>) -> String {
        let alpha = if self.transparent { " with alpha" } else { "" };
        let disposed = if self.disposed { ", disposed" } else { "" };
        format!("{}×{} bitmap{alpha}{disposed}", self.width, self.height)
    }
}

/// A `BitmapData` that a call reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitmapData {
    /// The size of the bitmap, and whether it has alpha.
    pub shape: BitmapTargetData,
    /// Rows from top to bottom, with four bytes per pixel: B, G, R, A, premultiplied. The bytes have exactly the size
    /// of `shape`; the list is empty if the bitmap is disposed. Copies of a bitmap, and sometimes equal bitmaps, share
    /// the bytes.
    pub bgra: Arc<Vec<u8>>,
}

const PIXELS: &str = "argbPremultipliedB64";

impl ParameterValue for BitmapData {
    const EXPECTED: &'static str = BitmapTargetData::EXPECTED;

    fn from_json(json: Json<'_>) -> Result<Self, ReaderError> {
        let mut values = structure::<Self>(json)?;
        let shape = BitmapTargetData::take(&mut values)?;
        let wrong = |fault: ReaderError| KeyError::Inside(PIXELS, fault);
        let bgra = match values.take(PIXELS, "") {
            None if shape.disposed => Vec::new(),
            None => return Err(wrong(KeyError::Missing.into()).into()),
            Some(json) => bytes(json).map_err(wrong)?.into_owned(),
        };
        let pixels = u64::from(shape.width).saturating_mul(shape.height.into());
        let expected = if shape.disposed { 0 } else { pixels.saturating_mul(4) };
        if bgra.len() as u64 != expected {
            let fault = KeyError::Length { bytes: bgra.len(), expected: expected.to_string() };
            return Err(wrong(fault.into()).into());
        }
        Ok(BitmapData { shape, bgra: bgra.into() })
    }

    fn to_json(&self) -> Json<'_> {
        let mut values = JsonObject::default();
        values.0.extend(self.shape.values().0);
        if !self.shape.disposed {
            values.push(PIXELS, "", Json::Bytes(self.bgra.as_slice().into()));
        }
        Json::Object(values)
    }

    fn describe(&self, name: value::NameOf<'_>) -> String {
        ParameterValue::describe(&self.shape, name)
    }

    fn bytes(&self) -> usize {
        self.bgra.len()
    }
}

impl ParameterValue for Rectangle {
    const EXPECTED: &'static str = "a rectangle or null";

    fn from_json(json: Json<'_>) -> Result<Self, ReaderError> {
        let values = &mut structure::<Self>(json)?;
        Ok(Rectangle {
            x: inside(values, "x")?,
            y: inside(values, "y")?,
            width: inside(values, "width")?,
            height: inside(values, "height")?,
        })
    }

    fn to_json(&self) -> Json<'_> {
        let Rectangle { x, y, width, height } = self;
        let fields = [("x", x), ("y", y), ("width", width), ("height", height)];
        Json::object(fields.map(|(key, value)| (key, value.to_json())))
    }

    fn describe(&self, _: value::NameOf<'_>) -> String {
        format!("({}, {}, {}×{})", self.x, self.y, self.width, self.height)
    }
}

/// The `Point` argument of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointData {
    /// The horizontal coordinate, in pixels.
    pub x: f64,
    /// The vertical coordinate, in pixels.
    pub y: f64,
}

impl ParameterValue for PointData {
    const EXPECTED: &'static str = "a point or null";

    fn from_json(json: Json<'_>) -> Result<Self, ReaderError> {
        let values = &mut structure::<Self>(json)?;
        Ok(PointData { x: inside(values, "x")?, y: inside(values, "y")? })
    }

    fn to_json(&self) -> Json<'_> {
        Json::object([("x", self.x.to_json()), ("y", self.y.to_json())])
    }
}
