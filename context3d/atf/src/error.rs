//! Errors of ATF files.

use std::fmt;

/// An error in reading an ATF file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AtfError {
    /// The data is shorter than the file.
    #[error("truncated: {needed} bytes are needed, but there are only {have}")]
    Truncated {
        /// Bytes needed for the current value, from the start of the file.
        needed: u64,
        /// Bytes available.
        have: u64,
    },
    /// The data doesn't begin with `ATF`.
    #[error("not an ATF file")]
    NotAtf,
    /// The version is unknown.
    #[error("unknown ATF version {0}")]
    Version(u8),
    /// The format code is unknown.
    #[error("unknown format code {0:#04x}")]
    Format(u8),
    /// The width, height or number of levels exceeds ATF's limits.
    #[error(
        "an image of 2^{log_width}×2^{log_height} with {count} levels is not allowed: sides are at most 2^12, levels 1 to 13"
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

/// An error in editing a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AtfEditError {
    /// The file can't be read, or has parts that can't be converted.
    #[error(transparent)]
    File(#[from] AtfError),
    /// A level has none of the encodings that should be kept.
    #[error("level {level} has only {present}; keep one of these")]
    NoEncoding {
        /// The index of the mip level.
        level: u8,
        /// The encodings of the level.
        present: String,
    },
    /// A face was selected in a file with one face.
    #[error("the file is not a cube texture, so it has no faces to select")]
    NoFace,
    /// A selected level doesn't exist.
    #[error("there is no level {level}: the last one with content is {last}")]
    NoLevel {
        /// The index of the selected mip level.
        level: u8,
        /// The last level with content.
        last: u8,
    },
    /// The replacement has another format, size or set of encodings than the level.
    #[error("the replacement has {found}, but level {level} has {expected}")]
    Replacement {
        /// The index of the mip level.
        level: u8,
        /// The property of the replacement that differs: its format, size or encodings.
        found: String,
        /// The property of the level that the replacement must have: its format, size or encodings.
        expected: String,
    },
    /// Images can't be converted to this encoding.
    #[error("an image can't be encoded as {0}; write raw blocks of only DXT or ETC2")]
    NoEncoder(String),
    /// A record is longer than the length field of the file's version allows.
    #[error("{0} bytes are too long for version 0, whose lengths have three bytes")]
    TooLong(usize),
}
