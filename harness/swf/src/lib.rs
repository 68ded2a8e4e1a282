//! Converts captures to SWF files, which make the same calls in Flash Player, AIR, Ruffle or Lightspark.
//!
//! [`convert`] writes a file for a capture, [`SwfWriter`] a file for several captures. [`check`] reads a file back and
//! verifies its code. [`results`] parses the output of a file in the player.

mod arguments;
mod call;
mod code;
mod convert;
mod file;
mod pool;
pub mod results;
mod runtime;
mod verify;

pub use convert::{PrintedOutput, SwfFile, SwfWriter, convert, is_expected_text};
pub use file::check;

/// The error for writing or reading an SWF file.
#[derive(Debug, thiserror::Error)]
pub enum SwfError {
    /// The file would exceed a limit of the SWF format.
    #[error("the capture is too long for an SWF file")]
    TooLong,
    /// A method that a player would reject.
    #[error("method {method}: {what}")]
    Verify {
        /// Index of the method's body.
        method: usize,
        /// The reason of the rejection.
        what: String,
    },
    /// The file is not SWF.
    #[error(transparent)]
    Swf(#[from] swf::error::Error),
    /// The file's code is not in the ABC format.
    #[error("invalid code: {0}")]
    Abc(#[from] swf::error::AbcParseError),
    /// The output could not be written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}
