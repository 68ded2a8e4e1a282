//! Errors of the assembler.

use agal_core::text::{ShortWord, TextError, TextErrors};

use crate::tokens::program::TokenError;

/// An error in a listing, with its position.
pub type HullTextError = TextError<HullTextErrorKind>;
/// All errors of a listing.
pub type HullTextErrors = TextErrors<HullTextErrorKind>;
pub(super) type HullTextResult<T = ()> = Result<T, HullTextError>;

agal_core::errors! {
    /// The types of errors in listings.
    #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
    #[non_exhaustive]
    pub enum HullTextErrorKind {
        Version = "expected a version: hs, vs, ds or ps with 5_0 or 5_1, such as hs_5_0";
        Opcode(String) = "unknown opcode `{}`" [ShortWord(.0)];
        Register(String) = "unknown register `{}`" [ShortWord(.0)];
        Word(String) = "unexpected word `{}`" [ShortWord(.0)];
        Number(String) = "`{}` is not a 32-bit number" [ShortWord(.0)];
        Components(String) = "`{}` is not one to four of x, y, z, w (for a write mask, in this order)" [ShortWord(.0)];
        ValueCount(usize) = "an immediate must have 1 or 4 values, found {0}";
        Expected(&'static str) = "expected {0}";
        Rest(String) = "unexpected `{}` at the end of the line" [ShortWord(.0)];
        Nesting = "indices are nested too deeply";
        TooLong(usize) = "the instruction has {0} words, at most 127 are allowed";
        Words(TokenError) = "the words are not an instruction: {}" [.0.kind];
    }
}
