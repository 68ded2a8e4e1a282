//! Rules about registers: bounds, permission, and what was written before it is read.

use super::Checker;
use super::operand::Which;
use crate::checked::Address;
use crate::error::{AgalError, ErrorKind};
use crate::operand::WriteMask;
use crate::register::{Access, MAX_TRACKED, RegisterFile};
use crate::sampler::SamplerOperand;

/// The first use of each sampler register.
#[derive(Default)]
pub(super) struct Samplers([Option<SamplerOperand>; MAX_TRACKED]);

impl Samplers {
    /// Remembers the first use of a register; false where a later use differs in any bit.
    pub(super) fn agrees(&mut self, operand: &SamplerOperand) -> bool {
        match self.0.get_mut(usize::from(operand.number)) {
            Some(slot) => *slot.get_or_insert(*operand) == *operand,
            None => true,
        }
    }
}

impl Checker {
    /// How many registers the program has of a file; `None` where its stage has none of them.
    pub(super) fn count(&self, file: RegisterFile) -> Option<u16> {
        self.counts.get(file.index()).copied().flatten()
    }

    /// 3656 to 3661, 3749, 3789: `rows` registers from `number` on exist. Comes before permission.
    pub(super) fn bounds(
        &self,
        which: Which,
        file: RegisterFile,
        number: u16,
        rows: u8,
    ) -> Result<(), AgalError> {
        let end = u32::from(number).saturating_add(rows.into());
        match self.count(file) {
            Some(count) if end > count.into() => Err(self.fail_at(file.info().bounds, which)),
            _ => Ok(()),
        }
    }

    pub(super) fn permission(&self, which: Which, access: Access) -> Result<(), AgalError> {
        access.map_err(|kind| self.fail_at(kind, which))
    }

    /// 3647, 3648.
    pub(super) fn written(
        &self,
        which: Which,
        address: Address,
        components: WriteMask,
    ) -> Result<(), AgalError> {
        let Address::Direct(RegisterFile::Temporary, number) = address else {
            return Ok(());
        };
        let written = self.usage.writes(RegisterFile::Temporary).get(number);
        if written.is_empty() {
            return Err(self.fail_at(ErrorKind::TemporaryNotWritten, which));
        }
        if !written.contains_all(components) {
            return Err(self.fail_at(ErrorKind::TemporaryComponentNotWritten, which));
        }
        Ok(())
    }
}
