//! Prints and assembles listings in the format of Microsoft's compiler ([hs50.text.lines]).

mod asm;
mod cursor;
mod declare;
mod error;
mod instruction;
mod listing;
mod operand;
mod parse;
mod tables;

pub use agal_core::text::MAX_ERRORS;
pub use asm::assemble;
pub use error::{HullTextError, HullTextErrorKind, HullTextErrors};
pub use instruction::instruction;
pub use listing::{HullListing, listing};
pub(crate) use operand::RegisterName;
