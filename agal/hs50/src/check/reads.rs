//! Computes the components that instructions read from their sources.

use crate::hull::Hull;
use crate::names::Dimension;
use crate::tokens::opcode::{Category, HullOpcode, Type};
use crate::tokens::program::HullInstruction;

/// Returns the source components that the instruction reads, before the swizzle, as bits: x = 1 … w = 8.
pub(super) fn positions(hull: &Hull, instruction: &HullInstruction, source: usize) -> u8 {
    use HullOpcode::*;
    let opcode = instruction.opcode();
    let kind = opcode.sources().get(source).copied().unwrap_or(Type::A);
    let destinations = instruction.destinations().iter();
    let mask = destinations.fold(0, |mask, dest| mask | dest.mask().bits());
    // A double occupies two components, xy or zw; the mask selects pairs.
    let pair = |pair: u8| if mask & pair != 0 { pair } else { 0 };
    let pairs = pair(3) | pair(12);
    // A 32-bit operand has one component per double.
    let singles = match pairs {
        15 => 3,
        0 => 0,
        _ => 1,
    };
    match (opcode, opcode.category()) {
        (Dp2, _) => 3,
        (Dp3, _) => 7,
        (Dp4, _) => 15,
        (_, Category::Flow) => 1,
        (_, Category::Resource) => resource(hull, instruction, kind, source),
        // Comparisons and conversions of doubles write one 32-bit result per double.
        (Deq | Dge | Dlt | Dne | Dtof | Dtoi | Dtou, _) => match mask.count_ones() {
            0 => 0,
            1 => 3,
            _ => 15,
        },
        // Conversions to double read one 32-bit source per double.
        (Ftod | Itod | Utod, _) => singles,
        (Dmovc, _) if kind == Type::U => singles,
        _ if kind == Type::D => pairs,
        _ => mask,
    }
}

fn resource(hull: &Hull, instruction: &HullInstruction, kind: Type, source: usize) -> u8 {
    use Dimension as D;
    use HullOpcode::*;
    let opcode = instruction.opcode();
    let dimension = dimension(hull, instruction);
    let coordinates = match dimension {
        Some(D::Texture1d | D::Buffer | D::RawBuffer | D::StructuredBuffer) => 1,
        Some(D::Texture2d | D::Texture2dMs | D::Texture1dArray) => 3,
        Some(D::Texture3d | D::TextureCube | D::Texture2dArray | D::Texture2dMsArray) => 7,
        Some(D::TextureCubeArray) | None => 15,
    };
    let buffer = dimension == Some(D::Buffer);
    match (opcode, kind, source) {
        (_, Type::T | Type::S, _) => 0,
        (Ld | LdS, _, 0) if !buffer => coordinates | 8,
        (LdRaw | LdStructured | LdRawS | LdStructuredS, _, _) => 1,
        (Resinfo | CheckAccessFullyMapped, _, _) => 1,
        (Gather4Po | Gather4PoC | Gather4PoS | Gather4PoCS, Type::I, _) => 3,
        (SampleD | SampleDClS, Type::F, 3 | 4) => coordinates & 7,
        (_, _, 0) => coordinates,
        _ => 1,
    }
}

/// Returns whether an instruction can read a resource of this dimension (functional specification 22.4;
/// [hs50.opcode.read_dimension]).
pub(super) fn can_read(opcode: HullOpcode, dimension: Dimension) -> bool {
    use Dimension as D;
    use HullOpcode::*;
    let buffer = matches!(dimension, D::Buffer | D::RawBuffer | D::StructuredBuffer);
    let samples = matches!(dimension, D::Texture2dMs | D::Texture2dMsArray);
    let cube = matches!(dimension, D::TextureCube | D::TextureCubeArray);
    let plane = matches!(dimension, D::Texture2d | D::Texture2dArray);
    match opcode {
        Ld | LdS => dimension == D::Buffer || !buffer && !samples && !cube,
        Ldms | LdmsS => samples,
        LdRaw | LdRawS => dimension == D::RawBuffer,
        LdStructured | LdStructuredS => dimension == D::StructuredBuffer,
        Bufinfo => buffer,
        Resinfo => !buffer,
        SampleL | SampleLS | SampleD | SampleDClS => !buffer && !samples,
        SampleCLz | SampleCLzS => !buffer && !samples && dimension != D::Texture3d,
        Gather4 | Gather4S | Gather4C | Gather4CS => plane || cube,
        Gather4Po | Gather4PoS | Gather4PoC | Gather4PoCS => plane,
        _ => true,
    }
}

pub(super) fn dimension(hull: &Hull, instruction: &HullInstruction) -> Option<Dimension> {
    let resource = instruction.resource()?;
    match resource.fixed(0) {
        Some(_) => hull.binding(resource)?.dimension,
        None => instruction.dimension(),
    }
}
