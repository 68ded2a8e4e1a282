//! A bank of constant registers that tracks which of them the backend lacks.

use std::ops::Range;

/// Registers of the largest bank: 250 `vc` [agal.register.counts].
const REGISTERS: usize = 250;

/// Constants of one program kind. They persist across programs and draws ([agal.constant.banks]).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bank {
    /// Never-set constants are zero [context3d.state.constants].
    values: [[f32; 4]; REGISTERS],
    /// From the first register that the backend lacks to the one after the last; empty if the first isn't below.
    dirty: Range<usize>,
}

/// No registers, so that a union needs no special case.
const NONE: Range<usize> = Range { start: usize::MAX, end: 0 };

impl Default for Bank {
    fn default() -> Self {
        Bank { values: [[0.0; 4]; REGISTERS], dirty: NONE }
    }
}

impl Bank {
    /// Sets registers from `first` on, unless some lie past the bank's end: callers check against the profile.
    #[inline]
    pub(crate) fn set(&mut self, first: usize, values: impl ExactSizeIterator<Item = [f32; 4]>) {
        let Some(registers) =
            first.checked_add(values.len()).and_then(|end| self.values.get_mut(first..end))
        else {
            return;
        };
        let end = first + registers.len();
        registers.iter_mut().zip(values).for_each(|(register, value)| *register = value);
        self.dirty = self.dirty.start.min(first)..self.dirty.end.max(end);
    }

    pub(crate) fn all(&self) -> &[[f32; 4]] {
        &self.values
    }

    /// Registers that changed since [`Bank::sent`], with the number of the first; `None` if none did.
    #[inline]
    pub(crate) fn dirty(&self) -> Option<(u16, &[[f32; 4]])> {
        if self.dirty.is_empty() {
            return None;
        }
        let first = u16::try_from(self.dirty.start).ok()?;
        let values = self.values.get(self.dirty.clone())?;
        Some((first, values))
    }

    /// Marks all registers as sent. Not called after a failed packet, so that its constants are sent again.
    pub(crate) fn sent(&mut self) {
        self.dirty = NONE;
    }
}
