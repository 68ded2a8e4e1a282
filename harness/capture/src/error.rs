//! Errors in a capture, with their lines.

use std::fmt;
use std::io;

use super::objects::{ObjectId, ObjectKind};
use super::source::MAX_LINE_BYTES;

/// A position in a capture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Number of the line, counted from 1; 0 if the capture could not be opened. In a binary capture, the line that the
    /// record has in the JSON Lines form.
    pub line: u64,
    /// Number of the call in this line, counted from 1; 0 if it is not a call, or the number is unknown.
    pub call: u64,
}

impl Position {
    /// A message with the capture's name: `NAME:LINE: call N: message`.
    pub fn located(self, name: &str, message: impl fmt::Display) -> String {
        match self {
            Position { line: 0, .. } => format!("{name}: {message}"),
            Position { line, call: 0 } => format!("{name}:{line}: {message}"),
            Position { line, call } => format!("{name}:{line}: call {call}: {message}"),
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Position { line, call: 0 } => write!(f, "line {line}"),
            Position { line, call } => write!(f, "line {line} (call {call})"),
        }
    }
}

/// An error in a capture.
#[derive(Debug)]
pub struct CaptureError {
    /// Where it is. A line that can't be read counts as a call.
    pub at: Position,
    /// The error.
    pub kind: CaptureErrorKind,
}

/// Errors of a line.
#[derive(Debug)]
pub enum CaptureErrorKind {
    /// Reading failed.
    Io(io::Error),
    /// Invalid or truncated zstd data.
    Zstd(String),
    /// The line is too long.
    LineTooLong {
        /// The limit in bytes.
        limit: u64,
    },
    /// Not JSON.
    Json {
        /// Byte within the line, counted from 1; 0 if unknown.
        column: usize,
        /// The parser's message.
        reason: String,
    },
    /// JSON, but not an object.
    NotAnObject,
    /// The capture is empty, or its first line is not a header.
    NoHeader,
    /// Another kind of file, described by the text.
    Foreign(String),
    /// A header of another format version.
    Version(String),
    /// An object that is neither a call nor the end of a frame nor an event.
    NeitherCallNorFrame,
    /// No receiver has such a method or property.
    UnknownCall {
        /// The name in the line, shortened if it is long.
        name: String,
        /// The most similar known name.
        nearest: Option<&'static str>,
    },
    /// The receiver has no such method or property.
    WrongReceiver {
        /// The call.
        call: &'static str,
        /// The receiver.
        on: ObjectId,
        /// The receiver's class.
        is: ObjectKind,
    },
    /// A key is missing or has an invalid value.
    Key {
        /// The call, "frame" or "header".
        place: &'static str,
        /// The key.
        key: String,
        /// The error in its value.
        fault: KeyError,
    },
    /// A frame number that is not greater than the one before.
    FrameOrder {
        /// This frame.
        frame: u32,
        /// The one before.
        after: u32,
    },
    /// The `result` is already the id of another object.
    DuplicateId(ObjectId),
    /// More Stage3D objects than Flash has, or an invalid index.
    Stage3Ds(String),
    /// A binary capture is damaged or ends too early.
    Block {
        /// The byte at which the block begins.
        offset: u64,
        /// The error in the block.
        fault: BlockFault,
    },
    /// The reader can't go back: it reads text.
    NoSeek,
    /// More objects, frames and events than any program makes.
    TooMany {
        /// The limit.
        limit: usize,
    },
}

/// Errors of a block of a binary capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockFault {
    /// The file ends here, or within the block.
    CutOff,
    /// No head of a block, or its checksum doesn't match.
    Head,
    /// The block's checksum doesn't match.
    Checksum,
    /// A payload doesn't match its hash.
    Content,
    /// The block is longer than any block may be.
    TooLong {
        /// Actual length in bytes.
        bytes: u64,
    },
    /// Invalid zstd data.
    Zstd(String),
    /// No earlier block has this payload.
    UnknownPayload(u64),
    /// The content is not valid in this format.
    Malformed(&'static str),
}

impl fmt::Display for BlockFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BlockFault::CutOff => write!(f, "the capture is cut off"),
            BlockFault::Head => write!(f, "damaged: no block begins here"),
            BlockFault::Checksum => write!(f, "damaged: the checksum does not match"),
            BlockFault::Content => write!(f, "damaged: a payload does not match its hash"),
            BlockFault::TooLong { bytes } => {
                write!(f, "a block of {bytes} bytes; at most {MAX_LINE_BYTES} are allowed")
            }
            BlockFault::Zstd(reason) => write!(f, "bad zstd data: {reason}"),
            BlockFault::UnknownPayload(number) => write!(f, "no block has payload {number}"),
            BlockFault::Malformed(what) => write!(f, "malformed: {what}"),
        }
    }
}

/// A [`KeyError`], in one word: it is rare, and a value is returned in its place for every field.
pub(super) type Fault = Box<KeyError>;

/// Errors of the value under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyError {
    /// The key is missing.
    Missing,
    /// The value has another type.
    WrongType {
        /// The required type.
        expected: &'static str,
    },
    /// A number out of the type's range.
    OutOfRange {
        /// The required range.
        expected: &'static str,
    },
    /// Not base64.
    Base64(String),
    /// Base64 of the wrong number of bytes.
    Length {
        /// Actual number of bytes.
        bytes: usize,
        /// Required number of bytes.
        expected: String,
    },
    /// No earlier line created the object.
    UnknownObject(ObjectId),
    /// The object is of another kind.
    WrongObject {
        /// The object.
        id: ObjectId,
        /// The object's kind.
        is: ObjectKind,
        /// The required kind.
        expected: &'static str,
    },
    /// An error in a nested value.
    Inside(&'static str, Box<KeyError>),
}

impl CaptureError {
    /// The error with the capture's name: see [`Position::located`].
    pub fn located(&self, name: &str) -> String {
        self.at.located(name, &self.kind)
    }
}

impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at.line {
            0 => write!(f, "{}", self.kind),
            _ => write!(f, "{}: {}", self.at, self.kind),
        }
    }
}

impl std::error::Error for CaptureError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            CaptureErrorKind::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl fmt::Display for CaptureErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CaptureErrorKind::Io(error) => write!(f, "{error}"),
            CaptureErrorKind::Zstd(reason) => write!(f, "bad zstd data: {reason}"),
            CaptureErrorKind::LineTooLong { limit } => write!(f, "line longer than {limit} bytes"),
            CaptureErrorKind::Json { column: 0, reason } => write!(f, "invalid JSON: {reason}"),
            CaptureErrorKind::Json { column, reason } => {
                write!(f, "invalid JSON at column {column}: {reason}")
            }
            CaptureErrorKind::NotAnObject => write!(f, "not a JSON object"),
            CaptureErrorKind::NoHeader => {
                write!(f, "not a Stage3D capture: the first line has no \"stage3dCapture\"")
            }
            CaptureErrorKind::Foreign(what) => write!(f, "not a Stage3D capture but {what}"),
            CaptureErrorKind::Version(version) => {
                write!(f, "capture of version {version}; only versions 1 and 2 can be read")
            }
            CaptureErrorKind::NeitherCallNorFrame => {
                write!(f, "no \"call\", \"frame\" or \"event\" in this line")
            }
            CaptureErrorKind::UnknownCall { name, nearest } => {
                write!(f, "unknown call {name:?}")?;
                nearest.map_or(Ok(()), |nearest| write!(f, "; did you mean {nearest:?}?"))
            }
            CaptureErrorKind::WrongReceiver { call, on, is } => {
                write!(f, "{call}: object {on} is a {is}, which has no {call:?}")
            }
            CaptureErrorKind::Key { place, key, fault } => {
                write!(f, "{place}: key {key:?} {fault}")
            }
            CaptureErrorKind::FrameOrder { frame, after } => {
                write!(f, "frame {frame} ends after frame {after}")
            }
            CaptureErrorKind::DuplicateId(id) => {
                write!(f, "\"result\" {id} is the id of an object that exists already")
            }
            CaptureErrorKind::Stage3Ds(reason) => write!(f, "{reason}"),
            CaptureErrorKind::Block { offset, fault } => {
                write!(f, "block at byte {offset}: {fault}")
            }
            CaptureErrorKind::TooMany { limit } => {
                write!(f, "more than {limit} objects, frames and events")
            }
            CaptureErrorKind::NoSeek => {
                write!(f, "this capture can't seek back; convert it to .s3d")
            }
        }
    }
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyError::Missing => write!(f, "is missing"),
            KeyError::WrongType { expected } => write!(f, "must be {expected}"),
            KeyError::OutOfRange { expected } => write!(f, "is out of range: must be {expected}"),
            KeyError::Base64(reason) => write!(f, "is not base64: {reason}"),
            KeyError::Length { bytes, expected } => {
                write!(f, "has {bytes} bytes instead of {expected}")
            }
            KeyError::UnknownObject(id) => {
                write!(f, "names object {id}, which no earlier line created")
            }
            KeyError::WrongObject { id, is, expected } => {
                write!(f, "names object {id}, which is a {is} instead of {expected}")
            }
            KeyError::Inside(key, fault) => write!(f, "is wrong: key {key:?} {fault}"),
        }
    }
}

impl std::error::Error for KeyError {}

/// The name in `known` that is most similar to `name`, if any is similar enough.
pub(super) fn nearest(
    name: &str,
    known: impl Iterator<Item = &'static str>,
) -> Option<&'static str> {
    const MAX_EDITS: usize = 4;
    const LONGEST: usize = 64;
    if name.len() > LONGEST {
        return None;
    }
    let near = known.map(|candidate| (edits(name, candidate), candidate));
    let (edits, candidate) = near.min()?;
    (edits <= MAX_EDITS && edits * 2 < candidate.len()).then_some(candidate)
}

/// Levenshtein distance in bytes.
fn edits(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (y, cell) in b.bytes().zip(row.iter_mut().skip(1)) {
            let above = *cell;
            let replaced = diagonal + usize::from(!x.eq_ignore_ascii_case(&y));
            left = replaced.min(above + 1).min(left + 1);
            *cell = left;
            diagonal = above;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_nearest() {
        let known = ["drawTriangles", "x", "y", "clear", "setColorMask"];
        let nearest = |name| nearest(name, known.into_iter());
        assert_eq!(nearest("drawTringles"), Some("drawTriangles"));
        assert_eq!(nearest("DrawTriangles"), Some("drawTriangles"));
        assert_eq!(nearest("setColourMask"), Some("setColorMask"));
        assert_eq!(nearest("fly"), None);
        assert_eq!(nearest(""), None);
        assert_eq!((edits("kitten", "sitting"), edits("", "abc"), edits("abc", "")), (3, 3, 3));
    }
}
