//! A program that is not checked yet: header, instructions and trailing bytes, without loss. Decoding raises only
//! encoding errors (3612, 3615 to 3619); the validator checks the tokens.

use crate::error::{AgalError, ErrorClass, ErrorKind};
use crate::token::{self, AgalInstruction, TOKEN_SIZE};
use crate::version::{AgalVersion, Stage};

/// An AGAL program that is not checked yet. Encoding a decoded program gives the same bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    version: AgalVersion,
    /// The version number in the header, 0 to 4.
    number: u32,
    stage: Stage,
    instructions: Vec<AgalInstruction>,
    trailing: Vec<u8>,
}

impl Program {
    /// Creates a program from its parts, without trailing bytes.
    pub fn new(version: AgalVersion, stage: Stage, instructions: Vec<AgalInstruction>) -> Program {
        Program { version, number: version.number(), stage, instructions, trailing: Vec::new() }
    }

    /// Returns the program with another header number that stands for the same version.
    pub(crate) fn with_number(self, number: u32) -> Program {
        debug_assert!(AgalVersion::of_header(number) == Some(self.version));
        Program { number, ..self }
    }

    pub(crate) fn with_trailing(mut self, trailing: &[u8]) -> Program {
        debug_assert!(trailing.len() < TOKEN_SIZE);
        self.trailing = trailing.to_vec();
        self
    }

    /// Returns the version number in the header, 0 to 4.
    pub fn header_version(&self) -> u32 {
        self.number
    }
    /// Returns the AGAL version. The header numbers 0 and 1 both stand for AGAL 1.
    pub fn version(&self) -> AgalVersion {
        self.version
    }
    /// Returns the stage of the program.
    pub fn stage(&self) -> Stage {
        self.stage
    }
    /// Returns the instructions in order.
    pub fn instructions(&self) -> &[AgalInstruction] {
        &self.instructions
    }
    /// Returns a mutable reference to the instructions. This crate doesn't check instructions that the caller changed.
    pub fn instructions_mut(&mut self) -> &mut Vec<AgalInstruction> {
        &mut self.instructions
    }
    /// Returns the bytes after the last whole token, at most 23. Flash ignores trailing bytes
    /// ([agal.program.trailing]), but this crate preserves trailing bytes.
    pub fn trailing(&self) -> &[u8] {
        &self.trailing
    }
    /// Returns the number of tokens in the program.
    pub fn token_count(&self) -> usize {
        self.instructions.len()
    }

    /// Decodes a program. `argument` is the program's argument position in `Program3D.upload`, which Flash's messages
    /// mention.
    ///
    /// # Errors
    /// In Flash's order ([agal.check.form]): 3615 for no bytes, 3612, 3615 for less than one token, 3616, 3617 for a
    /// version that no player accepts, 3618, 3619. Memory is bounded by twice the input.
    pub fn decode(bytes: &[u8], endian: Endian, argument: Stage) -> Result<Program, AgalError> {
        RawProgram::read(bytes, endian, argument).map(|form| form.unpack())
    }

    /// Returns the program as little-endian bytes.
    pub fn encode(&self) -> Vec<u8> {
        let size = HEADER_SIZE + TOKEN_SIZE * self.token_count() + self.trailing().len();
        let mut bytes = Vec::with_capacity(size);
        bytes.push(MAGIC);
        bytes.extend(self.number.to_le_bytes());
        bytes.push(TYPE_IDENTIFIER);
        bytes.push(self.stage().code());
        for instruction in self.instructions() {
            bytes.extend(token::pack(instruction));
        }
        bytes.extend(self.trailing());
        bytes
    }
}

/// The first byte of every program.
pub const MAGIC: u8 = 0xa0;
/// The byte at offset 5 of every program.
pub const TYPE_IDENTIFIER: u8 = 0xa1;
/// The number of bytes before the first token.
pub const HEADER_SIZE: usize = 7;

/// The byte order of a `ByteArray`, its property `endian`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endian {
    /// The lowest byte of a number comes first, as `Program3D.upload` requires.
    Little,
    /// The highest byte of a number comes first.
    Big,
}

impl Endian {
    /// Returns the byte order: `Big` if `is_big` is true.
    pub fn from_big(is_big: bool) -> Self {
        if is_big { Endian::Big } else { Endian::Little }
    }
}

/// A program with a decoded header and counted tokens. The tokens are not decoded yet.
pub(crate) struct RawProgram<'a> {
    version: AgalVersion,
    number: u32,
    stage: Stage,
    tokens: &'a [[u8; TOKEN_SIZE]],
    trailing: &'a [u8],
}

impl<'a> RawProgram<'a> {
    /// Decodes the header. Returns the errors of [`Program::decode`].
    pub(crate) fn read(
        bytes: &'a [u8],
        endian: Endian,
        argument: Stage,
    ) -> Result<RawProgram<'a>, AgalError> {
        let wrong = |kind: ErrorKind| AgalError::from(kind.report().subject(argument));
        let check = |holds: bool, kind| if holds { Ok(()) } else { Err(wrong(kind)) };
        if bytes.is_empty() {
            // Unlike other encoding errors, the error for empty bytes is an `ArgumentError`, and its message names no
            // stage.
            let report = ErrorKind::SizeBelowMinimum.report();
            return Err(report.class(ErrorClass::ArgumentError).into());
        }
        if endian == Endian::Big {
            return Err(ErrorKind::BigEndian.report().into());
        }
        let split = bytes.split_first_chunk::<HEADER_SIZE>();
        let split = split.filter(|(_, body)| body.len() >= TOKEN_SIZE);
        let (header, body) = split.ok_or_else(|| wrong(ErrorKind::SizeBelowMinimum))?;
        let [magic, v0, v1, v2, v3, identifier, kind] = *header;
        check(magic == MAGIC, ErrorKind::WrongMagic)?;
        let number = u32::from_le_bytes([v0, v1, v2, v3]);
        let version = AgalVersion::of_header(number).ok_or_else(|| {
            // The message argument %2 is the newest version ([agal.message.version]).
            let report = ErrorKind::BadVersion.report().subject(argument);
            report.detail(AgalVersion::NEWEST.number())
        })?;
        check(identifier == TYPE_IDENTIFIER, ErrorKind::BadTypeIdentifier)?;
        let stage = Stage::from_code(kind).ok_or_else(|| wrong(ErrorKind::BadShaderType))?;
        let (tokens, trailing) = body.as_chunks::<TOKEN_SIZE>();
        Ok(RawProgram { version, number, stage, tokens, trailing })
    }

    /// Drops tokens that players never read: players read at most one token more than the limit (error 3629).
    pub(crate) fn limited(self) -> RawProgram<'a> {
        let read = ..self.version.max_tokens().saturating_add(1);
        RawProgram { tokens: self.tokens.get(read).unwrap_or(self.tokens), ..self }
    }

    pub(crate) fn unpack(&self) -> Program {
        let instructions = self.tokens.iter().map(token::unpack).collect();
        let program = Program::new(self.version, self.stage, instructions);
        program.with_number(self.number).with_trailing(self.trailing)
    }
}
