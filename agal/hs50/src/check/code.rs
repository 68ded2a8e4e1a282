//! Instructions: may the opcode be here, and are the registers used as the register model says?

use std::collections::BTreeMap;

use super::reads::positions;
use super::{Findings, letters};
use crate::hull::{Hull, Phase};
use crate::names::GlobalFlag;
use crate::opcode::{Allowed, Opcode, Type};
use crate::operand::{Components, Index, Operand, OperandKind};
use crate::program::Instruction;
use crate::register::{self, RegisterInfo};
use crate::rule::Rule;

/// The rule that is broken when a register is used that isn't there: the ids have rules of their own.
pub(super) fn rule_of(kind: OperandKind) -> Rule {
    match kind {
        OperandKind::OutputControlPointId => Rule::R9,
        OperandKind::PrimitiveId => Rule::R10,
        OperandKind::ForkInstanceId | OperandKind::JoinInstanceId => Rule::R17,
        _ => Rule::Register,
    }
}

/// May a hull shader have the opcode?
pub(super) fn opcode(
    hull: &Hull,
    instruction: &Instruction,
    place: usize,
    findings: &mut Findings,
) {
    let opcode = instruction.opcode();
    let flag = |flag: GlobalFlag| match hull.flags.contains(&flag) {
        true => None,
        false => Some(format!("needs the global flag {}", flag.name())),
    };
    let problem = match opcode.info().allowed {
        Allowed::Yes => None,
        Allowed::Rare => {
            findings
                .warn(
                    Rule::Opcode,
                    format!("no compiler writes {} in a hull shader", opcode.name()),
                )
                .at(place);
            None
        }
        Allowed::Double => flag(GlobalFlag::DoublePrecision),
        Allowed::Double11 => flag(GlobalFlag::DoubleExtensions11),
        Allowed::Extension11 => flag(GlobalFlag::ShaderExtensions11),
        Allowed::Level11 => Some("needs feature level 11.1: unordered access views".to_owned()),
        Allowed::Tiled => Some("needs tiled resources of tier 2".to_owned()),
        Allowed::No => Some("is not for hull shaders".to_owned()),
    };
    if let Some(problem) = problem {
        findings
            .error(Rule::Opcode, format!("{} {problem}", opcode.name()))
            .at(place);
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
    for (instruction, place) in phase.code.iter().zip(&phase.places) {
        opcode(hull, instruction, *place, findings);
        let mut checker = Checker {
            hull,
            phase,
            place: *place,
            written: &mut written,
            findings,
        };
        checker.instruction(instruction);
    }
}

struct Checker<'a> {
    hull: &'a Hull,
    phase: &'a Phase,
    place: usize,
    /// Components of temporaries that are written anywhere in the phase.
    written: &'a mut BTreeMap<u32, u8>,
    findings: &'a mut Findings,
}

impl Checker<'_> {
    fn error(&mut self, rule: Rule, operand: &Operand, message: String) {
        self.findings
            .error(rule, message)
            .at(self.place)
            .register(name(operand));
    }

    fn warn(&mut self, rule: Rule, operand: &Operand, message: String) {
        self.findings
            .warn(rule, message)
            .at(self.place)
            .register(name(operand));
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
        if opcode == Opcode::Case
            && instruction
                .operands
                .iter()
                .any(|operand| operand.kind() != OperandKind::Immediate32)
        {
            self.findings
                .error(Rule::Operand, "the value of case is no immediate")
                .at(self.place);
        }
    }

    fn destination(&mut self, opcode: Opcode, operand: &Operand, kind: Type) {
        if kind == Type::V {
            return;
        }
        let Some(row) = self.row(operand) else { return };
        if !row.access.writes() {
            return self.error(
                rule_or(operand.kind(), Rule::Register),
                operand,
                format!("{} is written, but it can only be read", name(operand)),
            );
        }
        if operand.kind() == OperandKind::Null {
            if opcode.info().destinations.len() < 2 {
                self.error(
                    Rule::Operand,
                    operand,
                    format!("{} has no result to discard with null", opcode.name()),
                );
            }
            return;
        }
        if !matches!(operand.components(), Components::Mask(mask) if mask != 0) {
            return self.error(
                Rule::Operand,
                operand,
                format!("the destination {} has no write mask", name(operand)),
            );
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
        if special != own.is_some() || own.is_some_and(|own| own != kind) {
            let message = format!("{} takes no {} here", opcode.name(), name(operand));
            return self.error(Rule::Operand, operand, message);
        }
        if matches!(own, Some(Type::L | Type::V)) {
            return;
        }
        self.modifiers(opcode, operand, kind);
        let wide = operand.kind() == OperandKind::Immediate64;
        if wide && kind != Type::D || operand.kind() == OperandKind::Immediate32 && kind == Type::D
        {
            let message = format!("{} takes no {} here", opcode.name(), name(operand));
            return self.error(Rule::Operand, operand, message);
        }
        let Some(row) = self.row(operand) else { return };
        if !row.access.reads() {
            return self.error(
                Rule::Register,
                operand,
                format!("{} is read, but it can only be written", name(operand)),
            );
        }
        self.indices(operand, row);
        let lanes = (0u8..)
            .zip(operand.swizzle())
            .filter(|(lane, _)| positions >> lane & 1 != 0);
        let mask = lanes.fold(0, |mask, (_, component)| mask | 1 << component);
        self.declared(operand, mask, false);
    }

    fn modifiers(&mut self, opcode: Opcode, operand: &Operand, kind: Type) {
        let (modifier, allowed) = (operand.modifier(), opcode.info().modifiers);
        // The condition of movc is a test of bits.
        let bits = kind == Type::U && opcode.info().category != crate::opcode::Category::Int;
        if modifier.neg && (!allowed.negate() || bits) {
            self.error(
                Rule::Operand,
                operand,
                format!("{} can't negate {}", opcode.name(), name(operand)),
            );
        }
        if modifier.abs && (!allowed.absolute() || bits) {
            let message = format!(
                "{} can't take the absolute value of {}",
                opcode.name(),
                name(operand)
            );
            self.error(Rule::Operand, operand, message);
        }
    }

    /// The register's row, or an error.
    fn row(&mut self, operand: &Operand) -> Option<&'static RegisterInfo> {
        let kind = operand.kind();
        let row = register::find(self.phase.id.kind, kind);
        if row.is_none() {
            let message = format!(
                "a {} has no {}",
                phase_name(self.phase.id.kind),
                kind.name()
            );
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
        if operand.indices.len() != expected {
            let message = format!(
                "{} has {} indices, it takes {expected}",
                name(operand),
                operand.indices.len()
            );
            return self.error(Rule::Operand, operand, message);
        }
        for (place, index) in operand.indices.iter().enumerate() {
            // The register within a binding of shader model 5.1 may be indexed: axis 0 is in front of it.
            let axis = place.saturating_sub(more);
            if index.offset().is_none() || matches!(index, Index::Imm64Relative(..)) {
                self.error(
                    Rule::Operand,
                    operand,
                    format!("an index of {} is beyond 32 bits", name(operand)),
                );
            }
            let Some(relative) = index.relative() else {
                continue;
            };
            if !row.indexable.contains(&axis) && (more == 0 || place != more) {
                let rule = if row.kind == OperandKind::ConstantBuffer {
                    Rule::R4
                } else {
                    Rule::Register
                };
                self.error(
                    rule,
                    operand,
                    format!("{} can't be indexed by a register there", name(operand)),
                );
            }
            self.source(Opcode::Iadd, relative, Type::I, 1);
            let element = axis == row.indices.saturating_sub(1);
            if element && needs_range(row.kind) {
                let first = index.offset().unwrap_or(0);
                let ranges = &self.phase.ranges;
                if !ranges
                    .iter()
                    .any(|range| range.kind == row.kind && range.contains(first))
                {
                    let message = format!(
                        "{} is indexed by a register, but {first} is in no dcl_indexrange",
                        name(operand)
                    );
                    self.error(Rule::R8, operand, message);
                }
            }
        }
    }

    /// Is what the operand names declared, and as far as can be told inside?
    fn declared(&mut self, operand: &Operand, mask: u8, written: bool) {
        use OperandKind as Kind;
        let (hull, phase) = (self.hull, self.phase);
        let last = operand.indices.last().and_then(Index::fixed);
        let slot = operand.fixed(0);
        let missing = |what: String| Some((rule_of(operand.kind()), what));
        let problem = match operand.kind() {
            Kind::Temp => {
                let register = operand.fixed(0).unwrap_or(0);
                if register >= phase.temps {
                    missing(format!(
                        "r{register} is used, dcl_temps declares {}",
                        phase.temps
                    ))
                } else {
                    self.temporary(operand, register, mask, written);
                    None
                }
            }
            Kind::IndexableTemp => {
                let number = operand.fixed(0).unwrap_or(u32::MAX);
                match (phase.indexable.get(&number), last) {
                    (None, _) => missing(format!("{} is not declared", name(operand))),
                    (Some(temp), Some(element)) if element >= temp.length => {
                        let message =
                            format!("{} is beyond the {} elements", name(operand), temp.length);
                        self.warn(Rule::R5, operand, message);
                        None
                    }
                    _ => None,
                }
            }
            Kind::ConstantBuffer => match (slot.and_then(|slot| hull.buffer(slot)), last) {
                // A slot that is no literal has been found already.
                (None, _) if slot.is_some() => {
                    missing(format!("{} is not declared", name(operand)))
                }
                (Some(buffer), Some(row)) if buffer.size > 0 && row >= buffer.size => {
                    let message = format!(
                        "{} is beyond the {} registers: 0 is read",
                        name(operand),
                        buffer.size
                    );
                    self.warn(Rule::R4, operand, message);
                    None
                }
                _ => None,
            },
            Kind::ImmediateConstantBuffer => match last {
                _ if hull.constants.is_empty() => missing("icb is not declared".to_owned()),
                Some(row) if row as usize >= hull.constants.len() => {
                    let message = format!(
                        "{} is beyond the {} rows: 0 is read",
                        name(operand),
                        hull.constants.len()
                    );
                    self.warn(Rule::R5, operand, message);
                    None
                }
                _ => None,
            },
            Kind::Resource if slot.is_some_and(|slot| hull.resource(slot).is_none()) => {
                missing(format!("{} is not declared", name(operand)))
            }
            Kind::Sampler if slot.is_some_and(|slot| hull.sampler(slot).is_none()) => {
                missing(format!("{} is not declared", name(operand)))
            }
            Kind::PrimitiveId
            | Kind::OutputControlPointId
            | Kind::ForkInstanceId
            | Kind::JoinInstanceId => match phase.declares(operand.kind()) {
                true => None,
                false => missing(format!("{} is not declared in this phase", name(operand))),
            },
            Kind::Input
            | Kind::InputControlPoint
            | Kind::OutputControlPoint
            | Kind::PatchConstant => self.input(operand, mask),
            Kind::Output => {
                let undeclared = last.map_or(0, |register| mask & !phase.output_mask(register));
                match (last, undeclared) {
                    (Some(register), 1..) => missing(format!(
                        "o{register}.{} is not declared in this phase",
                        letters(undeclared)
                    )),
                    _ => None,
                }
            }
            _ => None,
        };
        if let Some((rule, message)) = problem {
            self.error(rule, operand, message);
        }
    }

    fn input(&mut self, operand: &Operand, mask: u8) -> Option<(Rule, String)> {
        let (kind, phase) = (operand.kind(), self.phase);
        let element = operand.indices.last().and_then(Index::fixed);
        if let Some(element) = element {
            let undeclared = mask & !phase.input_mask(kind, element);
            if undeclared != 0 {
                let message = format!(
                    "{}, component {}, is not declared in this phase",
                    name(operand),
                    letters(undeclared)
                );
                return Some((Rule::Register, message));
            }
        } else if !phase.declares(kind) {
            return Some((
                Rule::Register,
                format!("{} is not declared in this phase", kind.name()),
            ));
        }
        let vertices = phase
            .inputs
            .iter()
            .filter(|input| input.kind == kind)
            .filter_map(|input| input.vertices)
            .max();
        if let (Some(vertex), Some(vertices)) = (operand.fixed(0), vertices)
            && vertex >= vertices
        {
            let message = format!(
                "{} is beyond the {vertices} declared vertices",
                name(operand)
            );
            return Some((Rule::Register, message));
        }
        None
    }

    /// A temporary that is read, but written nowhere in the phase, holds nothing.
    fn temporary(&mut self, operand: &Operand, register: u32, mask: u8, written: bool) {
        let known = self.written.entry(register).or_default();
        let unwritten = mask & !*known;
        if !written && unwritten != 0 {
            // Once is enough.
            *known |= mask;
            let message = format!(
                "r{register}.{} is read but never written in this phase",
                letters(unwritten)
            );
            self.warn(Rule::R2, operand, message);
        }
    }
}

fn rule_or(kind: OperandKind, other: Rule) -> Rule {
    match rule_of(kind) {
        Rule::Register => other,
        rule => rule,
    }
}

/// Registers whose elements need a range to be indexed (hs-5-0.md, R8).
fn needs_range(kind: OperandKind) -> bool {
    use OperandKind::{Input, InputControlPoint, Output, OutputControlPoint, PatchConstant};
    matches!(
        kind,
        Input | InputControlPoint | OutputControlPoint | PatchConstant | Output
    )
}

/// The register as a listing writes it, without components.
fn name(operand: &Operand) -> String {
    crate::text::register_name(operand)
}

fn phase_name(kind: register::PhaseKind) -> String {
    format!("{kind} phase")
}
