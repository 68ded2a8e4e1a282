//! Rules about registers: bounds, and writing before reading.

use super::operand::Slot;
use super::{Checked, Checker};
use crate::error::ErrorKind;
use crate::isa::operand::WriteMask;
use crate::isa::register::{MAX_TRACKED, RegisterFile};
use crate::isa::sampler::SamplerOperand;

#[derive(Default)]
pub(super) struct Samplers([Option<SamplerOperand>; MAX_TRACKED]);

impl Samplers {
    /// Records the first use of a register; false if a later use differs in any bit.
    pub(super) fn agrees(&mut self, operand: &SamplerOperand) -> bool {
        match self.0.get_mut(usize::from(operand.number)) {
            Some(slot) => *slot.get_or_insert(*operand) == *operand,
            None => true,
        }
    }
}

impl Checker {
    /// Returns the number of registers in a file, or in the file of the other stage if this stage doesn't have it.
    pub(super) fn count(&self, file: RegisterFile) -> u16 {
        self.counts.get(file.index()).copied().unwrap_or(0)
    }

    /// Checks 3656 to 3661, 3749 and 3789: the registers from `number` on exist, one for each row. Bounds are checked
    /// before permission.
    pub(super) fn bounds(&self, which: Slot, file: RegisterFile, number: u16, rows: u8) -> Checked {
        let end = u32::from(number).saturating_add(rows.into());
        self.refuse_at(end > self.count(file).into(), file.bounds(), which)
    }

    /// Checks 3647 and 3648.
    pub(super) fn written(
        &self,
        which: Slot,
        (file, number): (RegisterFile, u16),
        components: WriteMask,
    ) -> Checked {
        if file != RegisterFile::Temporary {
            return Ok(());
        }
        let written = self.temporaries.get(number);
        self.refuse_at(written.is_empty(), ErrorKind::TemporaryNotWritten, which)?;
        let missing = !written.contains_all(components);
        self.refuse_at(missing, ErrorKind::TemporaryComponentNotWritten, which)
    }
}
