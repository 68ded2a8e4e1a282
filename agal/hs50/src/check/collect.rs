//! Takes a program apart: declarations go where they belong.

use std::collections::BTreeMap;

use super::{Findings, letters};
use crate::hull::{
    Buffer, Hull, IndexRange, IndexableTemp, InputDeclaration, OutputDeclaration, Phase, PhaseId,
    ResourceDeclaration, SamplerDeclaration,
};
use crate::names::{Dimension, Domain, OutputPrimitive, Partitioning, SamplerMode, SystemName};
use crate::opcode::{Category, Opcode};
use crate::operand::{Operand, OperandKind};
use crate::program::Instruction;
use crate::register::{self, MAX_IMMEDIATE_CONSTANTS, PhaseKind};
use crate::rule::Rule;
use crate::shader::Shader;
use crate::signature::Signature;
use crate::text::CONSTANTS;

pub(super) fn collect(shader: &Shader, findings: &mut Findings) -> Hull {
    let patch = shader.patch_constant.as_ref();
    let hull = Hull {
        minor: shader.program.version.minor,
        input_registers: shader.input.registers(),
        output_registers: shader.output.registers(),
        patch_registers: patch.map_or(0, Signature::registers),
        ..Hull::empty()
    };
    let mut collector = Collector {
        hull,
        findings,
        seen: Vec::new(),
    };
    for (place, instruction) in shader.program.instructions.iter().enumerate() {
        collector.take(instruction, place);
    }
    collector.finish()
}

struct Collector<'a> {
    hull: Hull,
    findings: &'a mut Findings,
    /// Declarations of the state that have been met.
    seen: Vec<Opcode>,
}

/// The declarations of the tessellator's state that there must be.
const STATE: [Opcode; 5] = [
    Opcode::DclInputControlPointCount,
    Opcode::DclOutputControlPointCount,
    Opcode::DclTessellatorDomain,
    Opcode::DclTessellatorPartitioning,
    Opcode::DclTessellatorOutputPrimitive,
];

impl Collector<'_> {
    fn take(&mut self, instruction: &Instruction, place: usize) {
        let opcode = instruction.opcode();
        let category = opcode.info().category;
        if category == Category::Phase {
            self.marker(opcode, place);
        } else if place == 0 {
            self.findings
                .error(Rule::R24, "the program does not begin with hs_decls")
                .at(place);
        }
        match category {
            Category::Phase => {}
            Category::Declaration | Category::CustomData => self.declare(instruction, place),
            _ => match self.hull.phases.last_mut() {
                Some(phase) => {
                    phase.code.push(instruction.clone());
                    phase.places.push(place);
                }
                None => {
                    let message = format!("{} stands before the first phase", opcode.name());
                    self.findings.error(Rule::R24, message).at(place);
                }
            },
        }
    }

    fn marker(&mut self, opcode: Opcode, place: usize) {
        let kind = match opcode {
            Opcode::HsControlPointPhase => PhaseKind::ControlPoint,
            Opcode::HsForkPhase => PhaseKind::Fork,
            Opcode::HsJoinPhase => PhaseKind::Join,
            _ => {
                if place != 0 {
                    self.findings
                        .error(Rule::R24, "hs_decls stands once, at the beginning")
                        .at(place);
                }
                return;
            }
        };
        if place == 0 {
            self.findings
                .error(Rule::R24, "the program does not begin with hs_decls")
                .at(place);
        }
        let number = self
            .hull
            .phases
            .iter()
            .filter(|phase| phase.id.kind == kind)
            .count();
        let id = PhaseId { kind, number };
        if kind == PhaseKind::ControlPoint && number > 0 {
            self.findings.phase = Some(id);
            self.findings
                .error(Rule::R24, "a second control point phase")
                .at(place)
                .count(2u8, 1u8);
        } else if let Some(last) = self.hull.phases.last().filter(|last| last.id.kind > kind) {
            let message = format!("a {kind} phase behind a {} phase", last.id.kind);
            self.findings.phase = Some(id);
            self.findings.error(Rule::R24, message).at(place);
        }
        self.findings.phase = Some(id);
        self.hull.phases.push(Phase {
            id,
            place,
            instances: 1,
            instances_declared: false,
            temps: 0,
            indexable: BTreeMap::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            ranges: Vec::new(),
            code: Vec::new(),
            places: Vec::new(),
            jumps: Vec::new(),
        });
    }

    fn declare(&mut self, instruction: &Instruction, place: usize) {
        use Opcode::*;
        let opcode = instruction.opcode();
        let extra = |place: usize| instruction.extra.get(place).copied().unwrap_or(0);
        match opcode {
            DclInputControlPointCount
            | DclOutputControlPointCount
            | DclTessellatorDomain
            | DclTessellatorPartitioning
            | DclTessellatorOutputPrimitive
            | DclHsMaxTessfactor => self.state(instruction, place),
            DclGlobalFlags => self.hull.flags.extend(instruction.global_flags()),
            DclConstantbuffer
            | DclSampler
            | DclResource
            | DclResourceRaw
            | DclResourceStructured => {
                self.binding(instruction, place);
            }
            Customdata => self.custom(instruction, place),
            _ => {
                let Some(phase) = self.hull.phases.last_mut() else {
                    if opcode.info().allowed != crate::opcode::Allowed::No {
                        let message = format!("{} stands before the first phase", opcode.name());
                        self.findings.error(Rule::R24, message).at(place);
                    }
                    return;
                };
                match opcode {
                    DclTemps => phase.temps = extra(0),
                    DclIndexableTemp => {
                        let temp = IndexableTemp {
                            length: extra(1),
                            components: extra(2),
                        };
                        if phase.indexable.insert(extra(0), temp).is_some()
                            || !(1..=4).contains(&temp.components)
                        {
                            let message = format!(
                                "x{} is declared twice, or not with 1 to 4 components",
                                extra(0)
                            );
                            self.findings
                                .error(Rule::Register, message)
                                .at(place)
                                .register(format!("x{}", extra(0)));
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
                            let message = format!("{} in {}", opcode.name(), phase.id);
                            self.findings.error(Rule::R17, message).at(place);
                        }
                    }
                    DclInput | DclInputSgv | DclInputSiv => self.input(instruction, place),
                    DclOutput | DclOutputSgv | DclOutputSiv => self.output(instruction, place),
                    DclIndexrange => self.range(instruction, place),
                    // What a hull shader may not have is found with the opcodes.
                    _ => {}
                }
            }
        }
        self.opcode(instruction, place);
    }

    /// Declarations that a hull shader may not have.
    fn opcode(&mut self, instruction: &Instruction, place: usize) {
        super::code::opcode(&self.hull, instruction, place, self.findings);
    }

    fn state(&mut self, instruction: &Instruction, place: usize) {
        let opcode = instruction.opcode();
        if self.seen.contains(&opcode) || !self.hull.phases.is_empty() {
            let message = format!("{} stands once, in hs_decls", opcode.name());
            self.findings.error(Rule::State, message).at(place);
        }
        self.seen.push(opcode);
        let field = |bits| instruction.control(11, bits);
        let known = match opcode {
            Opcode::DclInputControlPointCount => {
                self.hull.input_points = field(6);
                true
            }
            Opcode::DclOutputControlPointCount => {
                self.hull.output_points = field(6);
                true
            }
            Opcode::DclTessellatorDomain => set(&mut self.hull.domain, Domain::from_code(field(2))),
            Opcode::DclTessellatorPartitioning => set(
                &mut self.hull.partitioning,
                Partitioning::from_code(field(3)),
            ),
            Opcode::DclTessellatorOutputPrimitive => set(
                &mut self.hull.primitive,
                OutputPrimitive::from_code(field(3)),
            ),
            _ => {
                self.hull.max_factor = instruction.extra.first().copied().map(f32::from_bits);
                true
            }
        };
        if !known {
            let message = format!("{} has a number that means nothing", opcode.name());
            self.findings.error(Rule::State, message).at(place);
        }
    }

    fn binding(&mut self, instruction: &Instruction, place: usize) {
        let Some(register) = instruction.register() else {
            return;
        };
        let (kind, slot) = (register.kind(), register.fixed(0));
        let expected = match instruction.opcode() {
            Opcode::DclConstantbuffer => OperandKind::ConstantBuffer,
            Opcode::DclSampler => OperandKind::Sampler,
            _ => OperandKind::Resource,
        };
        let Some(slot) = slot.filter(|_| kind == expected) else {
            let message = format!(
                "{} does not declare a register {}#",
                instruction.opcode().name(),
                expected.name()
            );
            self.findings.error(Rule::Register, message).at(place);
            return;
        };
        let (name, limit) = (
            format!("{}{slot}", kind.name()),
            register::count(PhaseKind::Fork, kind),
        );
        let twice = match kind {
            OperandKind::ConstantBuffer => self.hull.buffer(slot).is_some(),
            OperandKind::Sampler => self.hull.sampler(slot).is_some(),
            _ => self.hull.resource(slot).is_some(),
        };
        // Of shader model 5.1 this is a number of the shader's own, not the slot.
        if slot >= limit && self.hull.minor == 0 {
            let message = format!(
                "{name} is beyond {}{}",
                kind.name(),
                limit.saturating_sub(1)
            );
            self.findings
                .error(Rule::R3, message)
                .at(place)
                .register(&name)
                .count(slot, limit.saturating_sub(1));
        } else if twice {
            let message = format!("{name} is declared twice, but is one for all phases");
            self.findings
                .error(Rule::R3, message)
                .at(place)
                .register(&name);
        }
        if !twice {
            self.keep_binding(instruction, register, slot);
        }
    }

    fn keep_binding(&mut self, instruction: &Instruction, register: &Operand, slot: u32) {
        let extra = instruction.extra.first().copied().unwrap_or(0);
        let ranged = self.hull.minor > 0 && register.fixed(1) != register.fixed(2);
        let (dimension, stride, return_type) = match instruction.opcode() {
            Opcode::DclConstantbuffer => {
                let size = if self.hull.minor > 0 {
                    extra
                } else {
                    register.fixed(1).unwrap_or(0)
                };
                let dynamic = instruction.control(11, 1) != 0;
                self.hull.buffers.push(Buffer {
                    slot,
                    size,
                    dynamic,
                    ranged,
                });
                return;
            }
            Opcode::DclSampler => {
                let mode = SamplerMode::from_code(instruction.control(11, 4))
                    .unwrap_or(SamplerMode::Default);
                self.hull
                    .samplers
                    .push(SamplerDeclaration { slot, mode, ranged });
                return;
            }
            Opcode::DclResourceRaw => (Dimension::RawBuffer, 0, 0),
            Opcode::DclResourceStructured => (Dimension::StructuredBuffer, extra, 0),
            _ => {
                let dimension = Dimension::from_code(instruction.control(11, 5));
                (dimension.unwrap_or(Dimension::Buffer), 0, extra & 15)
            }
        };
        self.hull.resources.push(ResourceDeclaration {
            slot,
            dimension,
            stride,
            return_type,
            ranged,
        });
    }

    fn custom(&mut self, instruction: &Instruction, place: usize) {
        if instruction.control(11, 21) != CONSTANTS {
            return;
        }
        let (rows, rest) = instruction.extra.as_chunks::<4>();
        if !self.hull.constants.is_empty() {
            self.findings
                .error(Rule::R3, "a second immediate constant buffer")
                .at(place)
                .register("icb")
                .count(2u8, 1u8);
        } else if !rest.is_empty() {
            self.findings
                .error(
                    Rule::Operand,
                    "the immediate constant buffer is no whole rows",
                )
                .at(place)
                .register("icb");
        } else if rows.len() > MAX_IMMEDIATE_CONSTANTS {
            let message = format!(
                "the immediate constant buffer has {} rows, at most {MAX_IMMEDIATE_CONSTANTS} are allowed",
                rows.len()
            );
            let details = self
                .findings
                .error(Rule::R5, message)
                .at(place)
                .register("icb");
            details.count(rows.len() as u64, MAX_IMMEDIATE_CONSTANTS as u64);
        } else {
            self.hull.constants = rows.to_vec();
        }
    }

    fn input(&mut self, instruction: &Instruction, place: usize) {
        let (Some(operand), Some(phase)) = (instruction.register(), self.hull.phases.last_mut())
        else {
            return;
        };
        let kind = operand.kind();
        let row =
            register::find(phase.id.kind, kind).filter(|row| row.declaration.contains("dcl_input"));
        let Some(row) = row else {
            let message = format!(
                "{} can't be declared as an input in a {}",
                kind.name(),
                phase.id
            );
            self.findings
                .error(super::code::rule_of(kind), message)
                .at(place)
                .register(kind.name());
            return;
        };
        let indices: Option<Vec<u32>> = operand.indices.iter().map(|index| index.fixed()).collect();
        let (vertices, register) = match (indices.as_deref(), row.indices) {
            (Some([vertices, register]), 2) => (Some(*vertices), *register),
            (Some([register]), 1) => (None, *register),
            (Some([]), 0) => (None, 0),
            _ => {
                let message = format!(
                    "{} is declared with other than {} literal indices",
                    kind.name(),
                    row.indices
                );
                self.findings
                    .error(Rule::Operand, message)
                    .at(place)
                    .register(kind.name());
                return;
            }
        };
        let mask = if row.indices == 0 { 1 } else { operand.mask() };
        if kind != OperandKind::PatchConstant && row.indices > 0 && register >= row.count {
            let message = format!(
                "{}[][{register}] is beyond the {} elements",
                kind.name(),
                row.count
            );
            self.findings
                .error(Rule::Register, message)
                .at(place)
                .count(register, row.count);
        }
        phase.inputs.push(InputDeclaration {
            kind,
            vertices,
            register,
            mask,
            place,
        });
    }

    fn output(&mut self, instruction: &Instruction, place: usize) {
        let (Some(operand), Some(phase)) = (instruction.register(), self.hull.phases.last_mut())
        else {
            return;
        };
        let (OperandKind::Output, Some(register), 1) =
            (operand.kind(), operand.fixed(0), operand.indices.len())
        else {
            let message = format!("{} is no output register", operand.kind().name());
            self.findings
                .error(Rule::Register, message)
                .at(place)
                .register(operand.kind().name());
            return;
        };
        let system = match instruction.opcode() {
            Opcode::DclOutput => None,
            _ => {
                let token = instruction.extra.first().copied().unwrap_or(0) & 0xffff;
                let system = SystemName::from_token(token);
                if system.is_none() {
                    let message =
                        format!("o{register} carries system value {token}, which means nothing");
                    self.findings
                        .error(Rule::Signature, message)
                        .at(place)
                        .register(format!("o{register}"));
                }
                system
            }
        };
        let mask = operand.mask();
        let twice = mask & phase.output_mask(register);
        if twice != 0 {
            let message = format!("o{register}.{} is declared a second time", letters(twice));
            self.findings
                .error(Rule::R29, message)
                .at(place)
                .register(format!("o{register}.{}", letters(twice)));
        }
        phase.outputs.push(OutputDeclaration {
            register,
            mask,
            system,
            place,
        });
    }

    fn range(&mut self, instruction: &Instruction, place: usize) {
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
                    place,
                });
            }
            _ => {
                let message = format!(
                    "dcl_indexrange of {}, which can't be indexed in a {}",
                    kind.name(),
                    phase.id
                );
                self.findings
                    .error(Rule::Register, message)
                    .at(place)
                    .register(kind.name());
            }
        }
    }

    fn finish(self) -> Hull {
        self.findings.phase = None;
        for opcode in STATE {
            if !self.seen.contains(&opcode) {
                self.findings
                    .error(Rule::State, format!("there is no {}", opcode.name()));
            }
        }
        self.hull
    }
}

fn set<T>(slot: &mut T, value: Option<T>) -> bool {
    match value {
        Some(value) => {
            *slot = value;
            true
        }
        None => false,
    }
}
