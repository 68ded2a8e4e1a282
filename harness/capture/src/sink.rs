//! Outputs for values: text for JSON Lines (here), bytes for binary captures ([`crate::binary`]).

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::value::Value;

/// Receives the values of one record. Both forms of a capture are written through this trait, so that calls are listed
/// only once.
pub(super) trait Sink {
    fn null(&mut self);
    fn boolean(&mut self, value: bool);
    fn integer(&mut self, value: i128);
    fn number(&mut self, value: f64);
    fn text(&mut self, text: &str);
    fn bytes(&mut self, bytes: &[u8]);
    fn list<T: Value>(&mut self, items: &[T]);
    /// Writes an object. `fields` writes keys, each followed by its value.
    fn object(&mut self, fields: impl FnOnce(&mut Self));
    /// Writes a key: a parameter's name and a suffix.
    fn key(&mut self, name: &'static str, suffix: &'static str);
}

/// Numbers that JSON can't represent.
pub(super) const NOT_FINITE: [(&str, f64); 3] =
    [("NaN", f64::NAN), ("Infinity", f64::INFINITY), ("-Infinity", f64::NEG_INFINITY)];

/// JSON. Writing to a String can't fail.
impl Sink for String {
    fn null(&mut self) {
        self.push_str("null");
    }

    fn boolean(&mut self, value: bool) {
        self.push_str(if value { "true" } else { "false" });
    }

    fn integer(&mut self, value: i128) {
        let _ = match i64::try_from(value) {
            Ok(value) => write!(self, "{value}"),
            Err(_) => write!(self, "{value}"),
        };
    }

    fn number(&mut self, value: f64) {
        let not_finite = match value.is_nan() {
            true => NOT_FINITE.first(),
            false => NOT_FINITE.iter().find(|(_, known)| *known == value),
        };
        // `{:?}` writes the shortest digits that read back as the same number, always as a float.
        let _ = match not_finite {
            Some((name, _)) => write!(self, "\"{name}\""),
            None => write!(self, "{value:?}"),
        };
    }

    fn text(&mut self, text: &str) {
        self.push('"');
        for c in text.chars() {
            match c {
                '"' => self.push_str("\\\""),
                '\\' => self.push_str("\\\\"),
                '\n' => self.push_str("\\n"),
                '\r' => self.push_str("\\r"),
                '\t' => self.push_str("\\t"),
                c if c < ' ' => {
                    let _ = write!(self, "\\u{:04x}", u32::from(c));
                }
                c => self.push(c),
            }
        }
        self.push('"');
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.push('"');
        STANDARD.encode_string(bytes, self);
        self.push('"');
    }

    fn list<T: Value>(&mut self, items: &[T]) {
        self.push('[');
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.push(',');
            }
            item.write(self);
        }
        self.push(']');
    }

    fn object(&mut self, fields: impl FnOnce(&mut Self)) {
        let start = self.len();
        fields(self);
        // Every field starts with a comma; the first comma becomes the brace.
        self.replace_range(start..self.len().min(start + 1), "{");
        self.push('}');
    }

    fn key(&mut self, name: &'static str, suffix: &'static str) {
        self.push_str(",\"");
        self.push_str(name);
        self.push_str(suffix);
        self.push_str("\":");
    }
}
