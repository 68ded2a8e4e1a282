//! Checks a hull shader against the register model (hs-5-0.md, 3). Reports every broken rule with its location.

/// Reports the first of several rules that is broken, as an error or a warning, with the instruction, the register, the
/// count and the limit.
macro_rules! first {
    ($findings:expr; $($rows:tt)+) => { first! { $findings, None::<usize>, ""; $($rows)+ } };
    ($findings:expr, $instruction_index:expr; $($rows:tt)+) => { first! { $findings, $instruction_index, ""; $($rows)+ } };
    ($findings:expr, $instruction_index:expr, $register:expr; $(
        $severity:ident $rule:ident $([$count:expr, $limit:expr])? if $broken:expr => $message:literal $(, $argument:expr)*;
    )+) => {
        $(if $broken {
            $findings
                .$severity(Rule::$rule, $instruction_index, $register, format!($message $(, $argument)*))
                $(.count($count, $limit))?;
        } else)+ {}
    };
}

mod code;
mod collect;
mod flow;
mod outputs;
pub(crate) mod reads;
mod subroutine;

use std::fmt;

pub use shader_core::finding::{MAX_FINDINGS, Severity};

use crate::hull::{Hull, PhaseId};
use crate::names::ProgramKind;
use crate::program::ProgramVersion;
use crate::rule::Rule;
use crate::shader::Shader;

/// A broken rule.
pub type Finding = shader_core::finding::Finding<Rule, Location>;
/// The result of a check: findings in the order of the program, at most [`MAX_FINDINGS`], and the shader's declarations
/// and phases, as far as they could be collected.
pub type Report = shader_core::finding::Report<Rule, Location, Hull>;
/// A hull shader without errors. Only [`Report::valid`] creates one.
pub type ValidHull = shader_core::finding::Valid<Hull>;

/// Where a rule is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The phase; `None` for the shader as a whole.
    pub phase: Option<PhaseId>,
    /// Index of the instruction in the program.
    pub instruction_index: Option<usize>,
    /// The register, as printed in a listing.
    pub register: Option<String>,
    /// The count found and the limit.
    pub count: Option<(u64, u64)>,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.phase.map_or(Ok(()), |phase| phase.fmt(f))
    }
}

/// Options of the checker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Allows any instance count from 1, as in FS 22.3.24 (hs-5-0.md, R17).
    pub any_instance_count: bool,
}

/// The shader can't be checked, because it isn't a hull shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotHull(pub ProgramVersion);

shader_core::messages! { NotHull {
    Self(version) => "this is {version}: only hull shaders are checked, run and translated";
} }

/// Checks a hull shader.
///
/// # Errors
/// [`NotHull`] for other shader stages.
pub fn check(shader: &Shader, options: Options) -> Result<Report, NotHull> {
    if shader.program.version.kind != ProgramKind::Hull {
        return Err(NotHull(shader.program.version));
    }
    let mut findings = Findings { report: shader_core::finding::Report::new(()), phase: None };
    let mut hull = collect::collect(shader, &mut findings);
    outputs::check(shader, &mut hull, options, &mut findings);
    for index in 0..hull.phases.len() {
        flow::resolve(&mut hull, index, &mut findings);
        subroutine::resolve(&mut hull, index, &mut findings);
    }
    for phase in &hull.phases {
        findings.phase = Some(phase.id);
        code::check(&hull, phase, &mut findings);
    }
    let mut findings = findings.report.findings;
    findings.sort_by_key(|finding| finding.location.instruction_index);
    Ok(Report { findings, facts: hull })
}

/// Findings so far.
struct Findings {
    report: shader_core::finding::Report<Rule, Location, ()>,
    /// The phase of new findings.
    phase: Option<PhaseId>,
}

impl Findings {
    /// Reports an error of an instruction and a register; an empty string stands for no register.
    fn error(
        &mut self,
        rule: Rule,
        instruction_index: impl Into<Option<usize>>,
        register: impl Into<String>,
        message: impl Into<String>,
    ) -> Details<'_> {
        self.push(Severity::Error, rule, instruction_index.into(), register.into(), message.into())
    }

    fn warn(
        &mut self,
        rule: Rule,
        instruction_index: impl Into<Option<usize>>,
        register: impl Into<String>,
        message: impl Into<String>,
    ) -> Details<'_> {
        self.push(
            Severity::Warning,
            rule,
            instruction_index.into(),
            register.into(),
            message.into(),
        )
    }

    fn push(
        &mut self,
        severity: Severity,
        rule: Rule,
        instruction_index: Option<usize>,
        register: String,
        message: String,
    ) -> Details<'_> {
        let register = Some(register).filter(|register| !register.is_empty());
        let location = Location { phase: self.phase, instruction_index, register, count: None };
        Details(self.report.push(Finding { rule, severity, location, message }))
    }
}

/// Adds details to the finding just reported.
struct Details<'a>(Option<&'a mut Finding>);

impl Details<'_> {
    fn count(self, count: impl Into<u64>, limit: impl Into<u64>) {
        if let Some(finding) = self.0 {
            finding.location.count = Some((count.into(), limit.into()));
        }
    }
}
