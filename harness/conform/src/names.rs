//! Names that people write, in options and in files, and patterns of them. A name that matches nothing is an error.

use std::collections::BTreeSet;
use std::fmt::Display;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wildmatch::WildMatch;

/// Longest name for which a similar name is searched.
const LONGEST: usize = 64;

/// Checks that every pattern from a source, an option or a file, matches a name.
pub fn check<'a>(
    names: &BTreeSet<String>,
    source: impl Display,
    patterns: impl IntoIterator<Item = &'a String>,
) -> Result<(), String> {
    let unknown = patterns.into_iter().filter(|pattern| {
        let matches = matcher(pattern);
        !names.iter().any(|name| matches(name))
    });
    refuse(names, source, unknown)
}

/// Refuses names from a source that match no case.
pub fn refuse<'a>(
    names: &BTreeSet<String>,
    source: impl Display,
    unknown: impl IntoIterator<Item = &'a String>,
) -> Result<(), String> {
    let known = || names.iter().flat_map(|name| stems(name));
    let row = |name: &String| format!("{name:?}{}", did_you_mean(name, known()));
    let rows: Vec<String> = unknown.into_iter().map(row).collect();
    let refusal = || format!("{source}: no case matches {}", rows.join("; "));
    if rows.is_empty() { Ok(()) } else { Err(refusal()) }
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

/// The selected cases, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selection {
    /// Patterns of the selected cases; all cases if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filter: Vec<String>,
    /// Patterns of the cases that are not selected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
    /// Names of the only cases that are selected; any if empty.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub names: BTreeSet<String>,
}

impl Selection {
    /// Whether a case is selected.
    pub fn contains(&self, name: &str) -> bool {
        let any = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern, name));
        (self.names.is_empty() || self.names.contains(name))
            && (self.filter.is_empty() || any(&self.filter))
            && !any(&self.exclude)
    }
}

/// Whether a name matches a pattern, in which `*` matches any characters, including dots, and `?` one character. A
/// pattern also matches all names below it in the tree: `api.blend` matches `api.blend.one.zero`.
pub fn matches(pattern: &str, name: &str) -> bool {
    matcher(pattern)(name)
}

/// Returns [`matches`] for one pattern and many names.
pub(crate) fn matcher(pattern: &str) -> impl Fn(&str) -> bool + use<> {
    let pattern = WildMatch::new(pattern);
    move |name| stems(name).any(|stem| pattern.matches(stem))
}

/// Returns the areas that a name is in, and the name.
pub(crate) fn stems(name: &str) -> impl Iterator<Item = &str> {
    let areas = name.match_indices('.').filter_map(|(dot, _)| name.get(..dot));
    areas.chain([name])
}
