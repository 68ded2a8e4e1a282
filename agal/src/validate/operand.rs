//! Rules about one operand: its bits, its register, its swizzle or mask, and indirect addressing.

use super::{CUBE_MUST_MIP, Checker};
use crate::error::{AgalError, ErrorKind};
use crate::ir::{Address, Read, Write};
use crate::isa::opcode::Opcode;
use crate::isa::operand::{Component, Dest, Source, Swizzle, WriteMask};
use crate::isa::register::RegisterFile;
use crate::isa::sampler::{Dimension, Filter, Mip, Sampler, SamplerOperand, Wrap};
use crate::isa::version::Stage;

/// The operand of an error.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OperandSlot {
    Dest,
    Source1,
    Source2,
}

impl OperandSlot {
    /// Its name in Flash's messages (agal-errors.md, "Message placeholders").
    pub(super) fn name(self) -> &'static str {
        match self {
            OperandSlot::Dest => "destination operand",
            OperandSlot::Source1 => "source operand 1",
            OperandSlot::Source2 => "source operand 2",
        }
    }
}

impl Checker {
    /// 3627; or 3654, 3655, bounds, permission, 3653, 3628.
    pub(super) fn dest(&self, dest: &Dest, opcode: Opcode) -> Result<Option<Write>, AgalError> {
        let lower = opcode.lowering();
        if !lower.has_dest() {
            return if *dest == Dest::default() {
                Ok(None)
            } else {
                Err(self.about_opcode(ErrorKind::DestinationNotZero, opcode))
            };
        }
        let which = OperandSlot::Dest;
        if dest.reserved != 0 {
            return Err(self.fail_at(ErrorKind::ReservedBits, which));
        }
        let file = dest
            .register_file()
            .ok_or_else(|| self.fail_at(ErrorKind::UnknownRegisterType, which))?;
        self.bounds(which, file, dest.number, 1)?;
        self.permission(which, file.view(self.stage).write)?;
        if dest.mask.is_empty() {
            return Err(self.fail_at(ErrorKind::WriteMaskZero, which));
        }
        if lower.masks_w() && dest.mask.contains(Component::W) {
            return Err(self.about_opcode(ErrorKind::MustMaskW, opcode));
        }
        Ok(Some(Write {
            file,
            number: dest.number,
            mask: dest.mask,
        }))
    }

    /// 3636: a field that the opcode does not use.
    pub(super) fn unused(&self, which: OperandSlot, source: &Source) -> Result<(), AgalError> {
        if *source == Source::default() {
            Ok(())
        } else {
            Err(self.fail_at(ErrorKind::UnusedOperandNotZero, which))
        }
    }

    /// Checks an ordinary source of which `lanes` are read.
    ///
    /// 3648 only checks those components: the recorded programs read `ft0.xyz` from temporaries whose w was never
    /// written (agal-assembly.md section 8 has such examples).
    pub(super) fn source(
        &mut self,
        which: OperandSlot,
        source: &Source,
        lanes: WriteMask,
    ) -> Result<Read, AgalError> {
        let address = self.address(which, source, 1)?;
        self.written(which, address, source.swizzle.selected(lanes))?;
        self.usage.read(address);
        Ok(Read {
            address,
            swizzle: source.swizzle,
        })
    }

    /// Checks the operand of `kil` and of the `if` opcodes: 3703 after all checks of the register.
    pub(super) fn scalar(
        &mut self,
        which: OperandSlot,
        source: &Source,
    ) -> Result<Read, AgalError> {
        let read = self.source(which, source, WriteMask::first(1))?;
        if source.swizzle.is_scalar() {
            Ok(read)
        } else {
            Err(self.fail_at(ErrorKind::SwizzleNotScalar, which))
        }
    }

    /// The rows of a matrix: consecutive registers, all in bounds, no swizzle (3689). Each row that is a temporary must
    /// have been written, for any mask (agal.md section 4.1); the mask selects the rows that are read.
    pub(super) fn matrix(
        &mut self,
        which: OperandSlot,
        source: &Source,
        lanes: WriteMask,
        (rows, kept): (u8, WriteMask),
    ) -> Result<Read, AgalError> {
        let address = self.address(which, source, rows)?;
        if source.swizzle != Swizzle::IDENTITY {
            return Err(self.fail_at(ErrorKind::MatrixSwizzled, which));
        }
        let matrix = Read {
            address,
            swizzle: source.swizzle,
        };
        for row in WriteMask::first(rows).iter() {
            let address = matrix.row(row).address;
            self.written(which, address, lanes)?;
            if kept.contains(row) {
                self.usage.read(address);
            }
        }
        Ok(matrix)
    }

    /// 3654, 3655, 3637 or 3638, then for indirect sources 3639, 3640, 3642 and the index register's own rules; for
    /// direct ones 3643, bounds and permission.
    fn address(&self, which: OperandSlot, source: &Source, rows: u8) -> Result<Address, AgalError> {
        if source.reserved != 0 {
            return Err(self.fail_at(ErrorKind::ReservedBits, which));
        }
        let file = source
            .register_file()
            .ok_or_else(|| self.fail_at(ErrorKind::UnknownRegisterType, which))?;
        if file == RegisterFile::Sampler && self.count(file).is_none() {
            return Err(self.fail_at(ErrorKind::SamplerOnlyInFragment, which));
        }
        if source.indirect {
            return self.indirect(which, source, file);
        }
        if source.offset != 0 || source.index_file != 0 || source.index_component != 0 {
            return Err(self.fail_at(ErrorKind::IndirectFieldsNotZero, which));
        }
        self.bounds(which, file, source.number, rows)?;
        self.permission(which, file.view(self.stage).read)?;
        Ok(Address::Direct(file, source.number))
    }

    fn indirect(
        &self,
        which: OperandSlot,
        source: &Source,
        file: RegisterFile,
    ) -> Result<Address, AgalError> {
        if self.stage != Stage::Vertex {
            return Err(self.fail_at(ErrorKind::IndirectOnlyInVertex, which));
        }
        if file != RegisterFile::Constant {
            return Err(self.fail_at(ErrorKind::IndirectOnlyIntoConstants, which));
        }
        let usable = |index: &RegisterFile| index.info().index && self.count(*index) != Some(0);
        let index = source
            .index_register_file()
            .filter(usable)
            .ok_or_else(|| self.fail_at(ErrorKind::BadIndexRegister, which))?;
        self.bounds(which, index, source.number, 1)?;
        let component = Component::from_bits(source.index_component);
        let register = Address::Direct(index, source.number);
        self.written(which, register, WriteMask::EMPTY.with(component))?;
        Ok(Address::Indirect {
            file: index,
            number: source.number,
            component,
            offset: source.offset,
        })
    }

    /// Coordinates and sampler of a texture opcode. 3641 for indirect coordinates (agal.md section 4.1), then the
    /// sampler: 3693, 3654, 3656, the field errors, 3662, 3704, 3804, 3696. Mixed wrap modes and anisotropic filters
    /// are accepted from a SWF of any version (agal.md section 2.3, unverified).
    pub(super) fn texture(
        &mut self,
        coordinates: &Source,
        sampler: Option<&SamplerOperand>,
    ) -> Result<(Read, Sampler), AgalError> {
        // The sampler is checked after the coordinates; with an unknown dimension, the coordinates are those of 2D.
        let dimension = sampler.and_then(|sampler| Dimension::from_code(sampler.dimension));
        let lanes = WriteMask::first(dimension.unwrap_or(Dimension::TwoD).coordinates());
        let read = self.source(OperandSlot::Source1, coordinates, lanes)?;
        if coordinates.indirect {
            return Err(self.fail_at(ErrorKind::IndirectNotAllowedHere, OperandSlot::Source1));
        }
        let which = OperandSlot::Source2;
        let operand = sampler.filter(|sampler| sampler.file == RegisterFile::Sampler.info().code);
        let operand = operand.ok_or_else(|| self.fail_at(ErrorKind::SamplerExpected, which))?;
        if operand.reserved != 0 {
            return Err(self.fail_at(ErrorKind::ReservedBits, which));
        }
        self.bounds(which, RegisterFile::Sampler, operand.number, 1)?;
        let sampler = operand.resolve().map_err(|(kind, value)| {
            AgalError::from(self.report(kind).detail(which.name()).value(value))
        })?;
        if sampler.dimension == Dimension::Cube {
            if sampler.wrap != Wrap::Clamp {
                return Err(self.fail_at(ErrorKind::CubeMustClamp, which));
            }
            if CUBE_MUST_MIP && sampler.mip == Mip::None {
                return Err(self.fail_at(ErrorKind::CubeMustMip, which));
            }
        }
        let plain = matches!(sampler.filter, Filter::Nearest | Filter::Linear);
        if self.stage == Stage::Vertex && !plain {
            return Err(self.fail(ErrorKind::VertexSamplerAnisotropic));
        }
        if !self.samplers.agrees(operand) {
            return Err(self.fail(ErrorKind::SamplerMismatch));
        }
        self.usage.sample(sampler);
        Ok((read, sampler))
    }
}
