//! Words of the program while they are read, and what can be wrong with them.

use crate::names::ProgramKind;

/// What is wrong with the words of a program, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenError {
    /// The word, counted from the program's first.
    pub place: usize,
    /// What is wrong.
    pub kind: TokenErrorKind,
}

/// What is wrong with the words of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenErrorKind {
    /// The bytes are no whole number of words, or less than two.
    Bytes(usize),
    /// A kind of program, or a version, that is not read.
    Version(u32),
    /// The length word is not the number of words.
    Length {
        /// As the program says.
        stated: u32,
        /// Words that are there.
        found: usize,
    },
    /// No opcode has this number.
    Opcode(u32),
    /// The instruction's length is 0, or it goes beyond the program.
    InstructionLength(u32),
    /// The instruction ends before its operands do.
    Short,
    /// The instruction has words behind its operands.
    Long(usize),
    /// Too many extended tokens.
    Chain,
    /// No register file has this number.
    OperandKind(u32),
    /// No index representation has this number.
    Representation(u32),
    /// An immediate without components.
    ImmediateComponents,
    /// Indices of indices of indices without end.
    Nesting,
}

agal::messages! { TokenError {
    Self { place, kind } => "word {place}: {kind}";
} }

agal::messages! { TokenErrorKind {
    Self::Bytes(bytes) => "{bytes} bytes are no program";
    Self::Version(token) => "version {token:#010x} ({}_{}_{}) is not read: only hs, vs, ds and ps of 5.0 and 5.1",
        ProgramKind::from_code(token >> 16).map_or("??", ProgramKind::name), token >> 4 & 15, token & 15;
    Self::Length { stated, found } => "the program says {stated} words, there are {found}";
    Self::Opcode(number) => "no opcode has the number {number}";
    Self::InstructionLength(length) => "an instruction of {length} words does not fit";
    Self::Short => "the instruction ends before its operands";
    Self::Long(words) => "{words} words behind the instruction's operands";
    Self::Chain => "too many extended tokens";
    Self::OperandKind(number) => "no register file has the number {number}";
    Self::Representation(number) => "no index representation has the number {number}";
    Self::ImmediateComponents => "an immediate without components";
    Self::Nesting => "indices are nested too deep";
} }

const EXTENDED: u32 = 1 << 31;

/// A cursor over the words of one instruction.
#[derive(Clone)]
pub(crate) struct Words<'a> {
    rest: &'a [u32],
    place: usize,
}

impl<'a> Words<'a> {
    pub(crate) fn new(words: &'a [u32], place: usize) -> Words<'a> {
        Words { rest: words, place }
    }

    /// The number of the next word in the program.
    pub(crate) fn place(&self) -> usize {
        self.place
    }

    pub(crate) fn next(&mut self) -> Result<u32, TokenError> {
        let Some((first, rest)) = self.rest.split_first() else {
            return Err(TokenError {
                place: self.place,
                kind: TokenErrorKind::Short,
            });
        };
        self.rest = rest;
        self.place = self.place.saturating_add(1);
        Ok(*first)
    }

    /// All that is left.
    pub(crate) fn rest(&mut self) -> &'a [u32] {
        std::mem::take(&mut self.rest)
    }

    /// The extended tokens behind a token, without the bit that says that another one follows.
    pub(crate) fn chain(&mut self, token: u32, most: usize) -> Result<Vec<u32>, TokenError> {
        let mut chain = Vec::new();
        let mut last = token;
        while last & EXTENDED != 0 {
            if chain.len() == most {
                return Err(TokenError {
                    place: self.place,
                    kind: TokenErrorKind::Chain,
                });
            }
            last = self.next()?;
            chain.push(last & !EXTENDED);
        }
        Ok(chain)
    }
}

/// Writes a token and its extended tokens.
pub(crate) fn push_chain(words: &mut Vec<u32>, token: u32, extended: &[u32]) {
    let all = std::iter::once(&token).chain(extended);
    let last = extended.len();
    words.extend(all.enumerate().map(|(n, word)| match n < last {
        true => word | EXTENDED,
        false => word & !EXTENDED,
    }));
}
