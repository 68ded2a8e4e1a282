//! Instructions that read resources.

use super::machine::{Machine, swizzled};
use super::{Register, Sample, SampleOp};
use crate::alu::f;
use crate::names::Dimension;
use crate::opcode::Opcode;
use crate::operand::{Operand, OperandKind};
use crate::program::Instruction;

impl Machine<'_, '_> {
    /// The result of a read instruction, with the resource operand's swizzle.
    pub(super) fn look_up(&mut self, instruction: &Instruction) -> Register {
        let sources = instruction.sources();
        let is_resource = |operand: &&Operand| operand.kind() == OperandKind::Resource;
        let Some(resource) = sources.iter().find(is_resource) else {
            return Register::default();
        };
        let slot = resource.fixed(0).unwrap_or(0);
        let texels = match instruction.opcode() {
            Opcode::Ld => self.load(instruction, slot),
            Opcode::LdRaw => {
                let byte = self.first(instruction, 0);
                self.words(slot, Some(byte))
            }
            Opcode::LdStructured => {
                let [element, byte] = [0, 1].map(|place| self.first(instruction, place));
                let declared = self.hull.resource(slot);
                let stride = declared.map_or(0, |resource| resource.stride);
                let start = element.checked_mul(stride).filter(|_| byte < stride);
                self.words(slot, start.and_then(|start| start.checked_add(byte)))
            }
            Opcode::Resinfo => self.size(instruction, slot),
            Opcode::Bufinfo => [self.inputs.resources.size(slot, 0)[0]; 4],
            _ => self.sample(instruction, slot),
        };
        swizzled(resource, &texels)
    }

    fn first(&mut self, instruction: &Instruction, place: usize) -> u32 {
        self.source(instruction, place)[0]
    }

    /// Four words from a byte offset on; `None` gives zeros.
    fn words(&self, slot: u32, byte: Option<u32>) -> Register {
        let Some(byte) = byte else {
            return Register::default();
        };
        [0, 1, 2, 3].map(|more| {
            let word = (byte / 4).checked_add(more);
            let word = word.and_then(|word| self.inputs.resources.word(slot, word));
            word.unwrap_or(0)
        })
    }

    fn load(&mut self, instruction: &Instruction, slot: u32) -> Register {
        let address = self.source(instruction, 0);
        let declared = self.hull.resource(slot);
        let buffer = declared.is_some_and(|resource| resource.dimension == Dimension::Buffer);
        let [u, v, w] = instruction.offsets().map(i32::from);
        let mut address = address.map(u32::cast_signed);
        if buffer {
            address = [address[0], 0, 0, 0];
        }
        for (slot, offset) in address.iter_mut().zip([u, v, w]) {
            *slot = slot.wrapping_add(offset);
        }
        self.inputs.resources.texel(slot, address, 0)
    }

    fn size(&mut self, instruction: &Instruction, slot: u32) -> Register {
        let mip = self.source(instruction, 0)[0];
        let size = self.inputs.resources.size(slot, mip);
        #[expect(clippy::cast_precision_loss, reason = "sizes are small")]
        let float = |value: u32| value as f32;
        let [w, h, d, levels] = size;
        match instruction.control(11, 2) {
            2 => size,
            1 => {
                let one = |value: u32| float(value).recip().to_bits();
                [one(w), one(h), one(d), float(levels).to_bits()]
            }
            _ => size.map(|value| float(value).to_bits()),
        }
    }

    fn sample(&mut self, instruction: &Instruction, resource: u32) -> Register {
        let sources = instruction.sources();
        let is_sampler = |operand: &Operand| operand.kind() == OperandKind::Sampler;
        let after = sources.iter().position(is_sampler).unwrap_or(0);
        let sampler = sources.get(after).filter(|operand| is_sampler(operand));
        let channel = sampler.map_or(0, |sampler| sampler.swizzle()[0]);
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
            sampler: sampler.and_then(|sampler| sampler.fixed(0)).unwrap_or(0),
            coordinates: self.source(instruction, 0).map(f),
            offsets,
            op,
        };
        self.inputs.resources.sample(&request)
    }
}
