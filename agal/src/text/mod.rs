//! Parsing of text, shared by AGAL's assembler and those of the related crates: a cursor, errors with positions, and
//! suggestions for misspelled words.

mod cursor;
mod error;
mod nearest;

pub use cursor::Cursor;
pub use error::{Clipped, Errors, MAX_ERRORS, TextError, TextErrors};
pub use nearest::nearest;

crate::table! {
    /// The severity of a checker's finding.
    pub enum Severity {
        /// The name, `warning` or `error`.
        name: &'static str,
    }
    /// Legal, undefined, or rejected by other readers.
    Warning "warning";
    /// A broken rule.
    Error "error";
}
