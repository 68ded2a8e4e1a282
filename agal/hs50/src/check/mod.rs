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

pub use agal::text::Severity;

use crate::hull::{Hull, PhaseId};
use crate::names::ProgramKind;
use crate::program::ProgramVersion;
use crate::rule::Rule;
use crate::shader::Shader;

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The broken rule.
    pub rule: Rule,
    /// Error or warning.
    pub severity: Severity,
    /// The phase; `None` for the shader as a whole.
    pub phase: Option<PhaseId>,
    /// Index of the instruction in the program.
    pub instruction_index: Option<usize>,
    /// The register, as printed in a listing.
    pub register: Option<String>,
    /// The count found and the limit.
    pub count: Option<(u64, u64)>,
    /// Description of the problem.
    pub message: String,
}

impl fmt::Display for Finding {
    /// `error R11, control point phase: message`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.severity.name(), self.rule)?;
        if let Some(phase) = self.phase {
            write!(f, ", {phase}")?;
        }
        write!(f, ": {}", self.message)
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

agal::messages! { NotHull {
    Self(version) => "this is {version}: only hull shaders are checked, run and translated";
} }

/// The result of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Findings in the order of the program; at most [`MAX_FINDINGS`].
    pub findings: Vec<Finding>,
    hull: Hull,
}

/// Maximum number of findings in a report.
pub const MAX_FINDINGS: usize = 200;

impl Report {
    /// The shader's declarations and phases, as far as they could be collected.
    pub fn hull(&self) -> &Hull {
        &self.hull
    }

    /// Whether there are no errors; warnings are allowed.
    pub fn is_valid(&self) -> bool {
        let mut findings = self.findings.iter();
        findings.all(|finding| finding.severity < Severity::Error)
    }

    /// The shader, if it has no errors.
    ///
    /// # Errors
    /// The report itself.
    pub fn valid(self) -> Result<ValidHull, Box<Report>> {
        match self.is_valid() {
            true => Ok(ValidHull(self.hull)),
            false => Err(Box::new(self)),
        }
    }
}

/// A hull shader without errors. Only [`Report::valid`] creates one.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidHull(Hull);

impl std::ops::Deref for ValidHull {
    type Target = Hull;
    fn deref(&self) -> &Hull {
        &self.0
    }
}

/// Checks a hull shader.
///
/// # Errors
/// [`NotHull`] for other shader stages.
pub fn check(shader: &Shader, options: Options) -> Result<Report, NotHull> {
    if shader.program.version.kind != ProgramKind::Hull {
        return Err(NotHull(shader.program.version));
    }
    let mut findings = Findings { list: Vec::new(), phase: None };
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
    let mut findings = findings.list;
    findings.sort_by_key(|finding| finding.instruction_index);
    Ok(Report { findings, hull })
}

/// Findings so far.
struct Findings {
    list: Vec<Finding>,
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
        let finding = Finding {
            rule,
            severity,
            phase: self.phase,
            instruction_index,
            register: Some(register).filter(|register| !register.is_empty()),
            count: None,
            message,
        };
        if self.list.len() >= MAX_FINDINGS {
            // Later findings are dropped, except that errors replace the last finding.
            if severity == Severity::Warning {
                return Details(None);
            }
            self.list.pop();
        }
        self.list.push(finding);
        Details(self.list.last_mut())
    }
}

/// Adds details to the finding just reported.
struct Details<'a>(Option<&'a mut Finding>);

impl Details<'_> {
    fn count(self, count: impl Into<u64>, limit: impl Into<u64>) {
        if let Some(finding) = self.0 {
            finding.count = Some((count.into(), limit.into()));
        }
    }
}
