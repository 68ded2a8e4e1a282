//! The fields of one record. Writers put them in the order of the table of calls, so each is decoded when it is asked
//! for, without a list of all. Records in another order, with unknown keys, or with errors are parsed as a whole.

use std::borrow::Cow;
use std::cell::Cell;
use std::ptr;

use context3d::enums::FlashName;
use memchr::memchr2;

use super::call::{Rows, named};
use super::json::{Json, MAX_VALUES, Object, parse_first};

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
    Interned(&'a Interned),
}

impl<'a> Text<'a> {
    #[inline]
    pub(super) fn as_str(self) -> &'a str {
        match self {
            Text::Plain(text) => text,
            Text::Interned(interned) => &interned.text,
        }
    }

    /// The member of an enumeration with this name.
    #[inline(always)]
    pub(super) fn member<T: FlashName>(self) -> Option<T> {
        if let Text::Interned(interned) = self
            && let (names, position) = interned.member.get()
            && names == T::NAMES.as_ptr().addr()
        {
            return T::NAMES.get(position).map(|(member, _)| *member);
        }
        self.first_member()
    }

    #[inline(never)]
    fn first_member<T: FlashName>(self) -> Option<T> {
        let named = |(_, name): &(T, &str)| *name == self.as_str();
        let position = T::NAMES.iter().position(named)?;
        if let Text::Interned(interned) = self {
            interned.member.set((T::NAMES.as_ptr().addr(), position));
        }
        T::NAMES.get(position).map(|(member, _)| *member)
    }

    /// The calls of this name.
    #[inline]
    pub(super) fn rows(self) -> Rows {
        match self {
            Text::Plain(text) => named(text),
            Text::Interned(interned) => {
                if interned.rows.get().is_empty() {
                    interned.rows.set(named(&interned.text));
                }
                interned.rows.get()
            }
        }
    }
}

/// A text that many records refer to, and what it is known to mean: comparing addresses is faster than comparing texts.
#[derive(Debug)]
pub(super) struct Interned {
    pub(super) text: String,
    /// The parameter that it was the key of last.
    parameter: Cell<(&'static str, &'static str)>,
    /// The calls of this name; none if they were not asked for.
    rows: Cell<Rows>,
    /// The names of the enumeration that it was looked up in last, by their address, and its position there.
    member: Cell<(usize, usize)>,
}

impl Interned {
    pub(super) fn new(text: &str) -> Self {
        Interned {
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
        let position = self.object.position(name, suffix);
        self.found = position.unwrap_or(self.found);
        position.is_some()
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

/// A line of JSON without spaces between fields, as all writers of captures write it.
pub(super) struct Line<'a> {
    line: &'a str,
    /// What follows the last field.
    rest: &'a [u8],
    /// Number of values that were parsed by serde.
    values: Cell<u32>,
}

/// Most fields of an object in a line. A BitmapData has five.
const NESTED_FIELDS: usize = 8;

/// Most digits of a whole number that is sure to fit.
const DIGITS: usize = 18;

impl<'a> Line<'a> {
    /// A line that is not UTF-8 has no fields.
    pub(super) fn new(line: &'a [u8]) -> Self {
        // At once: faster than string by string.
        let line = str::from_utf8(line).unwrap_or_default();
        let (rest, values) = (line.as_bytes(), Cell::new(0));
        Line { line, rest, values }
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

    /// The value at the start of `json`, and what follows it.
    fn parse(&self, json: &'a [u8]) -> Option<(Json<'a>, &'a [u8])> {
        if let Some((text, rest)) = json.strip_prefix(b"\"").and_then(|text| self.quoted(text)) {
            return Some((Json::Text(Cow::Borrowed(text)), rest));
        }
        let start = self.line.len() - json.len();
        let (value, length) = parse_first(self.line.get(start..)?, &self.values)?;
        Some((value, json.get(length..)?))
    }

    /// The object whose fields start `json`, and what follows it. Its strings may have megabytes, which serde would read
    /// byte by byte.
    fn object(&self, json: &'a [u8]) -> Option<(Json<'a>, &'a [u8])> {
        let (mut fields, mut next) = (Vec::with_capacity(NESTED_FIELDS), json);
        while fields.len() < NESTED_FIELDS {
            let (key, after) = self.quoted(next.strip_prefix(b"\"")?)?;
            let (value, after) = self.parse(after.strip_prefix(b":")?)?;
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
        let object = self.rest.strip_prefix(b"{");
        let object = object.and_then(|fields| self.object(fields));
        let (value, rest) = object.or_else(|| self.parse(self.rest))?;
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
        // Not all fields were counted. A record that may have too many values is read as a whole.
        self.rest == b"}" && self.values.get() < MAX_VALUES / 2
    }
}

/// The whole number that starts `json`, and what follows its digits. It has 1 to [`DIGITS`] of them.
#[inline]
fn whole(json: &[u8]) -> Option<(u64, &[u8])> {
    let (mut value, mut rest) = (0, json);
    while let [digit @ b'0'..=b'9', after @ ..] = rest {
        value = value * 10 + u64::from(digit - b'0');
        rest = after;
        if json.len() - rest.len() > DIGITS {
            return None;
        }
    }
    let digits = json.len() - rest.len();
    (digits == 1 || (digits > 1 && !json.starts_with(b"0"))).then_some((value, rest))
}

#[cfg(test)]
mod tests {
    use super::super::json::parse;
    use super::*;

    /// The fields of `line` named "a", "b" and so on, read in their order.
    fn in_order(line: &str) -> Option<Vec<String>> {
        let mut read = Line::new(line.as_bytes());
        let names = ["a", "b", "c", "d", "e", "f"].into_iter();
        let fields = names.map_while(|name| {
            read.find(name, "").then(|| read.value(|value| format!("{value:?}")))?
        });
        let fields = fields.collect();
        read.is_complete().then_some(fields)
    }

    #[test]
    fn fields_in_order_are_those_of_the_parser() {
        for line in [
            r#"{"a":null,"b":true,"c":false,"d":"","e":"Aä+/=","f":"\u0041\""}"#,
            r#"{"a":0,"b":-1,"c":999999999999999999,"d":-999999999999999999,"e":0.5,"f":-0.0}"#,
            r#"{"a":-0,"b":1.7976931348623157,"c":1e5,"d":10000000000000000000,"e":99999999999999999999}"#,
            r#"{"a":{"x":1,"y":"z","x":-2.25},"b":{"w":null},"c":[1,[2],{}]}"#,
        ] {
            let Ok(Json::Object(object)) = parse(line.as_bytes()) else {
                panic!("{line}");
            };
            let parsed = (0..).map_while(|position| object.at(position));
            let parsed: Vec<String> = parsed.map(|value| format!("{value:?}")).collect();
            assert_eq!(in_order(line), Some(parsed), "{line}");
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
            r#"{"a":1.}"#,
            r#"{"a":truer}"#,
            "{\"a\":\"\t\"}",
            r#"{"a":{"x":1,}}"#,
        ] {
            assert_eq!(in_order(line), None, "{line}");
        }
        let wide = format!("{{\"a\":[{}0]}}", "0,".repeat(MAX_VALUES as usize / 2));
        assert_eq!(in_order(&wide), None);
        assert!(!Line::new(b"{\"a\":\"\xff\"}").find("a", ""));
    }
}
