//! Failures that are understood, each with its reason.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde_json::Value;

use super::case::{CaseError, read_text};

/// Case name → why it fails.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownFailures(BTreeMap<String, String>);

/// A file that is no list of known failures.
#[derive(Debug)]
pub enum KnownFailuresError {
    /// It can't be read.
    Read(CaseError),
    /// It says something else than name and reason.
    Content(String),
}

impl fmt::Display for KnownFailuresError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KnownFailuresError::Read(error) => write!(f, "{error}"),
            KnownFailuresError::Content(text) => write!(f, "known failures: {text}"),
        }
    }
}

impl std::error::Error for KnownFailuresError {}

impl KnownFailures {
    /// The list for the shared captures that lies in this repository.
    ///
    /// # Errors
    /// When the list itself is wrong.
    pub fn built_in() -> Result<Self, KnownFailuresError> {
        Self::parse(include_str!("known-failures.json"))
    }

    /// Reads a JSON object of case names and reasons.
    ///
    /// # Errors
    /// An unreadable file, and a case without a reason.
    pub fn read(path: &Path) -> Result<Self, KnownFailuresError> {
        Self::parse(&read_text(path).map_err(KnownFailuresError::Read)?)
    }

    /// As [`KnownFailures::read`], from text.
    ///
    /// # Errors
    /// As [`KnownFailures::read`].
    pub fn parse(text: &str) -> Result<Self, KnownFailuresError> {
        let content = |text: String| KnownFailuresError::Content(text);
        let json: Value = serde_json::from_str(text).map_err(|error| content(error.to_string()))?;
        let object = json
            .as_object()
            .ok_or_else(|| content("not an object of names and reasons".to_owned()))?;
        let mut known = BTreeMap::new();
        for (name, reason) in object {
            let reason = reason
                .as_str()
                .map(str::trim)
                .filter(|reason| !reason.is_empty());
            let reason = reason.ok_or_else(|| content(format!("{name:?} has no reason")))?;
            known.insert(name.clone(), reason.to_owned());
        }
        Ok(KnownFailures(known))
    }

    /// Why the case is known to fail.
    pub fn reason(&self, case: &str) -> Option<&str> {
        self.0.get(case).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_needs_a_reason() {
        let known = KnownFailures::parse(r#"{"a":"needs ATF"}"#).unwrap();
        assert_eq!(
            (known.reason("a"), known.reason("b")),
            (Some("needs ATF"), None)
        );
        for text in [r#"{"a":""}"#, r#"{"a":" "}"#, r#"{"a":1}"#, "[]", "{"] {
            assert!(KnownFailures::parse(text).is_err(), "{text}");
        }
        KnownFailures::built_in().unwrap();
    }
}
