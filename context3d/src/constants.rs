//! A bank of constant registers that tracks which of them the backend lacks.

use std::ops::Range;

/// Registers of the largest bank: 250 `vc` (`profile-limits.tsv`).
const REGISTERS: usize = 250;

/// Constants of one program kind. They persist across programs and draws (`agal.md` section 3.2).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bank {
    /// Never-set constants are zero (unverified).
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
        let (mut start, mut end) = (usize::MAX, 0);
        for (number, (register, value)) in registers.iter_mut().zip(values).enumerate() {
            if differ(register, &value) {
                *register = value;
                start = start.min(first + number);
                end = first + number + 1;
            }
        }
        self.dirty = self.dirty.start.min(start)..self.dirty.end.max(end);
    }

    /// All registers.
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

/// Whether the bits differ: -0 differs from 0 under division, and a NaN equals itself.
#[inline]
fn differ(a: &[f32; 4], b: &[f32; 4]) -> bool {
    let bits = |n: usize| a[n].to_bits() ^ b[n].to_bits();
    (bits(0) | bits(1)) | (bits(2) | bits(3)) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_told_once_and_together() {
        let mut bank = Bank::default();
        assert_eq!(bank.dirty(), None);
        bank.set(7, [[1.0; 4]].into_iter());
        bank.set(4, [[2.0; 4]].into_iter());
        for _told_until_sent in 0..2 {
            let (first, values) = bank.dirty().unwrap();
            assert_eq!((first, values.len(), values[0], values[3]), (4, 4, [2.0; 4], [1.0; 4]));
        }
        bank.sent();
        assert_eq!(bank.dirty(), None);
        bank.set(249, [[3.0; 4]].into_iter());
        assert_eq!(bank.dirty(), Some((249, &[[3.0; 4]][..])));
        bank.sent();
        bank.set(249, [[3.0; 4]; 2].into_iter());
        bank.set(usize::MAX, [[3.0; 4]; 2].into_iter());
        assert_eq!(bank.dirty(), None);
    }
}
