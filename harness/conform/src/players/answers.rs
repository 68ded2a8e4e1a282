//! What a player's results say about open facts.

use std::collections::BTreeMap;
use std::fmt;

use crate::case::Case;
use crate::facts::{self, Fact, facts_of};
use crate::verdict::{Outcome, Verdict};

/// What a player says about an open fact.
#[derive(Clone, Debug)]
pub struct Answer<'o> {
    pub fact: &'static Fact,
    /// Whether the player does as Molehill in every case that it ran; `None` if it ran none to its end.
    pub agrees: Option<bool>,
    /// The outcomes of the fact's cases.
    pub outcomes: Vec<&'o Outcome>,
}

/// The answers to all open facts, in the order of the reference.
pub fn answers<'o>(cases: &[Case], outcomes: &'o [Outcome]) -> Vec<Answer<'o>> {
    let by_name: BTreeMap<&str, &Outcome> =
        outcomes.iter().map(|outcome| (outcome.name.as_str(), outcome)).collect();
    let open = facts::all().iter().filter(|fact| fact.is_open());
    let answer = |fact: &'static Fact| {
        let of_fact =
            cases.iter().filter(|case| facts_of(&case.source).any(|cited| cited.id == fact.id));
        let outcomes: Vec<&Outcome> =
            of_fact.filter_map(|case| by_name.get(case.name.as_str()).copied()).collect();
        let has = |verdict| outcomes.iter().any(|outcome| outcome.verdict == verdict);
        let agrees = match (has(Verdict::Fail), has(Verdict::Pass)) {
            (true, _) => Some(false),
            (false, true) => Some(true),
            (false, false) => None,
        };
        Answer { fact, agrees, outcomes }
    };
    open.map(answer).collect()
}

impl fmt::Display for Answer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fact { id, text, page, line, .. } = self.fact;
        let settled = match self.agrees {
            Some(true) => "as Molehill does",
            Some(false) => "otherwise",
            None => "not settled",
        };
        writeln!(f, "{settled}: {id}: {text}")?;
        let field = |name| self.fact.field(name).unwrap_or_default();
        match self.agrees {
            Some(true) => {
                writeln!(
                    f,
                    "    {page}:{line}: the grade becomes `measured`; name the player as the source"
                )
            }
            Some(false) => {
                writeln!(f, "    asked: {}", field("Asked:"))?;
                let now = field("We do:");
                writeln!(f, "    Molehill does: {now}")?;
                // An answer without code has no constant of its own.
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
