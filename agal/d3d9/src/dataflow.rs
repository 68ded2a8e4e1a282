//! Computes the registers and components that instructions read and write.

use crate::opcode::{D3d9Opcode, DestinationUse, Load, OperandRequirement, Operation};
use crate::operand::{Component, Dimension, SourceModifier, WriteMask};
use crate::program::D3d9Instruction;
use crate::register::{D3d9Register, SLOTS, ShaderFile};
use crate::version::ShaderVersion;

/// Returns the lanes of a source that the instruction reads, before its swizzle. `dimension` is the dimension of the
/// sampler; `None` is treated as a cube.
pub(crate) fn lanes(
    instruction: &D3d9Instruction,
    source: usize,
    version: ShaderVersion,
    dimension: Option<Dimension>,
) -> WriteMask {
    let opcode = instruction.opcode;
    let takes = match opcode.takes().get(source) {
        Some(_) if opcode == D3d9Opcode::Tex && version == ShaderVersion::Ps14 => {
            &OperandRequirement::Bits(7)
        }
        Some(OperandRequirement::Coordinate)
            if opcode == D3d9Opcode::Tex
                && matches!(instruction.load(), Some(Load::Project | Load::Bias)) =>
        {
            &OperandRequirement::CoordinateAndW
        }
        Some(takes) => takes,
        None => return WriteMask::EMPTY,
    };
    takes.lanes(instruction.mask(), dimension.map_or(3, Dimension::coordinates))
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct RegisterRead {
    /// The register; with relative addressing, the first register of the addressed range.
    pub(crate) register: D3d9Register,
    pub(crate) components: WriteMask,
    pub(crate) relative: bool,
}

/// Visits all register reads of an instruction except its predicate. Each matrix row is a separate read. `texkill` and
/// `texdepth` read their destination operand.
pub(crate) fn for_each(
    instruction: &D3d9Instruction,
    version: ShaderVersion,
    dimension: Option<Dimension>,
    mut visit: impl FnMut(RegisterRead),
) {
    let opcode = instruction.opcode;
    if matches!(opcode.target(), DestinationUse::Read(_))
        && let Some(register) = instruction.dest_register(version)
    {
        let components = read_from_dest(instruction, version);
        visit(RegisterRead { register, components, relative: false });
    }
    for (index, source) in instruction.sources().iter().enumerate() {
        let Some(D3d9Register { file, number }) = source.register(version) else { continue };
        let selected = source.swizzle().selected(lanes(instruction, index, version, dimension));
        let components = match source.modifier() {
            Some(SourceModifier::DivideZ) => selected.with(Component::Z),
            Some(SourceModifier::DivideW) => selected.with(Component::W),
            _ => selected,
        };
        for row in 0..opcode.rows(index) {
            let register = file.at(number.saturating_add(row));
            visit(RegisterRead { register, components, relative: source.is_relative() });
        }
    }
}

/// Returns the components that `texkill` and `texdepth` read from their destination operand. In model 1, w is never
/// read ([d3d9.texkill.components]).
pub(crate) fn read_from_dest(instruction: &D3d9Instruction, version: ShaderVersion) -> WriteMask {
    let DestinationUse::Read(takes) = instruction.opcode.target() else { return WriteMask::EMPTY };
    let components = takes.lanes(instruction.mask(), 0);
    let most = if version.major() == 1 { 3 } else { 4 };
    components.intersection(WriteMask::first(most))
}

/// Returns the destination components that an instruction writes; `texcoord` and similar instructions ignore the write
/// mask.
pub(crate) fn written(instruction: &D3d9Instruction) -> WriteMask {
    let mask = instruction.dest.map_or(WriteMask::EMPTY, |dest| dest.mask());
    match instruction.opcode.operation() {
        Operation::Cross => mask.intersection(WriteMask::first(3)),
        Operation::Matrix { rows, .. } => mask.intersection(WriteMask::first(rows)),
        _ => mask,
    }
}

pub(crate) fn write(
    instruction: &D3d9Instruction,
    version: ShaderVersion,
) -> Option<(D3d9Register, WriteMask)> {
    instruction.opcode.destination_rules()?;
    Some((instruction.dest_register(version)?, written(instruction)))
}

/// Returns whether the registers of a register file must be written before they are read.
pub(crate) fn is_tracked(file: ShaderFile, version: ShaderVersion) -> bool {
    match file {
        ShaderFile::Temp | ShaderFile::Predicate | ShaderFile::Address => true,
        ShaderFile::Texture => version.is_ps_1_1_to_1_3(),
        _ => false,
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrittenComponents([u8; SLOTS]);

impl Default for WrittenComponents {
    fn default() -> WrittenComponents {
        WrittenComponents([0; SLOTS])
    }
}

impl WrittenComponents {
    pub(crate) fn get(&self, register: D3d9Register) -> WriteMask {
        let bits = register.slot().and_then(|slot| self.0.get(slot));
        WriteMask::from_bits(bits.copied().unwrap_or(0))
    }
    pub(crate) fn add(&mut self, register: D3d9Register, mask: WriteMask) {
        self.set(register, self.get(register).union(mask));
    }
    pub(crate) fn set(&mut self, register: D3d9Register, mask: WriteMask) {
        if let Some(bits) = register.slot().and_then(|slot| self.0.get_mut(slot)) {
            *bits = mask.bits();
        }
    }
    pub(crate) fn union(&mut self, other: &WrittenComponents) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a |= b);
    }
    pub(crate) fn intersect(&mut self, other: &WrittenComponents) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a &= b);
    }
    /// Marks all components as written: the current path ends, so no later read can be undefined.
    pub(crate) fn fill(&mut self) {
        self.0.fill(0xf);
    }
}
