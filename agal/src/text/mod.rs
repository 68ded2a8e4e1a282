//! Reading texts, for AGAL's assembler and those of the crates beside it: a cursor, errors that show their place, and
//! the word that was probably meant.

mod cursor;
mod error;
mod nearest;

pub use cursor::Cursor;
pub use error::{Clipped, Errors, MAX_ERRORS, TextError, TextErrors};
pub use nearest::nearest;
