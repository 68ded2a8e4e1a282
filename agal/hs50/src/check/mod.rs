//! Checks hull shaders against the register model ([hs50.register.kinds]). Every broken rule is reported with its
//! location.

/// Tests conditions in order and reports the first broken rule, as an error or a warning. The report contains the
/// instruction, the register, the value and the limit.
macro_rules! report_first {
    ($findings:expr; $($rows:tt)+) => { report_first! { $findings, None::<usize>, ""; $($rows)+ } };
    ($findings:expr, $index:expr; $($rows:tt)+) => { report_first! { $findings, $index, ""; $($rows)+ } };
    ($findings:expr, $index:expr, $register:expr; $(
        $severity:ident $rule:ident $([$count:expr, $limit:expr])? if $broken:expr => $message:literal $(, $argument:expr)*;
    )+) => {
        $(if $broken {
            let count = None$(.or(Some((u64::from($count), u64::from($limit)))))?;
            let message = format!($message $(, $argument)*);
            $findings.report(Severity::$severity, HullRule::$rule, $index, $register, message, count);
        } else)+ {}
    };
}

mod collect;
mod declarations;
mod flow;
mod instructions;
mod reads;
mod subroutine;

use std::fmt;

pub use agal_core::finding::{MAX_FINDINGS, Severity};
use thiserror::Error;

use crate::hull::rule::HullRule;
use crate::hull::{Hull, PhaseId};
use crate::names::ProgramKind;
use crate::shader::HullProgramShader;
use crate::tokens::program::ProgramVersion;

/// A broken rule with its position in the shader.
pub type HullFinding = agal_core::finding::RuleFinding<HullRule, HullLocation>;
/// The result of a check: at most [`MAX_FINDINGS`] findings in program order, and the shader's declarations and phases.
/// Declarations and phases are incomplete if the shader is invalid.
pub type HullReport = agal_core::finding::CheckReport<HullRule, HullLocation, Hull>;
/// A hull shader that passed the check, created only by [`HullReport::valid`].
pub type ValidHull = agal_core::finding::ValidFacts<Hull>;

/// A position in a hull shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HullLocation {
    /// The phase; `None` if the finding concerns the whole shader.
    pub phase: Option<PhaseId>,
    /// The 0-based index of the instruction in the program.
    pub instruction_index: Option<usize>,
    /// The register's name in listings.
    pub register: Option<String>,
    /// The value that was found, and the maximum allowed value.
    pub count: Option<(u64, u64)>,
}

impl fmt::Display for HullLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.phase.map_or(Ok(()), |phase| phase.fmt(f))
    }
}

/// The options of the checker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckOptions {
    /// Allows any instance count of at least 1, as in FS 22.3.24 ([hs50.rule.r17_count]).
    pub any_instance_count: bool,
}

/// Error: the shader isn't a hull shader, so it can't be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("this is {0}: only hull shaders are checked, run and translated")]
pub struct NotHullError(pub ProgramVersion);

/// Checks a hull shader against all rules.
pub fn check(
    shader: &HullProgramShader,
    options: CheckOptions,
) -> Result<HullReport, NotHullError> {
    if shader.program.version.kind != ProgramKind::Hull {
        return Err(NotHullError(shader.program.version));
    }
    let mut findings =
        HullFindings { report: agal_core::finding::CheckReport::new(()), phase: None };
    let mut hull = collect::collect(shader, &mut findings);
    declarations::check(shader, &mut hull, options, &mut findings);
    for phase in &mut hull.phases {
        findings.phase = Some(phase.id);
        flow::resolve(phase, &mut findings);
        subroutine::resolve(phase, &mut findings);
    }
    for phase in &hull.phases {
        findings.phase = Some(phase.id);
        instructions::check(&hull, phase, &mut findings);
    }
    let mut findings = findings.report.findings;
    findings.sort_by_key(|finding| finding.location.instruction_index);
    Ok(HullReport { findings, facts: hull })
}

struct HullFindings {
    report: agal_core::finding::CheckReport<HullRule, HullLocation, ()>,
    phase: Option<PhaseId>,
}

impl HullFindings {
    /// Reports an error for an instruction and a register; `register` is empty if the error concerns no register.
    fn error(
        &mut self,
        rule: HullRule,
        index: impl Into<Option<usize>>,
        name: impl fmt::Display,
        message: String,
    ) {
        self.report(Severity::Error, rule, index, name, message, None);
    }

    fn report(
        &mut self,
        severity: Severity,
        rule: HullRule,
        index: impl Into<Option<usize>>,
        register: impl fmt::Display,
        message: String,
        count: Option<(u64, u64)>,
    ) {
        let register = Some(register.to_string()).filter(|register| !register.is_empty());
        let (phase, instruction_index) = (self.phase, index.into());
        let location = HullLocation { phase, instruction_index, register, count };
        self.report.push(HullFinding { rule, severity, location, message });
    }
}
