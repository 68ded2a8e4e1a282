//! Why a file can't be used.

use std::fmt;

/// What is wrong with an ATF file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AtfError {
    /// The data ends before the file does.
    Truncated {
        /// Bytes that the file needs up to the end of what was being read.
        needed: u64,
        /// Bytes that there are.
        have: u64,
    },
    /// It does not begin with `ATF`.
    NotAtf,
    /// A version that is not known.
    Version(u8),
    /// A format code that is not known.
    Format(u8),
    /// A side or the number of levels is outside what ATF allows.
    Header {
        /// log2 of the width, at most 12.
        log_width: u8,
        /// log2 of the height, at most 12.
        log_height: u8,
        /// Levels, 1 to 13.
        count: u8,
    },
    /// A record reaches beyond the length that the header gives.
    Overrun {
        /// Where the record's length stands, from the start of the file.
        offset: u64,
        /// Bytes of the record.
        length: u64,
    },
    /// A record does not hold what it must.
    Damaged(String),
    /// Flash may know this and Molehill can't do it.
    Unsupported(String),
}

impl AtfError {
    pub(crate) fn damaged(what: impl fmt::Display) -> Self {
        AtfError::Damaged(what.to_string())
    }
}

impl fmt::Display for AtfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AtfError::Truncated { needed, have } => {
                write!(
                    f,
                    "truncated: {needed} bytes are needed and {have} are there"
                )
            }
            AtfError::NotAtf => write!(f, "not an ATF file"),
            AtfError::Version(version) => write!(f, "ATF version {version} is not known"),
            AtfError::Format(code) => write!(f, "format code {code:#04x} is not known"),
            AtfError::Header {
                log_width,
                log_height,
                count,
            } => write!(
                f,
                "a picture of 2^{log_width}×2^{log_height} with {count} levels is not possible"
            ),
            AtfError::Overrun { offset, length } => write!(
                f,
                "the record at byte {offset} has {length} bytes, more than the file"
            ),
            AtfError::Damaged(what) => write!(f, "damaged: {what}"),
            AtfError::Unsupported(what) => write!(f, "unsupported: {what}"),
        }
    }
}

impl std::error::Error for AtfError {}
