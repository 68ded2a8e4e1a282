//! Patterns of case names.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

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
    whole(pattern, name)
        || name
            .match_indices('.')
            .any(|(dot, _)| name.get(..dot).is_some_and(|stem| whole(pattern, stem)))
}

/// Backtracks only to the last star, so that the time is bounded by the product of the lengths.
fn whole(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    let mut star = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(letter) if *letter == '?' || Some(letter) == name.get(n) => {
                p += 1;
                n += 1;
            }
            _ => match &mut star {
                Some((at, from)) => {
                    *from += 1;
                    (p, n) = (*at + 1, *from);
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(p).all(|letter| *letter == '*')
}
