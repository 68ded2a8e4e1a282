//! Writes a text summary of a conformance run.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

use crate::facts;
use crate::results::ConformResults;
use crate::verdict::{CaseOutcome, Verdict};
use molehill_replay::evidence::{ComparisonEvidence, Conclusion, Party};
use molehill_replay::table::aligned;

/// The maximum number of cases that the summary lists. Reports other than the summary list all cases.
const MAX_LISTED: usize = 40;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals(BTreeMap<Verdict, usize>);

impl Totals {
    pub fn of<'a>(outcomes: impl IntoIterator<Item = &'a CaseOutcome>) -> Totals {
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

    /// Returns the counts of verdicts as text, the best verdict first: `12 pass, 3 not supported`.
    pub fn describe(&self) -> String {
        let parts = Verdict::ALL.iter().rev().filter_map(|verdict| {
            let count = self.count(*verdict);
            (count > 0).then(|| format!("{count} {}", verdict.name()))
        });
        let parts: Vec<String> = parts.collect();
        if parts.is_empty() { "no cases".to_owned() } else { parts.join(", ") }
    }
}

impl ConformResults {
    pub fn evidence(&self) -> ComparisonEvidence {
        let of_cases = || self.outcomes.iter().filter_map(|outcome| outcome.evidence.as_ref());
        let unknown = || Party::renderer(&self.head.backend, &self.head.driver);
        let tested = of_cases().next().map_or_else(unknown, |evidence| evidence.tested.clone());
        let mut whole = ComparisonEvidence::new(tested);
        of_cases().for_each(|evidence| whole.join(evidence));
        whole
    }

    /// Returns the conclusion of the run, which alone determines the exit status. A single shard may agree without any
    /// compared result.
    pub fn conclusion(&self) -> Conclusion {
        let is_whole = self.head.shard == (1, 1);
        let failing = self.outcomes.iter().filter(|outcome| outcome.verdict.fails());
        let (untested, failed): (Vec<&CaseOutcome>, Vec<&CaseOutcome>) =
            failing.partition(|outcome| outcome.verdict == Verdict::NotTested);
        if !failed.is_empty() || (is_whole && self.missing() > 0) {
            return Conclusion::Differs;
        }
        let why = untested.first().and_then(|outcome| outcome.untested());
        match (why, self.evidence().conclusion()) {
            (Some(why), _) => Conclusion::NotTested(why),
            (None, Conclusion::NotTested(why)) if is_whole => Conclusion::NotTested(why),
            // Equal verdicts may have different evidence, because the lists of known failures differ.
            (None, _) => Conclusion::Agrees,
        }
    }
}

/// Returns the differences between runs, which [`differing`](super::differing) found, one per line.
pub fn differences(differing: &BTreeMap<String, String>) -> String {
    let lines = differing.iter().take(MAX_LISTED);
    let mut text: String = lines.map(|(name, what)| format!("changed: {name}: {what}\n")).collect();
    if differing.len() > MAX_LISTED {
        text += &format!("changed: and {} more\n", differing.len() - MAX_LISTED);
    }
    text
}

pub fn slowest(results: &ConformResults, count: usize) -> String {
    let mut cases: Vec<&CaseOutcome> = results.outcomes.iter().collect();
    cases.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let lines = cases.iter().take(count);
    lines.map(|case| format!("slow: {:.3} s: {}\n", case.seconds, case.name)).collect()
}

/// Writes the evidence, the totals by area, all cases that neither pass nor are unsupported, and the total counts.
pub fn summary(results: &ConformResults) -> String {
    let mut text = format!("{}\n", results.evidence());
    let mut areas: BTreeMap<&str, Totals> = BTreeMap::new();
    // A case's area is the part of the name before the first dot. Skip captures whose name has no dot.
    for outcome in results.outcomes.iter().filter(|outcome| outcome.name != outcome.area()) {
        areas.entry(outcome.area()).or_default().add(outcome.verdict);
    }
    let row = |(area, totals): (&&str, &Totals)| vec![format!("  {area}"), totals.describe()];
    text += &aligned(&areas.iter().map(row).collect::<Vec<_>>(), "").concat();
    let mut printed = HashSet::new();
    for verdict in Verdict::ALL {
        if matches!(verdict, Verdict::Pass | Verdict::NotSupported) {
            continue;
        }
        let of: Vec<&CaseOutcome> =
            results.outcomes.iter().filter(|o| o.verdict == *verdict).collect();
        for outcome in of.iter().take(MAX_LISTED) {
            // Print two lines for each case: a known failure has its reason in the first line, and the error message in
            // the second line.
            text.extend(outcome.complaints().take(2).map(|complaint| complaint + "\n"));
            text += &facts::lines_of(&outcome.source, &mut printed);
        }
        if of.len() > MAX_LISTED {
            let _ = writeln!(text, "{}: and {} more", verdict.name(), of.len() - MAX_LISTED);
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
