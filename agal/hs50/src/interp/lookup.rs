//! Executes instructions that read resources.

use super::machine::{Machine, swizzled};
use super::{Register, Sample, SampleOp};
use crate::formula::alu::f;
use crate::hull::Binding;
use crate::hull::rule::Rule;
use crate::names::Dimension;
use crate::text::RegisterName;
use crate::tokens::opcode::Opcode;
use crate::tokens::operand::{Operand, OperandKind};
use crate::tokens::program::{Instruction, field};

impl Machine<'_, '_> {
    /// Returns the result of a resource read, with the resource operand's swizzle.
    pub(super) fn look_up(&mut self, instruction: &Instruction) -> Register {
        let Some(resource) = instruction.resource() else { return Register::default() };
        let Some((slot, binding)) = self.choose(instruction, resource) else {
            return Register::default();
        };
        let texels = match instruction.opcode() {
            Opcode::Ld => self.load(instruction, binding, slot),
            Opcode::LdRaw => {
                let [byte, ..] = self.source(instruction, 0);
                self.words(slot, Some(byte))
            }
            Opcode::LdStructured => {
                let [[element, ..], [byte, ..]] = [0, 1].map(|n| self.source(instruction, n));
                let stride = binding.size;
                let start = element.checked_mul(stride).filter(|_| byte < stride);
                self.words(slot, start.and_then(|start| start.checked_add(byte)))
            }
            Opcode::Resinfo => self.size(instruction, slot),
            Opcode::Bufinfo => [self.inputs.resources.size(slot, 0)[0]; 4],
            _ => self.sample(instruction, slot),
        };
        swizzled(resource.swizzle(), texels)
    }

    /// Returns the declared resource or sampler that an operand accesses. Undeclared registers, which a dynamic index
    /// can access, read as 0 ([hs50.resource.chosen]).
    fn choose(&mut self, instruction: &Instruction, operand: &Operand) -> Option<(u32, Binding)> {
        let slot = self.index(operand, 0);
        let chosen = self.hull.choices(operand, instruction).find(|(own, _)| *own == slot);
        if chosen.is_none() {
            let name = RegisterName(operand);
            let message = format_args!("{name} at {slot} is not declared, so it reads as 0");
            self.note(Rule::R3, message);
        }
        chosen
    }

    /// Returns four dwords at a byte offset; zeros if the offset is `None`.
    fn words(&self, slot: u32, byte: Option<u32>) -> Register {
        let Some(byte) = byte else { return Register::default() };
        [0, 1, 2, 3].map(|more| {
            let word = (byte / 4).checked_add(more);
            let word = word.and_then(|word| self.inputs.resources.word(slot, word));
            word.unwrap_or(0)
        })
    }

    fn load(&mut self, instruction: &Instruction, binding: Binding, slot: u32) -> Register {
        let mut address = self.source(instruction, 0).map(u32::cast_signed);
        if binding.dimension == Some(Dimension::Buffer) {
            address = [address[0], 0, 0, 0];
        }
        for (axis, offset) in address.iter_mut().zip(instruction.offsets()) {
            *axis = axis.wrapping_add(offset.into());
        }
        self.inputs.resources.texel(slot, address, 0)
    }

    fn size(&mut self, instruction: &Instruction, slot: u32) -> Register {
        let mip = self.source(instruction, 0)[0];
        let size = self.inputs.resources.size(slot, mip);
        #[expect(clippy::cast_precision_loss, reason = "sizes are small")]
        let float = |value: u32| value as f32;
        let [w, h, d, levels] = size;
        match instruction.control(field::VALUE, 2) {
            2 => size,
            1 => {
                let one = |value: u32| float(value).recip().to_bits();
                [one(w), one(h), one(d), float(levels).to_bits()]
            }
            _ => size.map(|value| float(value).to_bits()),
        }
    }

    fn sample(&mut self, instruction: &Instruction, resource: u32) -> Register {
        let is_sampler = |operand: &Operand| operand.kind() == OperandKind::Sampler;
        let after = instruction.sources().iter().position(is_sampler).unwrap_or(0);
        let Some(operand) = instruction.sampler() else { return Register::default() };
        let Some((sampler, _)) = self.choose(instruction, operand) else {
            return Register::default();
        };
        let channel = operand.swizzle().bits() & 3;
        let mut last = |more: usize| self.source(instruction, after.saturating_add(more)).map(f);
        let op = match instruction.opcode() {
            Opcode::SampleL => SampleOp::Level(last(1)[0]),
            Opcode::SampleD => SampleOp::Gradients(last(1), last(2)),
            Opcode::SampleCLz => SampleOp::Compare(last(1)[0]),
            Opcode::Gather4C | Opcode::Gather4PoC => SampleOp::GatherCompare(last(1)[0]),
            _ => SampleOp::Gather(channel),
        };
        let offsets = match instruction.opcode() {
            Opcode::Gather4Po | Opcode::Gather4PoC => {
                let [u, v, ..] = self.source(instruction, 1).map(u32::cast_signed);
                [u, v, 0]
            }
            _ => instruction.offsets().map(i32::from),
        };
        let request = Sample {
            resource,
            sampler,
            coordinates: self.source(instruction, 0).map(f),
            offsets,
            op,
        };
        self.inputs.resources.sample(&request)
    }
}
