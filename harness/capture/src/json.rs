//! Values of one record, and the parser of a line of JSON. Strings are borrowed from the line, so that a megabyte of
//! base64 is not copied before it is decoded. The number of values is bounded, so that a hostile line can't take many
//! times its own size in memory.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use super::binary::Payload;
use serde_core::de::{
    DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

/// Most values in one record, including nested ones. A call has about a dozen.
pub(super) const MAX_VALUES: u32 = 65_536;

/// Typical number of keys of a call.
const USUAL_KEYS: usize = 8;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json<'a> {
    Null,
    Bool(bool),
    /// A number without fraction or exponent.
    Integer(i128),
    Float(f64),
    Text(Cow<'a, str>),
    List(Vec<Json<'a>>),
    Object(Object<'a>),
    /// Bytes of a binary capture, stored in the record.
    Bytes(&'a [u8]),
    /// Bytes of a binary capture, stored in a block of payloads.
    Payload(Payload),
}

/// A JSON object. The last value of a repeated key is used, as in most JSON parsers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Object<'a>(Vec<(Cow<'a, str>, Json<'a>)>);

impl<'a> Object<'a> {
    pub(super) fn new(fields: Vec<(Cow<'a, str>, Json<'a>)>) -> Self {
        Object(fields)
    }

    pub(super) fn get(&self, key: &str) -> Option<&Json<'a>> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The position of the key that is `name` and `suffix`.
    pub(super) fn position(&self, name: &str, suffix: &str) -> Option<usize> {
        self.0.iter().rposition(|(key, _)| key.strip_prefix(name) == Some(suffix))
    }

    /// The value at a position.
    pub(super) fn at(&self, position: usize) -> Option<&Json<'a>> {
        self.0.get(position).map(|(_, value)| value)
    }
}

/// Parses a line.
///
/// # Errors
/// Invalid JSON, or too many values.
pub(super) fn parse(line: &[u8]) -> Result<Json<'_>, serde_json::Error> {
    match str::from_utf8(line) {
        // At once: faster than string by string.
        Ok(text) => read(serde_json::Deserializer::from_str(text)),
        Err(_) => read(serde_json::Deserializer::from_slice(line)),
    }
}

/// Parses the value at the start of `text`, and returns it with its length; `None` for an error. Adds to the number of
/// values.
pub(super) fn parse_first<'a>(text: &'a str, values: &Cell<u32>) -> Option<(Json<'a>, usize)> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let json = Bounded(values).deserialize(&mut deserializer).ok()?;
    let rest = deserializer.into_iter::<IgnoredAny>();
    Some((json, rest.byte_offset()))
}

fn read<'de>(
    mut deserializer: serde_json::Deserializer<impl serde_json::de::Read<'de>>,
) -> Result<Json<'de>, serde_json::Error> {
    let values = Cell::new(0);
    let json = Bounded(&values).deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(json)
}

/// Counts the values of a line while parsing.
#[derive(Clone, Copy)]
struct Bounded<'c>(&'c Cell<u32>);

impl<'de> DeserializeSeed<'de> for Bounded<'_> {
    type Value = Json<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json<'de>, D::Error> {
        let values = self.0.get() + 1;
        if values > MAX_VALUES {
            return Err(D::Error::custom(format_args!(
                "more than {MAX_VALUES} values in one line"
            )));
        }
        self.0.set(values);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Bounded<'_> {
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
        Ok(Json::Text(Cow::Borrowed(value)))
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
        while let Some(key) = entries.next_key_seed(Key)? {
            if object.is_empty() {
                object.reserve(USUAL_KEYS);
            }
            object.push((key, entries.next_value_seed(self)?));
        }
        Ok(Json::Object(Object(object)))
    }
}

/// A key, borrowed if it has no escapes.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key {
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
mod tests {
    use super::*;

    #[test]
    fn borrows_and_takes_the_last_of_repeated_keys() {
        let Json::Object(object) = parse(br#"{"a":"x","b":-1,"a":[1.5,null]}"#).unwrap() else {
            panic!("an object");
        };
        assert_eq!(object.get("a"), Some(&Json::List(vec![Json::Float(1.5), Json::Null])));
        assert_eq!(object.get("b"), Some(&Json::Integer(-1)));
        assert_eq!(object.get("c"), None);
        assert!(matches!(parse(br#""abc""#), Ok(Json::Text(Cow::Borrowed("abc")))));
    }

    #[test]
    fn refuses_hostile_lines() {
        let wide = format!("[{}0]", "0,".repeat(MAX_VALUES as usize));
        assert!(parse(wide.as_bytes()).unwrap_err().to_string().contains("more than 65536 values"));
        let deep = "[".repeat(1 << 20);
        assert!(parse(deep.as_bytes()).unwrap_err().to_string().contains("recursion limit"));
        assert!(parse(b"{} x").is_err());
        assert!(parse(b"1e999").is_err());
        assert!(parse(b"\"\xff\"").is_err());
    }
}
