//! Reads program dwords and reports errors.

use thiserror::Error;

use crate::names::ProgramKind;

/// A decoding error at a position in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("word {word_offset}: {kind}")]
pub struct TokenError {
    /// The 0-based index of the dword in the program.
    pub word_offset: usize,
    /// The type of the error.
    pub kind: TokenErrorKind,
}

agal_core::errors! {
    /// The types of decoding errors.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
    #[non_exhaustive]
    pub enum TokenErrorKind {
        Bytes(usize) = "{0} bytes are not a program of at least two 32-bit words";
        Version(u32) = "version {} is not supported: only hs, vs, ds and ps of 5.0 and 5.1 are" [version(.0)];
        Length { stated: u32, found: usize } = "the program's length is {stated} words, but there are {found}";
        Opcode(u32) = "opcode {0} does not exist";
        InstructionLength(u32) = "the instruction length of {0} words is 0 or exceeds the program";
        Short = "the instruction ends before its operands";
        Long(usize) = "{0} extra words follow the instruction's operands";
        Chain = "too many extended tokens";
        OperandKind(u32) = "register file {0} does not exist";
        Representation(u32) = "index representation {0} does not exist";
        ImmediateComponents = "the immediate has no components";
        Nesting = "indices are nested too deeply";
    }
}

fn version(token: &u32) -> String {
    let kind = ProgramKind::from_code(token >> 16).map_or("??", ProgramKind::name);
    format!("{token:#010x} ({kind}_{}_{})", token >> 4 & 15, token & 15)
}

pub(crate) const EXTENDED: u32 = 1 << 31;

#[derive(Clone)]
pub(crate) struct HullReader<'a> {
    rest: &'a [u32],
    word_offset: usize,
}

impl<'a> HullReader<'a> {
    pub(crate) fn new(words: &'a [u32], word_offset: usize) -> HullReader<'a> {
        HullReader { rest: words, word_offset }
    }

    pub(crate) fn error(&self, kind: TokenErrorKind) -> TokenError {
        TokenError { word_offset: self.word_offset, kind }
    }

    pub(crate) fn next(&mut self) -> Result<u32, TokenError> {
        let Some((first, rest)) = self.rest.split_first() else {
            return Err(self.error(TokenErrorKind::Short));
        };
        self.rest = rest;
        self.word_offset = self.word_offset.saturating_add(1);
        Ok(*first)
    }

    pub(crate) fn rest(&mut self) -> &'a [u32] {
        std::mem::take(&mut self.rest)
    }

    /// Consumes the extended tokens that follow a token. Clears the bits that announce further extended tokens.
    pub(crate) fn chain(&mut self, token: u32, most: usize) -> Result<Vec<u32>, TokenError> {
        let mut chain = Vec::new();
        let mut last = token;
        while last & EXTENDED != 0 {
            if chain.len() == most {
                return Err(self.error(TokenErrorKind::Chain));
            }
            last = self.next()?;
            chain.push(last & !EXTENDED);
        }
        Ok(chain)
    }
}

pub(crate) fn push_chain(words: &mut Vec<u32>, token: u32, extended: &[u32]) {
    let all = std::iter::once(&token).chain(extended);
    let last = extended.len();
    words.extend(all.enumerate().map(
        |(n, word)| {
            if n < last { word | EXTENDED } else { word & !EXTENDED }
        },
    ));
}
