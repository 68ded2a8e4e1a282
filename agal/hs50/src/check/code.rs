//! Checks instructions: opcodes, and operands against the register model.

use std::collections::BTreeMap;

use super::Findings;
use super::reads::{can_read, dimension, positions};
use crate::hull::{Hull, Phase};
use crate::names::{Dimension, GlobalFlag};
use crate::opcode::{Allowed, Opcode, Type};
use crate::operand::{Components, Index, Operand, OperandKind, letters};
use crate::program::Instruction;
use crate::register::{self, RegisterInfo};
use crate::rule::Rule;

/// The rule that an undeclared register breaks: ids have separate rules.
pub(super) fn rule_of(kind: OperandKind) -> Rule {
    match kind {
        OperandKind::OutputControlPointId => Rule::R9,
        OperandKind::PrimitiveId => Rule::R10,
        OperandKind::ForkInstanceId | OperandKind::JoinInstanceId => Rule::R17,
        _ => Rule::Register,
    }
}

/// Checks whether a hull shader may contain the opcode.
pub(super) fn opcode(
    hull: &Hull,
    instruction: &Instruction,
    instruction_index: usize,
    findings: &mut Findings,
) {
    let name = instruction.opcode().name();
    let lacks = |flag: GlobalFlag| (!hull.flags.contains(&flag)).then_some(flag.name());
    let allowed = instruction.opcode().info().allowed;
    let flag = match allowed {
        Allowed::Double => lacks(GlobalFlag::DoublePrecision),
        Allowed::Double11 => lacks(GlobalFlag::DoubleExtensions11),
        Allowed::Extension11 => lacks(GlobalFlag::ShaderExtensions11),
        Allowed::Yes | Allowed::Rare | Allowed::Level11 | Allowed::Tiled | Allowed::No => None,
    };
    first! { findings, instruction_index;
        warn Opcode if allowed == Allowed::Rare => "compilers do not emit {name} in hull shaders";
        error Opcode if flag.is_some() => "{name} needs the global flag {}", flag.unwrap_or_default();
        error Opcode if allowed == Allowed::Level11 => "{name} needs feature level 11.1 (unordered access views)";
        error Opcode if allowed == Allowed::Tiled => "{name} needs tiled resources of tier 2";
        error Opcode if allowed == Allowed::No => "{name} is not allowed in hull shaders";
    }
}

/// Checks the code of a phase.
pub(super) fn check(hull: &Hull, phase: &Phase, findings: &mut Findings) {
    let mut written: BTreeMap<u32, u8> = BTreeMap::new();
    for instruction in &phase.code {
        for operand in instruction.destinations() {
            if let (OperandKind::Temp, Some(register)) = (operand.kind(), operand.fixed(0)) {
                *written.entry(register).or_default() |= operand.mask();
            }
        }
    }
    let ranges = Ranges::of(phase);
    for (instruction, instruction_index) in phase.code.iter().zip(&phase.instruction_indices) {
        opcode(hull, instruction, *instruction_index, findings);
        let mut checker = Checker {
            hull,
            phase,
            instruction_index: *instruction_index,
            written: &mut written,
            ranges: &ranges,
            findings,
        };
        checker.instruction(instruction);
    }
}

/// The registers in index ranges: file and first register of each run, and its end.
struct Ranges(BTreeMap<(OperandKind, u32), u64>);

impl Ranges {
    fn of(phase: &Phase) -> Ranges {
        let mut ranges: Vec<_> = phase.ranges.iter().collect();
        ranges.sort_by_key(|range| (range.kind, range.first));
        let mut runs: BTreeMap<(OperandKind, u32), u64> = BTreeMap::new();
        for range in ranges {
            let end = u64::from(range.first).saturating_add(range.count.into());
            let last = runs.last_entry();
            match last
                .filter(|last| last.key().0 == range.kind && *last.get() >= range.first.into())
            {
                Some(mut last) => *last.get_mut() = end.max(*last.get()),
                None => drop(runs.insert((range.kind, range.first), end)),
            }
        }
        Ranges(runs)
    }

    fn contain(&self, kind: OperandKind, register: u32) -> bool {
        let mut before = self.0.range((kind, 0)..=(kind, register));
        before.next_back().is_some_and(|(_, end)| *end > register.into())
    }
}

struct Checker<'a> {
    hull: &'a Hull,
    phase: &'a Phase,
    instruction_index: usize,
    /// Components of temporaries that are written anywhere in the phase.
    written: &'a mut BTreeMap<u32, u8>,
    ranges: &'a Ranges,
    findings: &'a mut Findings,
}

impl Checker<'_> {
    fn error(&mut self, rule: Rule, operand: &Operand, message: String) {
        let name = name(operand);
        self.findings.error(rule, self.instruction_index, name, message);
    }

    fn instruction(&mut self, instruction: &Instruction) {
        let opcode = instruction.opcode();
        let info = opcode.info();
        for (operand, kind) in instruction.destinations().iter().zip(info.destinations) {
            self.destination(opcode, operand, *kind);
        }
        let sources = instruction.sources().iter().zip(info.sources).enumerate();
        for (number, (operand, kind)) in sources {
            let positions = positions(self.hull, instruction, number);
            self.source(opcode, operand, *kind, positions);
        }
        if let Some(dimension) = dimension(self.hull, instruction) {
            let (name, kind) = (opcode.name(), dimension.name());
            let cube = matches!(dimension, Dimension::TextureCube | Dimension::TextureCubeArray);
            let offset = cube && instruction.offsets() != [0; 3];
            first! { self.findings, self.instruction_index;
                error Operand if !can_read(opcode, dimension) => "{name} can't read a {kind}";
                error Operand if offset => "{name} can't read a {kind} with an offset";
            }
        }
        let mut kinds = instruction.operands.iter().map(Operand::kind);
        let variable = kinds.any(|kind| kind != OperandKind::Immediate32);
        first! { self.findings, self.instruction_index;
            error Operand if opcode == Opcode::Case && variable => "the value of case must be an immediate";
        }
    }

    fn destination(&mut self, opcode: Opcode, operand: &Operand, kind: Type) {
        if kind == Type::V {
            return;
        }
        let Some(row) = self.row(operand) else { return };
        let (name, null) = (name(operand), operand.kind() == OperandKind::Null);
        if !row.access.writes() {
            let message = format!("{name} is written, but it can only be read");
            return self.error(rule_of(operand.kind()), operand, message);
        }
        let masked = matches!(operand.components(), Components::Mask(mask) if mask != 0);
        let single = opcode.info().destinations.len() < 2;
        first! { self.findings, self.instruction_index, &name;
            error Operand if null && single => "{} has only one result, which can't be discarded with null", opcode.name();
            error Operand if !null && !masked => "the destination {name} has no write mask";
        }
        if null || !masked {
            return;
        }
        self.indices(operand, row);
        self.declared(operand, operand.mask(), true);
    }

    fn source(&mut self, opcode: Opcode, operand: &Operand, kind: Type, positions: u8) {
        let own = match operand.kind() {
            OperandKind::Resource => Some(Type::T),
            OperandKind::Sampler => Some(Type::S),
            OperandKind::Label => Some(Type::L),
            OperandKind::UnorderedAccess => Some(Type::V),
            _ => None,
        };
        let special = matches!(kind, Type::T | Type::S | Type::L | Type::V | Type::M);
        let misplaced = |checker: &mut Self| {
            let message = format!("{} can't take {} here", opcode.name(), name(operand));
            checker.error(Rule::Operand, operand, message);
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
        if !row.access.reads() {
            let message = format!("{} is read, but it can only be written", name(operand));
            return self.error(Rule::Register, operand, message);
        }
        self.indices(operand, row);
        let lanes = (0u8..).zip(operand.swizzle());
        let lanes = lanes.filter(|(lane, _)| positions >> lane & 1 != 0);
        let mask = lanes.fold(0, |mask, (_, component)| mask | 1 << component);
        self.declared(operand, mask, false);
    }

    fn modifiers(&mut self, opcode: Opcode, operand: &Operand, kind: Type) {
        let (modifier, allowed) = (operand.modifier(), opcode.info().modifiers);
        // The condition of `movc` is an integer test.
        let bits = kind == Type::U && opcode.info().category != crate::opcode::Category::Int;
        let (name, opcode) = (name(operand), opcode.name());
        first! { self.findings, self.instruction_index, &name;
            error Operand if modifier.neg && (!allowed.negate() || bits) => "{opcode} can't negate {name}";
        }
        first! { self.findings, self.instruction_index, &name;
            error Operand if modifier.abs && (!allowed.absolute() || bits) =>
                "{opcode} can't take the absolute value of {name}";
        }
    }

    /// The operand's row of the register model; reports an error if the phase doesn't have the register.
    fn row(&mut self, operand: &Operand) -> Option<&'static RegisterInfo> {
        let kind = operand.kind();
        let row = register::find(self.phase.id.kind, kind);
        if row.is_none() {
            let message = format!("a {} phase has no {}", self.phase.id.kind, kind.name());
            self.error(rule_of(kind), operand, message);
        }
        row
    }

    fn indices(&mut self, operand: &Operand, row: &RegisterInfo) {
        let binding = matches!(
            row.kind,
            OperandKind::ConstantBuffer | OperandKind::Sampler | OperandKind::Resource
        );
        let more = if binding { self.hull.more_indices() } else { 0 };
        let expected = row.indices.saturating_add(more);
        let (name, found) = (name(operand), operand.indices.len());
        if found != expected {
            let message = format!("{name} has {found} indices, but takes {expected}");
            return self.error(Rule::Operand, operand, message);
        }
        for (number, index) in operand.indices.iter().enumerate() {
            // In shader model 5.1 the register index of a binding may be relative; axis 0, its id, comes before it.
            let axis = number.saturating_sub(more);
            let wide = index.offset().is_none() || matches!(index, Index::Imm64Relative(..));
            first! { self.findings, self.instruction_index, &name;
                error Operand if wide => "an index of {name} does not fit into 32 bits";
            }
            let Some(relative) = index.relative() else {
                continue;
            };
            let indexable = row.indexable.contains(&axis) || more > 0 && number == more;
            let buffer = row.kind == OperandKind::ConstantBuffer;
            first! { self.findings, self.instruction_index, &name;
                error R4 if !indexable && buffer => "{name} can't be indexed by a register there";
                error Register if !indexable => "{name} can't be indexed by a register there";
            }
            self.source(Opcode::Iadd, relative, Type::I, 1);
            let first = index.offset().unwrap_or(0);
            let ranged = self.ranges.contain(row.kind, first);
            let element = axis == row.indices.saturating_sub(1) && needs_range(row.kind);
            first! { self.findings, self.instruction_index, &name;
                error R8 if element && !ranged =>
                    "{name} is indexed by a register, but {first} is not in a dcl_indexrange";
            }
        }
    }

    /// Checks that the operand's register is declared and, as far as its indices are constant, within bounds.
    fn declared(&mut self, operand: &Operand, mask: u8, written: bool) {
        if let Some(message) = self.missing(operand, mask) {
            self.error(rule_of(operand.kind()), operand, message);
        } else if operand.kind() == OperandKind::Temp {
            self.temporary(operand, mask, written);
        }
        let last = operand.indices.last().and_then(Index::fixed);
        if let (Some((rule, size, what)), Some(element)) = (self.size(operand), last)
            && element >= size
        {
            let name = name(operand);
            let message = format!("{name} is beyond the {size} {what}");
            self.findings.warn(rule, self.instruction_index, name, message);
        }
    }

    /// A message if the operand isn't declared. Slots that aren't constant are reported elsewhere.
    fn missing(&self, operand: &Operand, mask: u8) -> Option<String> {
        use OperandKind::*;
        let (hull, phase, kind) = (self.hull, self.phase, operand.kind());
        let slot = operand.fixed(0);
        let name = name(operand);
        let missing = match kind {
            Temp => {
                let (register, temps) = (slot.unwrap_or(0), phase.temps);
                let message =
                    || format!("r{register} is used, but dcl_temps declares only {temps}");
                return (register >= temps).then(message);
            }
            IndexableTemp => slot.is_none_or(|slot| !phase.indexable.contains_key(&slot)),
            ConstantBuffer => slot.is_some_and(|slot| hull.buffer(slot).is_none()),
            Resource => slot.is_some_and(|slot| hull.resource(slot).is_none()),
            Sampler => slot.is_some_and(|slot| hull.sampler(slot).is_none()),
            ImmediateConstantBuffer => {
                return (hull.constants.is_empty()).then(|| "icb is not declared".to_owned());
            }
            PrimitiveId | OutputControlPointId | ForkInstanceId | JoinInstanceId => {
                let message = || format!("{name} is not declared in this phase");
                return (!phase.declares(kind)).then(message);
            }
            Input | InputControlPoint | OutputControlPoint | PatchConstant => {
                return self.input(operand, mask);
            }
            Output => {
                let register = operand.indices.last().and_then(Index::fixed)?;
                let undeclared = mask & !phase.output_mask(register);
                let letters = letters(undeclared);
                let message = || format!("o{register}.{letters} is not declared in this phase");
                return (undeclared != 0).then(message);
            }
            _ => false,
        };
        missing.then(|| format!("{name} is not declared"))
    }

    /// The number of elements, and a text for messages; reads beyond the end of a constant buffer give 0.
    fn size(&self, operand: &Operand) -> Option<(Rule, u32, &'static str)> {
        let slot = operand.fixed(0);
        let (rule, size, what) = match operand.kind() {
            OperandKind::IndexableTemp => {
                let length = self.phase.indexable.get(&slot?)?.length;
                return Some((Rule::R5, length, "elements"));
            }
            OperandKind::ConstantBuffer => {
                let buffer = self.hull.buffer(slot?)?;
                (Rule::R4, buffer.size, "registers, so it reads as 0")
            }
            OperandKind::ImmediateConstantBuffer => {
                let rows = crate::words::length(self.hull.constants.len());
                (Rule::R5, rows, "rows, so it reads as 0")
            }
            _ => return None,
        };
        (size > 0).then_some((rule, size, what))
    }

    fn input(&self, operand: &Operand, mask: u8) -> Option<String> {
        let (kind, phase) = (operand.kind(), self.phase);
        if let Some(element) = operand.indices.last().and_then(Index::fixed) {
            let undeclared = mask & !phase.input_mask(kind, element);
            if undeclared != 0 {
                let (name, letters) = (name(operand), letters(undeclared));
                let message = format!("{name}, component {letters}, is not declared in this phase");
                return Some(message);
            }
        } else if !phase.declares(kind) {
            return Some(format!("{} is not declared in this phase", kind.name()));
        }
        let vertices = *phase.vertices.get(&kind)?;
        let beyond = operand.fixed(0).is_some_and(|vertex| vertex >= vertices);
        let name = name(operand);
        beyond.then(|| format!("{name} is beyond the {vertices} declared vertices"))
    }

    /// Warns about reads of a temporary that the phase never writes.
    fn temporary(&mut self, operand: &Operand, mask: u8, written: bool) {
        let register = operand.fixed(0).unwrap_or(0);
        let known = self.written.entry(register).or_default();
        let unwritten = mask & !*known;
        if !written && unwritten != 0 {
            // Reports each component once.
            *known |= mask;
            let letters = letters(unwritten);
            let message = format!("r{register}.{letters} is read but never written in this phase");
            self.findings.warn(Rule::R2, self.instruction_index, name(operand), message);
        }
    }
}

/// Register files that need an index range for relative addressing (hs-5-0.md, R8).
fn needs_range(kind: OperandKind) -> bool {
    use OperandKind::{Input, InputControlPoint, Output, OutputControlPoint, PatchConstant};
    matches!(kind, Input | InputControlPoint | OutputControlPoint | PatchConstant | Output)
}

/// The register as printed in a listing, without components.
fn name(operand: &Operand) -> String {
    crate::text::register_name(operand)
}
