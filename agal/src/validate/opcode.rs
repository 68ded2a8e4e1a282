//! Rules about the opcode itself, and about the sources of one instruction together.

use super::{Checked, Checker};
use crate::error::{AgalError, ErrorKind, Inferred};
use crate::isa::opcode::{LAST_CODE, Opcode, Stages};
use crate::isa::operand::Source;
use crate::isa::register::RegisterFile;
use crate::version::Version;

/// The only opcode whose single source may be a constant ([agal.error.3625_alone]).
const MOVES: Opcode = Opcode::Mov;

impl Checker {
    /// 3620, 3621, 3622 or 3803, then the version: 3726 or 3805.
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

    /// An error whose %2 is a value that may have no name: decimal, as players print it in 3620
    /// ([agal.message.opcode_number]).
    #[cold]
    fn about_code(&self, kind: ErrorKind, code: u32) -> AgalError {
        self.report(kind).detail(code).into()
    }

    /// An error whose %2 is an opcode of the table: its name, as the messages read ("for the nrm instruction":
    /// [agal.message.opcode_name]).
    #[cold]
    pub(super) fn about_opcode(&self, kind: ErrorKind, opcode: Opcode) -> AgalError {
        self.report(kind).detail(opcode.name()).into()
    }

    /// 3625 for two constants: by register type alone, so of indirect sources and matrices too. As only constants are
    /// read indirectly, it includes 3626.
    pub(super) fn pair(&self, one: &Source, two: &Source) -> Checked {
        self.refuse(is_constant(one) && is_constant(two), ErrorKind::BothConstant)
    }

    /// A constant that is the only source.
    pub(super) fn alone(&self, opcode: Opcode, source: &Source) -> Checked {
        self.refuse(is_constant(source) && opcode != MOVES, Inferred::LoneConstant.kind())
    }
}

fn is_constant(source: &Source) -> bool {
    source.file == RegisterFile::Constant.code()
}
