//! ActionScript values in JSON: one implementation of [`Value`] per type, used by both reader and writer.

use super::error::{Fault, KeyError};
use super::fields::{Fields, Literal};
use super::json::Json;
use super::objects::{ObjectId, ObjectKind};
use super::sink::{NOT_FINITE, Sink};

/// A value under one key.
pub(super) trait Value: Sized {
    /// A description of the required value, for messages.
    const EXPECTED: &'static str;

    /// Suffix of the key after the parameter's name: "B64" for bytes.
    const SUFFIX: &'static str = "";

    /// Reads the value from JSON.
    fn from_json(json: &Json<'_>) -> Result<Self, Fault>;

    /// Writes the value.
    fn write<S: Sink>(&self, out: &mut S);

    /// Reads the value of the field that was found.
    #[inline(always)]
    fn read_found(fields: &mut impl Fields) -> Result<Self, Fault> {
        read_value(fields)
    }

    /// The error for a value of another type.
    fn wrong_type() -> Fault {
        let expected = Self::EXPECTED;
        KeyError::WrongType { expected }.into()
    }

    /// Passes every object in the value to `see`, with its required kind.
    fn references(&self, _see: &mut impl FnMut(ObjectId, Accepts)) {}
}

/// Reads the value of the field that was found, of any JSON type.
#[inline(never)]
pub(super) fn read_value<T: Value>(fields: &mut impl Fields) -> Result<T, Fault> {
    let value = fields.value(T::from_json);
    // A malformed value: the record is read again as a whole.
    value.unwrap_or_else(|| Err(KeyError::Missing.into()))
}

/// The objects that a parameter accepts: a description for messages, and the test.
pub(super) type Accepts = (&'static str, fn(ObjectKind) -> bool);

/// A parameter of a call: usually a [`Value`] under its key; some have other keys or none.
pub(super) trait Field: Sized {
    /// As [`Value::SUFFIX`].
    const SUFFIX: &'static str = "";

    /// Reads the parameter from the fields of a call, where its key is `name` and the suffix.
    fn read(fields: &mut impl Fields, name: &'static str) -> Result<Self, Fault>;

    /// As [`Field::read`], for a method of `receiver`, whose class may not have the parameter.
    #[inline(always)]
    fn read_of(
        _receiver: ObjectKind,
        fields: &mut impl Fields,
        name: &'static str,
    ) -> Result<Self, Fault> {
        Self::read(fields, name)
    }

    /// Appends key and value to the call's object.
    fn append<S: Sink>(&self, name: &'static str, out: &mut S);

    /// As [`Value::references`].
    fn named(&self, _see: &mut impl FnMut(ObjectId, Accepts)) {}
}

impl<T: Value> Field for T {
    const SUFFIX: &'static str = T::SUFFIX;

    #[inline(always)]
    fn read(fields: &mut impl Fields, name: &'static str) -> Result<Self, Fault> {
        match fields.find(name, T::SUFFIX) {
            true => T::read_found(fields),
            false => Err(KeyError::Missing.into()),
        }
    }

    fn append<S: Sink>(&self, name: &'static str, out: &mut S) {
        out.key(name, T::SUFFIX);
        self.write(out);
    }

    fn named(&self, see: &mut impl FnMut(ObjectId, Accepts)) {
        self.references(see);
    }
}

/// A parameter that is omitted from a recording if the program omitted it.
#[derive(Clone, Debug, PartialEq)]
pub struct Optional<T>(pub Option<T>);

impl<T: Value> Field for Optional<T> {
    const SUFFIX: &'static str = T::SUFFIX;

    #[inline(always)]
    fn read(fields: &mut impl Fields, name: &'static str) -> Result<Self, Fault> {
        match fields.find(name, T::SUFFIX) {
            true => T::read_found(fields).map(|value| Optional(Some(value))),
            false => Ok(Optional(None)),
        }
    }

    fn append<S: Sink>(&self, name: &'static str, out: &mut S) {
        if let Some(value) = &self.0 {
            value.append(name, out);
        }
    }
}

macro_rules! parameters_of_textures {
    ($($(#[$doc:meta])* $name:ident = $($class:ident)|+;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name(pub Option<u32>);

        impl Field for $name {
            fn read(fields: &mut impl Fields, name: &'static str) -> Result<Self, Fault> {
                u32::read(fields, name).map(|value| $name(Some(value)))
            }

            fn read_of(
                receiver: ObjectKind,
                fields: &mut impl Fields,
                name: &'static str,
            ) -> Result<Self, Fault> {
                match receiver {
                    $(ObjectKind::$class)|+ => Self::read(fields, name),
                    _ => Ok($name(None)),
                }
            }

            fn append<S: Sink>(&self, name: &'static str, out: &mut S) {
                if let Some(value) = self.0 {
                    value.append(name, out);
                }
            }
        }
    )+};
}

parameters_of_textures! {
    /// The cube face of an upload; methods of other textures don't have this parameter.
    CubeSide = CubeTexture;
    /// The mip level of an upload; methods of rectangle textures don't have this parameter and use level 0.
    MipLevel = Texture | CubeTexture;
}

/// A reference that may be null.
impl<T: Value> Value for Option<T> {
    const EXPECTED: &'static str = T::EXPECTED;
    const SUFFIX: &'static str = T::SUFFIX;

    fn from_json(json: &Json<'_>) -> Result<Self, Fault> {
        match json {
            Json::Null => Ok(None),
            json => T::from_json(json).map(Some),
        }
    }

    #[inline(always)]
    fn read_found(fields: &mut impl Fields) -> Result<Self, Fault> {
        match fields.literal(Literal::Null) {
            true => Ok(None),
            false => T::read_found(fields).map(Some),
        }
    }

    fn write<S: Sink>(&self, out: &mut S) {
        match self {
            None => out.null(),
            Some(value) => value.write(out),
        }
    }

    fn references(&self, see: &mut impl FnMut(ObjectId, Accepts)) {
        if let Some(value) = self {
            value.references(see);
        }
    }
}

impl<T: Value> Value for Vec<T> {
    const EXPECTED: &'static str = "a list";

    fn from_json(json: &Json<'_>) -> Result<Self, Fault> {
        match json {
            Json::List(items) => items.iter().map(T::from_json).collect(),
            _ => Err(Self::wrong_type()),
        }
    }

    fn write<S: Sink>(&self, out: &mut S) {
        out.list(self);
    }
}

/// Reads a whole number that fits `T`. A float with a fraction of zero is accepted.
fn integer<T: TryFrom<i128>>(json: &Json<'_>, expected: &'static str) -> Result<T, Fault> {
    let whole = match json {
        Json::Integer(value) => *value,
        Json::Float(value) if value.fract() == 0.0 => {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "saturates, and is out of every range then"
            )]
            let whole = *value as i128;
            whole
        }
        _ => return Err(KeyError::WrongType { expected }.into()),
    };
    T::try_from(whole).map_err(|_| KeyError::OutOfRange { expected }.into())
}

macro_rules! integers {
    ($($type:ty = $expected:literal),+) => {$(
        impl Value for $type {
            const EXPECTED: &'static str = $expected;

            fn from_json(json: &Json<'_>) -> Result<Self, Fault> {
                integer(json, Self::EXPECTED)
            }

            #[inline(always)]
            fn read_found(fields: &mut impl Fields) -> Result<Self, Fault> {
                match fields.natural() {
                    Some(value) => Ok(value),
                    None => read_value(fields),
                }
            }

            fn write<S: Sink>(&self, out: &mut S) {
                out.integer((*self).into());
            }
        }
    )+};
}

integers! {
    i32 = "an int of 32 bits",
    u32 = "a uint of 32 bits",
    u16 = "an error number",
    u64 = "a whole number that is not negative"
}

impl Value for bool {
    const EXPECTED: &'static str = "true or false";

    fn from_json(json: &Json<'_>) -> Result<Self, Fault> {
        match json {
            Json::Bool(value) => Ok(*value),
            _ => Err(Self::wrong_type()),
        }
    }

    #[inline(always)]
    fn read_found(fields: &mut impl Fields) -> Result<Self, Fault> {
        match fields.literal(Literal::True) {
            true => Ok(true),
            false if fields.literal(Literal::False) => Ok(false),
            false => read_value(fields),
        }
    }

    fn write<S: Sink>(&self, out: &mut S) {
        out.boolean(*self);
    }
}

impl Value for f64 {
    const EXPECTED: &'static str = "a number, \"NaN\", \"Infinity\" or \"-Infinity\"";

    fn from_json(json: &Json<'_>) -> Result<Self, Fault> {
        match json {
            #[expect(clippy::cast_precision_loss, reason = "what ActionScript makes of it, too")]
            Json::Integer(value) => Ok(*value as f64),
            Json::Float(value) => Ok(*value),
            Json::Text(text) => {
                let known = NOT_FINITE.iter().find(|(name, _)| name == text);
                known.map(|(_, value)| *value).ok_or_else(Self::wrong_type)
            }
            _ => Err(Self::wrong_type()),
        }
    }

    fn write<S: Sink>(&self, out: &mut S) {
        out.number(*self);
    }
}

impl Value for String {
    const EXPECTED: &'static str = "a string";

    fn from_json(json: &Json<'_>) -> Result<Self, Fault> {
        match json {
            Json::Text(text) => Ok(text.clone().into_owned()),
            _ => Err(Self::wrong_type()),
        }
    }

    #[inline(always)]
    fn read_found(fields: &mut impl Fields) -> Result<Self, Fault> {
        match fields.text() {
            Some(text) => Ok(text.as_str().to_owned()),
            None => read_value(fields),
        }
    }

    fn write<S: Sink>(&self, out: &mut S) {
        out.text(self);
    }
}

#[cfg(test)]
mod tests {
    use super::super::json::parse;
    use super::*;

    fn read<T: Value>(text: &str) -> Result<T, KeyError> {
        T::from_json(&parse(text.as_bytes()).unwrap()).map_err(|fault| *fault)
    }

    fn written<T: Value>(value: &T) -> String {
        let mut out = String::new();
        value.write(&mut out);
        out
    }

    #[test]
    fn ints_are_32_bits() {
        assert_eq!((read("-2147483648"), read("4294967295")), (Ok(i32::MIN), Ok(u32::MAX)));
        assert_eq!(read("3.0"), Ok(3));
        for text in ["2147483648", "-2147483649", "1e300", "99999999999999999999999"] {
            assert!(matches!(read::<i32>(text), Err(KeyError::OutOfRange { .. })), "{text}");
        }
        assert!(matches!(read::<u32>("-1"), Err(KeyError::OutOfRange { .. })));
        for text in ["3.5", "\"3\"", "null", "[]", "true"] {
            assert!(matches!(read::<i32>(text), Err(KeyError::WrongType { .. })), "{text}");
        }
    }

    #[test]
    fn numbers_read_back_as_they_were() {
        for value in
            [0.0, -0.0, 0.1, 1.0, 5e-324, f64::MAX, -1e21, 1e16, f64::INFINITY, f64::NEG_INFINITY]
        {
            let text = written(&value);
            assert_eq!(read::<f64>(&text).map(f64::to_bits), Ok(value.to_bits()), "{text}");
        }
        assert_eq!(written(&1.0), "1.0");
        assert!(read::<f64>(&written(&f64::NAN)).unwrap().is_nan());
        assert!(read::<f64>("\"1\"").is_err());
    }

    #[test]
    fn any_string() {
        for text in ["", "a\"b\\c\n\r\t\u{1}\u{7f}", "ü€😀\u{2028}", "\u{0}"] {
            let json = written(&text.to_owned());
            assert_eq!(read::<String>(&json).as_deref(), Ok(text), "{json}");
            assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }
    }
}
