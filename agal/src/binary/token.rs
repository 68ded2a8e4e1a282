//! Packs and unpacks the 24-byte token. Unpacking any 24 bytes and packing them again gives the same bytes.

use crate::isa::opcode::Opcode;
use crate::isa::operand::{Dest, Operand2, Source, Swizzle, WriteMask};
use crate::isa::sampler::{Field, SamplerOperand};
use crate::program::Instruction;

/// Size of a token in bytes.
pub const TOKEN_SIZE: usize = 24;

pub(crate) fn unpack(token: &[u8; TOKEN_SIZE]) -> Instruction {
    let [o0, o1, o2, o3, d0, d1, d2, d3, rest @ ..] = *token;
    let [a0, a1, a2, a3, a4, a5, a6, a7, b @ ..] = rest;
    let code = u32::from_le_bytes([o0, o1, o2, o3]);
    let samples = Opcode::from_code(code).is_some_and(|opcode| opcode.lowering().has_sampler());
    let source2 = if samples {
        Operand2::Sampler(unpack_sampler(b))
    } else {
        Operand2::Source(unpack_source(b))
    };
    let source1 = unpack_source([a0, a1, a2, a3, a4, a5, a6, a7]);
    Instruction::new(code, unpack_dest([d0, d1, d2, d3]), source1, source2)
}

pub(crate) fn pack(instruction: &Instruction) -> [u8; TOKEN_SIZE] {
    let [o0, o1, o2, o3] = instruction.code().to_le_bytes();
    let [d0, d1, d2, d3] = pack_dest(&instruction.dest);
    let [a0, a1, a2, a3, a4, a5, a6, a7] = pack_source(&instruction.source1);
    let [b0, b1, b2, b3, b4, b5, b6, b7] = match instruction.source2() {
        Operand2::Source(source) => pack_source(source),
        Operand2::Sampler(sampler) => pack_sampler(sampler),
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

fn unpack_source([n0, n1, offset, swizzle, file, index, i0, i1]: [u8; 8]) -> Source {
    let tail = u16::from_le_bytes([i0, i1]);
    Source {
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

fn pack_source(source: &Source) -> [u8; 8] {
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
    for field in Field::ALL {
        let [nibble, ..] = (bits >> field.shift()).to_le_bytes();
        sampler.set(*field, nibble);
    }
    sampler
}

fn pack_sampler(sampler: &SamplerOperand) -> [u8; 8] {
    let [n0, n1] = sampler.number.to_le_bytes();
    let [bias] = sampler.bias.to_le_bytes();
    let [byte3, high] = sampler.reserved.to_le_bytes();
    let upper = Field::ALL
        .iter()
        .fold(0u32, |bits, field| bits | (u32::from(sampler.get(*field) & 0xf) << field.shift()));
    let [b4, b5, b6, b7] = upper.to_le_bytes();
    [n0, n1, bias, byte3, b4 | (sampler.file & 0xf) | (high << 4), b5, b6, b7]
}
