//! Detects programs that AGAL allows and Direct3D 9 rejects: reads of unwritten matrix rows, and repeated writes of a
//! colour output.

use agal::Stage;
use agal::ir::{Address, IrInstruction, IrOperation, with_depth};
use agal::opcode::BinaryOp;
use agal::register::{MAX_TRACKED, RegisterFile};
use agal_core::WriteMask;

/// Returns a bit mask of temporaries that are read as matrix rows but may be unwritten. AGAL's verifier checks only the
/// first row of a matrix operand. The translation sets such unwritten temporaries to zero, like AGAL's interpreter
/// ([agal.temporary.rows_value]).
pub(super) fn unwritten_rows(steps: &[IrInstruction]) -> u32 {
    let mut written = [WriteMask::EMPTY; MAX_TRACKED];
    let mut unwritten = 0u32;
    for (depth, step) in with_depth(steps) {
        if let IrOperation::Binary(BinaryOp::Matrix { rows, width }, _, _, first) = step.action
            && let Address::Direct(RegisterFile::Temporary, number) = first.address
        {
            for number in (number..).take(rows.into()) {
                let known = written.get(usize::from(number)).copied();
                if !known.unwrap_or_default().contains_all(WriteMask::first(width)) {
                    unwritten |= 1u32.checked_shl(number.into()).unwrap_or(0);
                }
            }
        }
        // A write inside a conditional may be skipped, so it doesn't count.
        if depth == 0
            && let Some(dest) = step.action.dest()
            && dest.file == RegisterFile::Temporary
            && let Some(mask) = written.get_mut(usize::from(dest.number))
        {
            *mask = mask.union(dest.mask);
        }
    }
    unwritten
}

/// Returns whether a later instruction writes the same colour output, which only AGAL 1 allows; the last write wins.
pub(super) fn is_overwritten(step: &IrInstruction, later: &[IrInstruction], stage: Stage) -> bool {
    let dest = step.action.dest().filter(|dest| dest.file == RegisterFile::Output);
    stage == Stage::Fragment
        && dest.is_some()
        && later.iter().any(|later| later.action.dest() == dest)
}
