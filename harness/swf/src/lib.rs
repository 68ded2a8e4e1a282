//! Captures as SWF files: the same calls in Flash Player, AIR, Ruffle or Lightspark, through ActionScript bytecode.
//!
//! [`convert`] writes a file, [`Writer`] one with several captures; [`check`] reads one back and verifies its code. What a file prints in the player is read by
//! [`results`].

mod arguments;
mod call;
mod code;
mod convert;
mod file;
mod pool;
pub mod results;
mod runtime;
mod verify;

pub use convert::{Converted, Prints, Writer, convert, is_expected_text};
pub use file::check;

/// Why a file can't be written or read.
#[derive(Debug, thiserror::Error)]
pub enum SwfError {
    /// A limit of the file format.
    #[error("the capture is too long for an SWF file")]
    TooLong,
    /// A method that a player would refuse.
    #[error("method {method}: {what}")]
    Verify {
        /// Index of the method's body.
        method: usize,
        /// The problem.
        what: String,
    },
    /// The file is not SWF.
    #[error(transparent)]
    Swf(#[from] swf::error::Error),
    /// The file's code is not ABC.
    #[error("invalid code: {0}")]
    Abc(#[from] swf::error::AbcParseError),
    /// Writing failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}
