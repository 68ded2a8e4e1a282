//! Reads the values of a record's keys.

use crate::error::{CaptureErrorKind, KeyError, nearest};
use crate::json::{Json, JsonObject};
use crate::value::{CallField, OptionalParameter, ParameterValue, shortened};

/// A boxed error, because errors are rare, and a box keeps the `Result` of every record small.
pub(crate) type BoxedKeyError = Box<CaptureErrorKind>;

/// Reads a string, such as the name of a call or event.
pub(crate) fn text(key: &'static str, json: Json<'_>) -> Result<String, BoxedKeyError> {
    String::from_json(json).map_err(|error| wrong("line", key, *error))
}

pub(crate) fn unknown(name: &str, known: impl Iterator<Item = &'static str>) -> BoxedKeyError {
    const MOST: usize = 60;
    CaptureErrorKind::UnknownCall { name: shortened(name, MOST), nearest: nearest(name, known) }
        .into()
}

pub(crate) fn take<T: CallField>(
    record: &'static str,
    values: &mut JsonObject<'_>,
    key: &'static str,
) -> Result<T, BoxedKeyError> {
    T::take(values, key).map_err(|error| wrong(record, key, *error))
}

/// Reads a value that may be missing or null.
pub(crate) fn optional<T: ParameterValue>(
    record: &'static str,
    values: &mut JsonObject<'_>,
    key: &'static str,
) -> Result<Option<T>, BoxedKeyError> {
    take::<OptionalParameter<Option<T>>>(record, values, key).map(|value| value.0.flatten())
}

pub(crate) fn wrong(record: &'static str, key: &str, fault: KeyError) -> BoxedKeyError {
    CaptureErrorKind::Key { record, key: key.to_owned(), fault }.into()
}

pub(crate) fn push<'a, T: ParameterValue>(
    values: &mut JsonObject<'a>,
    key: &'static str,
    value: &'a Option<T>,
) {
    if let Some(value) = value {
        value.append(key, values);
    }
}
