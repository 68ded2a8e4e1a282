//! Finds the open questions of the reference that a player's results resolve.

use std::collections::BTreeMap;
use std::fmt;

use crate::case::Case;
use crate::facts::{self, Fact, facts_of};
use crate::verdict::{CaseOutcome, Verdict};

/// A player's results for an open question.
#[derive(Clone, Debug)]
pub struct QuestionAnswer<'o> {
    pub fact: &'static Fact,
    /// True if the player behaves like Molehill in all cases that cite the fact; `None` if no case ran.
    pub agrees: Option<bool>,
    /// The outcomes of the cases that cite the open question.
    pub outcomes: Vec<&'o CaseOutcome>,
}

/// Returns a player's answers to all open questions, in the order of the reference.
pub fn answers<'o>(cases: &[Case], outcomes: &'o [CaseOutcome]) -> Vec<QuestionAnswer<'o>> {
    let by_name: BTreeMap<&str, &CaseOutcome> =
        outcomes.iter().map(|outcome| (outcome.name.as_str(), outcome)).collect();
    let open = facts::all().iter().filter(|fact| fact.is_open());
    let answer = |fact: &'static Fact| {
        let of_fact =
            cases.iter().filter(|case| facts_of(&case.source).any(|cited| cited.id == fact.id));
        let outcomes: Vec<&CaseOutcome> =
            of_fact.filter_map(|case| by_name.get(case.name.as_str()).copied()).collect();
        let has = |verdict| outcomes.iter().any(|outcome| outcome.verdict == verdict);
        let agrees = match (has(Verdict::Fail), has(Verdict::Pass)) {
            (true, _) => Some(false),
            (false, true) => Some(true),
            (false, false) => None,
        };
        QuestionAnswer { fact, agrees, outcomes }
    };
    open.map(answer).collect()
}

impl fmt::Display for QuestionAnswer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fact { id, text, page, line, .. } = self.fact;
        let answer = match self.agrees {
            Some(true) => "behaves like Molehill",
            Some(false) => "differs",
            None => "undecided",
        };
        writeln!(f, "{answer}: {id}: {text}")?;
        let field = |name| self.fact.field(name).unwrap_or_default();
        match self.agrees {
            Some(true) => {
                writeln!(
                    f,
                    "    {page}:{line}: set the grade `measured`, with the player as source"
                )
            }
            Some(false) => {
                writeln!(f, "    question: {}", field("Asked:"))?;
                let now = field("We do:");
                writeln!(f, "    Molehill does: {now}")?;
                // If the fact's text names no code in backquotes, the code that cites the fact must change, too.
                let cited = if now.contains('`') { "" } else { ", and the code that cites it" };
                writeln!(f, "    to change: {page}:{line}{cited}")?;
                let failed =
                    self.outcomes.iter().filter(|outcome| outcome.verdict == Verdict::Fail);
                for outcome in failed {
                    writeln!(f, "    {}: {}", outcome.name, outcome.reasons.join("; "))?;
                }
                Ok(())
            }
            None => writeln!(f, "    program: {}", field("Program:")),
        }
    }
}
