//! Matrix products: each component of the result is the dot product with one row ([agal.matrix.rows]).

use super::Emitter;
use crate::ir::Read;
use crate::isa::operand::WriteMask;

impl Emitter<'_> {
    /// Computes only the rows in the write mask.
    pub(super) fn matrix(&mut self, width: u8, mask: WriteMask, a: &Read, rows: &Read) {
        let wide = self.splat(mask);
        for (index, row) in mask.iter().enumerate() {
            if index > 0 {
                self.out.push_str(", ");
            }
            self.dot(width, a, rows, row);
        }
        if wide {
            self.out.push(')');
        }
    }
}
