//! Checks the rules for the opcode, and for the sources of an instruction together.

use super::{CheckResult, ProgramChecker};
use crate::error::{AgalError, ErrorKind, InferredError};
use crate::isa::opcode::{AgalOpcode, LAST_CODE, Stages};
use crate::isa::operand::SourceOperand;
use crate::isa::register::RegisterFile;
use crate::version::AgalVersion;

/// The only opcode that may have a constant as its single source ([agal.error.3625_alone]).
const MOVES: AgalOpcode = AgalOpcode::Mov;

impl ProgramChecker {
    /// Checks an opcode: errors 3620, 3621, 3622 or 3803, and then its version, 3726 or 3805.
    pub(super) fn opcode(&self, code: u32) -> CheckResult<AgalOpcode> {
        if code > LAST_CODE {
            return Err(self.about_code(ErrorKind::OpcodeOutOfRange, code));
        }
        let opcode = AgalOpcode::from_code(code);
        let Some((opcode, since)) =
            opcode.and_then(|opcode| opcode.since().map(|since| (opcode, since)))
        else {
            return Err(self.about_code(InferredError::NotImplemented.kind(), code));
        };
        let stages = opcode.stages();
        if !stages.allows(self.stage) {
            let kind = match stages {
                Stages::Vertex => ErrorKind::OpcodeOnlyInVertex,
                Stages::Fragment | Stages::Both => ErrorKind::OpcodeOnlyInFragment,
            };
            return Err(self.about_opcode(kind, opcode));
        }
        if self.version < since {
            let kind = match since {
                AgalVersion::V4 => ErrorKind::VertexFetchNeedsVersion4,
                AgalVersion::V1 | AgalVersion::V2 | AgalVersion::V3 => {
                    ErrorKind::OpcodeNeedsVersion2
                }
            };
            return Err(self.about_opcode(kind, opcode));
        }
        Ok(opcode)
    }

    /// Returns an error whose message argument %2 is the opcode's number, because the opcode may have no name. The
    /// number is decimal, like in players' messages for error 3620 ([agal.message.opcode_number]).
    #[cold]
    fn about_code(&self, kind: ErrorKind, code: u32) -> AgalError {
        self.report(kind).detail(code).into()
    }

    /// Returns an error whose message argument %2 is the opcode's name, as Flash's messages suggest ("for the nrm
    /// instruction": [agal.message.opcode_name]).
    #[cold]
    pub(super) fn about_opcode(&self, kind: ErrorKind, opcode: AgalOpcode) -> AgalError {
        self.report(kind).detail(opcode.name()).into()
    }

    /// Checks error 3625 for two constants. Error 3625 depends only on the register types, also for indirect sources
    /// and matrices. Since only constants are read indirectly, 3625 includes 3626.
    pub(super) fn pair(&self, one: &SourceOperand, two: &SourceOperand) -> CheckResult {
        self.refuse(is_constant(one) && is_constant(two), ErrorKind::BothConstant)
    }

    /// Checks error 3625 for a constant that is the opcode's only source.
    pub(super) fn alone(&self, opcode: AgalOpcode, source: &SourceOperand) -> CheckResult {
        self.refuse(is_constant(source) && opcode != MOVES, InferredError::LoneConstant.kind())
    }
}

fn is_constant(source: &SourceOperand) -> bool {
    source.file == RegisterFile::Constant.code()
}
