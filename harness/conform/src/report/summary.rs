//! A text summary of a run.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

use crate::facts;
use crate::results::Results;
use crate::verdict::{Outcome, Verdict};
use molehill_replay::table::aligned;

/// Number of cases that are listed; the reports have all.
const NAMED: usize = 40;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals(BTreeMap<Verdict, usize>);

impl Totals {
    pub fn of<'a>(outcomes: impl IntoIterator<Item = &'a Outcome>) -> Totals {
        let mut totals = Totals::default();
        outcomes.into_iter().for_each(|outcome| totals.add(outcome.verdict));
        totals
    }

    pub fn add(&mut self, verdict: Verdict) {
        *self.0.entry(verdict).or_default() += 1;
    }

    pub fn count(&self, verdict: Verdict) -> usize {
        self.0.get(&verdict).copied().unwrap_or(0)
    }

    /// Whether no case was run, or the device supports none of them: such a run is no success.
    pub fn tested_nothing(&self) -> bool {
        self.0.keys().all(|verdict| *verdict == Verdict::NotSupported)
    }

    pub fn failing(&self) -> usize {
        let failing = self.0.iter().filter(|(verdict, _)| verdict.fails());
        failing.map(|(_, count)| count).sum()
    }

    /// "12 pass, 3 not supported": the verdicts that occur, the best first.
    pub fn describe(&self) -> String {
        let parts = Verdict::ALL.iter().rev().filter_map(|verdict| {
            let count = self.count(*verdict);
            (count > 0).then(|| format!("{count} {}", verdict.name()))
        });
        let parts: Vec<String> = parts.collect();
        if parts.is_empty() { "no cases".to_owned() } else { parts.join(", ") }
    }
}

/// The differing cases of [`differing`](super::differing), one a line.
pub fn differences(differing: &BTreeMap<String, String>) -> String {
    let lines = differing.iter().take(NAMED);
    let mut text: String = lines.map(|(name, what)| format!("changed: {name}: {what}\n")).collect();
    if differing.len() > NAMED {
        text += &format!("changed: and {} more\n", differing.len() - NAMED);
    }
    text
}

/// The slowest cases, one a line.
pub fn slowest(results: &Results, count: usize) -> String {
    let mut cases: Vec<&Outcome> = results.outcomes.iter().collect();
    cases.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let lines = cases.iter().take(count);
    lines.map(|case| format!("slow: {:.3} s: {}\n", case.seconds, case.name)).collect()
}

/// Totals by area, all cases that are neither a plain pass nor unsupported, and a line with the counts.
pub fn summary(results: &Results) -> String {
    let mut text = format!("{} ({})\n", results.head.driver, results.head.backend);
    let mut areas: BTreeMap<&str, Totals> = BTreeMap::new();
    for outcome in &results.outcomes {
        areas.entry(outcome.area()).or_default().add(outcome.verdict);
    }
    let row = |(area, totals): (&&str, &Totals)| vec![format!("  {area}"), totals.describe()];
    text += &aligned(&areas.iter().map(row).collect::<Vec<_>>(), "").concat();
    let mut told = HashSet::new();
    for verdict in Verdict::ALL {
        if matches!(verdict, Verdict::Pass | Verdict::NotSupported) {
            continue;
        }
        let of: Vec<&Outcome> = results.outcomes.iter().filter(|o| o.verdict == *verdict).collect();
        for outcome in of.iter().take(NAMED) {
            let reason = outcome.reasons.first().map_or("", String::as_str);
            // Writing to a String can't fail.
            let _ = writeln!(text, "{}: {}: {reason}", verdict.name(), outcome.name);
            text += &facts::lines_of(&outcome.source, &mut told);
        }
        if of.len() > NAMED {
            let _ = writeln!(text, "{}: and {} more", verdict.name(), of.len() - NAMED);
        }
    }
    if results.missing() > 0 && results.head.shard == (1, 1) {
        let _ = writeln!(text, "{} cases have not run", results.missing());
    }
    text += &facts::coverage_line(&results.outcomes);
    let seconds: f64 = results.outcomes.iter().map(|outcome| outcome.seconds).sum();
    let totals = Totals::of(&results.outcomes);
    let _ = writeln!(
        text,
        "{} of {} cases: {}, {seconds:.1} s of work",
        results.outcomes.len(),
        results.head.cases.len(),
        totals.describe()
    );
    text
}
