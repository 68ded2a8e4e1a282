//! Comparison with an earlier run.

use std::collections::BTreeMap;

use crate::cases::CAPTURES;
use crate::results::Results;
use crate::verdict::{Outcome, Verdict};

/// A change against the baseline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The case is not in the baseline.
    New,
    /// The baseline had this verdict.
    Verdict(Verdict),
    /// The verdict is the same, but the pictures differ.
    Pictures,
    /// The case is only in the baseline, with this verdict.
    Gone(Verdict),
}

impl Change {
    /// A short description.
    pub fn describe(&self) -> String {
        match self {
            Change::New => "new".to_owned(),
            Change::Verdict(verdict) => format!("was {}", verdict.name()),
            Change::Pictures => "other pictures".to_owned(),
            Change::Gone(verdict) => format!("gone, was {}", verdict.name()),
        }
    }
}

/// Every selected case that changed, by name. Cases that are only in the baseline count as gone if the run is complete,
/// in the same profile, and had captures at all if they are captures.
pub fn changes(results: &Results, baseline: &Results) -> BTreeMap<String, Change> {
    let mut before: BTreeMap<&str, &Outcome> =
        baseline.outcomes.iter().map(|outcome| (outcome.name.as_str(), outcome)).collect();
    let mut changes = BTreeMap::new();
    for outcome in &results.outcomes {
        let change = match before.remove(outcome.name.as_str()) {
            None => Some(Change::New),
            Some(old) if old.verdict != outcome.verdict => Some(Change::Verdict(old.verdict)),
            Some(old) if old.hash != outcome.hash => Some(Change::Pictures),
            Some(_) => None,
        };
        changes.extend(change.map(|change| (outcome.name.clone(), change)));
    }
    let head = &results.head;
    let is_capture = |name: &str| name.starts_with(CAPTURES);
    let captures = results.outcomes.iter().any(|outcome| is_capture(&outcome.name));
    let complete = head.shard == (1, 1) && results.missing() == 0;
    let comparable = complete && head.profile == baseline.head.profile;
    let gone = before.into_iter().filter(|(name, _)| {
        comparable && head.selection.contains(name) && (captures || !is_capture(name))
    });
    changes.extend(gone.map(|(name, old)| (name.to_owned(), Change::Gone(old.verdict))));
    changes
}
