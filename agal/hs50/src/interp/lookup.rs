//! Executes instructions that read resources.

use super::machine::{HullMachine, swizzled};
use super::{HullRegister, SampleOp, TextureSample};
use crate::formula::alu::f;
use crate::hull::HullBinding;
use crate::hull::rule::HullRule;
use crate::names::Dimension;
use crate::text::RegisterName;
use crate::tokens::opcode::HullOpcode;
use crate::tokens::operand::{HullOperand, OperandKind};
use crate::tokens::program::{HullInstruction, field};

impl HullMachine<'_, '_> {
    /// Returns the result of a resource read, with the resource operand's swizzle.
    pub(super) fn look_up(&mut self, instruction: &HullInstruction) -> HullRegister {
        let Some(resource) = instruction.resource() else { return HullRegister::default() };
        let Some((slot, binding)) = self.choose(instruction, resource) else {
            return HullRegister::default();
        };
        let texels = match instruction.opcode() {
            HullOpcode::Ld => self.load(instruction, binding, slot),
            HullOpcode::LdRaw => {
                let [byte, ..] = self.source(instruction, 0);
                self.words(slot, Some(byte))
            }
            HullOpcode::LdStructured => {
                let [[element, ..], [byte, ..]] = [0, 1].map(|n| self.source(instruction, n));
                let stride = binding.size;
                let start = element.checked_mul(stride).filter(|_| byte < stride);
                self.words(slot, start.and_then(|start| start.checked_add(byte)))
            }
            HullOpcode::Resinfo => self.size(instruction, slot),
            HullOpcode::Bufinfo => [self.inputs.resources.size(slot, 0)[0]; 4],
            _ => self.sample(instruction, slot),
        };
        swizzled(resource.swizzle(), texels)
    }

    /// Returns the declared resource or sampler that an operand accesses. Undeclared registers, which a dynamic index
    /// can access, read as 0 ([hs50.resource.chosen]).
    fn choose(
        &mut self,
        instruction: &HullInstruction,
        operand: &HullOperand,
    ) -> Option<(u32, HullBinding)> {
        let slot = self.index(operand, 0);
        let chosen = self.hull.choices(operand, instruction).find(|(own, _)| *own == slot);
        if chosen.is_none() {
            let name = RegisterName(operand);
            let message = format_args!("{name} at {slot} is not declared, so it reads as 0");
            self.note(HullRule::R3, message);
        }
        chosen
    }

    /// Returns four dwords at a byte offset; zeros if the offset is `None`.
    fn words(&self, slot: u32, byte: Option<u32>) -> HullRegister {
        let Some(byte) = byte else { return HullRegister::default() };
        [0, 1, 2, 3].map(|more| {
            let word = (byte / 4).checked_add(more);
            let word = word.and_then(|word| self.inputs.resources.word(slot, word));
            word.unwrap_or(0)
        })
    }

    fn load(
        &mut self,
        instruction: &HullInstruction,
        binding: HullBinding,
        slot: u32,
    ) -> HullRegister {
        let mut address = self.source(instruction, 0).map(u32::cast_signed);
        if binding.dimension == Some(Dimension::Buffer) {
            address = [address[0], 0, 0, 0];
        }
        for (axis, offset) in address.iter_mut().zip(instruction.offsets()) {
            *axis = axis.wrapping_add(offset.into());
        }
        self.inputs.resources.texel(slot, address, 0)
    }

    fn size(&mut self, instruction: &HullInstruction, slot: u32) -> HullRegister {
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

    fn sample(&mut self, instruction: &HullInstruction, resource: u32) -> HullRegister {
        let is_sampler = |operand: &HullOperand| operand.kind() == OperandKind::Sampler;
        let after = instruction.sources().iter().position(is_sampler).unwrap_or(0);
        let Some(operand) = instruction.sampler() else { return HullRegister::default() };
        let Some((sampler, _)) = self.choose(instruction, operand) else {
            return HullRegister::default();
        };
        let channel = operand.swizzle().bits() & 3;
        let mut last = |more: usize| self.source(instruction, after.saturating_add(more)).map(f);
        let op = match instruction.opcode() {
            HullOpcode::SampleL => SampleOp::Level(last(1)[0]),
            HullOpcode::SampleD => SampleOp::Gradients(last(1), last(2)),
            HullOpcode::SampleCLz => SampleOp::Compare(last(1)[0]),
            HullOpcode::Gather4C | HullOpcode::Gather4PoC => SampleOp::GatherCompare(last(1)[0]),
            _ => SampleOp::Gather(channel),
        };
        let offsets = match instruction.opcode() {
            HullOpcode::Gather4Po | HullOpcode::Gather4PoC => {
                let [u, v, ..] = self.source(instruction, 1).map(u32::cast_signed);
                [u, v, 0]
            }
            _ => instruction.offsets().map(i32::from),
        };
        let request = TextureSample {
            resource,
            sampler,
            coordinates: self.source(instruction, 0).map(f),
            offsets,
            op,
        };
        self.inputs.resources.sample(&request)
    }
}
