//! Findings of a checker: the rules that a program breaks, with their locations.

use std::fmt::{self, Display};

crate::table! {
    /// The severity of a checker's finding: warning or error.
    pub enum Severity {
        /// Returns the severity's name, `warning` or `error`.
        name: &'static str,
    }
    /// The program is legal, but its result is undefined, or other readers reject it.
    Warning "warning";
    /// The program breaks a rule.
    Error "error";
}

/// A broken rule: `R` is the rule, and `L` the location. The text of a location is empty for the whole program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleFinding<R, L> {
    /// The broken rule.
    pub rule: R,
    /// The severity: a program with an error is invalid.
    pub severity: Severity,
    /// The location in the program.
    pub location: L,
    /// A description of the broken rule, with the values that were found.
    pub message: String,
}

impl<R: Display, L: Display> Display for RuleFinding<R, L> {
    /// Writes the finding, such as `error R11, control point phase: message`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let location = self.location.to_string();
        let comma = if location.is_empty() { "" } else { ", " };
        write!(f, "{} {}{comma}{location}: {}", self.severity.name(), self.rule, self.message)
    }
}

/// The maximum number of findings in a report.
pub const MAX_FINDINGS: usize = 200;

/// The findings of a check, at most [`MAX_FINDINGS`], and the facts `F` that the check computed.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckReport<R, L, F> {
    /// The findings in program order.
    pub findings: Vec<RuleFinding<R, L>>,
    /// The facts about the program that the check computed.
    pub facts: F,
}

/// The data that a check computed about a program without errors. Only [`CheckReport::valid`] creates this type.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidFacts<F>(F);

impl<F> std::ops::Deref for ValidFacts<F> {
    type Target = F;
    fn deref(&self) -> &F {
        &self.0
    }
}

impl<R, L, F> CheckReport<R, L, F> {
    /// Creates a report without findings; `facts` is the data that the check computed about the program.
    pub fn new(facts: F) -> CheckReport<R, L, F> {
        CheckReport { findings: Vec::new(), facts }
    }

    /// Adds a finding, and returns it. If the report is full, drops a warning; an error replaces the last finding.
    pub fn push(&mut self, finding: RuleFinding<R, L>) -> Option<&mut RuleFinding<R, L>> {
        if self.findings.len() >= MAX_FINDINGS {
            if finding.severity == Severity::Warning {
                return None;
            }
            self.findings.pop();
        }
        self.findings.push(finding);
        self.findings.last_mut()
    }

    /// Returns the findings that make the program invalid.
    pub fn errors(&self) -> impl Iterator<Item = &RuleFinding<R, L>> {
        self.findings.iter().filter(|finding| finding.severity == Severity::Error)
    }

    /// Returns whether the report has no errors; warnings are allowed.
    pub fn is_valid(&self) -> bool {
        self.errors().next().is_none()
    }

    /// Returns the computed data about the program if the check found no errors, and otherwise the report itself.
    pub fn valid(self) -> Result<ValidFacts<F>, Box<CheckReport<R, L, F>>> {
        if self.is_valid() { Ok(ValidFacts(self.facts)) } else { Err(Box::new(self)) }
    }
}
