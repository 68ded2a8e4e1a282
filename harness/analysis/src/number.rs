//! The formatting of shader register values in query results, and the parsing of ranges.

use serde::{Serialize, Serializer};

/// A register component, serialized with the fewest digits that parse to the same float. NaN and infinities become
/// strings, because JSON numbers can't represent them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ComponentNumber(pub f32);

impl std::fmt::Display for ComponentNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for ComponentNumber {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.0.to_string();
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => serializer.serialize_f64(number),
            _ => serializer.serialize_str(&text),
        }
    }
}

pub(crate) fn numbers(values: [f32; 4]) -> [ComponentNumber; 4] {
    values.map(ComponentNumber)
}

/// Formats values as `1, 0, 0, 1`.
pub(crate) fn text<T: ToString>(values: &[T]) -> String {
    values.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

/// Formats a number with thousands separators: `20,481`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Parses a range `A-B` or a number `A`. Errors: a message if the text is neither a number nor a range, or if the range
/// counts backwards.
pub fn range<T: std::str::FromStr + Copy + PartialOrd>(text: &str) -> Result<(T, T), String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| {
        let digits = Some(text).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        let number = digits.and_then(|digits| digits.parse().ok());
        number.ok_or_else(|| format!("{text:?} is not a number"))
    };
    match (number(first)?, number(last)?) {
        (first, last) if first > last => Err(format!("{text:?} ends before its start")),
        range => Ok(range),
    }
}
