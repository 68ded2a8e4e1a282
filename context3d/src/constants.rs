//! The constant registers of a shader stage, and the range that was not sent to the backend yet.

use std::ops::Range;

/// Maximum number of constant registers of a shader stage: 250 `vc` [agal.register.counts].
const REGISTERS: usize = 250;

/// The constant registers of a shader stage, which persist across programs and draws [agal.constant.banks].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DirtyConstants {
    /// The register values, initially zero [context3d.state.constants].
    values: [[f32; 4]; REGISTERS],
    /// Half-open range of registers that changed since the last upload. The range is empty if `start >= end`.
    dirty: Range<usize>,
}

/// The empty range, for which a union by minimum and maximum needs no special case.
const NONE: Range<usize> = Range { start: usize::MAX, end: 0 };

impl Default for DirtyConstants {
    fn default() -> Self {
        DirtyConstants { values: [[0.0; 4]; REGISTERS], dirty: NONE }
    }
}

impl DirtyConstants {
    /// Sets registers starting at `first`. Ignores ranges past the end, which callers reject.
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

    /// Returns the registers that changed since [`DirtyConstants::sent`], with the index of the first. Returns `None`
    /// if no register changed.
    #[inline]
    pub(crate) fn dirty(&self) -> Option<(u16, &[[f32; 4]])> {
        if self.dirty.is_empty() {
            return None;
        }
        let first = u16::try_from(self.dirty.start).ok()?;
        let values = self.values.get(self.dirty.clone())?;
        Some((first, values))
    }

    /// Marks all registers as sent. Call this only after the packet succeeded, so that a failed packet's constants are
    /// sent again.
    pub(crate) fn sent(&mut self) {
        self.dirty = NONE;
    }
}
