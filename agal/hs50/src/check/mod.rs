//! Checks a hull shader against the register model (hs-5-0.md, 3): every rule that is broken, with its place.

/// The first of some rules that is broken: an error, or a warning, of an instruction and a register, with what was counted
/// and the limit.
macro_rules! first {
    ($findings:expr; $($rows:tt)+) => { first! { $findings, None::<usize>, ""; $($rows)+ } };
    ($findings:expr, $place:expr; $($rows:tt)+) => { first! { $findings, $place, ""; $($rows)+ } };
    ($findings:expr, $place:expr, $register:expr; $(
        $severity:ident $rule:ident $([$count:expr, $limit:expr])? if $broken:expr => $message:literal $(, $argument:expr)*;
    )+) => {
        $(if $broken {
            $findings
                .$severity(Rule::$rule, $place, $register, format!($message $(, $argument)*))
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

/// Something that is not as a rule says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// How bad it is.
    pub severity: Severity,
    /// The phase, unless it is about the whole shader.
    pub phase: Option<PhaseId>,
    /// The instruction's place in the program.
    pub place: Option<usize>,
    /// The register, as a listing writes it.
    pub register: Option<String>,
    /// What was counted, and the limit.
    pub count: Option<(u64, u64)>,
    /// What is wrong.
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

/// What the checker takes for granted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Any number of instances from 1, as FS 22.3.24 has it (hs-5-0.md, R17).
    pub any_instance_count: bool,
}

/// Why a shader is not checked at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotHull(pub ProgramVersion);

agal::messages! { NotHull {
    Self(version) => "this is {version}: only hull shaders are checked, run and translated";
} }

/// What the checker found.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Everything that is not as a rule says, in the order of the program; at most [`MAX_FINDINGS`].
    pub findings: Vec<Finding>,
    hull: Hull,
}

/// Findings that are kept.
pub const MAX_FINDINGS: usize = 200;

impl Report {
    /// The shader taken apart, as far as it could be.
    pub fn hull(&self) -> &Hull {
        &self.hull
    }

    /// Is no rule broken? Warnings don't count.
    pub fn is_valid(&self) -> bool {
        let mut findings = self.findings.iter();
        findings.all(|finding| finding.severity < Severity::Error)
    }

    /// The shader, if no rule is broken.
    ///
    /// # Errors
    /// The report again.
    pub fn valid(self) -> Result<ValidHull, Box<Report>> {
        match self.is_valid() {
            true => Ok(ValidHull(self.hull)),
            false => Err(Box::new(self)),
        }
    }
}

/// A hull shader that breaks no rule. There is no other way to get one than [`Report::valid`].
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
/// [`NotHull`] for the other stages.
pub fn check(shader: &Shader, options: Options) -> Result<Report, NotHull> {
    if shader.program.version.kind != ProgramKind::Hull {
        return Err(NotHull(shader.program.version));
    }
    let mut findings = Findings {
        list: Vec::new(),
        phase: None,
    };
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
    findings.sort_by_key(|finding| finding.place);
    Ok(Report { findings, hull })
}

/// Findings while they are gathered.
struct Findings {
    list: Vec<Finding>,
    /// The phase that new ones are about.
    phase: Option<PhaseId>,
}

impl Findings {
    /// A rule is broken by the instruction at a place, about a register; the empty text: none.
    fn error(
        &mut self,
        rule: Rule,
        place: impl Into<Option<usize>>,
        register: impl Into<String>,
        message: impl Into<String>,
    ) -> Details<'_> {
        self.push(
            Severity::Error,
            rule,
            place.into(),
            register.into(),
            message.into(),
        )
    }

    fn warn(
        &mut self,
        rule: Rule,
        place: impl Into<Option<usize>>,
        register: impl Into<String>,
        message: impl Into<String>,
    ) -> Details<'_> {
        self.push(
            Severity::Warning,
            rule,
            place.into(),
            register.into(),
            message.into(),
        )
    }

    fn push(
        &mut self,
        severity: Severity,
        rule: Rule,
        place: Option<usize>,
        register: String,
        message: String,
    ) -> Details<'_> {
        let finding = Finding {
            rule,
            severity,
            phase: self.phase,
            place,
            register: Some(register).filter(|register| !register.is_empty()),
            count: None,
            message,
        };
        if self.list.len() >= MAX_FINDINGS {
            // Later ones are dropped, but an error is never hidden behind warnings.
            if severity == Severity::Warning {
                return Details(None);
            }
            self.list.pop();
        }
        self.list.push(finding);
        Details(self.list.last_mut())
    }
}

/// What else is known of a finding.
struct Details<'a>(Option<&'a mut Finding>);

impl Details<'_> {
    fn count(self, count: impl Into<u64>, limit: impl Into<u64>) {
        if let Some(finding) = self.0 {
            finding.count = Some((count.into(), limit.into()));
        }
    }
}
