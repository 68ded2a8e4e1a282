//! A decoded program: header, instructions and trailing bytes. Lossless, and not yet checked.

use crate::binary::token::{self, TOKEN_SIZE};
use crate::isa::opcode::Opcode;
use crate::isa::operand::{Dest, Operand2, Source};
use crate::isa::sampler::SamplerOperand;
use crate::isa::version::{Stage, Version};

/// One token, field by field. The second operand is a sampler exactly if the opcode has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    code: u32,
    /// Destination.
    pub dest: Dest,
    /// First source.
    pub source1: Source,
    source2: Operand2,
}

impl Instruction {
    /// A token. A second operand of the wrong kind for the opcode is converted bit by bit.
    pub fn new(code: u32, dest: Dest, source1: Source, source2: Operand2) -> Instruction {
        let instruction = Instruction { code, dest, source1, source2 };
        let opcode = instruction.opcode();
        let samples = opcode.is_some_and(|opcode| opcode.lowering().has_sampler());
        if samples == matches!(source2, Operand2::Sampler(_)) {
            instruction
        } else {
            token::unpack(&token::pack(&instruction))
        }
    }

    /// The opcode's value, which may be unknown.
    pub fn code(&self) -> u32 {
        self.code
    }

    /// Changes the opcode and keeps the operands.
    pub fn set_code(&mut self, code: u32) {
        *self = Instruction::new(code, self.dest, self.source1, self.source2);
    }

    /// The opcode, if its value is in the table.
    pub fn opcode(&self) -> Option<Opcode> {
        Opcode::from_code(self.code)
    }

    /// Second source or sampler.
    pub fn source2(&self) -> &Operand2 {
        &self.source2
    }

    /// Replaces the second source or sampler.
    pub fn set_source2(&mut self, source2: Operand2) {
        *self = Instruction::new(self.code, self.dest, self.source1, source2);
    }

    /// The second source, mutable, unless it is a sampler.
    pub fn source2_mut(&mut self) -> Option<&mut Source> {
        self.operands_mut().2
    }

    /// Destination and sources, mutable; the second source unless it is a sampler.
    pub fn operands_mut(&mut self) -> (&mut Dest, &mut Source, Option<&mut Source>) {
        let source2 = match &mut self.source2 {
            Operand2::Source(source) => Some(source),
            Operand2::Sampler(_) => None,
        };
        (&mut self.dest, &mut self.source1, source2)
    }

    /// The sampler, mutable, if there is one.
    pub fn sampler_mut(&mut self) -> Option<&mut SamplerOperand> {
        match &mut self.source2 {
            Operand2::Sampler(sampler) => Some(sampler),
            Operand2::Source(_) => None,
        }
    }
}

/// An AGAL program, typed but not yet checked: decoding and encoding gives the same bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    version: Version,
    /// The number in the header, of which `version` has the rules.
    number: u32,
    stage: Stage,
    instructions: Vec<Instruction>,
    trailing: Vec<u8>,
}

impl Program {
    /// A program from its parts, with nothing after the last token.
    pub fn new(version: Version, stage: Stage, instructions: Vec<Instruction>) -> Program {
        Program { version, number: version.number(), stage, instructions, trailing: Vec::new() }
    }

    /// The program with another number in its header: one of the same version's.
    pub(crate) fn with_number(self, number: u32) -> Program {
        debug_assert!(Version::of_header(number) == Some(self.version));
        Program { number, ..self }
    }

    pub(crate) fn with_trailing(mut self, trailing: &[u8]) -> Program {
        debug_assert!(trailing.len() < TOKEN_SIZE);
        self.trailing = trailing.to_vec();
        self
    }

    /// The number in the header, 0 to 4.
    pub fn version(&self) -> u32 {
        self.number
    }
    /// The AGAL version whose rules hold: AGAL 1 for the numbers 0 and 1.
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
    /// The tokens in order, mutable.
    pub fn instructions_mut(&mut self) -> &mut Vec<Instruction> {
        &mut self.instructions
    }
    /// Bytes after the last whole token, fewer than 24. Flash ignores them (agal-adobe-2012.md, "Header and
    /// loop"); they are kept.
    pub fn trailing(&self) -> &[u8] {
        &self.trailing
    }
    /// Number of whole tokens.
    pub fn token_count(&self) -> usize {
        self.instructions.len()
    }
}
