//! A token of 24 bytes, as bytes and as fields. Decoding any bytes and encoding the fields gives the same bytes.

use crate::isa::opcode::AgalOpcode;
use crate::isa::operand::{Dest, SecondOperand, SourceOperand, Swizzle, WriteMask};
use crate::isa::sampler::{SamplerField, SamplerOperand};

/// A token, decoded into an opcode and operands. The second operand is a sampler if and only if the opcode has a
/// sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AgalInstruction {
    code: u32,
    /// The destination; zero in legal programs if the opcode has no destination.
    pub dest: Dest,
    /// The first source; zero in legal programs if the opcode has no source.
    pub source1: SourceOperand,
    source2: SecondOperand,
}

impl AgalInstruction {
    /// Creates a token. If the second operand has the wrong kind for the opcode, its bits are converted.
    pub fn new(
        code: u32,
        dest: Dest,
        source1: SourceOperand,
        source2: SecondOperand,
    ) -> AgalInstruction {
        let instruction = AgalInstruction { code, dest, source1, source2 };
        let opcode = instruction.opcode();
        let samples = opcode.is_some_and(|opcode| opcode.signature().has_sampler());
        if samples == matches!(source2, SecondOperand::Sampler(_)) {
            instruction
        } else {
            unpack(&pack(&instruction))
        }
    }

    /// Returns the opcode's number, which may be unknown.
    pub fn code(&self) -> u32 {
        self.code
    }

    /// Sets the opcode's number. If required, converts the second operand to a source or a sampler.
    pub fn set_code(&mut self, code: u32) {
        *self = AgalInstruction::new(code, self.dest, self.source1, self.source2);
    }

    /// Returns the opcode; `None` if its number is unknown.
    pub fn opcode(&self) -> Option<AgalOpcode> {
        AgalOpcode::from_code(self.code)
    }

    /// Returns the second operand.
    pub fn source2(&self) -> &SecondOperand {
        &self.source2
    }

    /// Sets the second operand, converted to the kind that the opcode has.
    pub fn set_source2(&mut self, source2: SecondOperand) {
        *self = AgalInstruction::new(self.code, self.dest, self.source1, source2);
    }

    /// Returns a mutable reference to the second source, or `None` if the second operand is a sampler.
    pub fn source2_mut(&mut self) -> Option<&mut SourceOperand> {
        self.operands_mut().2
    }

    /// Returns mutable references to the destination and sources. The second source is `None` if the second operand is
    /// a sampler.
    pub fn operands_mut(&mut self) -> (&mut Dest, &mut SourceOperand, Option<&mut SourceOperand>) {
        let source2 = match &mut self.source2 {
            SecondOperand::Source(source) => Some(source),
            SecondOperand::Sampler(_) => None,
        };
        (&mut self.dest, &mut self.source1, source2)
    }

    /// Returns a mutable reference to the sampler of `tex` or `tld`.
    pub fn sampler_mut(&mut self) -> Option<&mut SamplerOperand> {
        match &mut self.source2 {
            SecondOperand::Sampler(sampler) => Some(sampler),
            SecondOperand::Source(_) => None,
        }
    }
}

/// The size of a token in bytes.
pub const TOKEN_SIZE: usize = 24;

pub(crate) fn unpack(token: &[u8; TOKEN_SIZE]) -> AgalInstruction {
    let [o0, o1, o2, o3, d0, d1, d2, d3, rest @ ..] = *token;
    let [a0, a1, a2, a3, a4, a5, a6, a7, b @ ..] = rest;
    let code = u32::from_le_bytes([o0, o1, o2, o3]);
    let samples =
        AgalOpcode::from_code(code).is_some_and(|opcode| opcode.signature().has_sampler());
    let source2 = if samples {
        SecondOperand::Sampler(unpack_sampler(b))
    } else {
        SecondOperand::Source(unpack_source(b))
    };
    let source1 = unpack_source([a0, a1, a2, a3, a4, a5, a6, a7]);
    AgalInstruction { code, dest: unpack_dest([d0, d1, d2, d3]), source1, source2 }
}

pub(crate) fn pack(instruction: &AgalInstruction) -> [u8; TOKEN_SIZE] {
    let [o0, o1, o2, o3] = instruction.code().to_le_bytes();
    let [d0, d1, d2, d3] = pack_dest(&instruction.dest);
    let [a0, a1, a2, a3, a4, a5, a6, a7] = pack_source(&instruction.source1);
    let [b0, b1, b2, b3, b4, b5, b6, b7] = match instruction.source2() {
        SecondOperand::Source(source) => pack_source(source),
        SecondOperand::Sampler(sampler) => pack_sampler(sampler),
    };
    [o0, o1, o2, o3, d0, d1, d2, d3, a0, a1, a2, a3, a4, a5, a6, a7, b0, b1, b2, b3, b4, b5, b6, b7]
}

fn unpack_dest([n0, n1, mask, file]: [u8; 4]) -> Dest {
    Dest {
        number: u16::from_le_bytes([n0, n1]),
        mask: WriteMask::from_bits(mask),
        file: file & 0xf,
        reserved: (mask >> 4) | (file & 0xf0),
    }
}

fn pack_dest(dest: &Dest) -> [u8; 4] {
    let [n0, n1] = dest.number.to_le_bytes();
    [n0, n1, dest.mask.bits() | (dest.reserved << 4), (dest.file & 0xf) | (dest.reserved & 0xf0)]
}

fn unpack_source([n0, n1, offset, swizzle, file, index, i0, i1]: [u8; 8]) -> SourceOperand {
    let tail = u16::from_le_bytes([i0, i1]);
    SourceOperand {
        number: u16::from_le_bytes([n0, n1]),
        offset: offset.cast_signed(),
        swizzle: Swizzle::from_bits(swizzle),
        file: file & 0xf,
        index_file: index & 0xf,
        index_component: i0 & 3,
        indirect: tail & 0x8000 != 0,
        reserved: u32::from(file >> 4) | u32::from(index & 0xf0) | (u32::from(tail & 0x7ffc) << 6),
    }
}

fn pack_source(source: &SourceOperand) -> [u8; 8] {
    let [n0, n1] = source.number.to_le_bytes();
    let [low, ..] = source.reserved.to_le_bytes();
    let [i0, i1, ..] = ((source.reserved >> 6) & 0x7ffc).to_le_bytes();
    [
        n0,
        n1,
        source.offset.cast_unsigned(),
        source.swizzle.bits(),
        (source.file & 0xf) | (low << 4),
        (source.index_file & 0xf) | (low & 0xf0),
        (source.index_component & 3) | i0,
        i1 | (u8::from(source.indirect) << 7),
    ]
}

fn unpack_sampler([n0, n1, bias, byte3, upper @ ..]: [u8; 8]) -> SamplerOperand {
    let [byte4, ..] = upper;
    let bits = u32::from_le_bytes(upper);
    let mut sampler = SamplerOperand {
        number: u16::from_le_bytes([n0, n1]),
        bias: i8::from_le_bytes([bias]),
        file: byte4 & 0xf,
        reserved: u16::from_le_bytes([byte3, byte4 >> 4]),
        ..SamplerOperand::default()
    };
    for field in SamplerField::ALL {
        let [nibble, ..] = (bits >> field.shift()).to_le_bytes();
        sampler.set(*field, nibble);
    }
    sampler
}

fn pack_sampler(sampler: &SamplerOperand) -> [u8; 8] {
    let [n0, n1] = sampler.number.to_le_bytes();
    let [bias] = sampler.bias.to_le_bytes();
    let [byte3, high] = sampler.reserved.to_le_bytes();
    let upper = SamplerField::ALL
        .iter()
        .fold(0u32, |bits, field| bits | (u32::from(sampler.get(*field) & 0xf) << field.shift()));
    let [b4, b5, b6, b7] = upper.to_le_bytes();
    [n0, n1, bias, byte3, b4 | (sampler.file & 0xf) | (high << 4), b5, b6, b7]
}
