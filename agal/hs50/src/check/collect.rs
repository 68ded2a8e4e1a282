//! Splits a program into declarations and phases.

use std::collections::BTreeMap;

use super::Findings;
use crate::hull::{
    Buffer, Hull, IndexRange, IndexableTemp, InputDeclaration, OutputDeclaration, Phase, PhaseId,
    ResourceDeclaration, SamplerDeclaration,
};
use crate::names::{Dimension, Domain, OutputPrimitive, Partitioning, SamplerMode, SystemName};
use crate::opcode::{Allowed, Category, Opcode};
use crate::operand::{Index, Operand, OperandKind, letters};
use crate::program::Instruction;
use crate::register::{self, MAX_ELEMENTS, MAX_IMMEDIATE_CONSTANTS, PhaseKind};
use crate::rule::Rule;
use crate::shader::Shader;
use crate::signature::Signature;
use crate::text::CONSTANTS;

pub(super) fn collect(shader: &Shader, findings: &mut Findings) -> Hull {
    let patch = shader.patch_constant.as_ref();
    let hull = Hull {
        minor: shader.program.version.minor,
        input_registers: registers(&shader.input),
        output_registers: registers(&shader.output),
        patch_registers: patch.map_or(0, registers),
        ..Hull::empty()
    };
    let mut collector = Collector { hull, phases: BTreeMap::new(), findings, seen: Vec::new() };
    for (instruction_index, instruction) in shader.program.instructions.iter().enumerate() {
        collector.take(instruction, instruction_index);
    }
    collector.finish()
}

/// Registers of a signature; an element beyond the last is reported.
fn registers(signature: &Signature) -> u32 {
    signature.registers().min(MAX_ELEMENTS)
}

struct Collector<'a> {
    hull: Hull,
    /// Phases so far, by kind.
    phases: BTreeMap<PhaseKind, usize>,
    findings: &'a mut Findings,
    /// State declarations seen so far.
    seen: Vec<Opcode>,
}

/// The required declarations of tessellator state.
const STATE: [Opcode; 5] = [
    Opcode::DclInputControlPointCount,
    Opcode::DclOutputControlPointCount,
    Opcode::DclTessellatorDomain,
    Opcode::DclTessellatorPartitioning,
    Opcode::DclTessellatorOutputPrimitive,
];

impl Collector<'_> {
    fn take(&mut self, instruction: &Instruction, instruction_index: usize) {
        let opcode = instruction.opcode();
        let category = opcode.info().category;
        first! { self.findings, instruction_index;
            error R24 if instruction_index == 0 && opcode != Opcode::HsDecls => "the program does not begin with hs_decls";
        }
        match category {
            Category::Phase => self.marker(opcode, instruction_index),
            Category::Declaration | Category::CustomData => {
                self.declare(instruction, instruction_index)
            }
            _ => match self.hull.phases.last_mut() {
                Some(phase) => {
                    phase.code.push(instruction.clone());
                    phase.instruction_indices.push(instruction_index);
                }
                None => self.early(opcode, instruction_index),
            },
        }
    }

    fn early(&mut self, opcode: Opcode, instruction_index: usize) {
        let message = format!("{} comes before the first phase", opcode.name());
        self.findings.error(Rule::R24, instruction_index, "", message);
    }

    fn marker(&mut self, opcode: Opcode, instruction_index: usize) {
        let kind = match opcode {
            Opcode::HsControlPointPhase => PhaseKind::ControlPoint,
            Opcode::HsForkPhase => PhaseKind::Fork,
            Opcode::HsJoinPhase => PhaseKind::Join,
            _ => {
                first! { self.findings, instruction_index;
                    error R24 if instruction_index != 0 => "hs_decls must come first and only once";
                }
                return;
            }
        };
        let count = self.phases.entry(kind).or_default();
        let number = *count;
        *count = number.saturating_add(1);
        let id = PhaseId { kind, number };
        self.findings.phase = Some(id);
        let last = self.hull.phases.last().map_or(kind, |last| last.id.kind);
        first! { self.findings, instruction_index;
            error R24 [2u8, 1u8] if kind == PhaseKind::ControlPoint && number > 0 => "there is more than one control point phase";
            error R24 if last > kind => "a {kind} phase comes after a {last} phase";
        }
        self.hull.phases.push(Phase {
            id,
            instruction_index,
            instances: 1,
            instances_declared: false,
            temps: 0,
            indexable: BTreeMap::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            ranges: Vec::new(),
            masks: BTreeMap::new(),
            vertices: BTreeMap::new(),
            code: Vec::new(),
            instruction_indices: Vec::new(),
            jumps: Vec::new(),
        });
    }

    fn declare(&mut self, instruction: &Instruction, instruction_index: usize) {
        use Opcode::*;
        let opcode = instruction.opcode();
        let extra = |number: usize| instruction.extra.get(number).copied().unwrap_or(0);
        match opcode {
            DclHsMaxTessfactor => self.state(instruction, instruction_index),
            opcode if STATE.contains(&opcode) => self.state(instruction, instruction_index),
            DclGlobalFlags => {
                for flag in instruction.global_flags() {
                    if !self.hull.flags.contains(&flag) {
                        self.hull.flags.push(flag);
                    }
                }
            }
            DclConstantbuffer
            | DclSampler
            | DclResource
            | DclResourceRaw
            | DclResourceStructured => self.binding(instruction, instruction_index),
            Customdata => self.custom(instruction, instruction_index),
            _ => {
                let Some(phase) = self.hull.phases.last_mut() else {
                    if opcode.info().allowed != Allowed::No {
                        self.early(opcode, instruction_index);
                    }
                    return;
                };
                match opcode {
                    DclTemps => phase.temps = extra(0),
                    DclIndexableTemp => {
                        let temp = IndexableTemp { length: extra(1), components: extra(2) };
                        let twice = phase.indexable.insert(extra(0), temp).is_some();
                        let name = format!("x{}", extra(0));
                        first! { self.findings, instruction_index, &name;
                            error Register if twice || !(1..=4).contains(&temp.components) =>
                                "{name} must be declared once, with 1 to 4 components";
                        }
                    }
                    DclHsForkPhaseInstanceCount | DclHsJoinPhaseInstanceCount => {
                        let kind = match opcode {
                            DclHsForkPhaseInstanceCount => PhaseKind::Fork,
                            _ => PhaseKind::Join,
                        };
                        if phase.id.kind == kind {
                            phase.instances = extra(0);
                            phase.instances_declared = true;
                        } else {
                            let message =
                                format!("{} is not allowed in {}", opcode.name(), phase.id);
                            self.findings.error(Rule::R17, instruction_index, "", message);
                        }
                    }
                    DclInput | DclInputSgv | DclInputSiv => {
                        self.input(instruction, instruction_index)
                    }
                    DclOutput | DclOutputSgv | DclOutputSiv => {
                        self.output(instruction, instruction_index)
                    }
                    DclIndexrange => self.range(instruction, instruction_index),
                    // The opcode check reports what hull shaders can't have.
                    _ => {}
                }
            }
        }
        super::code::opcode(&self.hull, instruction, instruction_index, self.findings);
    }

    fn state(&mut self, instruction: &Instruction, instruction_index: usize) {
        let opcode = instruction.opcode();
        let name = opcode.name();
        let late = self.seen.contains(&opcode) || !self.hull.phases.is_empty();
        first! { self.findings, instruction_index; error State if late => "{name} must be declared once, in hs_decls"; }
        self.seen.push(opcode);
        let field = |bits| instruction.control(11, bits);
        let hull = &mut self.hull;
        let known = match opcode {
            Opcode::DclInputControlPointCount => set(&mut hull.input_points, Some(field(6))),
            Opcode::DclOutputControlPointCount => set(&mut hull.output_points, Some(field(6))),
            Opcode::DclTessellatorDomain => set(&mut hull.domain, Domain::from_code(field(2))),
            Opcode::DclTessellatorPartitioning => {
                set(&mut hull.partitioning, Partitioning::from_code(field(3)))
            }
            Opcode::DclTessellatorOutputPrimitive => {
                set(&mut hull.primitive, OutputPrimitive::from_code(field(3)))
            }
            _ => {
                let factor = instruction.extra.first().copied().map(f32::from_bits);
                set(&mut hull.max_factor, Some(factor))
            }
        };
        first! { self.findings, instruction_index; error State if !known => "{name} has an undefined value"; }
    }

    fn binding(&mut self, instruction: &Instruction, instruction_index: usize) {
        let Some(register) = instruction.register() else {
            return;
        };
        let (kind, slot) = (register.kind(), register.fixed(0));
        let opcode = instruction.opcode();
        let expected = match opcode {
            Opcode::DclConstantbuffer => OperandKind::ConstantBuffer,
            Opcode::DclSampler => OperandKind::Sampler,
            _ => OperandKind::Resource,
        };
        let Some(slot) = slot.filter(|_| kind == expected) else {
            let (opcode, file) = (opcode.name(), expected.name());
            let message = format!("{opcode} must declare a register {file}#");
            self.findings.error(Rule::Register, instruction_index, "", message);
            return;
        };
        let twice = match kind {
            OperandKind::ConstantBuffer => self.hull.buffer(slot).is_some(),
            OperandKind::Sampler => self.hull.sampler(slot).is_some(),
            _ => self.hull.resource(slot).is_some(),
        };
        let (file, last) = (kind.name(), register::count(PhaseKind::Fork, kind).saturating_sub(1));
        let name = format!("{file}{slot}");
        // In shader model 5.1 this number is an id, not the slot.
        first! { self.findings, instruction_index, &name;
            error R3 [slot, last] if slot > last && self.hull.minor == 0 => "{name} is past the last register, {file}{last}";
            error R3 if twice => "{name} is declared twice; all phases share it";
        }
        if !twice {
            self.keep_binding(instruction, register, slot);
        }
    }

    fn keep_binding(&mut self, instruction: &Instruction, register: &Operand, slot: u32) {
        let extra = instruction.extra.first().copied().unwrap_or(0);
        let hull = &mut self.hull;
        let ranged = hull.minor > 0 && register.fixed(1) != register.fixed(2);
        let (dimension, stride, return_type) = match instruction.opcode() {
            Opcode::DclConstantbuffer => {
                let size = match hull.minor {
                    0 => register.fixed(1).unwrap_or(0),
                    _ => extra,
                };
                let buffer =
                    Buffer { slot, size, dynamic: instruction.control(11, 1) != 0, ranged };
                hull.buffers.insert(slot, buffer);
                return;
            }
            Opcode::DclSampler => {
                let mode = SamplerMode::from_code(instruction.control(11, 4));
                let mode = mode.unwrap_or(SamplerMode::Default);
                let sampler = SamplerDeclaration { slot, mode, ranged };
                hull.samplers.insert(slot, sampler);
                return;
            }
            Opcode::DclResourceRaw => (Dimension::RawBuffer, 0, 0),
            Opcode::DclResourceStructured => (Dimension::StructuredBuffer, extra, 0),
            _ => {
                let dimension = Dimension::from_code(instruction.control(11, 5));
                (dimension.unwrap_or(Dimension::Buffer), 0, extra & 15)
            }
        };
        let resource = ResourceDeclaration { slot, dimension, stride, return_type, ranged };
        hull.resources.insert(slot, resource);
    }

    fn custom(&mut self, instruction: &Instruction, instruction_index: usize) {
        if instruction.control(11, 21) != CONSTANTS {
            return;
        }
        let (rows, rest) = instruction.extra.as_chunks::<4>();
        let (second, count) = (!self.hull.constants.is_empty(), rows.len());
        first! { self.findings, instruction_index, "icb";
            error R3 [2u8, 1u8] if second => "there is more than one immediate constant buffer";
            error Operand if !rest.is_empty() => "the immediate constant buffer must consist of whole rows";
            error R5 [count as u64, MAX_IMMEDIATE_CONSTANTS as u64] if count > MAX_IMMEDIATE_CONSTANTS =>
                "the immediate constant buffer has {count} rows, at most {MAX_IMMEDIATE_CONSTANTS} are allowed";
        }
        if !second && rest.is_empty() && count <= MAX_IMMEDIATE_CONSTANTS {
            self.hull.constants = rows.to_vec();
        }
    }

    fn input(&mut self, instruction: &Instruction, instruction_index: usize) {
        let (Some(operand), Some(phase)) = (instruction.register(), self.hull.phases.last_mut())
        else {
            return;
        };
        let kind = operand.kind();
        let name = kind.name();
        let row = register::find(phase.id.kind, kind);
        let Some(row) = row.filter(|row| row.declaration.contains("dcl_input")) else {
            let message = format!("{name} can't be declared as an input in a {}", phase.id);
            let rule = super::code::rule_of(kind);
            self.findings.error(rule, instruction_index, name, message);
            return;
        };
        let indices: Option<Vec<u32>> = operand.indices.iter().map(Index::fixed).collect();
        let (vertices, register) = match (indices.as_deref(), row.indices) {
            (Some([vertices, register]), 2) => (Some(*vertices), *register),
            (Some([register]), 1) => (None, *register),
            (Some([]), 0) => (None, 0),
            _ => {
                let count = row.indices;
                let message = format!("{name} must be declared with {count} literal indices");
                self.findings.error(Rule::Operand, instruction_index, name, message);
                return;
            }
        };
        let mask = if row.indices == 0 { 1 } else { operand.mask() };
        let elements = kind != OperandKind::PatchConstant && row.indices > 0;
        first! { self.findings, instruction_index;
            error Register [register, row.count] if elements && register >= row.count =>
                "{name}[][{register}] is beyond the {} elements", row.count;
        }
        phase.declare_input(InputDeclaration { kind, vertices, register, mask, instruction_index });
    }

    fn output(&mut self, instruction: &Instruction, instruction_index: usize) {
        let (Some(operand), Some(phase)) = (instruction.register(), self.hull.phases.last_mut())
        else {
            return;
        };
        let (OperandKind::Output, Some(register), 1) =
            (operand.kind(), operand.fixed(0), operand.indices.len())
        else {
            let name = operand.kind().name();
            let message = format!("{name} is not an output register");
            self.findings.error(Rule::Register, instruction_index, name, message);
            return;
        };
        let extra = instruction.extra.first().copied();
        let token = extra.unwrap_or(0) & 0xffff;
        let carries = instruction.opcode() != Opcode::DclOutput;
        let system = SystemName::from_token(token).filter(|_| carries);
        first! { self.findings, instruction_index, format!("o{register}");
            error Signature if carries && system.is_none() =>
                "o{register} has the unknown system value {token}";
        }
        let mask = operand.mask();
        let twice = mask & phase.output_mask(register);
        let name = format!("o{register}.{}", letters(twice));
        first! { self.findings, instruction_index, &name; error R29 if twice != 0 => "{name} is declared twice"; }
        phase.declare_output(OutputDeclaration { register, mask, system, instruction_index });
    }

    fn range(&mut self, instruction: &Instruction, instruction_index: usize) {
        let (Some(operand), Some(phase)) = (instruction.register(), self.hull.phases.last_mut())
        else {
            return;
        };
        let count = instruction.extra.first().copied().unwrap_or(0);
        let first = operand.indices.last().and_then(|index| index.fixed());
        let kind = operand.kind();
        let row = register::find(phase.id.kind, kind)
            .filter(|row| row.indexable.contains(&row.indices.wrapping_sub(1)));
        match (row, first) {
            (Some(row), Some(first)) if row.indices == operand.indices.len() => {
                phase.ranges.push(IndexRange {
                    kind,
                    first,
                    count,
                    mask: operand.mask(),
                    instruction_index,
                });
            }
            _ => {
                let (name, phase) = (kind.name(), phase.id);
                let message = format!(
                    "{name} can't be indexed in a {phase}, so it can't have a dcl_indexrange"
                );
                self.findings.error(Rule::Register, instruction_index, name, message);
            }
        }
    }

    fn finish(self) -> Hull {
        self.findings.phase = None;
        for opcode in STATE {
            first! { self.findings;
                error State if !self.seen.contains(&opcode) => "{} is missing", opcode.name();
            }
        }
        self.hull
    }
}

/// Stores the value if there is one; returns whether there was.
fn set<T>(slot: &mut T, value: Option<T>) -> bool {
    value.map(|value| *slot = value).is_some()
}
