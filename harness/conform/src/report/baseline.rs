//! What is other than in an earlier run.

use std::collections::BTreeMap;

use crate::results::Results;
use crate::verdict::{Outcome, Verdict};

/// How a case differs from the baseline's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The baseline does not have it.
    New,
    /// It had this verdict.
    Verdict(Verdict),
    /// The verdict is the same, the pictures are not.
    Pictures,
    /// Only the baseline has it, with this verdict.
    Gone(Verdict),
}

impl Change {
    /// In a few words.
    pub fn describe(&self) -> String {
        match self {
            Change::New => "new".to_owned(),
            Change::Verdict(verdict) => format!("was {}", verdict.name()),
            Change::Pictures => "other pictures".to_owned(),
            Change::Gone(verdict) => format!("gone, was {}", verdict.name()),
        }
    }
}

/// Every case that differs, by name. Cases that only the baseline has count as gone where the run is a whole one.
pub fn changes(results: &Results, baseline: &Results) -> BTreeMap<String, Change> {
    let mut before: BTreeMap<&str, &Outcome> = baseline
        .outcomes
        .iter()
        .map(|outcome| (outcome.name.as_str(), outcome))
        .collect();
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
    if results.head.shard == (1, 1) && results.missing() == 0 {
        for (name, old) in before {
            changes.insert(name.to_owned(), Change::Gone(old.verdict));
        }
    }
    changes
}
