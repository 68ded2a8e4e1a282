//! Which components of its sources an instruction looks at.

use crate::hull::Hull;
use crate::names::Dimension;
use crate::opcode::{Category, Opcode, Type};
use crate::operand::OperandKind;
use crate::program::Instruction;

/// The positions of a source, before its swizzle, that count: x = 1 … w = 8.
pub(crate) fn positions(hull: &Hull, instruction: &Instruction, source: usize) -> u8 {
    use Opcode::*;
    let opcode = instruction.opcode();
    let kind = opcode
        .info()
        .sources
        .get(source)
        .copied()
        .unwrap_or(Type::A);
    let mask = instruction
        .destinations()
        .iter()
        .fold(0, |mask, dest| mask | dest.mask());
    // A double is the pair of components that its mask names.
    let pairs =
        |mask: u8| (if mask & 3 != 0 { 3 } else { 0 }) | (if mask & 12 != 0 { 12 } else { 0 });
    match (opcode, opcode.info().category) {
        (Dp2, _) => 3,
        (Dp3, _) => 7,
        (Dp4, _) => 15,
        (_, Category::Flow) => 1,
        (_, Category::Resource) => resource(hull, instruction, kind, source),
        // One 32-bit result for each pair.
        (Deq | Dge | Dlt | Dne | Dtof | Dtoi | Dtou, _) => match mask.count_ones() {
            0 => 0,
            1 => 3,
            _ => 15,
        },
        // A pair for each 32-bit source.
        (Ftod | Itod | Utod, _) => match pairs(mask) {
            15 => 3,
            0 => 0,
            _ => 1,
        },
        (Dmovc, _) if kind == Type::U => match pairs(mask) {
            15 => 3,
            0 => 0,
            _ => 1,
        },
        _ if kind == Type::D => pairs(mask),
        _ => mask,
    }
}

fn resource(hull: &Hull, instruction: &Instruction, kind: Type, source: usize) -> u8 {
    use Opcode::*;
    let opcode = instruction.opcode();
    let coordinates = match dimension(hull, instruction) {
        Some(
            Dimension::Texture1d
            | Dimension::Buffer
            | Dimension::RawBuffer
            | Dimension::StructuredBuffer,
        ) => 1,
        Some(Dimension::Texture2d | Dimension::Texture2dMs | Dimension::Texture1dArray) => 3,
        Some(
            Dimension::Texture3d
            | Dimension::TextureCube
            | Dimension::Texture2dArray
            | Dimension::Texture2dMsArray,
        ) => 7,
        Some(Dimension::TextureCubeArray) | None => 15,
    };
    let buffer = dimension(hull, instruction) == Some(Dimension::Buffer);
    match (opcode, kind, source) {
        (_, Type::T | Type::S, _) => 0,
        (Ld | LdS, _, 0) if !buffer => coordinates | 8,
        (
            LdRaw | LdStructured | LdRawS | LdStructuredS | Resinfo | CheckAccessFullyMapped,
            _,
            _,
        ) => 1,
        (Gather4Po | Gather4PoC | Gather4PoS | Gather4PoCS, Type::I, _) => 3,
        (SampleD | SampleDClS, Type::F, 3 | 4) => coordinates & 7,
        (_, _, 0) => coordinates,
        _ => 1,
    }
}

/// The shape of the resource that an instruction reads.
fn dimension(hull: &Hull, instruction: &Instruction) -> Option<Dimension> {
    let resource = instruction
        .sources()
        .iter()
        .find(|operand| operand.kind() == OperandKind::Resource)?;
    let slot = resource.fixed(0)?;
    hull.resource(slot).map(|resource| resource.dimension)
}
