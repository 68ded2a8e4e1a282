//! Checks the rules for a fragment program's outputs. The linker checks that the outputs are complete.

use super::{CheckResult, ProgramChecker};
use crate::error::ErrorKind;
use crate::ir::IrDestination;
use crate::isa::operand::WriteMask;
use crate::isa::register::RegisterFile;
use crate::version::{AgalVersion, Stage};

/// The first version in which a colour may be written only once (3744). Adobe's verifier for AGAL 1 lacks error 3744
/// ([agal.error.3744]); for later versions, the error's message is the only evidence.
const COLOR_ONCE_SINCE: AgalVersion = AgalVersion::V2;

impl ProgramChecker {
    /// Checks errors 3744 and 3756. The position may be written in several parts.
    pub(super) fn output(&self, dest: &IrDestination) -> CheckResult {
        let once = self.stage == Stage::Fragment && self.version >= COLOR_ONCE_SINCE;
        let color = dest.file == RegisterFile::Output && once;
        let twice = color && !self.usage.writes(dest.file).get(dest.number).is_empty();
        self.refuse(twice, ErrorKind::ColorWrittenTwice)?;
        let depth = dest.file == RegisterFile::DepthOutput;
        self.refuse(depth && dest.mask != WriteMask::first(1), ErrorKind::DepthMask)
    }

    /// Checks error 3775: colour outputs must be numbered from 0 without gaps.
    pub(super) fn end_of_outputs(&self) -> CheckResult {
        let outputs = self.usage.color_outputs();
        if outputs & outputs.wrapping_add(1) == 0 {
            Ok(())
        } else {
            Err(ErrorKind::ColorSlotGap.report().into())
        }
    }
}
