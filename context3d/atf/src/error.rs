//! Errors of ATF files.

use std::fmt;

/// Why an ATF file can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AtfError {
    /// The data is shorter than the file.
    #[error("truncated: {needed} bytes are needed, but there are only {have}")]
    Truncated {
        /// Bytes needed for the part being read, from the start of the file.
        needed: u64,
        /// Bytes available.
        have: u64,
    },
    /// The data doesn't begin with `ATF`.
    #[error("not an ATF file")]
    NotAtf,
    /// Unknown version.
    #[error("unknown ATF version {0}")]
    Version(u8),
    /// Unknown format code.
    #[error("unknown format code {0:#04x}")]
    Format(u8),
    /// A side or the number of levels exceeds ATF's limits.
    #[error(
        "a picture of 2^{log_width}×2^{log_height} with {count} levels is not allowed: sides are at most 2^12, levels 1 to 13"
    )]
    Header {
        /// log2 of the width, at most 12.
        log_width: u8,
        /// log2 of the height, at most 12.
        log_height: u8,
        /// Number of levels, 1 to 13.
        count: u8,
    },
    /// A record extends past the length in the header.
    #[error("the record at byte {offset} has {length} bytes and extends past the end of the file")]
    Overrun {
        /// Offset of the record's length, from the start of the file.
        offset: u64,
        /// Length of the record in bytes.
        length: u64,
    },
    /// The contents of a record are invalid.
    #[error("invalid: {0}")]
    Invalid(String),
    /// A feature that Molehill doesn't support; Flash may support it.
    #[error("unsupported: {0}")]
    Unsupported(String),
}

impl AtfError {
    pub(crate) fn invalid(what: impl fmt::Display) -> Self {
        AtfError::Invalid(what.to_string())
    }
}
