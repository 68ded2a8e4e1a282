#![doc = include_str!("../README.md")]
//!
//! # Reading and writing
//!
//! [`CaptureReader`] returns [`CaptureRecord`]s and [`CaptureWriter`] writes them, in either [`Form`]; reading returns
//! exactly what was written. [`CaptureRecorder`] writes what a host executes. [`CaptureIndex`] locates frames, calls
//! and objects without reading a whole capture. A reader accepts any input: errors are [`CaptureError`]s with a line
//! number, everything before an error is read, memory is bounded by the longest allowed line ([`MAX_LINE_BYTES`]) or
//! block, and every object in a record was created by an earlier one and has the class that the call requires.
//!
//! # A capture of your own game
//!
//! - **In an emulator that uses Molehill**, the layer `context3d::native` records every command with its result; a host
//!   without this layer passes commands to a [`CaptureRecorder`], as in the first example. With [`record_from_env`],
//!   the user decides: `MOLEHILL_RECORD=game.s3d.jsonl emulator game.swf`. If `MOLEHILL_RECORD` isn't set, nothing is
//!   recorded, at no cost. No file is replaced: the next recording is `game.1.s3d.jsonl`, which is reported on standard
//!   error.
//! - **In any other player** or emulator, each native method of `Stage3D`, `Context3D` and the objects of a context
//!   writes one line when it is called, and the player writes one line at the end of each frame; [the format](#format)
//!   specifies the lines. The player needs no library except for base64. In Rust, use [`CaptureWriter`].
//! - Begin the recording before the first `requestContext3D`, because objects that were created earlier have no ids.
//! - `molehill info game.s3d.jsonl` reads the file and reports the line and the key of an error; `molehill replay`
//!   draws it.
//!
#![doc = include_str!("../FORMAT.md")]

mod binary;
mod call;
mod command;
pub mod data;
mod enhanced;
mod error;
mod extent;
mod foreign;
mod header;
mod ids;
mod index;
mod json;
mod keys;
mod known_objects;
mod limits;
mod native;
mod note;
mod object;
mod output;
pub mod png;
mod reader;
mod record;
mod recorder;
mod source;
mod value;
mod writer;
mod zstd;

pub use context3d;

pub use call::{CALLS, Call, CallInfo, CallKind};
pub use enhanced::{EnhancedBackend, Sharpness, enhanced_from_env};
pub use error::{CaptureError, CapturePosition};
pub use header::{CaptureHeader, EVENT_VERSION, MAX_SIDE, NOTE_VERSION};
pub use index::{CaptureIndex, Creation};
pub use limits::MAX_LINE_BYTES;
pub use native::record_from_env;
pub use note::CaptureNote;
pub use reader::{CaptureReader, count_frames};
pub use record::{CallLine, CaptureRecord, EventLine, EventRecord, SharedRecord};
pub use recorder::{CaptureRecorder, ContextRequest, RECORD_VARIABLE, RecordedContext};
pub use writer::{CaptureWriter, Form};
pub use zstd::ZstdWriter;

/// Parses two numbers with a separator, such as `640x480` or `120,80`. Returns `None` for other strings.
///
/// ```
/// assert_eq!(molehill_capture::pair("640x480", 'x'), Some((640, 480)));
/// assert_eq!(molehill_capture::pair("120, 80", ','), Some((120, 80)));
/// assert_eq!(molehill_capture::pair::<u32>("120,-80", ','), None);
/// ```
pub fn pair<T: std::str::FromStr>(text: &str, separator: char) -> Option<(T, T)> {
    let (first, second) = text.split_once(separator)?;
    Some((first.trim().parse().ok()?, second.trim().parse().ok()?))
}

/// Conversions between recorded calls and commands of `context3d`.
pub mod commands {
    pub use crate::call::command;
    pub use crate::command::Resolver;
    pub use crate::ids::{Ids, ReplayObject};
}

/// The details of a [`CaptureError`].
pub mod errors {
    pub use crate::error::{BlockFault, CaptureErrorKind, KeyError};
}

/// The objects of a capture: their ids and classes.
pub mod objects {
    pub use crate::limits::STAGE3DS;
    pub use crate::object::{ObjectId, ObjectKind};
    pub use crate::value::{IndexBufferId, ProgramId, TextureId, VertexBufferId};
}
