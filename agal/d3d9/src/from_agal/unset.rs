//! Detects programs that AGAL allows and Direct3D 9 rejects: reads of unwritten matrix rows, and repeated writes of a
//! colour output.

use agal::opcode::{BinaryOp, BlockEnd, OpcodeSignature};
use agal::operand::SecondOperand;
use agal::register::{MAX_TRACKED, RegisterFile};
use agal::{AgalInstruction, Stage};
use agal_core::WriteMask;

/// Returns a bit mask of temporaries that are read as matrix rows but may be unwritten. AGAL's verifier checks only the
/// first row of a matrix operand. The translation sets such unwritten temporaries to zero, like AGAL's interpreter
/// ([agal.temporary.rows_value]).
pub(super) fn unwritten_rows(code: &[AgalInstruction]) -> u32 {
    let mut written = [WriteMask::EMPTY; MAX_TRACKED];
    let (mut rows, mut depth) = (0u32, 0usize);
    for token in code {
        let Some(signature) = token.opcode().map(agal::opcode::AgalOpcode::signature) else {
            continue;
        };
        match (signature, token.source2()) {
            (OpcodeSignature::If(_), _) => depth = depth.saturating_add(1),
            (OpcodeSignature::Block(BlockEnd::End), _) => depth = depth.saturating_sub(1),
            (
                OpcodeSignature::Binary(BinaryOp::Matrix { rows: count, width }),
                SecondOperand::Source(first),
            ) if first.register_file() == Some(RegisterFile::Temporary) => {
                for number in (first.number..).take(count.into()) {
                    let known = written.get(usize::from(number)).copied();
                    if !known.unwrap_or_default().contains_all(WriteMask::first(width)) {
                        rows |= 1u32.checked_shl(number.into()).unwrap_or(0);
                    }
                }
            }
            _ => {}
        }
        // A write inside a conditional may be skipped, so it doesn't count.
        if depth == 0
            && token.dest.register_file() == Some(RegisterFile::Temporary)
            && let Some(mask) = written.get_mut(usize::from(token.dest.number))
        {
            *mask = mask.union(token.dest.mask);
        }
    }
    rows
}

/// Returns whether a later token writes the same colour output, which only AGAL 1 allows; the last write wins.
pub(super) fn is_overwritten(
    token: &AgalInstruction,
    later: &[AgalInstruction],
    stage: Stage,
) -> bool {
    let color = |token: &AgalInstruction| token.dest.register_file() == Some(RegisterFile::Output);
    stage == Stage::Fragment
        && color(token)
        && !token.dest.mask.is_empty()
        && later.iter().any(|later| later.dest == token.dest)
}
