//! ActionScript values in a capture: one implementation of [`ParameterValue`] per type, used by reader, writer and
//! descriptions.

use crate::error::{KeyError, ReaderError};
use crate::json::{Json, JsonObject, NOT_FINITE};
use crate::object::{ObjectId, ObjectKind};

/// Maximum number of vector elements in a description.
const MAX_NUMBERS: usize = 16;
/// Longest string that is described in full, in characters; a capture may contain strings of megabytes.
const MAX_TEXT: usize = 60;

pub(crate) type NameOf<'n> = &'n dyn Fn(ObjectId) -> String;

/// The classes that a parameter accepts: a description for messages, and a predicate.
pub(crate) type AcceptedClasses = (&'static str, fn(ObjectKind) -> bool);

pub(crate) trait ParameterValue: Sized {
    /// A description of the required value, for messages.
    const EXPECTED: &'static str;

    /// Suffix of the key after the parameter's name, such as "B64" for bytes.
    const SUFFIX: &'static str = "";

    fn from_json(json: Json<'_>) -> Result<Self, ReaderError>;

    fn to_json(&self) -> Json<'_>;

    /// Returns the value as text for display: names and numbers in full, bulk data by its size.
    fn describe(&self, _name: NameOf<'_>) -> String {
        described(&self.to_json())
    }

    /// Returns the approximate size of bulk data in bytes.
    fn bytes(&self) -> usize {
        0
    }

    /// Calls `see` for every object in the value, with the required class.
    fn references(&self, _see: &mut impl FnMut(ObjectId, AcceptedClasses)) {}

    /// Returns the error for a value of another type.
    fn wrong_type() -> ReaderError {
        KeyError::WrongType { expected: Self::EXPECTED }.into()
    }
}

/// A parameter of a call: usually a [`ParameterValue`] under its key. Some parameters have several keys, or none.
pub(crate) trait CallField: Sized {
    const SUFFIX: &'static str = "";

    /// Removes the parameter from the values of a record, where its key is `name` followed by the suffix.
    fn take(values: &mut JsonObject<'_>, name: &'static str) -> Result<Self, ReaderError>;

    /// Like [`CallField::take`], but for a method of `receiver`, whose class may lack the parameter.
    fn take_of(
        _: ObjectKind,
        values: &mut JsonObject<'_>,
        name: &'static str,
    ) -> Result<Self, ReaderError> {
        Self::take(values, name)
    }

    fn append<'a>(&'a self, name: &'static str, values: &mut JsonObject<'a>);

    /// Like [`ParameterValue::describe`], but returns `None` if the call omitted the parameter.
    fn describe(&self, name: NameOf<'_>) -> Option<String>;

    fn bytes(&self) -> usize {
        0
    }

    fn references(&self, _see: &mut impl FnMut(ObjectId, AcceptedClasses)) {}
}

impl<T: ParameterValue> CallField for T {
    const SUFFIX: &'static str = T::SUFFIX;

    fn take(values: &mut JsonObject<'_>, name: &'static str) -> Result<Self, ReaderError> {
        values.take(name, T::SUFFIX).map_or_else(|| Err(KeyError::Missing.into()), T::from_json)
    }

    fn append<'a>(&'a self, name: &'static str, values: &mut JsonObject<'a>) {
        values.push(name, T::SUFFIX, self.to_json());
    }

    fn describe(&self, name: NameOf<'_>) -> Option<String> {
        Some(ParameterValue::describe(self, name))
    }

    fn bytes(&self) -> usize {
        ParameterValue::bytes(self)
    }

    fn references(&self, see: &mut impl FnMut(ObjectId, AcceptedClasses)) {
        ParameterValue::references(self, see);
    }
}

/// A parameter that is missing in a record if the program omitted the argument.
#[derive(Clone, Debug, PartialEq)]
pub struct OptionalParameter<T>(pub Option<T>);

impl<T: ParameterValue> CallField for OptionalParameter<T> {
    const SUFFIX: &'static str = T::SUFFIX;

    fn take(values: &mut JsonObject<'_>, name: &'static str) -> Result<Self, ReaderError> {
        values.take(name, T::SUFFIX).map(T::from_json).transpose().map(OptionalParameter)
    }

    fn append<'a>(&'a self, name: &'static str, values: &mut JsonObject<'a>) {
        if let Some(value) = &self.0 {
            value.append(name, values);
        }
    }

    fn describe(&self, name: NameOf<'_>) -> Option<String> {
        self.0.as_ref().map(|value| ParameterValue::describe(value, name))
    }
}

macro_rules! parameters_of_textures {
    ($($(#[$doc:meta])* $name:ident = $($class:ident)|+;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name(pub Option<u32>);

        impl CallField for $name {
            fn take(values: &mut JsonObject<'_>, name: &'static str) -> Result<Self, ReaderError> {
                u32::take(values, name).map(|value| $name(Some(value)))
            }

            fn take_of(
                receiver: ObjectKind,
                values: &mut JsonObject<'_>,
                name: &'static str,
            ) -> Result<Self, ReaderError> {
                match receiver {
                    $(ObjectKind::$class)|+ => Self::take(values, name),
                    _ => Ok($name(None)),
                }
            }

            fn append<'a>(&'a self, name: &'static str, values: &mut JsonObject<'a>) {
                if let Some(value) = &self.0 {
                    value.append(name, values);
                }
            }

            fn describe(&self, _: NameOf<'_>) -> Option<String> {
                self.0.map(|value| value.to_string())
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
impl<T: ParameterValue> ParameterValue for Option<T> {
    const EXPECTED: &'static str = T::EXPECTED;
    const SUFFIX: &'static str = T::SUFFIX;

    fn from_json(json: Json<'_>) -> Result<Self, ReaderError> {
        match json {
            Json::Null => Ok(None),
            json => T::from_json(json).map(Some),
        }
    }

    fn to_json(&self) -> Json<'_> {
        self.as_ref().map_or(Json::Null, T::to_json)
    }

    fn describe(&self, name: NameOf<'_>) -> String {
        self.as_ref()
            .map_or_else(|| "null".to_owned(), |value| ParameterValue::describe(value, name))
    }

    fn bytes(&self) -> usize {
        self.as_ref().map_or(0, ParameterValue::bytes)
    }

    fn references(&self, see: &mut impl FnMut(ObjectId, AcceptedClasses)) {
        if let Some(value) = self {
            ParameterValue::references(value, see);
        }
    }
}

impl<T: ParameterValue> ParameterValue for Vec<T> {
    const EXPECTED: &'static str = "a list";

    fn from_json(json: Json<'_>) -> Result<Self, ReaderError> {
        match json {
            Json::List(items) => items.into_iter().map(T::from_json).collect(),
            _ => Err(Self::wrong_type()),
        }
    }

    fn to_json(&self) -> Json<'_> {
        Json::List(self.iter().map(T::to_json).collect())
    }
}

/// Reads a whole number within the range of `T`. A float with a fraction of zero is accepted.
fn integer<T: TryFrom<i128>>(json: &Json<'_>, expected: &'static str) -> Result<T, ReaderError> {
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
        impl ParameterValue for $type {
            const EXPECTED: &'static str = $expected;

            fn from_json(json: Json<'_>) -> Result<Self, ReaderError> {
                integer(&json, Self::EXPECTED)
            }

            fn to_json(&self) -> Json<'_> {
                Json::Integer((*self).into())
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

impl ParameterValue for bool {
    const EXPECTED: &'static str = "true or false";

    fn from_json(json: Json<'_>) -> Result<Self, ReaderError> {
        match json {
            Json::Bool(value) => Ok(value),
            _ => Err(Self::wrong_type()),
        }
    }

    fn to_json(&self) -> Json<'_> {
        Json::Bool(*self)
    }
}

impl ParameterValue for f64 {
    const EXPECTED: &'static str = "a number, \"NaN\", \"Infinity\" or \"-Infinity\"";

    fn from_json(json: Json<'_>) -> Result<Self, ReaderError> {
        match json {
            #[expect(clippy::cast_precision_loss, reason = "what ActionScript makes of it, too")]
            Json::Integer(value) => Ok(value as f64),
            Json::Float(value) => Ok(value),
            Json::Text(text) => {
                let known = NOT_FINITE.iter().find(|(name, _)| *name == text);
                known.map(|(_, value)| *value).ok_or_else(Self::wrong_type)
            }
            _ => Err(Self::wrong_type()),
        }
    }

    fn to_json(&self) -> Json<'_> {
        Json::Float(*self)
    }
}

impl ParameterValue for String {
    const EXPECTED: &'static str = "a string";

    fn from_json(json: Json<'_>) -> Result<Self, ReaderError> {
        match json {
            Json::Text(text) => Ok(text.into_owned()),
            _ => Err(Self::wrong_type()),
        }
    }

    fn to_json(&self) -> Json<'_> {
        Json::text(self)
    }
}

impl ParameterValue for ObjectId {
    const EXPECTED: &'static str = "an object's id";

    fn from_json(json: Json<'_>) -> Result<Self, ReaderError> {
        integer(&json, Self::EXPECTED).map(ObjectId)
    }

    fn to_json(&self) -> Json<'_> {
        Json::Integer(self.0.into())
    }
}

/// Defines one type per class of object parameters. A capture that passes a texture as an index buffer is rejected:
/// ActionScript's type checks exclude it, so no player can have recorded it.
macro_rules! references {
    ($($name:ident($description:literal) = $($kind:ident)|+;)+) => {$(
        #[doc = concat!("A parameter that takes ", $description, ".")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name(pub ObjectId);

        impl ParameterValue for $name {
            const EXPECTED: &'static str = ObjectId::EXPECTED;

            fn from_json(json: Json<'_>) -> Result<Self, ReaderError> {
                ObjectId::from_json(json).map($name)
            }

            fn to_json(&self) -> Json<'_> {
                self.0.to_json()
            }

            fn describe(&self, name: NameOf<'_>) -> String {
                name(self.0)
            }

            fn references(&self, see: &mut impl FnMut(ObjectId, AcceptedClasses)) {
                see(self.0, ($description, |kind| matches!(kind, $(ObjectKind::$kind)|+)));
            }
        }
    )+};
}

references! {
    VertexBufferId("a VertexBuffer3D") = VertexBuffer3D;
    IndexBufferId("an IndexBuffer3D") = IndexBuffer3D;
    ProgramId("a Program3D") = Program3D;
    TextureId("a texture") = Texture | RectangleTexture | CubeTexture | VideoTexture;
}

/// Describes a value by its JSON, and an object by its values only.
fn described(json: &Json<'_>) -> String {
    match json {
        Json::Null => "null".to_owned(),
        Json::Bool(value) => value.to_string(),
        Json::Integer(value) => value.to_string(),
        Json::Float(value) => value.to_string(),
        Json::Text(text) => shortened(text, MAX_TEXT),
        Json::List(items) => described_list(items.iter().map(described)),
        Json::Object(object) => {
            let values: Vec<String> = object.0.iter().map(|(_, value)| described(value)).collect();
            format!("({})", values.join(", "))
        }
        Json::Bytes(bytes) => format!("{} bytes", bytes.len()),
        Json::Payload(number) => format!("payload {number}"),
    }
}

/// Returns the first items of a list as text, with the list's length if it has more items.
pub(crate) fn described_list(mut items: impl ExactSizeIterator<Item = String>) -> String {
    let all = items.len();
    let mut shown: Vec<String> = items.by_ref().take(MAX_NUMBERS).collect();
    if all > shown.len() {
        shown.push(format!("… {all} in all"));
    }
    format!("[{}]", shown.join(" "))
}

/// Shortens a string to `most` characters: strings in a file may have megabytes.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
