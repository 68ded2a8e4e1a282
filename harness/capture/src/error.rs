//! Errors in a capture, with their lines.

use std::fmt;
use std::io;

use thiserror::Error;

use crate::limits::MAX_LINE_BYTES;
use crate::object::{ObjectId, ObjectKind};

/// The position of an error in a capture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CapturePosition {
    /// 1-based line; 0 if the capture could not be opened. For a binary capture: the line of the record in the JSON
    /// Lines form.
    pub line: u64,
    /// 1-based index of the call in this line; 0 if the line is not a call, or if the index is unknown.
    pub call: u64,
}

impl CapturePosition {
    /// Returns a message with the capture's name: `NAME:LINE: call N: message`.
    pub fn located(self, name: &str, message: impl fmt::Display) -> String {
        match self {
            CapturePosition { line: 0, .. } => format!("{name}: {message}"),
            CapturePosition { line, call: 0 } => format!("{name}:{line}: {message}"),
            CapturePosition { line, call } => format!("{name}:{line}: call {call}: {message}"),
        }
    }
}

impl fmt::Display for CapturePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CapturePosition { line, call: 0 } => write!(f, "line {line}"),
            CapturePosition { line, call } => write!(f, "line {line} (call {call})"),
        }
    }
}

/// An error of a capture, and its position.
#[derive(Debug)]
pub struct CaptureError {
    /// The position of the error. A line that can't be read counts as a call.
    pub at: CapturePosition,
    /// The type of the error, with its details.
    pub kind: CaptureErrorKind,
}

impl CaptureError {
    /// Returns the error as a message with the capture's name: see [`CapturePosition::located`].
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

/// The kinds of errors of captures.
#[derive(Debug, Error)]
pub enum CaptureErrorKind {
    /// The file or stream could not be read.
    #[error("{0}")]
    Io(io::Error),
    /// The compressed data is damaged.
    #[error("bad zstd data: {0}")]
    Zstd(String),
    /// A line is longer than a reader accepts.
    #[error("line longer than {limit} bytes")]
    LineTooLong {
        /// The maximum line length in bytes.
        limit: u64,
    },
    /// A line is not JSON.
    #[error("invalid JSON{}: {reason}", at_column(*column))]
    Json {
        /// 1-based byte within the line, or 0 if it is unknown.
        column: usize,
        /// The message of the JSON parser.
        reason: String,
    },
    /// A line is JSON, but not an object.
    #[error("not a JSON object")]
    NotAnObject,
    /// The first line has no key `stage3dCapture`.
    #[error("not a Stage3D capture: the first line has no \"stage3dCapture\"")]
    NoHeader,
    /// The file has another format, with this name.
    #[error("not a Stage3D capture but {0}")]
    Foreign(String),
    /// The header has a version that this crate does not know.
    #[error("capture of version {0}; only versions 1 to 3 can be read")]
    Version(String),
    /// A line has none of the keys that determine the type of a record.
    #[error("no \"call\", \"frame\", \"event\" or \"note\" in this line")]
    UnknownRecord,
    /// No class has a method or property of this name.
    #[error("unknown call {name:?}{}", did_you_mean(*nearest))]
    UnknownCall {
        /// The name, shortened if it is long.
        name: String,
        /// The most similar known name.
        nearest: Option<&'static str>,
    },
    /// An object has another class than the call requires.
    #[error("{call}: object {on} is a {is}, which has no {call:?}")]
    WrongReceiver {
        /// The name of the call.
        call: &'static str,
        /// The id of the receiver.
        on: ObjectId,
        /// The class of the receiver.
        is: ObjectKind,
    },
    /// A key is missing or has an invalid value.
    #[error("{record}: key {key:?} {fault}")]
    Key {
        /// The method name of a call; otherwise "frame", "event", "note", "line" or "header".
        record: &'static str,
        /// The key of the JSON object.
        key: String,
        /// The error in the key's value.
        fault: KeyError,
    },
    /// A frame's number isn't greater than the previous frame's.
    #[error("frame {frame} ends after frame {after}")]
    FrameOrder {
        /// The number of the frame.
        frame: u32,
        /// The number of the previous frame.
        after: u32,
    },
    /// An object has the id of an earlier one.
    #[error("\"result\" {0} is the id of an object that exists already")]
    DuplicateId(ObjectId),
    /// The capture uses more Stage3D objects than Flash has, or an invalid index.
    #[error("{0}")]
    Stage3Ds(String),
    /// A binary capture is damaged or ends too early, in a block.
    #[error("block at byte {offset}: {fault}")]
    Block {
        /// The type of damage.
        offset: u64,
        /// The damage.
        fault: BlockFault,
    },
    /// The source can only be read forwards, and the record was already read.
    #[error("this capture can't seek back; convert it to .s3d")]
    NoSeek,
    /// The index of the capture would be too large.
    #[error("more than {limit} objects, frames and events")]
    TooMany {
        /// The maximum number of objects, frames and events.
        limit: usize,
    },
}

fn at_column(column: usize) -> String {
    if column == 0 { String::new() } else { format!(" at column {column}") }
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| format!("; did you mean {nearest:?}?"))
}

/// The kinds of damage of a block of a binary capture.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BlockFault {
    /// The file ends within the block.
    #[error("the capture is cut off")]
    CutOff,
    /// No block head was found where one was expected.
    #[error("damaged: no block begins here")]
    Head,
    /// The block's checksum doesn't match its bytes.
    #[error("damaged: the checksum does not match")]
    Checksum,
    /// A payload's hash doesn't match its bytes.
    #[error("damaged: a payload does not match its hash")]
    Content,
    /// The block is longer than a reader accepts.
    #[error("a block of {bytes} bytes; at most {MAX_LINE_BYTES} are allowed")]
    TooLong {
        /// The number of bytes according to the block's head.
        bytes: u64,
    },
    /// The compressed data of the block is damaged.
    #[error("bad zstd data: {0}")]
    Zstd(String),
    /// A record refers to a payload that no earlier block contains.
    #[error("no block has payload {0}")]
    UnknownPayload(u64),
    /// The block's content doesn't match its head.
    #[error("malformed: {0}")]
    Malformed(&'static str),
}

/// A boxed [`KeyError`], because errors are rare, and a box keeps the `Result` of every field small.
pub(crate) type ReaderError = Box<KeyError>;

/// The kinds of errors in a key's value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum KeyError {
    /// The record doesn't contain the key.
    #[error("is missing")]
    Missing,
    /// The value has another type.
    #[error("must be {expected}")]
    WrongType {
        /// The expected type of the key's value, as text.
        expected: &'static str,
    },
    /// The value is a number out of its range.
    #[error("is out of range: must be {expected}")]
    OutOfRange {
        /// The expected range of the key's value, as text.
        expected: &'static str,
    },
    /// The value isn't base64, for this reason.
    #[error("is not base64: {0}")]
    Base64(String),
    /// The number of decoded bytes isn't the number that the call requires.
    #[error("has {bytes} bytes instead of {expected}")]
    Length {
        /// The number of decoded bytes.
        bytes: usize,
        /// The description of the expected number of bytes.
        expected: String,
    },
    /// The value is the id of an object that does not exist.
    #[error("names object {0}, which no earlier line created")]
    UnknownObject(ObjectId),
    /// The value is the id of an object of another class.
    #[error("names object {id}, which is a {is} instead of {expected}")]
    WrongObject {
        /// The object's id.
        id: ObjectId,
        /// The class of the object.
        is: ObjectKind,
        /// The names of the expected classes.
        expected: &'static str,
    },
    /// The value is a structure, and the value of this key in it has an error.
    #[error("is wrong: key {0:?} {1}")]
    Inside(&'static str, Box<KeyError>),
}

/// Returns the name in `known` that is most similar to `name`, if any is similar enough.
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
