//! Names and patterns of test cases, which users write in options and files. A name that matches nothing is an error.

use std::collections::BTreeSet;
use std::fmt::Display;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wildmatch::WildMatch;

/// The maximum length of a misspelled name for which a similar name is suggested.
const LONGEST: usize = 64;

/// Returns an error if a pattern matches none of the names. `source` is the command-line option, or the file, that
/// contains the patterns.
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

/// Returns an error about names that match no case. `source` is the command-line option, or the file, that contains the
/// names of cases.
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

/// Returns a question that suggests the most similar known name, or an empty string if none is similar.
fn did_you_mean<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known = known.filter(|known| name.len().max(known.len()) <= LONGEST);
    let nearest = known.map(|known| (strsim::osa_distance(name, known), known)).min();
    let nearest = nearest.filter(|(edits, _)| edits * 3 <= name.len());
    nearest.map_or_else(String::new, |(_, known)| format!(", did you mean {known:?}?"))
}

/// Returns the message for an error in a line of a file. For an unknown key, the message suggests a similar key.
pub(crate) fn in_line(line: usize, message: &str) -> String {
    let mut keys = message.split('`').skip(1).step_by(2);
    match keys.next().filter(|_| message.starts_with("unknown field")) {
        Some(key) => format!("line {line}: unknown key {key:?}{}", did_you_mean(key, keys)),
        None => format!("line {line}: {message}"),
    }
}

/// Parses JSON that a user has written. The error message contains the line and the invalid key.
pub fn json<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| {
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(text, _)| text);
        in_line(error.line(), message)
    })
}

/// A selection of test cases by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseSelection {
    /// The patterns of the selected cases. An empty list selects all cases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filter: Vec<String>,
    /// The patterns of excluded cases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
    /// If not empty, only cases with these names are selected.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub names: BTreeSet<String>,
}

impl CaseSelection {
    /// Returns whether a case is selected.
    pub fn contains(&self, name: &str) -> bool {
        let any = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern, name));
        (self.names.is_empty() || self.names.contains(name))
            && (self.filter.is_empty() || any(&self.filter))
            && !any(&self.exclude)
    }
}

/// Returns whether a name matches a pattern, in which `*` matches any characters, including dots, and `?` one
/// character. A pattern also matches names below it: `api.blend` matches `api.blend.one.zero`.
pub fn matches(pattern: &str, name: &str) -> bool {
    matcher(pattern)(name)
}

/// Compiles a name pattern to a function. The returned function is [`matches`] with this pattern.
pub(crate) fn matcher(pattern: &str) -> impl Fn(&str) -> bool + use<> {
    let pattern = WildMatch::new(pattern);
    move |name| stems(name).any(|stem| pattern.matches(stem))
}

/// Returns all dot-separated prefixes of a case's name, and the name itself.
pub(crate) fn stems(name: &str) -> impl Iterator<Item = &str> {
    let areas = name.match_indices('.').filter_map(|(dot, _)| name.get(..dot));
    areas.chain([name])
}
