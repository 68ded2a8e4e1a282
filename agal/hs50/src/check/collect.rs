//! Splits a program into global declarations and phases.

use agal_core::WriteMask;
use agal_core::finding::Severity;

use super::{HullFindings, instructions};
use crate::hull::register::{self, MAX_ELEMENTS, MAX_IMMEDIATE_CONSTANTS, PhaseKind};
use crate::hull::rule::HullRule;
use crate::hull::{
    DclIndexRange, Hull, HullBinding, HullStatement, IndexableTemp, Jump, Phase, PhaseId,
    RegisterDeclaration,
};
use crate::names::{Dimension, Domain, OutputPrimitive, Partitioning, SystemName};
use crate::shader::HullProgramShader;
use crate::tokens::opcode::{Category, HullOpcode, OpcodeCondition};
use crate::tokens::operand::{HullOperand, OperandKind, RegisterIndex};
use crate::tokens::program::{HullInstruction, IMMEDIATE_CONSTANTS, field};

pub(super) fn collect(shader: &HullProgramShader, findings: &mut HullFindings) -> Hull {
    let patch = shader.patch_constant.as_ref();
    // Clamps the number of a signature's registers to `MAX_ELEMENTS`. Elements beyond the limit are reported by another
    // check.
    let limited = |registers: u32| registers.min(MAX_ELEMENTS);
    let hull = Hull {
        minor: shader.program.version.minor,
        input_registers: limited(shader.input.registers()),
        output_registers: limited(shader.output.registers()),
        patch_registers: limited(patch.map_or(0, |patch| patch.registers())),
        ..Hull::default()
    };
    let mut collector = HullCollector { hull, findings, seen: Vec::new(), index: 0 };
    for (index, instruction) in shader.program.instructions.iter().enumerate() {
        collector.index = index;
        collector.collect(instruction);
    }
    collector.finish()
}

struct HullCollector<'a> {
    hull: Hull,
    findings: &'a mut HullFindings,
    seen: Vec<HullOpcode>,
    index: usize,
}

/// The tessellator state that a hull shader must declare.
const STATE: [HullOpcode; 5] = [
    HullOpcode::DclInputControlPointCount,
    HullOpcode::DclOutputControlPointCount,
    HullOpcode::DclTessellatorDomain,
    HullOpcode::DclTessellatorPartitioning,
    HullOpcode::DclTessellatorOutputPrimitive,
];

impl HullCollector<'_> {
    fn error(&mut self, rule: HullRule, register: &str, message: String) {
        self.findings.error(rule, self.index, register, message);
    }

    fn collect(&mut self, instruction: &HullInstruction) {
        let (opcode, index) = (instruction.opcode(), self.index);
        report_first! { self.findings, index;
            Error R24 if index == 0 && opcode != HullOpcode::HsDecls => "the program does not begin with hs_decls";
        }
        match opcode.category() {
            Category::Phase => self.marker(opcode),
            Category::Declaration | Category::CustomData => {
                self.declaration(instruction);
                instructions::opcode(&self.hull, instruction, index, self.findings);
            }
            _ => match self.hull.phases.last_mut() {
                Some(phase) => phase.code.push(HullStatement {
                    instruction: instruction.clone(),
                    instruction_index: index,
                    jump: Jump::Next,
                }),
                None => self.early(opcode),
            },
        }
    }

    fn early(&mut self, opcode: HullOpcode) {
        self.error(HullRule::R24, "", format!("{} comes before the first phase", opcode.name()));
    }

    fn marker(&mut self, opcode: HullOpcode) {
        let kind = match opcode {
            HullOpcode::HsControlPointPhase => PhaseKind::ControlPoint,
            HullOpcode::HsForkPhase => PhaseKind::Fork,
            HullOpcode::HsJoinPhase => PhaseKind::Join,
            _ => {
                report_first! { self.findings, self.index;
                    Error R24 if self.index != 0 => "hs_decls must come first and only once";
                }
                return;
            }
        };
        let phases = &self.hull.phases;
        // Searches from the last phase backwards: in valid programs, phases of one type are consecutive.
        let before = phases.iter().rev().find(|phase| phase.id.kind == kind);
        let number = before.map_or(0, |before| before.id.number.saturating_add(1));
        let id = PhaseId { kind, number };
        self.findings.phase = Some(id);
        let last = phases.last().map_or(kind, |last| last.id.kind);
        report_first! { self.findings, self.index;
            Error R24 [2u8, 1u8] if kind == PhaseKind::ControlPoint && number > 0 => "there is more than one control point phase";
            Error R24 if last > kind => "a {kind} phase comes after a {last} phase";
        }
        let instruction_index = self.index;
        self.hull.phases.push(Phase { id, instruction_index, instances: 1, ..Phase::default() });
    }

    fn declaration(&mut self, instruction: &HullInstruction) {
        use HullOpcode::*;
        let opcode = instruction.opcode();
        match opcode {
            DclHsMaxTessfactor => return self.state(instruction),
            opcode if STATE.contains(&opcode) => return self.state(instruction),
            DclGlobalFlags => return self.hull.flags.extend(instruction.global_flags()),
            DclConstantbuffer => return self.binding(instruction, OperandKind::ConstantBuffer),
            DclSampler => return self.binding(instruction, OperandKind::Sampler),
            DclResource | DclResourceRaw | DclResourceStructured => {
                return self.binding(instruction, OperandKind::Resource);
            }
            Customdata => return self.custom(instruction),
            _ => {}
        }
        let Some(phase) = self.hull.phases.last_mut() else {
            if opcode.allowed() != OpcodeCondition::No {
                self.early(opcode);
            }
            return;
        };
        match opcode {
            DclTemps => phase.temps = instruction.word(0),
            DclIndexableTemp => {
                let [number, length, components] = [0, 1, 2].map(|n| instruction.word(n));
                let twice = phase.indexable.insert(number, IndexableTemp { length, components });
                let name = format!("x{number}");
                report_first! { self.findings, self.index, &name;
                    Error Register if twice.is_some() || !(1..=4).contains(&components) =>
                        "{name} must be declared once, with 1 to 4 components";
                }
            }
            DclHsForkPhaseInstanceCount if phase.id.kind == PhaseKind::Fork => {
                phase.instances = instruction.word(0);
            }
            DclHsJoinPhaseInstanceCount if phase.id.kind == PhaseKind::Join => {
                phase.instances = instruction.word(0);
            }
            DclHsForkPhaseInstanceCount | DclHsJoinPhaseInstanceCount => {
                let message = format!("{} is not allowed in {}", opcode.name(), phase.id);
                self.error(HullRule::R17, "", message);
            }
            _ => {
                let Some(operand) = instruction.register() else { return };
                match opcode {
                    DclInput | DclInputSgv | DclInputSiv => self.input(operand),
                    DclOutput | DclOutputSgv | DclOutputSiv => self.output(instruction, operand),
                    DclIndexrange => self.range(instruction, operand),
                    // Opcodes that hull shaders can't contain are reported by the opcode check.
                    _ => {}
                }
            }
        }
    }

    fn state(&mut self, instruction: &HullInstruction) {
        let opcode = instruction.opcode();
        let name = opcode.name();
        let late = self.seen.contains(&opcode) || !self.hull.phases.is_empty();
        self.seen.push(opcode);
        let value = |bits| instruction.control(field::VALUE, bits);
        let hull = &mut self.hull;
        let known = match opcode {
            HullOpcode::DclInputControlPointCount => set(&mut hull.input_points, Some(value(6))),
            HullOpcode::DclOutputControlPointCount => set(&mut hull.output_points, Some(value(6))),
            HullOpcode::DclTessellatorDomain => set(&mut hull.domain, Domain::from_code(value(2))),
            HullOpcode::DclTessellatorPartitioning => {
                set(&mut hull.partitioning, Partitioning::from_code(value(3)))
            }
            HullOpcode::DclTessellatorOutputPrimitive => {
                set(&mut hull.primitive, OutputPrimitive::from_code(value(3)))
            }
            _ => {
                let factor = instruction.extra.first().copied().map(f32::from_bits);
                set(&mut hull.max_factor, Some(factor))
            }
        };
        report_first! { self.findings, self.index; Error State if late => "{name} must be declared once, in hs_decls"; }
        report_first! { self.findings, self.index; Error State if !known => "{name} has an undefined value"; }
    }

    fn binding(&mut self, instruction: &HullInstruction, kind: OperandKind) {
        let operand = instruction.register().filter(|operand| operand.kind() == kind);
        let slot = operand.and_then(|operand| operand.fixed(0));
        let (opcode, file) = (instruction.opcode(), kind.name());
        let (Some(operand), Some(slot)) = (operand, slot) else {
            let message = format!("{} must declare a register {file}#", opcode.name());
            return self.error(HullRule::Register, "", message);
        };
        let twice = self.hull.binding(operand).is_some();
        let last = register::count(PhaseKind::Fork, kind).saturating_sub(1);
        let name = format!("{file}{slot}");
        // In shader model 5.1, this index is the binding's id instead of its slot.
        report_first! { self.findings, self.index, &name;
            Error R3 [slot, last] if slot > last && self.hull.minor == 0 => "{name} is past the last register, {file}{last}";
            Error R3 if twice => "{name} is declared twice; all phases share it";
        }
        if twice {
            return;
        }
        let (extra, minor) = (instruction.word(0), self.hull.minor);
        let ranged = minor > 0 && operand.fixed(1) != operand.fixed(2);
        let mut binding = HullBinding { ranged, ..HullBinding::default() };
        match opcode {
            HullOpcode::DclConstantbuffer if minor > 0 => binding.size = extra,
            HullOpcode::DclConstantbuffer => binding.size = operand.fixed(1).unwrap_or(0),
            HullOpcode::DclResourceRaw => binding.dimension = Some(Dimension::RawBuffer),
            HullOpcode::DclResourceStructured => {
                binding.dimension = Some(Dimension::StructuredBuffer);
                binding.size = extra;
            }
            HullOpcode::DclResource => {
                let dimension = Dimension::from_code(instruction.control(field::VALUE, 5));
                binding.dimension = dimension.or(Some(Dimension::Buffer));
                binding.return_type = extra & 15;
            }
            _ => {}
        }
        self.hull.bindings.insert((kind, slot), binding);
    }

    fn custom(&mut self, instruction: &HullInstruction) {
        if instruction.control(field::VALUE, 21) != IMMEDIATE_CONSTANTS {
            return;
        }
        let (rows, rest) = instruction.extra.as_chunks::<4>();
        let (second, count) = (!self.hull.constants.is_empty(), rows.len());
        report_first! { self.findings, self.index, "icb";
            Error R3 [2u8, 1u8] if second => "there is more than one immediate constant buffer";
            Error Operand if !rest.is_empty() => "the immediate constant buffer must consist of whole rows";
            Error R5 [count as u64, MAX_IMMEDIATE_CONSTANTS as u64] if count > MAX_IMMEDIATE_CONSTANTS =>
                "the immediate constant buffer has {count} rows, at most {MAX_IMMEDIATE_CONSTANTS} are allowed";
        }
        if !second && rest.is_empty() && count <= MAX_IMMEDIATE_CONSTANTS {
            self.hull.constants = rows.to_vec();
        }
    }

    fn input(&mut self, operand: &HullOperand) {
        let Some(phase) = self.hull.phases.last_mut() else { return };
        let (kind, name) = (operand.kind(), operand.kind().name());
        let row = register::find(phase.id.kind, kind).filter(|_| register::is_input(kind));
        let Some(row) = row else {
            let message = format!("{name} can't be declared as an input in a {}", phase.id);
            return self.error(instructions::rule_of(kind), name, message);
        };
        let indices: Option<Vec<u32>> = operand.indices.iter().map(RegisterIndex::fixed).collect();
        let (vertices, register) = match (indices.as_deref(), row.indices()) {
            (Some([vertices, register]), 2) => (Some(*vertices), *register),
            (Some([register]), 1) => (None, *register),
            (Some([]), 0) => (None, 0),
            (_, count) => {
                let message = format!("{name} must be declared with {count} literal indices");
                return self.error(HullRule::Operand, name, message);
            }
        };
        let mask = if row.indices() == 0 { WriteMask::first(1) } else { operand.mask() };
        let elements = kind != OperandKind::PatchConstant && row.indices() > 0;
        report_first! { self.findings, self.index;
            Error Register [register, row.count()] if elements && register >= row.count() =>
                "{name}[][{register}] is beyond the {} elements", row.count();
        }
        let (system, instruction_index) = (None, self.index);
        phase.declare(RegisterDeclaration {
            kind,
            vertices,
            register,
            mask,
            system,
            instruction_index,
        });
    }

    fn output(&mut self, instruction: &HullInstruction, operand: &HullOperand) {
        let Some(phase) = self.hull.phases.last_mut() else { return };
        let kind = operand.kind();
        let (OperandKind::Output, Some(register), [_]) =
            (kind, operand.fixed(0), &operand.indices[..])
        else {
            let message = format!("{} is not an output register", kind.name());
            return self.error(HullRule::Register, kind.name(), message);
        };
        let token = instruction.word(0) & 0xffff;
        let carries = instruction.opcode() != HullOpcode::DclOutput;
        let system = SystemName::from_token(token).filter(|_| carries);
        report_first! { self.findings, self.index, &format!("o{register}");
            Error Signature if carries && system.is_none() =>
                "o{register} has the unknown system value {token}";
        }
        let mask = operand.mask();
        let twice = mask.intersection(phase.mask(kind, register));
        let name = format!("o{register}.{twice}");
        report_first! { self.findings, self.index, &name; Error R29 if !twice.is_empty() => "{name} is declared twice"; }
        let (vertices, instruction_index) = (None, self.index);
        phase.declare(RegisterDeclaration {
            kind,
            vertices,
            register,
            mask,
            system,
            instruction_index,
        });
    }

    fn range(&mut self, instruction: &HullInstruction, operand: &HullOperand) {
        let Some(phase) = self.hull.phases.last_mut() else { return };
        let kind = operand.kind();
        let row = register::find(phase.id.kind, kind).filter(|row| {
            let last = row.indices().checked_sub(1);
            last.is_some_and(|last| row.indexable().contains(&last))
                && row.indices() == operand.indices.len()
        });
        let (Some(_), Some(first)) = (row, operand.last_fixed()) else {
            let (name, phase) = (kind.name(), phase.id);
            let message =
                format!("{name} can't be indexed in a {phase}, so it can't have a dcl_indexrange");
            return self.error(HullRule::Register, name, message);
        };
        let (count, mask) = (instruction.word(0), operand.mask());
        phase.ranges.push(DclIndexRange {
            kind,
            first,
            count,
            mask,
            instruction_index: self.index,
        });
    }

    fn finish(self) -> Hull {
        self.findings.phase = None;
        for opcode in STATE {
            report_first! { self.findings;
                Error State if !self.seen.contains(&opcode) => "{} is missing", opcode.name();
            }
        }
        self.hull
    }
}

/// Stores the value, if any; returns whether a value was given.
fn set<T>(slot: &mut T, value: Option<T>) -> bool {
    value.map(|value| *slot = value).is_some()
}
