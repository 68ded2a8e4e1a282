//! Errors of ATF files.

use std::fmt;

/// Why an ATF file can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AtfError {
    /// The data is shorter than the file.
    Truncated {
        /// Bytes needed for the part being read, from the start of the file.
        needed: u64,
        /// Bytes available.
        have: u64,
    },
    /// The data doesn't begin with `ATF`.
    NotAtf,
    /// Unknown version.
    Version(u8),
    /// Unknown format code.
    Format(u8),
    /// A side or the number of levels exceeds ATF's limits.
    Header {
        /// log2 of the width, at most 12.
        log_width: u8,
        /// log2 of the height, at most 12.
        log_height: u8,
        /// Number of levels, 1 to 13.
        count: u8,
    },
    /// A record extends past the length in the header.
    Overrun {
        /// Offset of the record's length, from the start of the file.
        offset: u64,
        /// Length of the record in bytes.
        length: u64,
    },
    /// The contents of a record are invalid.
    Invalid(String),
    /// A feature that Molehill doesn't support; Flash may support it.
    Unsupported(String),
}

impl AtfError {
    pub(crate) fn invalid(what: impl fmt::Display) -> Self {
        AtfError::Invalid(what.to_string())
    }
}

impl fmt::Display for AtfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AtfError::Truncated { needed, have } => {
                write!(f, "truncated: {needed} bytes are needed, but there are only {have}")
            }
            AtfError::NotAtf => write!(f, "not an ATF file"),
            AtfError::Version(version) => write!(f, "unknown ATF version {version}"),
            AtfError::Format(code) => write!(f, "unknown format code {code:#04x}"),
            AtfError::Header { log_width, log_height, count } => write!(
                f,
                "a picture of 2^{log_width}×2^{log_height} with {count} levels is not allowed: sides are at most 2^12, levels 1 to 13"
            ),
            AtfError::Overrun { offset, length } => write!(
                f,
                "the record at byte {offset} has {length} bytes and extends past the end of the file"
            ),
            AtfError::Invalid(what) => write!(f, "invalid: {what}"),
            AtfError::Unsupported(what) => write!(f, "unsupported: {what}"),
        }
    }
}

impl std::error::Error for AtfError {}
