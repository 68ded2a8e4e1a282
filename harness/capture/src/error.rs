//! Errors in a capture, with their lines.

use std::fmt;
use std::io;

use thiserror::Error;

use crate::limits::MAX_LINE_BYTES;
use crate::object::{ObjectId, ObjectKind};

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

#[derive(Debug)]
pub struct CaptureError {
    /// Where it is. A line that can't be read counts as a call.
    pub at: Position,
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

#[derive(Debug, Error)]
pub enum CaptureErrorKind {
    #[error("{0}")]
    Io(io::Error),
    #[error("bad zstd data: {0}")]
    Zstd(String),
    #[error("line longer than {limit} bytes")]
    LineTooLong { limit: u64 },
    /// Not JSON. `column` is the byte within the line, counted from 1, or 0 if it is unknown; `reason` the parser's message.
    #[error("invalid JSON{}: {reason}", at_column(*column))]
    Json { column: usize, reason: String },
    #[error("not a JSON object")]
    NotAnObject,
    #[error("not a Stage3D capture: the first line has no \"stage3dCapture\"")]
    NoHeader,
    #[error("not a Stage3D capture but {0}")]
    Foreign(String),
    #[error("capture of version {0}; only versions 1 to 3 can be read")]
    Version(String),
    #[error("no \"call\", \"frame\", \"event\" or \"note\" in this line")]
    UnknownRecord,
    /// No receiver has such a method or property. `name` is shortened if it is long; `nearest` is the most similar known name.
    #[error("unknown call {name:?}{}", did_you_mean(*nearest))]
    UnknownCall { name: String, nearest: Option<&'static str> },
    #[error("{call}: object {on} is a {is}, which has no {call:?}")]
    WrongReceiver { call: &'static str, on: ObjectId, is: ObjectKind },
    /// A key is missing or has an invalid value. `record` is the call, "frame", "event", "note", "line" or
    /// "header".
    #[error("{record}: key {key:?} {fault}")]
    Key { record: &'static str, key: String, fault: KeyError },
    #[error("frame {frame} ends after frame {after}")]
    FrameOrder { frame: u32, after: u32 },
    #[error("\"result\" {0} is the id of an object that exists already")]
    DuplicateId(ObjectId),
    /// More Stage3D objects than Flash has, or an invalid index.
    #[error("{0}")]
    Stage3Ds(String),
    /// A binary capture is damaged or ends too early, in the block that begins at byte `offset`.
    #[error("block at byte {offset}: {fault}")]
    Block { offset: u64, fault: BlockFault },
    #[error("this capture can't seek back; convert it to .s3d")]
    NoSeek,
    #[error("more than {limit} objects, frames and events")]
    TooMany { limit: usize },
}

fn at_column(column: usize) -> String {
    if column == 0 { String::new() } else { format!(" at column {column}") }
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| format!("; did you mean {nearest:?}?"))
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BlockFault {
    #[error("the capture is cut off")]
    CutOff,
    #[error("damaged: no block begins here")]
    Head,
    #[error("damaged: the checksum does not match")]
    Checksum,
    #[error("damaged: a payload does not match its hash")]
    Content,
    #[error("a block of {bytes} bytes; at most {MAX_LINE_BYTES} are allowed")]
    TooLong { bytes: u64 },
    #[error("bad zstd data: {0}")]
    Zstd(String),
    #[error("no block has payload {0}")]
    UnknownPayload(u64),
    #[error("malformed: {0}")]
    Malformed(&'static str),
}

/// A [`KeyError`], in one word: it is rare, and a value is returned in its place for every field.
pub(crate) type Fault = Box<KeyError>;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum KeyError {
    #[error("is missing")]
    Missing,
    #[error("must be {expected}")]
    WrongType { expected: &'static str },
    #[error("is out of range: must be {expected}")]
    OutOfRange { expected: &'static str },
    #[error("is not base64: {0}")]
    Base64(String),
    #[error("has {bytes} bytes instead of {expected}")]
    Length { bytes: usize, expected: String },
    #[error("names object {0}, which no earlier line created")]
    UnknownObject(ObjectId),
    #[error("names object {id}, which is a {is} instead of {expected}")]
    WrongObject { id: ObjectId, is: ObjectKind, expected: &'static str },
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
