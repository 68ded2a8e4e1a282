//! Executes a phase for one control point or instance.

use std::collections::BTreeMap;
use std::fmt;

use agal_core::{Component, Swizzle, WriteMask};

use super::shared::SharedMemory;
use super::{HullInputs, HullRegister, HullRunError, HullStep, HullWrite, UndefinedNote};
use crate::formula::alu::{Alu, alu, f, flush};
use crate::formula::double::{DoubleFormula, double};
use crate::hull::register::PhaseKind;
use crate::hull::rule::HullRule;
use crate::hull::{Hull, HullStatement, Jump, Phase};
use crate::text::RegisterName;
use crate::tokens::opcode::{Category, HullOpcode, Type};
use crate::tokens::operand::{Components, HullOperand, OperandKind, OperandModifiers};
use crate::tokens::program::HullInstruction;
use crate::words::{halves, joined};

const MAX_NOTES: usize = 100;

pub(super) struct HullMachine<'a, 's> {
    pub(super) hull: &'a Hull,
    pub(super) inputs: &'a HullInputs<'a>,
    phase: &'a Phase,
    instance: u32,
    shared: &'s mut SharedMemory,
    trace: &'s mut dyn FnMut(&HullStep<'_>),
    temps: Vec<HullRegister>,
    indexable: BTreeMap<u32, Vec<HullRegister>>,
    calls: Vec<usize>,
    instruction_index: usize,
    written: Vec<HullWrite>,
}

impl<'a, 's> HullMachine<'a, 's> {
    pub(super) fn new(
        hull: &'a Hull,
        inputs: &'a HullInputs<'a>,
        phase: &'a Phase,
        instance: u32,
        shared: &'s mut SharedMemory,
        trace: &'s mut dyn FnMut(&HullStep<'_>),
    ) -> HullMachine<'a, 's> {
        let array = |length: u32| vec![HullRegister::default(); length as usize];
        let arrays = phase.indexable.iter();
        let arrays = arrays.map(|(number, temp)| (*number, array(temp.length)));
        HullMachine {
            hull,
            inputs,
            phase,
            instance,
            shared,
            trace,
            temps: array(phase.temps),
            indexable: arrays.collect(),
            calls: Vec::new(),
            instruction_index: phase.instruction_index,
            written: Vec::new(),
        }
    }

    pub(super) fn run(mut self) -> Result<(), HullRunError> {
        let mut next = 0;
        // Counts each instance as a step, which also limits the time of empty phases.
        self.shared.count_step()?;
        while let Some(statement) = self.phase.code.get(next) {
            self.instruction_index = statement.instruction_index;
            self.shared.count_step()?;
            self.written.clear();
            let Some(following) = self.step(statement, next) else { break };
            next = following;
            let step = HullStep {
                phase: self.phase.id,
                instance: self.instance,
                instruction_index: self.instruction_index,
                written: &self.written,
            };
            (self.trace)(&step);
        }
        Ok(())
    }

    /// Executes an instruction; returns the next instruction index, or `None` at the end.
    fn step(&mut self, statement: &HullStatement, number: usize) -> Option<usize> {
        let instruction = &statement.instruction;
        let opcode = instruction.opcode();
        let next = number.saturating_add(1);
        if opcode.category() != Category::Flow {
            self.compute(instruction);
            return Some(next);
        }
        // The first operand of a label isn't a value.
        let first = instruction.operands.first();
        let first = first.filter(|operand| operand.kind() != OperandKind::Label);
        let value = first.map_or(0, |operand| self.scalar(operand));
        let holds = !opcode.is_test() || (value != 0) == instruction.tests_non_zero();
        let jump = match &statement.jump {
            Jump::To(target) => *target,
            Jump::Switch { cases, default } => cases.get(&value).copied().unwrap_or(*default),
            Jump::Next => next,
        };
        match opcode {
            // Reaching the next label ends a subroutine.
            HullOpcode::Ret | HullOpcode::Retc | HullOpcode::Label if holds => self.calls.pop(),
            HullOpcode::Call | HullOpcode::Callc if holds => {
                self.calls.push(next);
                // After a label, execution continues with the next instruction.
                Some(jump.saturating_add(1))
            }
            // `if` jumps if its condition is false; other instructions jump if their condition is true.
            HullOpcode::If => Some(if holds { next } else { jump }),
            HullOpcode::Callc => Some(next),
            _ => Some(if holds { jump } else { next }),
        }
    }

    fn compute(&mut self, instruction: &HullInstruction) {
        let opcode = instruction.opcode();
        if let Some(row) = alu(opcode) {
            self.plain(instruction, row);
        } else if let Some(row) = double(opcode) {
            self.double(instruction, row);
        } else if let HullOpcode::Dp2 | HullOpcode::Dp3 | HullOpcode::Dp4 = opcode {
            let count = match opcode {
                HullOpcode::Dp2 => 2,
                HullOpcode::Dp3 => 3,
                _ => 4,
            };
            let [a, b] = [0, 1].map(|source| self.source(instruction, source));
            let products = a.iter().zip(b).take(count);
            let products = products.map(|(a, b)| flush(f(*a) * f(b)));
            let sum = products.fold(None, |sum, product| {
                Some(sum.map_or(product, |sum: f32| flush(sum + product)))
            });
            self.write(instruction, 0, [sum.unwrap_or(0.0).to_bits(); 4]);
        } else {
            let result = self.look_up(instruction);
            self.write(instruction, 0, result);
        }
    }

    fn plain(&mut self, instruction: &HullInstruction, row: &Alu) {
        let sources = [0, 1, 2, 3].map(|source| self.source(instruction, source));
        let lanes = Component::ALL.map(|c| (row.eval)(sources.map(|register| lane(register, c))));
        self.write(instruction, 0, lanes.map(|[first, _]| first));
        self.write(instruction, 1, lanes.map(|[_, second]| second));
    }

    /// Executes a double instruction. A double occupies two components; a 32-bit value occupies one.
    fn double(&mut self, instruction: &HullInstruction, row: &DoubleFormula) {
        let pairs = [0, 1].map(|pair| {
            let sources = [0, 1, 2].map(|source| self.pair(instruction, source, pair));
            halves((row.eval)(sources))
        });
        let [[low, high], [low2, high2]] = pairs;
        let mut result = [low, high, low2, high2];
        if instruction.opcode().destinations().first() != Some(&Type::D) {
            // 32-bit results are written to the masked components, in order.
            let mask =
                instruction.destinations().first().map_or(WriteMask::EMPTY, HullOperand::mask);
            let mut values = [low, low2].into_iter();
            let next = |component| if mask.contains(component) { values.next() } else { None };
            result = Component::ALL.map(next).map(|value| value.unwrap_or(0));
        }
        self.write(instruction, 0, result);
    }

    fn pair(&mut self, instruction: &HullInstruction, source: usize, pair: usize) -> u64 {
        let Some(operand) = instruction.sources().get(source) else { return 0 };
        if instruction.opcode().sources().get(source) != Some(&Type::D) {
            // A 32-bit source has one component per double, in order.
            let value = self.source(instruction, source);
            return value.get(pair).copied().unwrap_or(0).into();
        }
        let value = self.fetch(operand);
        let bits = joined(value.as_chunks().0.get(pair).copied().unwrap_or_default());
        let OperandModifiers { abs, neg } = operand.modifier();
        let sign = 1u64 << 63;
        let bits = if abs { bits & !sign } else { bits };
        if neg { bits ^ sign } else { bits }
    }

    pub(super) fn source(&mut self, instruction: &HullInstruction, number: usize) -> HullRegister {
        let kind = instruction.opcode().sources().get(number);
        let (Some(operand), Some(kind)) = (instruction.sources().get(number), kind) else {
            return HullRegister::default();
        };
        let value = self.fetch(operand);
        let OperandModifiers { abs, neg } = operand.modifier();
        value.map(|bits| match kind {
            Type::I | Type::U if neg => bits.wrapping_neg(),
            Type::I | Type::U => bits,
            _ => {
                let bits = if abs { bits & 0x7fff_ffff } else { bits };
                if neg { bits ^ 0x8000_0000 } else { bits }
            }
        })
    }

    fn scalar(&mut self, operand: &HullOperand) -> u32 {
        self.fetch(operand)[0]
    }

    pub(super) fn index(&mut self, operand: &HullOperand, axis: usize) -> u32 {
        let Some(index) = operand.indices.get(axis) else { return 0 };
        let added = index.relative().map_or(0, |relative| {
            let value = self.scalar(relative);
            if relative.modifier().neg { value.wrapping_neg() } else { value }
        });
        index.offset().unwrap_or(0).wrapping_add(added)
    }

    /// Evaluates the operand's first and last index.
    fn ends(&mut self, operand: &HullOperand) -> (u32, u32) {
        let last = operand.indices.len().saturating_sub(1);
        (self.index(operand, 0), self.index(operand, last))
    }

    fn fetch(&mut self, operand: &HullOperand) -> HullRegister {
        if let OperandKind::Immediate32 | OperandKind::Immediate64 = operand.kind() {
            return operand.literal();
        }
        swizzled(operand.swizzle(), self.register(operand))
    }

    fn register(&mut self, operand: &HullOperand) -> HullRegister {
        use OperandKind as Kind;
        let scalar = |value: u32| [value; 4];
        let at = |list: &[HullRegister], index: u32| list.get(index as usize).copied();
        let point = |points: &[Vec<HullRegister>], vertex: u32, element: u32| {
            let point = points.get(vertex as usize);
            point.map(|point| at(point, element).unwrap_or_default())
        };
        let (first, last) = self.ends(operand);
        let found = match operand.kind() {
            Kind::Temp => at(&self.temps, first),
            Kind::IndexableTemp => self.indexable.get(&first).and_then(|array| at(array, last)),
            Kind::Input | Kind::InputControlPoint => point(self.inputs.control_points, first, last),
            Kind::OutputControlPoint => point(&self.shared.control_points, first, last),
            Kind::PatchConstant => self.patch_constant(operand, first),
            Kind::OutputControlPointId | Kind::ForkInstanceId | Kind::JoinInstanceId => {
                Some(scalar(self.instance))
            }
            Kind::PrimitiveId => Some(scalar(self.inputs.primitive_id)),
            Kind::ConstantBuffer => {
                // Reads past the declared size give 0, even if the bound buffer is larger.
                let buffer = self.hull.bindings.get(&(Kind::ConstantBuffer, first));
                let size = buffer.map_or(0, |buffer| buffer.size);
                let inside = size == 0 || last < size;
                let constant = inside.then(|| self.inputs.resources.constant(first, last));
                return constant.unwrap_or_default();
            }
            Kind::ImmediateConstantBuffer => {
                return at(&self.hull.constants, last).unwrap_or_default();
            }
            _ => None,
        };
        found.unwrap_or_else(|| {
            let name = RegisterName(operand);
            self.note(
                HullRule::R5,
                format_args!("{name} at {last} is out of bounds, so it reads as 0"),
            );
            HullRegister::default()
        })
    }

    fn patch_constant(&mut self, operand: &HullOperand, register: u32) -> Option<HullRegister> {
        let value = self.shared.forks.get(register as usize).copied()?;
        let writers = self.shared.fork_writers.get(register as usize);
        let unwritten = |component: Component| {
            writers
                .and_then(|writers| writers.get(usize::from(component.bits()))?.as_ref())
                .is_none()
        };
        if matches!(operand.components(), Components::Select(one) if unwritten(one)) {
            self.note(
                HullRule::R23,
                format_args!("vpc{register} is read, but no fork phase wrote it, so it reads as 0"),
            );
        }
        Some(value)
    }

    pub(super) fn note(&mut self, rule: HullRule, message: fmt::Arguments<'_>) {
        let notes = &mut self.shared.notes;
        let known = |note: &UndefinedNote| {
            note.rule == rule && note.instruction_index == self.instruction_index
        };
        if notes.len() < MAX_NOTES && !notes.iter().any(known) {
            let (phase, instruction_index) = (self.phase.id, self.instruction_index);
            notes.push(UndefinedNote {
                rule,
                phase,
                instruction_index,
                message: message.to_string(),
            });
        }
    }

    /// Writes the masked components of a result; saturates it if the instruction has `_sat`.
    fn write(&mut self, instruction: &HullInstruction, index: usize, mut value: HullRegister) {
        let Some(operand) = instruction.destinations().get(index) else { return };
        if instruction.saturates() {
            match instruction.opcode().destinations().get(index) {
                Some(Type::D) => saturate_doubles(&mut value),
                _ => value = value.map(saturate),
            }
        }
        let (first, last) = self.ends(operand);
        let mask = operand.mask();
        let control_point = self.phase.id.kind == PhaseKind::ControlPoint;
        let target = match operand.kind() {
            OperandKind::Temp => self.temps.get_mut(first as usize),
            OperandKind::IndexableTemp => {
                let array = self.indexable.get_mut(&first);
                array.and_then(|array| array.get_mut(last as usize))
            }
            OperandKind::Output if control_point => {
                let point = self.shared.control_points.get_mut(self.instance as usize);
                point.and_then(|point| point.get_mut(last as usize))
            }
            OperandKind::Output => self.shared.patch.get_mut(last as usize),
            _ => return,
        };
        let Some(target) = target else {
            let name = RegisterName(operand);
            return self.note(
                HullRule::R5,
                format_args!("{name} at {last} is out of bounds, so the write is ignored"),
            );
        };
        for (component, (slot, value)) in
            Component::ALL.into_iter().zip(target.iter_mut().zip(value))
        {
            if mask.contains(component) {
                *slot = value;
            }
        }
        let value = *target;
        if operand.kind() == OperandKind::Output {
            self.wrote_output(last, mask, control_point);
        }
        let array = operand.kind() == OperandKind::IndexableTemp;
        let (kind, number, element) = (operand.kind(), if array { first } else { last }, last);
        self.written.push(HullWrite { kind, number, element, mask, value });
    }

    fn wrote_output(&mut self, register: u32, mask: WriteMask, control_point: bool) {
        if !self.phase.mask(OperandKind::Output, register).contains_all(mask) {
            self.note(
                HullRule::Register,
                format_args!(
                    "o{register} is written, but not all components are declared in this phase"
                ),
            );
        }
        if control_point {
            return;
        }
        let own = (self.phase.instruction_index, self.instance);
        let mut collision = None;
        if let Some(writers) = self.shared.writers.get_mut(register as usize) {
            for (component, writer) in Component::ALL.into_iter().zip(writers) {
                if mask.contains(component) && writer.replace(own).is_some_and(|last| last != own) {
                    collision = Some(component.letter());
                }
            }
        }
        if let Some(letter) = collision {
            self.note(
                HullRule::R19,
                format_args!(
                    "o{register}.{letter} is written by two instances; the last write counts"
                ),
            );
        }
    }
}

fn lane(register: HullRegister, component: Component) -> u32 {
    register.get(usize::from(component.bits())).copied().unwrap_or(0)
}

pub(super) fn swizzled(swizzle: Swizzle, register: HullRegister) -> HullRegister {
    swizzle.lanes().map(|component| lane(register, component))
}

/// Clamps a value to 0..1; NaN becomes 0.
#[expect(clippy::manual_clamp, reason = "clamp keeps NaN")]
fn saturate(bits: u32) -> u32 {
    f(bits).max(0.0).min(1.0).to_bits()
}

#[expect(clippy::manual_clamp, reason = "clamp keeps NaN")]
fn saturate_doubles(value: &mut HullRegister) {
    for pair in value.as_chunks_mut::<2>().0 {
        let value = f64::from_bits(joined(*pair));
        *pair = halves(value.max(0.0).min(1.0).to_bits());
    }
}
