//! A decoded program: header, instructions and what follows them. Lossless, and not yet checked.

use std::borrow::Cow;

use crate::binary::token::{self, TOKEN_SIZE};
use crate::isa::opcode::Opcode;
use crate::isa::operand::{Dest, Operand2, Source};
use crate::isa::version::{Stage, Version};

/// One token, field by field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// The opcode's value, known or not.
    pub code: u32,
    /// Destination.
    pub dest: Dest,
    /// First source.
    pub source1: Source,
    /// Second source or sampler. A sampler exactly where the opcode has one.
    pub source2: Operand2,
}

impl Instruction {
    /// The opcode, if its value is in the table.
    pub fn opcode(&self) -> Option<Opcode> {
        Opcode::from_code(self.code)
    }

    /// The same bits, with a sampler as the second source exactly where the opcode has one. A decoded instruction is so
    /// already; one that was made by hand may not be.
    pub(crate) fn agreeing(&self) -> Cow<'_, Instruction> {
        let samples = self
            .opcode()
            .is_some_and(|opcode| opcode.lower().has_sampler());
        if samples == matches!(self.source2, Operand2::Sampler(_)) {
            Cow::Borrowed(self)
        } else {
            Cow::Owned(token::unpack(&token::pack(self)))
        }
    }
}

/// An AGAL program, typed but not yet checked: `decode` then `encode` gives the same bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    version: Version,
    stage: Stage,
    instructions: Vec<Instruction>,
    trailing: Vec<u8>,
}

impl Program {
    /// A program from its parts, with nothing after the last token.
    pub fn new(version: Version, stage: Stage, instructions: Vec<Instruction>) -> Program {
        Program {
            version,
            stage,
            instructions,
            trailing: Vec::new(),
        }
    }

    pub(crate) fn with_trailing(mut self, trailing: &[u8]) -> Program {
        debug_assert!(trailing.len() < TOKEN_SIZE);
        self.trailing = trailing.to_vec();
        self
    }

    /// The AGAL version of the header, 1 to 4.
    pub fn version(&self) -> u32 {
        self.version.number()
    }
    /// The same, typed.
    pub fn agal_version(&self) -> Version {
        self.version
    }
    /// The kind that the header declares.
    pub fn stage(&self) -> Stage {
        self.stage
    }
    /// The tokens in order.
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }
    /// The tokens in order, to change.
    pub fn instructions_mut(&mut self) -> &mut Vec<Instruction> {
        &mut self.instructions
    }
    /// Bytes after the last whole token, fewer than 24. Flash's view of them is not documented (agal.md section 1,
    /// unverified): they are kept and ignored.
    pub fn trailing(&self) -> &[u8] {
        &self.trailing
    }
    /// How many whole tokens it has.
    pub fn token_count(&self) -> usize {
        self.instructions.len()
    }
}
