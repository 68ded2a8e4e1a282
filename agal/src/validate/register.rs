//! Checks the rules for registers: bounds, and writes before reads.

use super::operand::OperandSlot;
use super::{CheckResult, ProgramChecker};
use crate::error::ErrorKind;
use crate::isa::operand::WriteMask;
use crate::isa::register::{MAX_TRACKED, RegisterFile};
use crate::isa::sampler::SamplerOperand;

#[derive(Default)]
pub(super) struct SamplerUse([Option<SamplerOperand>; MAX_TRACKED]);

impl SamplerUse {
    /// Records the first operand of a sampler register. Returns false if a later operand of the register differs in any
    /// bit.
    pub(super) fn agrees(&mut self, operand: &SamplerOperand) -> bool {
        match self.0.get_mut(usize::from(operand.number)) {
            Some(slot) => *slot.get_or_insert(*operand) == *operand,
            None => true,
        }
    }
}

impl ProgramChecker {
    /// Returns the number of registers in a register file. If this stage lacks the register file, returns the number of
    /// the other stage.
    pub(super) fn count(&self, file: RegisterFile) -> u16 {
        self.counts.get(file.index()).copied().unwrap_or(0)
    }

    /// Checks errors 3656 to 3661, 3749 and 3789: the register `number`, and those of further rows, must exist. Bounds
    /// are checked before permission.
    pub(super) fn bounds(
        &self,
        which: OperandSlot,
        file: RegisterFile,
        number: u16,
        rows: u8,
    ) -> CheckResult {
        let end = u32::from(number).saturating_add(rows.into());
        self.refuse_at(end > self.count(file).into(), file.bounds(), which)
    }

    /// Checks errors 3647 and 3648: temporaries must be written before they are read.
    pub(super) fn written(
        &self,
        which: OperandSlot,
        (file, number): (RegisterFile, u16),
        components: WriteMask,
    ) -> CheckResult {
        if file != RegisterFile::Temporary {
            return Ok(());
        }
        let written = self.temporaries.get(number);
        self.refuse_at(written.is_empty(), ErrorKind::TemporaryNotWritten, which)?;
        let missing = !written.contains_all(components);
        self.refuse_at(missing, ErrorKind::TemporaryComponentNotWritten, which)
    }
}
