//! Names that people write, in options and in files. A name that matches nothing is an error.

use std::collections::BTreeSet;
use std::fmt::Display;

use serde::de::DeserializeOwned;

use super::glob::{matcher, stems};

/// Longest name for which a similar name is searched.
const LONGEST: usize = 64;

/// The names of cases, one of which each name that is written must match.
pub struct Names(BTreeSet<String>);

/// Names without a match, with the option or the file that has them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unmatched(String);

impl<T: Into<String>> FromIterator<T> for Names {
    fn from_iter<I: IntoIterator<Item = T>>(names: I) -> Names {
        Names(names.into_iter().map(T::into).collect())
    }
}

impl Names {
    /// Checks that every pattern from a source matches a name.
    pub fn check<'a>(
        &self,
        source: impl Display,
        patterns: impl IntoIterator<Item = &'a String>,
    ) -> Result<(), Unmatched> {
        let is_known = |pattern: &str| {
            let matches = matcher(pattern);
            self.0.iter().any(|name| matches(name))
        };
        self.refuse(source, patterns, is_known)
    }

    /// Checks that every name from a source is among the names.
    pub fn check_list<'a>(
        &self,
        source: impl Display,
        names: impl IntoIterator<Item = &'a String>,
    ) -> Result<(), Unmatched> {
        self.refuse(source, names, |name| self.0.contains(name))
    }

    fn refuse<'a>(
        &self,
        source: impl Display,
        written: impl IntoIterator<Item = &'a String>,
        is_known: impl Fn(&str) -> bool,
    ) -> Result<(), Unmatched> {
        let known = || self.0.iter().flat_map(|name| stems(name));
        let row = |name: &String| format!("{name:?}{}", did_you_mean(name, known()));
        let unknown = written.into_iter().filter(|name| !is_known(name));
        let rows: BTreeSet<String> = unknown.map(row).collect();
        if rows.is_empty() {
            return Ok(());
        }
        let rows: Vec<String> = rows.into_iter().collect();
        Err(Unmatched(format!("{source}: no case matches {}", rows.join("; "))))
    }
}

/// Returns the question for the most similar name, if a known name is similar.
fn did_you_mean<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known = known.filter(|known| name.len().max(known.len()) <= LONGEST);
    let nearest = known.map(|known| (strsim::osa_distance(name, known), known)).min();
    let nearest = nearest.filter(|(edits, _)| edits * 3 <= name.len());
    nearest.map_or_else(String::new, |(_, known)| format!(", did you mean {known:?}?"))
}

/// Returns the message of an error in a file of keys, with the line. If a key is unknown, the message suggests a key.
pub(crate) fn in_line(line: usize, message: &str) -> String {
    let mut keys = message.split('`').skip(1).step_by(2);
    match keys.next().filter(|_| message.starts_with("unknown field")) {
        Some(key) => format!("line {line}: unknown key {key:?}{}", did_you_mean(key, keys)),
        None => format!("line {line}: {message}"),
    }
}

/// Reads JSON that a person writes. The error names the line and, if it is about a key, the key.
pub fn json<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| {
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(text, _)| text);
        in_line(error.line(), message)
    })
}
