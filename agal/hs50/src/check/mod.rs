//! Checks a hull shader against the register model (hs-5-0.md, 3): every rule that is broken, with its place.

mod code;
mod collect;
mod flow;
mod outputs;
pub(crate) mod reads;
mod subroutine;

use std::fmt;

use crate::hull::{Hull, PhaseId};
use crate::names::ProgramKind;
use crate::program::ProgramVersion;
use crate::rule::Rule;
use crate::shader::Shader;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Legal or undefined, but hardly meant.
    Warning,
    /// The rule is broken.
    Error,
}

impl Severity {
    /// `warning` or `error`.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

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
        self.findings
            .iter()
            .all(|finding| finding.severity < Severity::Error)
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
    fn error(&mut self, rule: Rule, message: impl Into<String>) -> Details<'_> {
        self.push(rule, Severity::Error, message.into())
    }

    fn warn(&mut self, rule: Rule, message: impl Into<String>) -> Details<'_> {
        self.push(rule, Severity::Warning, message.into())
    }

    fn push(&mut self, rule: Rule, severity: Severity, message: String) -> Details<'_> {
        let finding = Finding {
            rule,
            severity,
            phase: self.phase,
            place: None,
            register: None,
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
    fn at(self, place: usize) -> Self {
        self.with(|finding| finding.place = Some(place))
    }
    fn register(self, register: impl Into<String>) -> Self {
        self.with(|finding| finding.register = Some(register.into()))
    }
    fn count(self, count: impl Into<u64>, limit: impl Into<u64>) -> Self {
        self.with(|finding| finding.count = Some((count.into(), limit.into())))
    }
    fn with(mut self, change: impl FnOnce(&mut Finding)) -> Self {
        if let Some(finding) = &mut self.0 {
            change(finding);
        }
        self
    }
}

/// `.xyz`
fn letters(mask: u8) -> String {
    let letters = (0u8..)
        .zip(crate::operand::LETTERS)
        .filter(|(bit, _)| mask >> bit & 1 != 0);
    letters.map(|(_, letter)| letter).collect()
}
