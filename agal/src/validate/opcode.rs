//! Rules about the opcode itself, and about both sources of one instruction together.

use super::Checker;
use crate::error::{AgalError, ErrorKind};
use crate::isa::opcode::{LAST_CODE, Lowering, Opcode, Stages};
use crate::isa::operand::{Operand2, Source};
use crate::isa::register::RegisterFile;
use crate::isa::version::Version;
use crate::program::Instruction;

impl Checker {
    /// 3620, 3621, 3622 or 3803, then the version: 3726 or 3805.
    pub(super) fn opcode(&self, code: u32) -> Result<Opcode, AgalError> {
        if code > LAST_CODE {
            return Err(self.about_code(ErrorKind::OpcodeOutOfRange, code));
        }
        let opcode = Opcode::from_code(code);
        let Some((opcode, since)) =
            opcode.and_then(|opcode| opcode.info().since.map(|since| (opcode, since)))
        else {
            return Err(self.about_code(ErrorKind::OpcodeNotImplemented, code));
        };
        let stages = opcode.info().stages;
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

    /// An error whose %2 is a value that may have no name: decimal, as players print it in 3620 (agal-errors.md).
    #[cold]
    fn about_code(&self, kind: ErrorKind, code: u32) -> AgalError {
        self.report(kind).detail(code).into()
    }

    /// An error whose %2 is an opcode of the table: its name, as the messages read ("for the nrm instruction",
    /// unverified).
    #[cold]
    pub(super) fn about_opcode(&self, kind: ErrorKind, opcode: Opcode) -> AgalError {
        self.report(kind).detail(opcode.name()).into()
    }

    /// 3626, 3625, 3758.
    pub(super) fn pair(&self, instruction: &Instruction, opcode: Opcode) -> Result<(), AgalError> {
        let Operand2::Source(two) = instruction.source2() else {
            return Ok(());
        };
        let lower = opcode.lowering();
        if lower.sources() < 2 {
            return Ok(());
        }
        let one = &instruction.source1;
        if one.indirect && two.indirect {
            return Err(self.about_opcode(ErrorKind::BothIndirect, opcode));
        }
        if is_constant(one) && is_constant(two) {
            return Err(self.fail(ErrorKind::BothConstant));
        }
        if matches!(lower, Lowering::If(_)) && one == two {
            return Err(self.fail(ErrorKind::ConditionConstant));
        }
        Ok(())
    }
}

/// Whether a source is constant during a draw. An indirect read differs between vertices, so beside a constant it isn't
/// "both constant" (unverified).
fn is_constant(source: &Source) -> bool {
    source.register_file() == Some(RegisterFile::Constant) && !source.indirect
}
