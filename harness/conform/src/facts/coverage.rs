//! Measures how many facts of the reference a conformance run verifies.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::{PAGES, all, facts_of};
use crate::verdict::{CaseOutcome, Verdict};

/// The number of verified facts of a reference page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FactCoverage {
    pub page: &'static str,
    pub facts: usize,
    /// The number of facts that a passing case cites and no failing case cites.
    pub shown: usize,
    /// The number of facts that a failing case cites.
    pub failing: usize,
}

impl FactCoverage {
    /// Returns the percentage of verified facts, rounded down.
    pub fn percent(&self) -> usize {
        100 * self.shown / self.facts.max(1)
    }
}

pub fn coverage(outcomes: &[CaseOutcome]) -> Vec<FactCoverage> {
    let mut by_fact: HashMap<&str, Vec<Verdict>> = HashMap::new();
    for outcome in outcomes {
        for fact in facts_of(&outcome.source) {
            by_fact.entry(fact.id.as_str()).or_default().push(outcome.verdict);
        }
    }
    let page = |page: &'static str| {
        let of_page = all().iter().filter(|fact| fact.page == page);
        let mut found = FactCoverage { page, facts: 0, shown: 0, failing: 0 };
        for fact in of_page {
            let cases = by_fact.get(fact.id.as_str()).map_or(&[][..], Vec::as_slice);
            let fails = cases.iter().any(|verdict| verdict.fails());
            let passes = cases.contains(&Verdict::Pass);
            found.facts += 1;
            found.shown += usize::from(passes && !fails);
            found.failing += usize::from(fails);
        }
        found
    };
    PAGES.iter().map(|(path, _)| page(path)).collect()
}

/// Returns the facts that a source cites as indented lines. Adds the text of facts that `printed` lacks.
pub(crate) fn lines_of(source: &str, printed: &mut HashSet<&'static str>) -> String {
    let lines = facts_of(source).map(|fact| match printed.insert(&fact.id) {
        true => format!("    [{}] {}: {}\n", fact.id, fact.grade, fact.text),
        false => format!("    [{}]\n", fact.id),
    });
    lines.collect()
}

/// Returns a line with the percentage of verified facts per page. Returns an empty string if no fact was tested.
pub(crate) fn coverage_line(outcomes: &[CaseOutcome]) -> String {
    let pages = coverage(outcomes).into_iter().filter(|page| page.shown + page.failing > 0);
    let parts: Vec<String> = pages
        .map(|page| {
            let name = page.page.replace("/REFERENCE", "").replace(".md", "");
            format!("{name} {} % of {}", page.percent(), page.facts)
        })
        .collect();
    let line = || format!("shown facts of the reference: {}\n", parts.join(", "));
    if parts.is_empty() { String::new() } else { line() }
}
