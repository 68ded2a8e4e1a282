//! The fields of one record. Writers put them in the order of the table of calls, so each is decoded when it is asked
//! for, without a list of all. Records in another order, with unknown keys, or with errors are parsed as a whole.

use std::borrow::Cow;
use std::cell::Cell;
use std::ptr;

use context3d::enums::FlashName;
use memchr::memchr2;

use super::call::{Rows, named};
use super::json::{Json, Object};

/// The fields of a record. They are found by their keys; the value of the field that was found last can be read once.
pub(super) trait Fields {
    /// Finds the field whose key is `name` and `suffix`. Unless the record was parsed as a whole, it must be the next one.
    fn find(&mut self, name: &'static str, suffix: &'static str) -> bool;

    /// Reads the value; `None` if it is malformed.
    fn value<T>(&mut self, read: impl FnOnce(&Json<'_>) -> T) -> Option<T>;

    /// Reads the value if it is this one.
    fn literal(&mut self, literal: Literal) -> bool;

    /// Reads the value if that is easily seen to be a whole number that is not negative and fits `T`.
    fn natural<T: TryFrom<u64>>(&mut self) -> Option<T> {
        None
    }

    /// Reads the value if that is easily seen to be a text.
    fn text(&mut self) -> Option<Text<'_>> {
        None
    }

    /// Whether all fields were read in their order, or the record was parsed as a whole. If not, what was read is not
    /// valid: a later field may have the same key, and the rest may be malformed.
    fn is_complete(&self) -> bool;
}

/// A string of a record.
#[derive(Clone, Copy, Debug)]
pub(super) enum Text<'a> {
    Plain(&'a str),
    /// Of the table of a binary capture's block.
    Word(&'a Word),
}

impl<'a> Text<'a> {
    #[inline]
    pub(super) fn as_str(self) -> &'a str {
        match self {
            Text::Plain(text) => text,
            Text::Word(word) => &word.text,
        }
    }

    /// The member of an enumeration with this name.
    #[inline(always)]
    pub(super) fn member<T: FlashName>(self) -> Option<T> {
        if let Text::Word(word) = self
            && let (names, place) = word.member.get()
            && names == T::NAMES.as_ptr().addr()
        {
            return T::NAMES.get(place).map(|(member, _)| *member);
        }
        self.first_member()
    }

    #[inline(never)]
    fn first_member<T: FlashName>(self) -> Option<T> {
        let named = |(_, name): &(T, &str)| *name == self.as_str();
        let place = T::NAMES.iter().position(named)?;
        if let Text::Word(word) = self {
            word.member.set((T::NAMES.as_ptr().addr(), place));
        }
        T::NAMES.get(place).map(|(member, _)| *member)
    }

    /// The calls of this name.
    #[inline]
    pub(super) fn rows(self) -> Rows {
        match self {
            Text::Plain(text) => named(text),
            Text::Word(word) => {
                if word.rows.get().is_empty() {
                    word.rows.set(named(&word.text));
                }
                word.rows.get()
            }
        }
    }
}

/// A text that many records refer to, and what it is known to mean: comparing addresses is faster than comparing texts.
#[derive(Debug)]
pub(super) struct Word {
    pub(super) text: String,
    /// The parameter that it was the key of last.
    parameter: Cell<(&'static str, &'static str)>,
    /// The calls of this name; none if they were not asked for.
    rows: Cell<Rows>,
    /// The names of the enumeration that it was looked up in last, by their address, and its place there.
    member: Cell<(usize, usize)>,
}

impl Word {
    pub(super) fn new(text: &str) -> Self {
        Word {
            text: text.to_owned(),
            parameter: Cell::default(),
            rows: Cell::default(),
            member: Cell::default(),
        }
    }

    /// Whether it is the key of a parameter.
    #[inline(always)]
    pub(super) fn is(&self, name: &'static str, suffix: &'static str) -> bool {
        let (known_name, known_suffix) = self.parameter.get();
        (ptr::eq(known_name, name) && ptr::eq(known_suffix, suffix)) || self.is_first(name, suffix)
    }

    #[cold]
    fn is_first(&self, name: &'static str, suffix: &'static str) -> bool {
        let is = self.text.strip_prefix(name) == Some(suffix);
        if is {
            self.parameter.set((name, suffix));
        }
        is
    }
}

/// Values without content.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Literal {
    Null,
    False,
    True,
}

/// A record that was parsed as a whole.
pub(super) struct Whole<'a> {
    object: Object<'a>,
    /// Place of the field that was found.
    found: usize,
}

impl<'a> Whole<'a> {
    pub(super) fn new(object: Object<'a>) -> Self {
        Whole { object, found: 0 }
    }
}

impl Fields for Whole<'_> {
    fn find(&mut self, name: &'static str, suffix: &'static str) -> bool {
        let place = self.object.place(name, suffix);
        self.found = place.unwrap_or(self.found);
        place.is_some()
    }

    fn value<T>(&mut self, read: impl FnOnce(&Json<'_>) -> T) -> Option<T> {
        self.object.at(self.found).map(read)
    }

    fn literal(&mut self, literal: Literal) -> bool {
        match self.object.at(self.found) {
            Some(Json::Null) => literal == Literal::Null,
            Some(Json::Bool(true)) => literal == Literal::True,
            Some(Json::Bool(false)) => literal == Literal::False,
            _ => false,
        }
    }

    fn is_complete(&self) -> bool {
        true
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

    /// A value at the start of `json`, and what follows it.
    fn parse(&self, json: &'a [u8], objects: bool) -> Option<(Json<'a>, &'a [u8])> {
        let (first, after) = json.split_first()?;
        match first {
            b'"' => {
                let (text, rest) = self.quoted(after)?;
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
    fn quoted(&self, json: &'a [u8]) -> Option<(&'a str, &'a [u8])> {
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
            None if magnitude.len() == json.len() => Some((Json::Integer(whole.into()), after)),
            // -0 is a float.
            None if whole == 0 => None,
            None => Some((Json::Integer(-i128::from(whole)), after)),
        }
    }

    /// The object whose fields start `json`, without objects in it, and what follows it.
    fn object(&self, json: &'a [u8]) -> Option<(Json<'a>, &'a [u8])> {
        let (mut fields, mut next) = (Vec::with_capacity(NESTED_FIELDS), json);
        while fields.len() < NESTED_FIELDS {
            let (key, after) = self.quoted(next.strip_prefix(b"\"")?)?;
            let (value, after) = self.parse(after.strip_prefix(b":")?, false)?;
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

impl Fields for Line<'_> {
    #[inline(always)]
    fn find(&mut self, name: &'static str, suffix: &'static str) -> bool {
        let start = match self.rest.len() == self.line.len() {
            true => b"{\"",
            false => b",\"",
        };
        if let Some(rest) = self.rest.strip_prefix(start)
            && let Some(rest) = rest.strip_prefix(name.as_bytes())
            && let Some(rest) = rest.strip_prefix(suffix.as_bytes())
            && let Some(rest) = rest.strip_prefix(b"\":")
        {
            self.rest = rest;
            return true;
        }
        false
    }

    fn value<T>(&mut self, read: impl FnOnce(&Json<'_>) -> T) -> Option<T> {
        let (value, rest) = self.parse(self.rest, true)?;
        self.rest = rest;
        Some(read(&value))
    }

    #[inline]
    fn literal(&mut self, literal: Literal) -> bool {
        let rest = match literal {
            Literal::Null => self.rest.strip_prefix(b"null"),
            Literal::False => self.rest.strip_prefix(b"false"),
            Literal::True => self.rest.strip_prefix(b"true"),
        };
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    #[inline(always)]
    fn natural<T: TryFrom<u64>>(&mut self) -> Option<T> {
        let (value, rest) = whole(self.rest)?;
        let ends = matches!(rest, [b',' | b'}', ..]);
        let value = T::try_from(value).ok().filter(|_| ends)?;
        self.rest = rest;
        Some(value)
    }

    #[inline]
    fn text(&mut self) -> Option<Text<'_>> {
        let (text, rest) = self.quoted(self.rest.strip_prefix(b"\"")?)?;
        self.rest = rest;
        Some(Text::Plain(text))
    }

    #[inline]
    fn is_complete(&self) -> bool {
        self.rest == b"}"
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
            let (value, rest) = read.find(name, "").then(|| read.parse(read.rest, true))??;
            read.rest = rest;
            Some((Cow::Borrowed(name), value))
        });
        let fields = fields.collect();
        read.is_complete().then_some(fields)
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
