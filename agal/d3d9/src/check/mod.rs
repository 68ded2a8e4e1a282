//! Checks a shader against the rules and limits of its shader version ([d3d9.rule.1] to [d3d9.rule.58]).

/// Tests conditions in order and reports the first broken rule, as an error or a warning.
macro_rules! report {
    ($checker:expr; $($severity:ident $rule:ident if $broken:expr => $message:literal $(, $argument:expr)*;)+) => {
        $(if $broken {
            $checker.$severity(D3d9Rule::$rule, format!($message $(, $argument)*));
        } else)+ {}
    };
}

mod caps;
mod encoding;
mod flow;
mod instruction;
mod limits;
mod output;
mod paths;
mod ps1;
mod register;
mod rule;

use std::fmt;

use crate::dataflow::WrittenComponents;
use crate::declarations::Declarations;
use crate::program::{D3d9Instruction, D3d9Program, StreamItem};
use crate::slots::Slots;
use crate::texture_order::TextureOrder;
use crate::version::ShaderVersion;

pub use agal_core::finding::{MAX_FINDINGS, Severity};
pub use caps::Caps;
pub use rule::D3d9Rule;

use flow::FlowState;

/// A broken rule with its position in the shader.
pub type D3d9Finding = agal_core::finding::RuleFinding<D3d9Rule, D3d9Location>;
/// The result of a check: at most [`MAX_FINDINGS`] findings in instruction order, and the resources in
/// [`ShaderResources`].
pub type D3d9Report = agal_core::finding::CheckReport<D3d9Rule, D3d9Location, ShaderResources>;

/// A position in a shader: the 1-based instruction index, declarations included, or `None` for the whole shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct D3d9Location(pub Option<u32>);

impl fmt::Display for D3d9Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |number| write!(f, "instruction {number}"))
    }
}

/// The resources that a shader uses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ShaderResources {
    /// Instruction slots, as counted by Microsoft's compiler.
    pub slots: Slots,
    /// The highest order of a dependent texture read ([d3d9.order.levels]): the number of levels minus 1.
    pub texture_order: u32,
}

/// Checks a shader against the rules of its version, for a device with the given capabilities.
pub fn check(program: &D3d9Program, caps: &Caps) -> D3d9Report {
    let mut checker = D3d9Checker {
        version: program.version,
        caps,
        number: None,
        report: D3d9Report::new(ShaderResources::default()),
        declared: Declarations::default(),
        written: WrittenComponents::default(),
        flow: FlowState::new(program),
        outputs: output::OutputSlots::new(program),
        ps1: ps1::Ps1State::default(),
        phase: Slots::default(),
        orders: TextureOrder::default(),
        begun: false,
        abs: (false, false),
    };
    for (number, item) in program.numbered() {
        checker.number = Some(number);
        match item {
            StreamItem::Instruction(instruction) => checker.instruction(instruction),
            StreamItem::Malformed(words) => checker.malformed(words),
            StreamItem::Comment(_) => {}
        }
    }
    checker.number = None;
    checker.stream_end(program);
    checker.flow_end();
    checker.output_end();
    checker.ps_1_end();
    checker.limit_end();
    checker.report.facts.texture_order = checker.orders.highest;
    checker.report
}

struct D3d9Checker<'a> {
    version: ShaderVersion,
    caps: &'a Caps,
    number: Option<u32>,
    report: D3d9Report,
    declared: Declarations,
    written: WrittenComponents,
    flow: FlowState,
    outputs: output::OutputSlots,
    ps1: ps1::Ps1State,
    phase: Slots,
    orders: TextureOrder,
    /// True after the first instruction that isn't a declaration.
    begun: bool,
    /// Two flags: the shader reads constants with `_abs`; the shader reads constants without `_abs`.
    abs: (bool, bool),
}

impl D3d9Checker<'_> {
    fn instruction(&mut self, instruction: &D3d9Instruction) {
        let earlier = self.report.findings.len();
        self.encoding(instruction);
        // If the version lacks the opcode, or operands are missing, skips all other rules for the instruction.
        let new = self.report.findings.get(earlier..).unwrap_or_default();
        let incomplete = new.iter().any(|finding| finding.rule == D3d9Rule::Length);
        if !instruction.opcode.exists_in(self.version) || incomplete {
            return;
        }
        if instruction.opcode.is_declaration() {
            self.declaration(instruction);
            return;
        }
        self.begun = true;
        self.registers(instruction);
        self.operands(instruction);
        if self.version.is_ps_1() {
            self.ps_1(instruction);
        }
        self.control_flow(instruction);
        self.output(instruction);
        self.limit(instruction);
        self.write(instruction);
    }

    #[cold]
    fn error(&mut self, rule: D3d9Rule, message: impl fmt::Display) {
        self.find(rule, Severity::Error, message.to_string());
    }

    #[cold]
    fn warning(&mut self, rule: D3d9Rule, message: impl fmt::Display) {
        self.find(rule, Severity::Warning, message.to_string());
    }

    fn find(&mut self, rule: D3d9Rule, severity: Severity, message: String) {
        let finding = D3d9Finding { rule, severity, location: D3d9Location(self.number), message };
        // Reports each rule at most once per instruction, even if two operands break the rule.
        let same = |other: &D3d9Finding| other.rule == rule && other.location == finding.location;
        if self.number.is_none() || !self.report.findings.iter().rev().take(16).any(same) {
            self.report.push(finding);
        }
    }
}
