//! Reading texts, for AGAL's assembler and those of the crates beside it: a cursor, errors that show their place, and
//! the word that was probably meant.

mod cursor;
mod error;
mod nearest;

pub use cursor::Cursor;
pub use error::{Clipped, Errors, MAX_ERRORS, TextError, TextErrors};
pub use nearest::nearest;

crate::table! {
    /// How bad a finding of a checker is.
    pub enum Severity {
        /// `warning` or `error`.
        name: &'static str,
    }
    /// Legal, undefined, or refused by another reader.
    Warning "warning";
    /// The rule is broken.
    Error "error";
}
