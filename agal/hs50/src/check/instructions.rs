//! Checks the opcode and the operands of instructions against the register model.

use std::collections::BTreeMap;

use agal_core::WriteMask;
use agal_core::finding::Severity;

use super::HullFindings;
use super::reads::{can_read, dimension, positions};
use crate::hull::register::{self, RegisterInfo};
use crate::hull::rule::HullRule;
use crate::hull::{Hull, Phase};
use crate::names::{Dimension, GlobalFlag};
use crate::text::RegisterName;
use crate::tokens::opcode::{Category, HullOpcode, OpcodeCondition, Type};
use crate::tokens::operand::{Components, HullOperand, OperandKind};
use crate::tokens::program::HullInstruction;
use crate::words::length;

/// Returns the rule that is broken if a register is undeclared.
pub(super) fn rule_of(kind: OperandKind) -> HullRule {
    match kind {
        OperandKind::OutputControlPointId => HullRule::R9,
        OperandKind::PrimitiveId => HullRule::R10,
        OperandKind::ForkInstanceId | OperandKind::JoinInstanceId => HullRule::R17,
        _ => HullRule::Register,
    }
}

pub(super) fn opcode(
    hull: &Hull,
    instruction: &HullInstruction,
    at: usize,
    findings: &mut HullFindings,
) {
    let (name, allowed) = (instruction.opcode().name(), instruction.opcode().allowed());
    let lacks = |flag: GlobalFlag| (!hull.flags.contains(&flag)).then_some(flag.name());
    let flag = match allowed {
        OpcodeCondition::Double => lacks(GlobalFlag::DoublePrecision),
        OpcodeCondition::Double11 => lacks(GlobalFlag::DoubleExtensions11),
        OpcodeCondition::Extension11 => lacks(GlobalFlag::ShaderExtensions11),
        OpcodeCondition::Yes
        | OpcodeCondition::Rare
        | OpcodeCondition::Level11
        | OpcodeCondition::Tiled
        | OpcodeCondition::No => None,
    };
    report_first! { findings, at;
        Warning Opcode if allowed == OpcodeCondition::Rare => "compilers do not emit {name} in hull shaders";
        Error Opcode if flag.is_some() => "{name} needs the global flag {}", flag.unwrap_or_default();
        Error Opcode if allowed == OpcodeCondition::Level11 =>
            "{name} needs feature level 11.1 (unordered access views)";
        Error Opcode if allowed == OpcodeCondition::Tiled => "{name} needs tiled resources of tier 2";
        Error Opcode if allowed == OpcodeCondition::No => "{name} is not allowed in hull shaders";
    }
}

pub(super) fn check(hull: &Hull, phase: &Phase, findings: &mut HullFindings) {
    let mut written: BTreeMap<u32, WriteMask> = BTreeMap::new();
    for operand in phase.code.iter().flat_map(|statement| statement.instruction.destinations()) {
        if let (OperandKind::Temp, Some(register)) = (operand.kind(), operand.fixed(0)) {
            let mask = written.entry(register).or_default();
            *mask = mask.union(operand.mask());
        }
    }
    let ranges = ranges(phase);
    let mut checker = HullChecker { hull, phase, index: 0, written, ranges, findings };
    for statement in &phase.code {
        checker.index = statement.instruction_index;
        opcode(hull, &statement.instruction, checker.index, checker.findings);
        checker.instruction(&statement.instruction);
    }
}

type Ranges = BTreeMap<(OperandKind, u32), u64>;

fn ranges(phase: &Phase) -> Ranges {
    let mut ranges: Vec<_> = phase.ranges.iter().collect();
    ranges.sort_by_key(|range| (range.kind, range.first));
    let mut runs = Ranges::new();
    for range in ranges {
        let last = runs
            .last_entry()
            .filter(|last| last.key().0 == range.kind && *last.get() >= range.first.into());
        match last {
            Some(mut last) => *last.get_mut() = range.end().max(*last.get()),
            None => drop(runs.insert((range.kind, range.first), range.end())),
        }
    }
    runs
}

struct HullChecker<'a> {
    hull: &'a Hull,
    phase: &'a Phase,
    index: usize,
    /// The temporaries and components that any instruction of the phase writes.
    written: BTreeMap<u32, WriteMask>,
    ranges: Ranges,
    findings: &'a mut HullFindings,
}

impl HullChecker<'_> {
    fn error(&mut self, rule: HullRule, operand: &HullOperand, message: String) {
        self.findings.error(rule, self.index, RegisterName(operand), message);
    }

    fn instruction(&mut self, instruction: &HullInstruction) {
        let opcode = instruction.opcode();
        for (operand, kind) in instruction.destinations().iter().zip(opcode.destinations()) {
            self.destination(opcode, operand, *kind);
        }
        let sources = instruction.sources().iter().zip(opcode.sources()).enumerate();
        for (number, (operand, kind)) in sources {
            let positions = WriteMask::from_bits(positions(self.hull, instruction, number));
            self.source(opcode, operand, *kind, positions);
        }
        if let Some(dimension) = dimension(self.hull, instruction) {
            let (name, kind) = (opcode.name(), dimension.name());
            let cube = matches!(dimension, Dimension::TextureCube | Dimension::TextureCubeArray);
            let offset = cube && instruction.offsets() != [0; 3];
            report_first! { self.findings, self.index;
                Error Operand if !can_read(opcode, dimension) => "{name} can't read a {kind}";
                Error Operand if offset => "{name} can't read a {kind} with an offset";
            }
        }
        let mut kinds = instruction.operands.iter().map(HullOperand::kind);
        let variable = kinds.any(|kind| kind != OperandKind::Immediate32);
        report_first! { self.findings, self.index;
            Error Operand if opcode == HullOpcode::Case && variable => "the value of case must be an immediate";
        }
    }

    fn destination(&mut self, opcode: HullOpcode, operand: &HullOperand, kind: Type) {
        if kind == Type::V {
            return;
        }
        let Some(row) = self.row(operand) else { return };
        let (name, null) = (RegisterName(operand), operand.kind() == OperandKind::Null);
        if !row.access().writes() {
            let message = format!("{name} is written, but it can only be read");
            return self.error(rule_of(operand.kind()), operand, message);
        }
        let masked = matches!(operand.components(), Components::Mask(mask) if !mask.is_empty());
        let single = opcode.destinations().len() < 2;
        report_first! { self.findings, self.index, &name;
            Error Operand if null && single => "{} has only one result, which can't be discarded with null", opcode.name();
            Error Operand if !null && !masked => "the destination {name} has no write mask";
        }
        if !null && masked {
            self.indices(operand, row);
            self.declared(operand, operand.mask(), true);
        }
    }

    fn source(&mut self, opcode: HullOpcode, operand: &HullOperand, kind: Type, lanes: WriteMask) {
        let own = match operand.kind() {
            OperandKind::Resource => Some(Type::T),
            OperandKind::Sampler => Some(Type::S),
            OperandKind::Label => Some(Type::L),
            OperandKind::UnorderedAccess => Some(Type::V),
            _ => None,
        };
        let special = matches!(kind, Type::T | Type::S | Type::L | Type::V | Type::M);
        let misplaced = |checker: &mut Self| {
            let message = format!("{} can't take {} here", opcode.name(), RegisterName(operand));
            checker.error(HullRule::Operand, operand, message);
        };
        if special != own.is_some() || own.is_some_and(|own| own != kind) {
            return misplaced(self);
        }
        if matches!(own, Some(Type::L | Type::V)) {
            return;
        }
        self.modifiers(opcode, operand, kind);
        match operand.kind() {
            OperandKind::Immediate64 if kind != Type::D => return misplaced(self),
            OperandKind::Immediate32 if kind == Type::D => return misplaced(self),
            _ => {}
        }
        let Some(row) = self.row(operand) else { return };
        if !row.access().reads() {
            let name = RegisterName(operand);
            let message = format!("{name} is read, but it can only be written");
            return self.error(HullRule::Register, operand, message);
        }
        self.indices(operand, row);
        self.declared(operand, operand.swizzle().selected(lanes), false);
    }

    fn modifiers(&mut self, opcode: HullOpcode, operand: &HullOperand, kind: Type) {
        let (modifier, allowed) = (operand.modifier(), opcode.modifiers());
        // `movc` tests its condition as an integer.
        let bits = kind == Type::U && opcode.category() != Category::Int;
        let (name, opcode) = (RegisterName(operand), opcode.name());
        report_first! { self.findings, self.index, &name;
            Error Operand if modifier.neg && (!allowed.negate || bits) => "{opcode} can't negate {name}";
        }
        report_first! { self.findings, self.index, &name;
            Error Operand if modifier.abs && (!allowed.absolute || bits) =>
                "{opcode} can't take the absolute value of {name}";
        }
    }

    /// Returns the register model's entry for the operand. If the phase lacks the register, reports an error.
    fn row(&mut self, operand: &HullOperand) -> Option<RegisterInfo> {
        let kind = operand.kind();
        let row = register::find(self.phase.id.kind, kind);
        if row.is_none() {
            let message = format!("a {} phase has no {}", self.phase.id.kind, kind.name());
            self.error(rule_of(kind), operand, message);
        }
        row
    }

    fn indices(&mut self, operand: &HullOperand, row: RegisterInfo) {
        use OperandKind::{ConstantBuffer, Resource, Sampler};
        let binding = matches!(row.kind(), ConstantBuffer | Sampler | Resource);
        // In shader model 5.1, a binding's id precedes its register index.
        let more = usize::from(binding && self.hull.minor > 0);
        let expected = row.indices().saturating_add(more);
        let (name, found) = (RegisterName(operand), operand.indices.len());
        if found != expected {
            let message = format!("{name} has {found} indices, but takes {expected}");
            return self.error(HullRule::Operand, operand, message);
        }
        for (number, index) in operand.indices.iter().enumerate() {
            let axis = number.checked_sub(more);
            let relative = index.relative();
            let wide = index.offset().is_none() || relative.is_some() && index.wide().is_some();
            report_first! { self.findings, self.index, &name;
                Error Operand if wide => "an index of {name} does not fit into 32 bits";
            }
            let Some(relative) = relative else { continue };
            // In shader model 5.1, the register index of a binding may be dynamic, but its id must be a literal.
            let chosen = more > 0 && number == more;
            let indexable = chosen || axis.is_some_and(|axis| row.indexable().contains(&axis));
            let buffer = row.kind() == ConstantBuffer;
            report_first! { self.findings, self.index, &name;
                Error R4 if !indexable && buffer => "{name} can't be indexed by a register there";
                Error Register if !indexable => "{name} can't be indexed by a register there";
            }
            self.source(HullOpcode::Iadd, relative, Type::I, WriteMask::first(1));
            let first = index.offset().unwrap_or(0);
            let before = self.ranges.range((row.kind(), 0)..=(row.kind(), first)).next_back();
            let ranged = before.is_some_and(|(_, end)| *end > first.into());
            let element = axis == row.indices().checked_sub(1) && needs_range(row.kind());
            report_first! { self.findings, self.index, &name;
                Error R8 if element && !ranged =>
                    "{name} is indexed by a register, but {first} is not in a dcl_indexrange";
            }
        }
    }

    /// Checks that the operand's register is declared. Checks that constant indices are within bounds.
    fn declared(&mut self, operand: &HullOperand, mask: WriteMask, written: bool) {
        if let Some(message) = self.undeclared(operand, mask) {
            self.error(rule_of(operand.kind()), operand, message);
        } else if operand.kind() == OperandKind::Temp {
            self.temporary(operand, mask, written);
        }
        if let (Some((rule, size, what)), Some(element)) =
            (self.size(operand), operand.last_fixed())
        {
            let name = RegisterName(operand);
            if element >= size {
                let message = format!("{name} is beyond the {size} {what}");
                let warning = Severity::Warning;
                self.findings.report(warning, rule, self.index, &name, message, None);
            }
        }
    }

    /// Returns a message if the operand isn't declared. Dynamic slots are reported by another check.
    fn undeclared(&self, operand: &HullOperand, mask: WriteMask) -> Option<String> {
        use OperandKind::*;
        let (phase, kind, slot) = (self.phase, operand.kind(), operand.fixed(0));
        let name = RegisterName(operand);
        let missing = match kind {
            Temp => {
                let (register, temps) = (slot.unwrap_or(0), phase.temps);
                return (register >= temps)
                    .then(|| format!("r{register} is used, but dcl_temps declares only {temps}"));
            }
            IndexableTemp => slot.is_none_or(|slot| !phase.indexable.contains_key(&slot)),
            ConstantBuffer | Resource | Sampler => {
                slot.is_some() && self.hull.binding(operand).is_none()
            }
            ImmediateConstantBuffer => {
                return self.hull.constants.is_empty().then(|| "icb is not declared".to_owned());
            }
            PrimitiveId | OutputControlPointId | ForkInstanceId | JoinInstanceId => {
                let declared = phase.declares(kind);
                return (!declared).then(|| format!("{name} is not declared in this phase"));
            }
            Input | InputControlPoint | OutputControlPoint | PatchConstant => {
                return self.undeclared_input(operand, mask);
            }
            Output => {
                let register = operand.last_fixed()?;
                let missing = mask.without(phase.mask(kind, register));
                let message = || format!("o{register}.{missing} is not declared in this phase");
                return (!missing.is_empty()).then(message);
            }
            _ => false,
        };
        missing.then(|| format!("{name} is not declared"))
    }

    fn undeclared_input(&self, operand: &HullOperand, mask: WriteMask) -> Option<String> {
        let (kind, phase) = (operand.kind(), self.phase);
        let name = RegisterName(operand);
        if let Some(element) = operand.last_fixed() {
            let missing = mask.without(phase.mask(kind, element));
            if !missing.is_empty() {
                return Some(format!("{name}, component {missing}, is not declared in this phase"));
            }
        } else if !phase.declares(kind) {
            return Some(format!("{} is not declared in this phase", kind.name()));
        }
        let vertices = *phase.vertices.get(&kind)?;
        let beyond = operand.fixed(0).is_some_and(|vertex| vertex >= vertices);
        beyond.then(|| format!("{name} is beyond the {vertices} declared vertices"))
    }

    /// Returns the rule that limits the operand's index, the number of elements that can be indexed, and a noun for
    /// messages. Reads past the end of a constant buffer give 0.
    fn size(&self, operand: &HullOperand) -> Option<(HullRule, u32, &'static str)> {
        let (rule, size, what) = match operand.kind() {
            OperandKind::IndexableTemp => {
                let length = self.phase.indexable.get(&operand.fixed(0)?)?.length;
                return Some((HullRule::R5, length, "elements"));
            }
            OperandKind::ConstantBuffer => {
                let size = self.hull.binding(operand)?.size;
                (HullRule::R4, size, "registers, so it reads as 0")
            }
            OperandKind::ImmediateConstantBuffer => {
                (HullRule::R5, length(self.hull.constants.len()), "rows, so it reads as 0")
            }
            _ => return None,
        };
        (size > 0).then_some((rule, size, what))
    }

    /// Warns if the phase reads a temporary that it never writes.
    fn temporary(&mut self, operand: &HullOperand, mask: WriteMask, written: bool) {
        let register = operand.fixed(0).unwrap_or(0);
        let known = self.written.entry(register).or_default();
        let missing = mask.without(*known);
        if written {
            return;
        }
        // Reports an unwritten component of a register only once.
        *known = known.union(mask);
        report_first! { self.findings, self.index, &RegisterName(operand);
            Warning R2 if !missing.is_empty() => "r{register}.{missing} is read but never written in this phase";
        }
    }
}

/// Returns whether relative addressing of a register file requires a `dcl_indexrange` ([hs50.rule.r8]).
fn needs_range(kind: OperandKind) -> bool {
    use OperandKind::{Input, InputControlPoint, Output, OutputControlPoint, PatchConstant};
    matches!(kind, Input | InputControlPoint | OutputControlPoint | PatchConstant | Output)
}
