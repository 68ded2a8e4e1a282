//! Errors in a capture, with their lines.

use std::fmt;
use std::io;

use thiserror::Error;

use crate::limits::MAX_LINE_BYTES;
use crate::object::{ObjectId, ObjectKind};

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

/// Errors of a line.
#[expect(missing_docs, reason = "the fields are described with their variants")]
#[derive(Debug, Error)]
pub enum CaptureErrorKind {
    /// Reading failed.
    #[error("{0}")]
    Io(io::Error),
    /// Invalid or truncated zstd data.
    #[error("bad zstd data: {0}")]
    Zstd(String),
    /// The line is longer than `limit` bytes.
    #[error("line longer than {limit} bytes")]
    LineTooLong { limit: u64 },
    /// Not JSON. `column` is the byte within the line, counted from 1, or 0 if it is unknown; `reason` the parser's message.
    #[error("invalid JSON{}: {reason}", at_column(*column))]
    Json { column: usize, reason: String },
    /// JSON, but not an object.
    #[error("not a JSON object")]
    NotAnObject,
    /// The capture is empty, or its first line is not a header.
    #[error("not a Stage3D capture: the first line has no \"stage3dCapture\"")]
    NoHeader,
    /// Another kind of file, described by the text.
    #[error("not a Stage3D capture but {0}")]
    Foreign(String),
    /// A header of another format version.
    #[error("capture of version {0}; only versions 1 and 2 can be read")]
    Version(String),
    /// An object that is neither a call nor the end of a frame nor an event.
    #[error("no \"call\", \"frame\" or \"event\" in this line")]
    NeitherCallNorFrame,
    /// No receiver has such a method or property. `name` is shortened if it is long; `nearest` is the most similar known name.
    #[error("unknown call {name:?}{}", did_you_mean(*nearest))]
    UnknownCall { name: String, nearest: Option<&'static str> },
    /// The receiver `on` of class `is` has no such method or property.
    #[error("{call}: object {on} is a {is}, which has no {call:?}")]
    WrongReceiver { call: &'static str, on: ObjectId, is: ObjectKind },
    /// A key is missing or has an invalid value. `record` is the call, "frame", "event", "line" or "header".
    #[error("{record}: key {key:?} {fault}")]
    Key { record: &'static str, key: String, fault: KeyError },
    /// The number of a frame is not greater than that of the frame before.
    #[error("frame {frame} ends after frame {after}")]
    FrameOrder { frame: u32, after: u32 },
    /// The `result` is already the id of another object.
    #[error("\"result\" {0} is the id of an object that exists already")]
    DuplicateId(ObjectId),
    /// More Stage3D objects than Flash has, or an invalid index.
    #[error("{0}")]
    Stage3Ds(String),
    /// A binary capture is damaged or ends too early, in the block that begins at byte `offset`.
    #[error("block at byte {offset}: {fault}")]
    Block { offset: u64, fault: BlockFault },
    /// The reader can't go back: it reads text.
    #[error("this capture can't seek back; convert it to .s3d")]
    NoSeek,
    /// More objects, frames and events than any program makes.
    #[error("more than {limit} objects, frames and events")]
    TooMany { limit: usize },
}

fn at_column(column: usize) -> String {
    if column == 0 { String::new() } else { format!(" at column {column}") }
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| format!("; did you mean {nearest:?}?"))
}

/// Errors of a block of a binary capture.
#[expect(missing_docs, reason = "the fields are described with their variants")]
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BlockFault {
    /// The file ends here, or within the block.
    #[error("the capture is cut off")]
    CutOff,
    /// No head of a block, or its checksum doesn't match.
    #[error("damaged: no block begins here")]
    Head,
    /// The block's checksum doesn't match.
    #[error("damaged: the checksum does not match")]
    Checksum,
    /// A payload doesn't match its hash.
    #[error("damaged: a payload does not match its hash")]
    Content,
    /// The block is longer than any block may be.
    #[error("a block of {bytes} bytes; at most {MAX_LINE_BYTES} are allowed")]
    TooLong { bytes: u64 },
    /// Invalid zstd data.
    #[error("bad zstd data: {0}")]
    Zstd(String),
    /// No earlier block has this payload.
    #[error("no block has payload {0}")]
    UnknownPayload(u64),
    /// The content is not valid in this format.
    #[error("malformed: {0}")]
    Malformed(&'static str),
}

/// A [`KeyError`], in one word: it is rare, and a value is returned in its place for every field.
pub(crate) type Fault = Box<KeyError>;

/// Errors of the value under a key.
#[expect(missing_docs, reason = "their names say it")]
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum KeyError {
    /// The key is missing.
    #[error("is missing")]
    Missing,
    /// The value has another type.
    #[error("must be {expected}")]
    WrongType { expected: &'static str },
    /// A number out of the type's range.
    #[error("is out of range: must be {expected}")]
    OutOfRange { expected: &'static str },
    /// Not base64.
    #[error("is not base64: {0}")]
    Base64(String),
    /// Base64 of the wrong number of bytes.
    #[error("has {bytes} bytes instead of {expected}")]
    Length { bytes: usize, expected: String },
    /// No earlier line created the object.
    #[error("names object {0}, which no earlier line created")]
    UnknownObject(ObjectId),
    /// The object is of another kind.
    #[error("names object {id}, which is a {is} instead of {expected}")]
    WrongObject { id: ObjectId, is: ObjectKind, expected: &'static str },
    /// An error in a nested value.
    #[error("is wrong: key {0:?} {1}")]
    Inside(&'static str, Box<KeyError>),
}

/// The name in `known` that is most similar to `name`, if any is similar enough.
pub(crate) fn nearest(
    name: &str,
    known: impl Iterator<Item = &'static str>,
) -> Option<&'static str> {
    const MAX_EDITS: usize = 4;
    const LONGEST: usize = 64;
    if name.len() > LONGEST {
        return None;
    }
    let lower = |name: &str| name.to_ascii_lowercase();
    let near = known.map(|known| (strsim::levenshtein(&lower(name), &lower(known)), known));
    let (edits, known) = near.min()?;
    (edits <= MAX_EDITS && edits * 2 < known.len()).then_some(known)
}
