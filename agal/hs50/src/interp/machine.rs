//! One run of a phase, for one control point or instance.

use std::collections::BTreeMap;

use super::shared::Shared;
use super::{Inputs, Note, Register, RunError, Step, Written};
use crate::alu::{Alu, alu, f, flush, low};
use crate::double::{Double, double};
use crate::hull::{Hull, Jump, Phase};
use crate::opcode::{Category, Opcode, Type};
use crate::operand::{Components, LETTERS, Modifier, Operand, OperandKind};
use crate::program::Instruction;
use crate::register::PhaseKind;
use crate::rule::Rule;

/// Maximum number of notes.
const MAX_NOTES: usize = 100;

pub(super) struct Machine<'a, 's> {
    pub(super) hull: &'a Hull,
    pub(super) inputs: &'a Inputs<'a>,
    phase: &'a Phase,
    instance: u32,
    shared: &'s mut Shared,
    trace: &'s mut dyn FnMut(&Step<'_>),
    temps: Vec<Register>,
    indexable: BTreeMap<u32, Vec<Register>>,
    /// Return addresses of the open calls.
    calls: Vec<usize>,
    /// Index of the current instruction in the program.
    instruction_index: usize,
    written: Vec<Written>,
}

impl<'a, 's> Machine<'a, 's> {
    pub(super) fn new(
        hull: &'a Hull,
        inputs: &'a Inputs<'a>,
        phase: &'a Phase,
        instance: u32,
        shared: &'s mut Shared,
        trace: &'s mut dyn FnMut(&Step<'_>),
    ) -> Machine<'a, 's> {
        let array = |length: u32| vec![Register::default(); length as usize];
        let arrays = phase.indexable.iter();
        let arrays = arrays.map(|(number, temp)| (*number, array(temp.length)));
        Machine {
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

    pub(super) fn run(mut self) -> Result<(), RunError> {
        let mut next = 0;
        // Each instance counts as a step too, which bounds runs of empty phases.
        self.shared.count_step()?;
        while let Some(instruction) = self.phase.code.get(next) {
            self.instruction_index = self.phase.instruction_index_of(next);
            self.shared.count_step()?;
            self.written.clear();
            let Some(following) = self.step(instruction, next) else {
                break;
            };
            next = following;
            let step = Step {
                phase: self.phase.id,
                instance: self.instance,
                instruction_index: self.instruction_index,
                written: &self.written,
            };
            (self.trace)(&step);
        }
        Ok(())
    }

    /// Runs an instruction; returns the index of the next one, or `None` at the end.
    fn step(&mut self, instruction: &Instruction, number: usize) -> Option<usize> {
        let opcode = instruction.opcode();
        let next = number.saturating_add(1);
        if opcode.info().category != Category::Flow {
            self.compute(instruction);
            return Some(next);
        }
        // A label has no value.
        let first = instruction.operands.first();
        let first = first.filter(|operand| operand.kind() != OperandKind::Label);
        let value = first.map_or(0, |operand| self.scalar(operand));
        let holds = !instruction.is_test() || (value != 0) == instruction.tests_non_zero();
        let jump = match self.phase.jumps.get(number) {
            Some(Jump::To(target)) => *target,
            Some(Jump::Switch { cases, default }) => cases.get(&value).copied().unwrap_or(*default),
            Some(Jump::Next) | None => next,
        };
        match opcode {
            // Running into the next label ends a subroutine.
            Opcode::Ret | Opcode::Retc | Opcode::Label if holds => self.calls.pop(),
            Opcode::Call | Opcode::Callc if holds => {
                self.calls.push(next);
                // Continues after the label.
                Some(jump.saturating_add(1))
            }
            // `if` jumps when the test fails, other instructions when it holds.
            Opcode::If => Some(if holds { next } else { jump }),
            Opcode::Callc => Some(next),
            _ => Some(if holds { jump } else { next }),
        }
    }

    fn compute(&mut self, instruction: &Instruction) {
        let opcode = instruction.opcode();
        if let Some(row) = alu(opcode) {
            self.plain(instruction, row);
        } else if let Some(row) = double(opcode) {
            self.double(instruction, row);
        } else if let Opcode::Dp2 | Opcode::Dp3 | Opcode::Dp4 = opcode {
            let count = match opcode {
                Opcode::Dp2 => 2,
                Opcode::Dp3 => 3,
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

    fn plain(&mut self, instruction: &Instruction, row: &Alu) {
        let sources = [0, 1, 2, 3].map(|source| self.source(instruction, source));
        let mut results = [Register::default(); 2];
        for lane in 0..4 {
            let lane_of = |register: &Register| register.get(lane).copied().unwrap_or(0);
            let [first, second] = (row.eval)(sources.each_ref().map(lane_of));
            for (result, value) in results.iter_mut().zip([first, second]) {
                if let Some(slot) = result.get_mut(lane) {
                    *slot = value;
                }
            }
        }
        for (destination, result) in results.into_iter().enumerate() {
            self.write(instruction, destination, result);
        }
    }

    /// Computes on doubles: each pair of components is one; a 32-bit source or result has one component per pair.
    fn double(&mut self, instruction: &Instruction, row: &Double) {
        let info = instruction.opcode().info();
        let mask = instruction.destinations().first().map_or(0, Operand::mask);
        let wide = info.destinations.first() == Some(&Type::D);
        let mut result = Register::default();
        // 32-bit results go to the masked components in order.
        let mut lanes = (0..4usize).filter(|lane| mask >> lane & 1 != 0);
        for pair in 0..2usize {
            let mut sources = [0; 3];
            for (place, slot) in sources.iter_mut().enumerate() {
                *slot = self.pair(instruction, place, pair);
            }
            let value = (row.eval)(sources);
            let halves = [low(value), low(value >> 32)];
            if wide {
                for (slot, half) in result.iter_mut().skip(2 * pair).zip(halves) {
                    *slot = half;
                }
            } else if let Some(slot) = lanes.next().and_then(|lane| result.get_mut(lane)) {
                *slot = halves[0];
            }
        }
        self.write(instruction, 0, result);
    }

    fn pair(&mut self, instruction: &Instruction, source: usize, pair: usize) -> u64 {
        let Some(operand) = instruction.sources().get(source) else {
            return 0;
        };
        if instruction.opcode().info().sources.get(source) != Some(&Type::D) {
            // A 32-bit source has one component per pair, in order.
            let value = self.source(instruction, source);
            return value.get(pair).copied().unwrap_or(0).into();
        }
        let value = self.fetch(operand);
        let half = |place: usize| u64::from(value.get(2 * pair + place).copied().unwrap_or(0));
        let bits = half(1) << 32 | half(0);
        let Modifier { abs, neg } = operand.modifier();
        let sign = 1u64 << 63;
        let bits = if abs { bits & !sign } else { bits };
        if neg { bits ^ sign } else { bits }
    }

    /// A source with its swizzle and modifiers.
    pub(super) fn source(&mut self, instruction: &Instruction, place: usize) -> Register {
        let (Some(operand), Some(kind)) =
            (instruction.sources().get(place), instruction.opcode().info().sources.get(place))
        else {
            return Register::default();
        };
        let value = self.fetch(operand);
        let Modifier { abs, neg } = operand.modifier();
        value.map(|bits| match kind {
            Type::I | Type::U if neg => bits.wrapping_neg(),
            Type::I | Type::U => bits,
            _ => {
                let bits = if abs { bits & 0x7fff_ffff } else { bits };
                if neg { bits ^ 0x8000_0000 } else { bits }
            }
        })
    }

    /// The first component that an operand reads.
    pub(super) fn scalar(&mut self, operand: &Operand) -> u32 {
        self.fetch(operand)[0]
    }

    /// The value of an index: its constant plus its register.
    fn index(&mut self, operand: &Operand, place: usize) -> u32 {
        let Some(index) = operand.indices.get(place) else {
            return 0;
        };
        let added = match index.relative() {
            Some(relative) => {
                let value = self.scalar(relative);
                let Modifier { neg, .. } = relative.modifier();
                if neg { value.wrapping_neg() } else { value }
            }
            None => 0,
        };
        index.offset().unwrap_or(0).wrapping_add(added)
    }

    /// An operand with its swizzle, without modifiers.
    fn fetch(&mut self, operand: &Operand) -> Register {
        if let OperandKind::Immediate32 | OperandKind::Immediate64 = operand.kind() {
            return match operand.values[..] {
                [one] => [one; 4],
                [low, high] => [low, high, low, high],
                [x, y, z, w] => [x, y, z, w],
                _ => Register::default(),
            };
        }
        let register = self.register(operand);
        swizzled(operand, &register)
    }

    fn register(&mut self, operand: &Operand) -> Register {
        use OperandKind as Kind;
        let scalar = |value: u32| [value; 4];
        let at = |list: &[Register], place: u32| list.get(place as usize).copied();
        let point = |points: &[Vec<Register>], vertex: u32, element: u32| {
            let point = points.get(vertex as usize);
            point.map(|point| at(point, element).unwrap_or_default())
        };
        let (first, last) =
            (self.index(operand, 0), self.index(operand, operand.indices.len().saturating_sub(1)));
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
                // Reads beyond the declared size give 0, even if a larger buffer is bound.
                let size = self.hull.buffer(first).map_or(0, |buffer| buffer.size);
                let inside = size == 0 || last < size;
                return if inside {
                    self.inputs.resources.constant(first, last)
                } else {
                    Register::default()
                };
            }
            Kind::ImmediateConstantBuffer => {
                return at(&self.hull.constants, last).unwrap_or_default();
            }
            _ => None,
        };
        found.unwrap_or_else(|| {
            let name = crate::text::register_name(operand);
            let message = format!("{name} at {last} is out of bounds, so it reads as 0");
            self.note(Rule::R5, message);
            Register::default()
        })
    }

    fn patch_constant(&mut self, operand: &Operand, register: u32) -> Option<Register> {
        let place = register as usize;
        let value = self.shared.forks.get(place).copied()?;
        let written = self.shared.forks_wrote.get(place).copied().unwrap_or(0);
        let swizzle = operand.swizzle();
        let wanted = swizzle.iter().fold(0, |mask: u8, c| mask | 1 << c);
        if wanted & !written != 0 && matches!(operand.components(), Components::Select(_)) {
            let message =
                format!("vpc{register} is read, but no fork phase wrote it, so it reads as 0");
            self.note(Rule::R23, message);
        }
        Some(value)
    }

    pub(super) fn note(&mut self, rule: Rule, message: String) {
        let notes = &mut self.shared.notes;
        let known =
            |note: &Note| note.rule == rule && note.instruction_index == self.instruction_index;
        if notes.len() < MAX_NOTES && !notes.iter().any(known) {
            notes.push(Note {
                rule,
                phase: self.phase.id,
                instruction_index: self.instruction_index,
                message,
            });
        }
    }

    /// Writes the masked components of a result, saturated if the instruction asks for it.
    pub(super) fn write(
        &mut self,
        instruction: &Instruction,
        destination: usize,
        mut value: Register,
    ) {
        let Some(operand) = instruction.destinations().get(destination) else {
            return;
        };
        if instruction.saturates() {
            match instruction.opcode().info().destinations.get(destination) {
                Some(Type::D) => saturate_doubles(&mut value),
                _ => value = value.map(saturate),
            }
        }
        let (first, last) =
            (self.index(operand, 0), self.index(operand, operand.indices.len().saturating_sub(1)));
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
            let name = crate::text::register_name(operand);
            let message = format!("{name} at {last} is out of bounds, so the write is ignored");
            return self.note(Rule::R5, message);
        };
        for (lane, (slot, value)) in target.iter_mut().zip(value).enumerate() {
            if mask >> lane & 1 != 0 {
                *slot = value;
            }
        }
        let whole = *target;
        if operand.kind() == OperandKind::Output {
            self.wrote_output(last, mask, control_point);
        }
        let array = operand.kind() == OperandKind::IndexableTemp;
        self.written.push(Written {
            kind: operand.kind(),
            number: if array { first } else { last },
            element: last,
            mask,
            value: whole,
        });
    }

    fn wrote_output(&mut self, register: u32, mask: u8, control_point: bool) {
        let undeclared = mask & !self.phase.output_mask(register);
        if undeclared != 0 {
            let message = format!(
                "o{register} is written, but not all components are declared in this phase"
            );
            self.note(Rule::Register, message);
        }
        if control_point {
            return;
        }
        let me = (self.phase.instruction_index, self.instance);
        let mut collision = None;
        if let Some(writers) = self.shared.writers.get_mut(register as usize) {
            for ((lane, writer), letter) in writers.iter_mut().enumerate().zip(LETTERS) {
                if mask >> lane & 1 != 0 {
                    match writer.replace(me) {
                        Some(other) if other != me => collision = Some(letter),
                        _ => {}
                    }
                }
            }
        }
        if let Some(letter) = collision {
            let message =
                format!("o{register}.{letter} is written by two instances; the last write counts");
            self.note(Rule::R19, message);
        }
    }
}

/// Applies an operand's swizzle to a register.
pub(super) fn swizzled(operand: &Operand, register: &Register) -> Register {
    let component = |c: u8| register.get(usize::from(c)).copied();
    operand.swizzle().map(|c| component(c).unwrap_or(0))
}

/// Clamps to 0..1; NaN gives 0.
#[expect(clippy::manual_clamp, reason = "clamp keeps NaN")]
fn saturate(bits: u32) -> u32 {
    f(bits).max(0.0).min(1.0).to_bits()
}

#[expect(clippy::manual_clamp, reason = "clamp keeps NaN")]
fn saturate_doubles(value: &mut Register) {
    for pair in value.as_chunks_mut::<2>().0 {
        let [first, second] = pair.map(u64::from);
        let bits = f64::from_bits(second << 32 | first).max(0.0).min(1.0).to_bits();
        *pair = [low(bits), low(bits >> 32)];
    }
}
