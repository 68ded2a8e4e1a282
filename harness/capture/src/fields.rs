//! The fields of one record. Writers put them in the order of the table of calls, so each is decoded when it is asked
//! for, without a list of all. Records in another order, with unknown keys, or with errors are parsed as a whole.

use std::borrow::Cow;

use memchr::memchr2;

use super::binary::{Decoder, Size, Tag};
use super::json::{Json, Object};

/// The fields of a record.
pub(super) struct Fields<'a> {
    record: Source<'a>,
    /// The value that was read last.
    value: Json<'a>,
    /// Place of the field that was found last, in a record that was parsed as a whole.
    found: usize,
}

/// A record.
pub(super) enum Source<'a> {
    /// A record that was parsed as a whole.
    Whole(Object<'a>),
    /// A line whose fields are asked for in their order.
    Line(Line<'a>),
    /// A record of a binary capture whose fields are asked for in their order.
    Block(Decoder<'a>),
}

impl<'a> Fields<'a> {
    pub(super) fn new(record: Source<'a>) -> Self {
        let (value, found) = (Json::Null, 0);
        Fields {
            record,
            value,
            found,
        }
    }

    /// Finds the field whose key is `name` and `suffix`, so that its value can be read. In a record that was not parsed
    /// as a whole, it must be the next one.
    #[inline]
    pub(super) fn find(&mut self, name: &'static str, suffix: &'static str) -> bool {
        match &mut self.record {
            Source::Whole(object) => match object.place(name, suffix) {
                Some(place) => {
                    self.found = place;
                    true
                }
                None => false,
            },
            Source::Line(line) => line.find(name, suffix),
            Source::Block(block) => block.find(name, suffix),
        }
    }

    /// The value of the field that was found; `None` if it is malformed.
    #[inline]
    pub(super) fn value(&mut self) -> Option<&Json<'a>> {
        self.value = match &mut self.record {
            Source::Whole(object) => return object.at(self.found),
            Source::Line(line) => line.take()?,
            Source::Block(block) => block.take()?,
        };
        Some(&self.value)
    }

    /// As [`Fields::value`], for a null of which nothing else is to be known. False if it is anything else.
    #[inline]
    pub(super) fn null(&mut self) -> bool {
        match &mut self.record {
            Source::Whole(object) => matches!(object.at(self.found), Some(Json::Null)),
            Source::Line(line) => line.literal(b"null"),
            Source::Block(block) => block.literal(Tag::Null),
        }
    }

    /// A boolean in order; else `None`, and [`Fields::value`] has the value.
    #[inline]
    pub(super) fn boolean(&mut self) -> Option<bool> {
        let (yes, no) = match &mut self.record {
            Source::Whole(_) => return None,
            Source::Line(line) => (line.literal(b"true"), line.literal(b"false")),
            Source::Block(block) => (block.literal(Tag::True), block.literal(Tag::False)),
        };
        (yes || no).then_some(yes)
    }

    /// A whole number in order that is not negative and fits `T`; else `None`, and [`Fields::value`] has the value.
    #[inline]
    pub(super) fn natural<T: TryFrom<u64>>(&mut self) -> Option<T> {
        match &mut self.record {
            Source::Whole(_) => None,
            Source::Line(line) => line.natural(),
            Source::Block(block) => block.natural(),
        }
    }

    /// Whether all fields were read in their order, or the record was parsed as a whole. If not, what was read is not
    /// valid: a later field may have the same key, and the rest may be malformed.
    pub(super) fn is_complete(&self) -> bool {
        match &self.record {
            Source::Whole(_) => true,
            Source::Line(line) => line.rest == b"}",
            Source::Block(block) => block.is_complete(),
        }
    }

    /// The size of a record of a binary capture.
    pub(super) fn size(&self) -> Size {
        match &self.record {
            Source::Whole(_) | Source::Line(_) => Size::default(),
            Source::Block(block) => block.size(),
        }
    }
}

/// A line of JSON without escapes, exponents, lists and spaces between tokens, as all writers of captures write it.
pub(super) struct Line<'a> {
    line: &'a str,
    /// What follows the last field.
    rest: &'a [u8],
}

/// Most fields of an object in a line. A BitmapData has five.
const NESTED_FIELDS: usize = 8;

/// Most digits of a whole number that is sure to fit, and of a fraction.
const DIGITS: usize = 18;

impl<'a> Line<'a> {
    /// A line that is not UTF-8 has no fields.
    pub(super) fn new(line: &'a [u8]) -> Self {
        // At once: faster than string by string.
        let line = str::from_utf8(line).unwrap_or_default();
        let rest = line.as_bytes();
        Line { line, rest }
    }

    /// Goes to the value of the next field, if its key is `name` and `suffix`.
    #[inline]
    fn find(&mut self, name: &str, suffix: &str) -> bool {
        let start = match self.rest.len() == self.line.len() {
            true => b"{\"",
            false => b",\"",
        };
        let value = self.rest.strip_prefix(start).and_then(|rest| {
            let rest = rest.strip_prefix(name.as_bytes())?;
            rest.strip_prefix(suffix.as_bytes())?.strip_prefix(b"\":")
        });
        value.map(|value| self.rest = value).is_some()
    }

    #[inline]
    fn take(&mut self) -> Option<Json<'a>> {
        let (value, rest) = self.value(self.rest, true)?;
        self.rest = rest;
        Some(value)
    }

    #[inline]
    fn literal<const N: usize>(&mut self, text: &[u8; N]) -> bool {
        let rest = self.rest.strip_prefix(text);
        rest.map(|rest| self.rest = rest).is_some()
    }

    #[inline]
    fn natural<T: TryFrom<u64>>(&mut self) -> Option<T> {
        let (value, rest) = whole(self.rest)?;
        let ends = matches!(rest, [b',' | b'}', ..]);
        let value = T::try_from(value).ok().filter(|_| ends)?;
        self.rest = rest;
        Some(value)
    }

    /// A value at the start of `json`, and what follows it.
    fn value(&self, json: &'a [u8], objects: bool) -> Option<(Json<'a>, &'a [u8])> {
        let (first, after) = json.split_first()?;
        match first {
            b'"' => {
                let (text, rest) = self.text(after)?;
                Some((Json::Text(Cow::Borrowed(text)), rest))
            }
            b't' => Some((Json::Bool(true), after.strip_prefix(b"rue")?)),
            b'f' => Some((Json::Bool(false), after.strip_prefix(b"alse")?)),
            b'n' => Some((Json::Null, after.strip_prefix(b"ull")?)),
            b'{' if objects => self.object(after),
            _ => self.number(json),
        }
    }

    /// The text before the next quotation mark, and what follows that.
    #[inline]
    fn text(&self, json: &'a [u8]) -> Option<(&'a str, &'a [u8])> {
        let end = memchr2(b'"', b'\\', json)?;
        let (text, rest) = json.split_at_checked(end)?;
        // Not `any`: the compiler makes vector instructions of this.
        let least = text.iter().fold(u8::MAX, |least, byte| least.min(*byte));
        if least < b' ' {
            return None;
        }
        let start = self.line.len() - json.len();
        let text = self.line.get(start..start + end)?;
        Some((text, rest.strip_prefix(b"\"")?))
    }

    /// A number without exponent at the start of `json`, and what follows it.
    fn number(&self, json: &'a [u8]) -> Option<(Json<'a>, &'a [u8])> {
        let magnitude = json.strip_prefix(b"-").unwrap_or(json);
        let (whole, after) = whole(magnitude)?;
        match after.strip_prefix(b".") {
            Some(fraction) => {
                let (_, rest) = digits(fraction)?;
                let start = self.line.len() - json.len();
                let text = self.line.get(start..self.line.len() - rest.len())?;
                Some((Json::Float(text.parse().ok()?), rest))
            }
            None if magnitude.len() == json.len() => Some((Json::Natural(whole), after)),
            // -0 is a float.
            None => Some((Json::Negative(whole.checked_sub(1)?), after)),
        }
    }

    /// The object whose fields start `json`, without objects in it, and what follows it.
    fn object(&self, json: &'a [u8]) -> Option<(Json<'a>, &'a [u8])> {
        let (mut fields, mut next) = (Vec::with_capacity(NESTED_FIELDS), json);
        while fields.len() < NESTED_FIELDS {
            let (key, after) = self.text(next.strip_prefix(b"\"")?)?;
            let (value, after) = self.value(after.strip_prefix(b":")?, false)?;
            fields.push((Cow::Borrowed(key), value));
            match after.split_first()? {
                (b',', after) => next = after,
                (b'}', rest) => return Some((Json::Object(Object::new(fields)), rest)),
                _ => return None,
            }
        }
        None
    }
}

/// The number that starts `json`, and what follows its digits. It has 1 to [`DIGITS`] of them.
#[inline]
fn digits(json: &[u8]) -> Option<(u64, &[u8])> {
    let (mut value, mut rest) = (0, json);
    while let [digit @ b'0'..=b'9', after @ ..] = rest {
        value = value * 10 + u64::from(digit - b'0');
        rest = after;
        if json.len() - rest.len() > DIGITS {
            return None;
        }
    }
    (rest.len() < json.len()).then_some((value, rest))
}

/// As [`digits`], without zeros in front.
#[inline]
fn whole(json: &[u8]) -> Option<(u64, &[u8])> {
    digits(json).filter(|(_, rest)| !json.starts_with(b"0") || rest.len() + 1 == json.len())
}

#[cfg(test)]
mod tests {
    use super::super::json::parse;
    use super::*;

    /// The fields of `line` named "a", "b" and so on, read in their order.
    fn in_order(line: &str) -> Option<Vec<(Cow<'_, str>, Json<'_>)>> {
        let mut read = Line::new(line.as_bytes());
        let names = ["a", "b", "c", "d", "e", "f"].into_iter();
        let fields = names.map_while(|name| {
            let value = read.find(name, "").then(|| read.take())??;
            Some((Cow::Borrowed(name), value))
        });
        let fields = fields.collect();
        (read.rest == b"}").then_some(fields)
    }

    #[test]
    fn fields_in_order_are_those_of_the_parser() {
        for line in [
            r#"{"a":null,"b":true,"c":false,"d":"","e":"Aä+/="}"#,
            r#"{"a":0,"b":-1,"c":999999999999999999,"d":-999999999999999999,"e":0.5,"f":-0.0}"#,
            r#"{"a":123456789.123456789012345678,"b":1.7976931348623157}"#,
            r#"{"a":{"x":1,"y":"z","x":-2.25},"b":{"w":null}}"#,
        ] {
            let parsed = parse(line.as_bytes()).unwrap();
            let fields = in_order(line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!(Json::Object(Object::new(fields)), parsed, "{line}");
        }
    }

    #[test]
    fn everything_else_is_left_to_the_parser() {
        for line in [
            "",
            "{}",
            "[1]",
            r#"{"b":1}"#,
            r#"{"a":1,"c":1}"#,
            r#"{"a":1,"b":2,}"#,
            r#"{"a":1,"b":2} "#,
            r#"{"a":1,,"b":2}"#,
            r#"{ "a":1}"#,
            r#"{"a":1}}"#,
            r#"{"a":1"#,
            r#"{"a":"1"#,
            r#"{"a":01}"#,
            r#"{"a":-}"#,
            r#"{"a":-0}"#,
            r#"{"a":1.}"#,
            r#"{"a":.5}"#,
            r#"{"a":1e5}"#,
            r#"{"a":1000000000000000000}"#,
            r#"{"a":truer}"#,
            r#"{"a":"\u0041"}"#,
            "{\"a\":\"\t\"}",
            r#"{"a":[1]}"#,
            r#"{"a":{}}"#,
            r#"{"a":{"x":{"y":1}}}"#,
            r#"{"a":{"x":1,}}"#,
        ] {
            assert_eq!(in_order(line), None, "{line}");
        }
        let wide = format!("{{\"a\":{{{}\"x\":0}}}}", "\"x\":0,".repeat(NESTED_FIELDS));
        assert_eq!(in_order(&wide), None);
        assert!(!Line::new(b"{\"a\":\"\xff\"}").find("a", ""));
    }
}
