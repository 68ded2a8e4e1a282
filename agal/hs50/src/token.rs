//! A reader of program words, and its errors.

use crate::names::ProgramKind;

/// An error in the words of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenError {
    /// Index of the word, from the program's first.
    pub word_offset: usize,
    /// The kind of error.
    pub kind: TokenErrorKind,
}

/// The kind of an error in a program's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenErrorKind {
    /// The bytes aren't whole words, or fewer than two.
    Bytes(usize),
    /// An unsupported program kind or version.
    Version(u32),
    /// The length word differs from the number of words.
    Length {
        /// The length in the program.
        stated: u32,
        /// The number of words.
        found: usize,
    },
    /// No opcode has this number.
    Opcode(u32),
    /// The instruction's length is 0 or exceeds the program.
    InstructionLength(u32),
    /// The instruction ends before its operands do.
    Short,
    /// The instruction has extra words after its operands.
    Long(usize),
    /// There are too many extended tokens.
    Chain,
    /// No register file has this number.
    OperandKind(u32),
    /// No index representation has this number.
    Representation(u32),
    /// An immediate without components.
    ImmediateComponents,
    /// Indices are nested too deeply.
    Nesting,
}

shader_core::messages! { TokenError {
    Self { word_offset, kind } => "word {word_offset}: {kind}";
} }

shader_core::messages! { TokenErrorKind {
    Self::Bytes(bytes) => "{bytes} bytes are not a program of at least two 32-bit words";
    Self::Version(token) => "version {token:#010x} ({}_{}_{}) is not supported: only hs, vs, ds and ps of 5.0 and 5.1 are",
        ProgramKind::from_code(token >> 16).map_or("??", ProgramKind::name), token >> 4 & 15, token & 15;
    Self::Length { stated, found } => "the program's length is {stated} words, but there are {found}";
    Self::Opcode(number) => "opcode {number} does not exist";
    Self::InstructionLength(length) => "the instruction length of {length} words is 0 or exceeds the program";
    Self::Short => "the instruction ends before its operands";
    Self::Long(words) => "{words} extra words follow the instruction's operands";
    Self::Chain => "too many extended tokens";
    Self::OperandKind(number) => "register file {number} does not exist";
    Self::Representation(number) => "index representation {number} does not exist";
    Self::ImmediateComponents => "the immediate has no components";
    Self::Nesting => "indices are nested too deeply";
} }

const EXTENDED: u32 = 1 << 31;

/// A cursor over the words of an instruction.
#[derive(Clone)]
pub(crate) struct Words<'a> {
    rest: &'a [u32],
    word_offset: usize,
}

impl<'a> Words<'a> {
    pub(crate) fn new(words: &'a [u32], word_offset: usize) -> Words<'a> {
        Words { rest: words, word_offset }
    }

    /// Index of the next word in the program.
    pub(crate) fn word_offset(&self) -> usize {
        self.word_offset
    }

    pub(crate) fn next(&mut self) -> Result<u32, TokenError> {
        let Some((first, rest)) = self.rest.split_first() else {
            return Err(TokenError { word_offset: self.word_offset, kind: TokenErrorKind::Short });
        };
        self.rest = rest;
        self.word_offset = self.word_offset.saturating_add(1);
        Ok(*first)
    }

    /// Takes all remaining words.
    pub(crate) fn rest(&mut self) -> &'a [u32] {
        std::mem::take(&mut self.rest)
    }

    /// Takes the extended tokens that follow a token, and clears their bits for further tokens.
    pub(crate) fn chain(&mut self, token: u32, most: usize) -> Result<Vec<u32>, TokenError> {
        let mut chain = Vec::new();
        let mut last = token;
        while last & EXTENDED != 0 {
            if chain.len() == most {
                return Err(TokenError {
                    word_offset: self.word_offset,
                    kind: TokenErrorKind::Chain,
                });
            }
            last = self.next()?;
            chain.push(last & !EXTENDED);
        }
        Ok(chain)
    }
}

/// Writes a token with its extended tokens.
pub(crate) fn push_chain(words: &mut Vec<u32>, token: u32, extended: &[u32]) {
    let all = std::iter::once(&token).chain(extended);
    let last = extended.len();
    words.extend(all.enumerate().map(|(n, word)| match n < last {
        true => word | EXTENDED,
        false => word & !EXTENDED,
    }));
}
