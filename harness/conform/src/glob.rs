//! Patterns of case names.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use wildmatch::WildMatch;

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
