//! Checks the rules for one operand: its bits, register, swizzle or mask, and indirect addressing.

use super::{CheckResult, ProgramChecker};
use crate::error::{AgalError, ErrorKind};
use crate::ir::{Address, IrDestination, IrSource};
use crate::isa::opcode::AgalOpcode;
use crate::isa::operand::{Component, Dest, SourceOperand, WriteMask};
use crate::isa::register::RegisterFile;
use crate::isa::sampler::{Filter, SamplerOp, SamplerOperand};
use crate::version::Stage;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OperandSlot {
    Dest,
    Source1,
    Source2,
}

impl OperandSlot {
    /// Returns the operand's name in Flash's messages ([agal.message.operand]).
    pub(super) fn name(self) -> &'static str {
        match self {
            OperandSlot::Dest => "destination operand",
            OperandSlot::Source1 => "source operand 1",
            OperandSlot::Source2 => "source operand 2",
        }
    }
}

/// An opcode's requirements for a source.
#[derive(Clone, Copy)]
pub(super) struct OperandSpec {
    /// The number of consecutive registers, which is more than one for a matrix.
    rows: u8,
    kept: WriteMask,
    /// True if the swizzle must select a single component (error 3703).
    scalar: bool,
    /// True if the source may be indirect (error 3641).
    indirect: bool,
}

impl OperandSpec {
    pub(super) const VECTOR: OperandSpec =
        OperandSpec { rows: 1, kept: WriteMask::ALL, scalar: false, indirect: true };
    pub(super) const SCALAR: OperandSpec = OperandSpec { scalar: true, ..OperandSpec::VECTOR };
    const COORDINATES: OperandSpec = OperandSpec { indirect: false, ..OperandSpec::VECTOR };

    pub(super) fn matrix(rows: u8, kept: WriteMask) -> OperandSpec {
        OperandSpec { rows, kept, ..OperandSpec::VECTOR }
    }
}

/// Returns whether a source is a sampler register. Players compare the whole byte of the type, with its reserved bits,
/// before they check those bits.
fn is_sampler(source: &SourceOperand) -> bool {
    source.file == RegisterFile::Sampler.code() && source.reserved & 0xf == 0
}

impl ProgramChecker {
    /// Checks error 3627: the destination field of an opcode without a destination must be zero.
    pub(super) fn no_dest(&self, dest: &Dest, opcode: AgalOpcode) -> CheckResult {
        if *dest == Dest::default() {
            Ok(())
        } else {
            Err(self.about_opcode(ErrorKind::DestinationNotZero, opcode))
        }
    }

    /// Checks a destination, in this order: 3655, bounds, 3654, permission, 3701, 3653 and 3628.
    pub(super) fn dest(&self, dest: &Dest, opcode: AgalOpcode) -> CheckResult<IrDestination> {
        let which = OperandSlot::Dest;
        // The reserved bits above the type belong to the type; those above the mask are checked separately.
        let file = dest.register_file().filter(|_| dest.reserved >> 4 == 0);
        let file = file.ok_or_else(|| self.fail_at(ErrorKind::UnknownRegisterType, which))?;
        let access = file.view(self.stage).write;
        // For a register file that programs can't write, the bounds of vertex programs apply in both stages: a write of
        // `fc28` raises 3652, not a bounds error.
        let count = match access {
            Ok(()) => None,
            Err(_) => file.count(Stage::Vertex, self.version, self.profile),
        };
        let count = count.unwrap_or_else(|| self.count(file));
        self.refuse_at(dest.number >= count, file.bounds(), which)?;
        self.refuse_at(dest.reserved != 0, ErrorKind::ReservedBits, which)?;
        access.map_err(|kind| self.fail_at(kind, which))?;
        let color = file == RegisterFile::Output && self.stage == Stage::Fragment;
        self.refuse(color && dest.mask != WriteMask::ALL, ErrorKind::ColorMasked)?;
        self.refuse_at(dest.mask.is_empty(), ErrorKind::WriteMaskZero, which)?;
        // Adobe's verifier of 2012 requires the mask xyz, although its message has "or less" ([agal.error.3628]).
        if opcode.signature().masks_w() && dest.mask.contains(Component::W) {
            return Err(self.about_opcode(ErrorKind::MustMaskW, opcode));
        }
        Ok(IrDestination { file, number: dest.number, mask: dest.mask })
    }

    /// Checks error 3636: a source that the opcode doesn't use must be zero.
    pub(super) fn unused(&self, which: OperandSlot, source: &SourceOperand) -> CheckResult {
        self.refuse_at(*source != SourceOperand::default(), ErrorKind::UnusedOperandNotZero, which)
    }

    /// Checks a source operand that isn't a sampler. A sampler register raises 3656, 3637 or 3638. For a register that
    /// isn't a sampler, checks error 3654 and the rules of direct or indirect addressing.
    pub(super) fn source(
        &mut self,
        which: OperandSlot,
        source: &SourceOperand,
        form: OperandSpec,
    ) -> CheckResult<IrSource> {
        if is_sampler(source) {
            return Err(self.not_a_source(which, source.number));
        }
        self.refuse_at(source.reserved != 0, ErrorKind::ReservedBits, which)?;
        let address = if source.indirect {
            self.indirect(which, source, form)?
        } else {
            self.direct(which, source, form)?
        };
        let read = IrSource { address, swizzle: source.swizzle };
        if form.rows == 1 {
            self.usage.read(address);
        } else {
            for row in WriteMask::first(form.rows).intersection(form.kept).iter() {
                self.usage.read(read.row(row).address);
            }
        }
        Ok(read)
    }

    /// Returns the error for a sampler register in an ordinary source: 3656, 3637 or 3638.
    #[cold]
    fn not_a_source(&self, which: OperandSlot, number: u16) -> AgalError {
        let file = RegisterFile::Sampler;
        if let Err(error) = self.bounds(which, file, number, 1) {
            return error;
        }
        let kind = match file.version_count(self.stage, self.version) {
            None => ErrorKind::SamplerOnlyInFragment,
            Some(_) => ErrorKind::SamplerAsSource,
        };
        self.fail_at(kind, which)
    }

    /// Checks a direct source, in this order: 3643, 3655, bounds, 3703, permission, 3647 and 3648. For a matrix in
    /// temporaries, only the first row must be written. All four components that the swizzle selects must be written,
    /// even if the opcode reads fewer ([agal.temporary.rows] [agal.temporary.selectors]).
    fn direct(
        &mut self,
        which: OperandSlot,
        source: &SourceOperand,
        form: OperandSpec,
    ) -> CheckResult<Address> {
        let indexed = source.offset != 0 || source.index_file != 0 || source.index_component != 0;
        self.refuse_at(indexed, ErrorKind::IndirectFieldsNotZero, which)?;
        let file = self.file(which, source.register_file())?;
        self.bounds(which, file, source.number, form.rows)?;
        let several = form.scalar && !source.swizzle.is_scalar();
        self.refuse_at(several, ErrorKind::SwizzleNotScalar, which)?;
        let access = file.view(self.stage).read;
        access.map_err(|kind| self.fail_at(kind, which))?;
        let selected = source.swizzle.selected(WriteMask::ALL);
        self.written(which, (file, source.number), selected)?;
        if file == RegisterFile::Varying {
            for number in (source.number..).take(form.rows.into()) {
                self.usage.varyings_read.add(number, selected);
            }
        }
        Ok(Address::Direct(file, source.number))
    }

    /// Checks an indirect source: 3639, 3640, 3641; for its index register, 3655, bounds, 3642, 3647, 3648.
    fn indirect(
        &self,
        which: OperandSlot,
        source: &SourceOperand,
        form: OperandSpec,
    ) -> CheckResult<Address> {
        self.refuse_at(self.stage != Stage::Vertex, ErrorKind::IndirectOnlyInVertex, which)?;
        let other = source.register_file() != Some(RegisterFile::Constant);
        self.refuse_at(other, ErrorKind::IndirectOnlyIntoConstants, which)?;
        self.refuse_at(!form.indirect, ErrorKind::IndirectNotAllowedHere, which)?;
        let index = self.file(which, source.index_register_file())?;
        self.bounds(which, index, source.number, 1)?;
        self.refuse_at(!index.indexes(), ErrorKind::BadIndexRegister, which)?;
        let component = Component::from_bits(source.index_component);
        let read = WriteMask::EMPTY.with(component);
        self.written(which, (index, source.number), read)?;
        Ok(Address::Indirect {
            file: index,
            number: source.number,
            component,
            offset: source.offset,
        })
    }

    fn file(&self, which: OperandSlot, file: Option<RegisterFile>) -> CheckResult<RegisterFile> {
        file.ok_or_else(|| self.fail_at(ErrorKind::UnknownRegisterType, which))
    }

    /// Checks the coordinates and the sampler of a texture opcode. Checks of the sampler are 3693, 3656, its fields,
    /// and 3804; its other reserved bits aren't checked ([agal.check.sampler] [agal.sampler.type_byte]).
    pub(super) fn texture(
        &mut self,
        coordinates: &SourceOperand,
        sampler: Option<&SamplerOperand>,
    ) -> CheckResult<(IrSource, SamplerOp)> {
        let read = self.source(OperandSlot::Source1, coordinates, OperandSpec::COORDINATES)?;
        let which = OperandSlot::Source2;
        // The reserved bits above the type belong to the type.
        let is_sampler = |sampler: &&SamplerOperand| {
            sampler.file == RegisterFile::Sampler.code() && sampler.reserved >> 8 == 0
        };
        let operand = sampler
            .filter(is_sampler)
            .ok_or_else(|| self.fail_at(ErrorKind::SamplerExpected, which))?;
        self.bounds(which, RegisterFile::Sampler, operand.number, 1)?;
        let sampler = operand.resolve().map_err(|(kind, value)| {
            AgalError::from(self.report(kind).detail(which.name()).value(value))
        })?;
        let plain = matches!(sampler.filter, Filter::Nearest | Filter::Linear);
        self.refuse(self.stage == Stage::Vertex && !plain, ErrorKind::VertexSamplerAnisotropic)?;
        self.usage.sample(sampler);
        Ok((read, sampler))
    }
}
