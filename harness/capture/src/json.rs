//! The values of one record, and their conversion from and to a line of JSON. Strings are borrowed from the line, so
//! that megabytes of base64 are not copied before they are decoded. The number of values is bounded, so that a hostile
//! line can't allocate many times its own size.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use serde_core::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_core::ser::{Error as _, Serialize, Serializer};

use crate::limits::MAX_VALUES;

const USUAL_KEYS: usize = 8;

/// Numbers that JSON can't represent, with their text form.
pub(crate) const NOT_FINITE: [(&str, f64); 3] =
    [("NaN", f64::NAN), ("Infinity", f64::INFINITY), ("-Infinity", f64::NEG_INFINITY)];

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Json<'a> {
    #[default]
    Null,
    Bool(bool),
    /// A number without fraction or exponent.
    Integer(i128),
    Float(f64),
    Text(Cow<'a, str>),
    List(Vec<Json<'a>>),
    Object(JsonObject<'a>),
    Bytes(Cow<'a, [u8]>),
    /// The index of a payload: bytes that a binary capture stores in another block.
    Payload(u64),
}

impl<'a> Json<'a> {
    pub(crate) fn text(text: &'a str) -> Self {
        Json::Text(text.into())
    }

    pub(crate) fn object<const N: usize>(fields: [(&'static str, Json<'a>); N]) -> Self {
        let fields = fields.into_iter().map(|(key, value)| (key.into(), value));
        Json::Object(JsonObject(fields.collect()))
    }

    pub(crate) fn as_object(&self) -> Option<&JsonObject<'a>> {
        match self {
            Json::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Returns the value if it is a whole number that is not negative.
    pub(crate) fn as_natural(&self) -> Option<u64> {
        match self {
            Json::Integer(number) => u64::try_from(*number).ok(),
            _ => None,
        }
    }

    /// Calls `see` for every value that isn't a list or an object; `see` may replace the value.
    pub(crate) fn leaves<E>(
        &mut self,
        see: &mut impl FnMut(&mut Json<'a>) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Json::List(items) => items.iter_mut().try_for_each(|item| item.leaves(see)),
            Json::Object(object) => {
                object.0.iter_mut().try_for_each(|(_, value)| value.leaves(see))
            }
            leaf => see(leaf),
        }
    }
}

/// A JSON object. The last value of a repeated key is used, as in most JSON parsers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct JsonObject<'a>(pub(crate) Vec<(Cow<'a, str>, Json<'a>)>);

impl<'a> JsonObject<'a> {
    pub(crate) fn get(&self, key: &str) -> Option<&Json<'a>> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Removes and returns the value whose key is `name` followed by `suffix`.
    pub(crate) fn take(&mut self, name: &str, suffix: &str) -> Option<Json<'a>> {
        let length = name.len() + suffix.len();
        let is = |key: &str| key.len() == length && key.strip_prefix(name) == Some(suffix);
        let field = self.0.iter_mut().rev().find(|(key, _)| is(key));
        field.map(|(_, value)| std::mem::take(value))
    }

    /// Adds a value under the key `name` followed by `suffix`.
    pub(crate) fn push(&mut self, name: &'static str, suffix: &'static str, value: Json<'a>) {
        let key = if suffix.is_empty() { name.into() } else { [name, suffix].concat().into() };
        self.0.push((key, value));
    }
}

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            Json::Null => out.serialize_unit(),
            Json::Bool(value) => out.serialize_bool(*value),
            Json::Integer(value) => out.serialize_i128(*value),
            Json::Float(value) if value.is_finite() => out.serialize_f64(*value),
            Json::Float(value) => {
                let name = NOT_FINITE.iter().find(|(_, known)| known == value);
                out.serialize_str(name.map_or("NaN", |(name, _)| name))
            }
            Json::Text(text) => out.serialize_str(text),
            Json::List(items) => out.collect_seq(items),
            Json::Object(object) => {
                out.collect_map(object.0.iter().map(|(key, value)| (key, value)))
            }
            Json::Bytes(bytes) => out.serialize_str(&base64_simd::STANDARD.encode_to_string(bytes)),
            Json::Payload(_) => Err(S::Error::custom("a payload")),
        }
    }
}

/// Parses a line. Invalid JSON and too many values are errors.
pub(crate) fn parse(line: &[u8]) -> Result<Json<'_>, serde_json::Error> {
    match str::from_utf8(line) {
        // Checking the whole line for UTF-8 is faster than checking each string.
        Ok(text) => read(serde_json::Deserializer::from_str(text)),
        Err(_) => read(serde_json::Deserializer::from_slice(line)),
    }
}

fn read<'de>(
    mut deserializer: serde_json::Deserializer<impl serde_json::de::Read<'de>>,
) -> Result<Json<'de>, serde_json::Error> {
    let values = Cell::new(0);
    let json = ValueLimit(&values).deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(json)
}

/// Counts the values of a line while parsing.
#[derive(Clone, Copy)]
struct ValueLimit<'c>(&'c Cell<u32>);

impl<'de> DeserializeSeed<'de> for ValueLimit<'_> {
    type Value = Json<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json<'de>, D::Error> {
        let values = self.0.get() + 1;
        if values > MAX_VALUES {
            let text = format_args!("more than {MAX_VALUES} values in one line");
            return Err(D::Error::custom(text));
        }
        self.0.set(values);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueLimit<'_> {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json<'de>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json<'de>, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json<'de>, E> {
        Ok(Json::Integer(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json<'de>, E> {
        Ok(Json::Integer(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json<'de>, E> {
        Ok(Json::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Json<'de>, E> {
        Ok(Json::text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json<'de>, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json<'de>, A::Error> {
        let mut object = Vec::new();
        while let Some(key) = entries.next_key_seed(JsonKey)? {
            if object.is_empty() {
                object.reserve(USUAL_KEYS);
            }
            object.push((key, entries.next_value_seed(self)?));
        }
        Ok(Json::Object(JsonObject(object)))
    }
}

/// A key, borrowed if it has no escapes.
struct JsonKey;

impl<'de> DeserializeSeed<'de> for JsonKey {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for JsonKey {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(value.to_owned()))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(value))
    }
}

#[cfg(test)]
#[path = "../tests/unit/json.rs"]
mod tests;
