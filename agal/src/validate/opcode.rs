//! Checks the rules for the opcode, and for the sources of an instruction together.

use super::{Checked, Checker};
use crate::error::{AgalError, ErrorKind, Inferred};
use crate::isa::opcode::{LAST_CODE, Opcode, Stages};
use crate::isa::operand::Source;
use crate::isa::register::RegisterFile;
use crate::version::Version;

/// The only opcode that may have a constant as its single source ([agal.error.3625_alone]).
const MOVES: Opcode = Opcode::Mov;

impl Checker {
    /// Checks an opcode: errors 3620, 3621, 3622 or 3803, and then its version, 3726 or 3805.
    pub(super) fn opcode(&self, code: u32) -> Checked<Opcode> {
        if code > LAST_CODE {
            return Err(self.about_code(ErrorKind::OpcodeOutOfRange, code));
        }
        let opcode = Opcode::from_code(code);
        let Some((opcode, since)) =
            opcode.and_then(|opcode| opcode.since().map(|since| (opcode, since)))
        else {
            return Err(self.about_code(Inferred::NotImplemented.kind(), code));
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
                Version::V4 => ErrorKind::VertexFetchNeedsVersion4,
                Version::V1 | Version::V2 | Version::V3 => ErrorKind::OpcodeNeedsVersion2,
            };
            return Err(self.about_opcode(kind, opcode));
        }
        Ok(opcode)
    }

    /// Returns an error whose %2 is the opcode's number, which may have no name. The number is decimal, like in
    /// players' messages for error 3620 ([agal.message.opcode_number]).
    #[cold]
    fn about_code(&self, kind: ErrorKind, code: u32) -> AgalError {
        self.report(kind).detail(code).into()
    }

    /// Returns an error whose %2 is the opcode's name, as the messages suggest ("for the nrm instruction":
    /// [agal.message.opcode_name]).
    #[cold]
    pub(super) fn about_opcode(&self, kind: ErrorKind, opcode: Opcode) -> AgalError {
        self.report(kind).detail(opcode.name()).into()
    }

    /// Checks error 3625 for two constants. The check uses only the register types, also for indirect sources and
    /// matrices. Since only constants are read indirectly, 3625 includes 3626.
    pub(super) fn pair(&self, one: &Source, two: &Source) -> Checked {
        self.refuse(is_constant(one) && is_constant(two), ErrorKind::BothConstant)
    }

    /// Checks error 3625 for a constant that is the opcode's only source.
    pub(super) fn alone(&self, opcode: Opcode, source: &Source) -> Checked {
        self.refuse(is_constant(source) && opcode != MOVES, Inferred::LoneConstant.kind())
    }
}

fn is_constant(source: &Source) -> bool {
    source.file == RegisterFile::Constant.code()
}
