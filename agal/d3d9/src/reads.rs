//! The components that instructions read from their sources.

use crate::opcode::{Flow, Kind, Load, Opcode, Texture};
use crate::operand::{Component, Dimension, Modifier, WriteMask};
use crate::program::Instruction;
use crate::register::{File, Register};
use crate::version::Version;

/// Bits of the components.
const X: u8 = 1;
const Y: u8 = 2;
const Z: u8 = 4;
const W: u8 = 8;

/// The lanes of a source that the instruction reads, before its swizzle. `dimension` is that of the instruction's
/// sampler; an unknown one is treated as a cube.
pub(crate) fn lanes(
    instruction: &Instruction,
    place: usize,
    version: Version,
    dimension: Option<Dimension>,
) -> WriteMask {
    let mask = instruction.mask();
    let has = |bit: u8, then: u8| if mask.bits() & bit != 0 { then } else { 0 };
    let first = WriteMask::first;
    let bits = WriteMask::from_bits;
    match (instruction.opcode.kind(), place) {
        (Kind::Map(_) | Kind::Cnd | Kind::Derivative { .. } | Kind::Mova | Kind::Setp, _) => mask,
        (Kind::Scalar(_) | Kind::ExpPartial, _) | (Kind::SinCos, 0) => first(1),
        (Kind::SinCos, _) => WriteMask::ALL,
        (Kind::Dot(width) | Kind::Matrix { width, .. }, _) => first(width),
        (Kind::Dp2Add, 2) => first(1),
        (Kind::Dp2Add, _) | (Kind::Bem, 1) => first(2),
        (Kind::Bem, _) => mask,
        (Kind::Cross, _) => bits(has(X, Y | Z) | has(Y, X | Z) | has(Z, X | Y)),
        (Kind::Lit, _) => bits(has(Y, X) | has(Z, X | Y | W)),
        (Kind::Dst, 0) => bits(has(Y, Y) | has(Z, Z)),
        (Kind::Dst, _) => bits(has(Y, Y) | has(W, W)),
        (Kind::Sgn, 0) => mask,
        // The scratch operands of `sgn`.
        (Kind::Sgn, _) => WriteMask::EMPTY,
        (Kind::Normalize, _) => first(3).union(mask),
        (Kind::Flow(Flow::IfCompare | Flow::BreakCompare | Flow::If), _) => first(1),
        (Kind::Flow(Flow::BreakPredicate | Flow::CallNz), _) => first(1),
        (Kind::Flow(_), _) => WriteMask::EMPTY,
        (Kind::Texture(texture), place) => texture_lanes(instruction, texture, place, version, {
            first(dimension.map_or(3, Dimension::coordinates))
        }),
        (Kind::Nop | Kind::Dcl | Kind::Def(_) | Kind::Phase | Kind::Meta, _) => WriteMask::EMPTY,
    }
}

fn texture_lanes(
    instruction: &Instruction,
    texture: Texture,
    place: usize,
    version: Version,
    coordinates: WriteMask,
) -> WriteMask {
    let with_w = coordinates.union(WriteMask::from_bits(W));
    match (texture, place) {
        (Texture::Coordinate, _) => instruction.mask().intersection(WriteMask::first(3)),
        (Texture::Load, 0) if version == Version::Ps14 => WriteMask::first(3),
        (Texture::Load, 0) => match instruction.load() {
            Some(Load::Project | Load::Bias) => with_w,
            _ => coordinates,
        },
        (Texture::LoadLevel, 0) => with_w,
        (Texture::LoadGradient, 0 | 2 | 3) => coordinates,
        // The sampler operand.
        (Texture::Load | Texture::LoadLevel | Texture::LoadGradient, _) => WriteMask::EMPTY,
        (Texture::Bem { .. }, _) => WriteMask::first(2),
        (Texture::FromRegister(components), _) => {
            let read = components.iter().map(|component| Component::from_bits(*component));
            read.fold(WriteMask::EMPTY, WriteMask::with)
        }
        (Texture::Pad { .. } | Texture::MatrixLoad { .. } | Texture::Reflect { .. }, _) => {
            WriteMask::first(3)
        }
        (Texture::MatrixValue | Texture::MatrixDepth, _) => WriteMask::first(3),
        (Texture::Dot | Texture::DotLoad, _) => WriteMask::first(3),
        (Texture::Kill | Texture::Depth, _) => WriteMask::EMPTY,
    }
}

/// A read of a register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read {
    /// The register; with relative addressing, the first that it may be.
    pub(crate) register: Register,
    /// Components of the register that are read.
    pub(crate) components: WriteMask,
    /// Whether relative addressing selects the register.
    pub(crate) relative: bool,
}

/// Visits all reads of an instruction except its predicate. Each row of a matrix is a separate read; `texkill` and
/// `texdepth` read their destination.
pub(crate) fn for_each(
    instruction: &Instruction,
    version: Version,
    dimension: Option<Dimension>,
    mut visit: impl FnMut(Read),
) {
    if let Kind::Texture(texture @ (Texture::Kill | Texture::Depth)) = instruction.opcode.kind()
        && let Some(register) = instruction.dest_register(version)
    {
        let components = match texture {
            Texture::Depth => WriteMask::first(2),
            _ => instruction.mask().intersection(WriteMask::first(3)),
        };
        let relative = false;
        visit(Read { register, components, relative });
    }
    for (place, source) in instruction.sources().iter().enumerate() {
        let Some(register) = source.register(version) else {
            continue;
        };
        let lanes = lanes(instruction, place, version, dimension);
        let divided = match source.modifier() {
            Some(Modifier::DivideZ) => Z,
            Some(Modifier::DivideW) => W,
            _ => 0,
        };
        let selected = source.swizzle().selected(lanes);
        let components = selected.union(WriteMask::from_bits(divided));
        let rows = match instruction.opcode.kind() {
            Kind::Matrix { rows, .. } if place == 1 => u16::from(rows),
            _ => 1,
        };
        for row in 0..rows {
            visit(Read {
                register: Register::new(register.file, register.number.saturating_add(row)),
                components,
                relative: source.is_relative(),
            });
        }
    }
}

/// Whether the instruction writes its destination; `texkill` and `texdepth` read it.
pub(crate) fn writes(opcode: Opcode) -> bool {
    let reads = matches!(
        opcode.kind(),
        Kind::Texture(Texture::Kill | Texture::Depth) | Kind::Dcl | Kind::Def(_)
    );
    opcode.info().dest && !reads
}

/// The components of the destination that an instruction writes; `texcoord` and similar instructions ignore the mask.
pub(crate) fn written(instruction: &Instruction) -> WriteMask {
    let mask = instruction.dest.map_or(WriteMask::EMPTY, |dest| dest.mask());
    match instruction.opcode.kind() {
        Kind::Cross => mask.intersection(WriteMask::first(3)),
        Kind::Matrix { rows, .. } => mask.intersection(WriteMask::first(rows)),
        _ => mask,
    }
}

/// Whether registers of a file must be written before they are read.
pub(crate) fn is_tracked(file: File, version: Version) -> bool {
    match file {
        File::Temp | File::Predicate | File::Address => true,
        File::Texture => version.is_ps_1_1_to_1_3(),
        _ => false,
    }
}
