//! Captures: the Stage3D calls of a Flash program, as a file.
//!
//! [`Reader`] returns [`Record`]s and [`Writer`] writes them, in either [`Form`]; reading gives back exactly what was written.
//! [`Recorder`] writes what a host executes. [`Index`] tells where frames, calls and objects are, without reading a capture
//! whole. A reader accepts any input: errors are [`CaptureError`]s with a line number, what is before them is read, memory is
//! bounded by the longest allowed line ([`MAX_LINE_BYTES`]) or block, and every object in a record was created by an earlier
//! one and has the class that the call requires.
//!
//! # A capture of your own game
//!
//! - **In an emulator that has Molehill**, the host keeps a [`Recorder`] and passes it every command with its result, as its
//!   page shows. [`Recorder::from_env`] makes it the user's choice: `MOLEHILL_RECORD=game.s3d.jsonl emulator game.swf`. When
//!   the variable is absent nothing is done and nothing costs anything.
//! - **In any other player** or emulator, each native method of `Stage3D`, `Context3D` and the objects of a context writes one
//!   line, as [the format](#format) specifies, when it is called, and the player one at the end of each frame. That needs no library but one
//!   for base64. [`Writer`] is there for Rust.
//! - Begin before the first `requestContext3D`: what was made earlier can't be named.
//! - `molehill info game.s3d.jsonl` reads the file and names the line and the key that are wrong; `molehill replay` draws it.
//!
#![doc = include_str!("../FORMAT.md")]

mod arguments;
mod binary;
mod call;
pub mod data;
mod describe;
mod error;
mod foreign;
mod header;
mod ids;
mod index;
mod json;
pub mod objects;
mod output;
mod reader;
mod recorded;
mod recorder;
mod sink;
mod source;
#[cfg(test)]
mod tests;
mod value;
mod writer;
mod zstd;

pub use call::{CALLS, Call, CallInfo};
pub use error::CaptureError;
pub use header::{EVENT_VERSION, Header, MAX_SIDE};
pub use index::{Creation, Index};
pub use reader::{CallLine, Event, EventLine, Reader, Record, count_frames};
pub use recorder::{ContextRequest, RECORD_VARIABLE, RecordedContext, Recorder};
pub use source::MAX_LINE_BYTES;
pub use writer::{Form, Writer};
pub use zstd::Compressed;

/// Calls as commands of `context3d`.
pub mod commands {
    pub use crate::arguments::Resolver;
    pub use crate::call::command;
    pub use crate::ids::{Ids, Object};
}

/// What stands in a [`CaptureError`].
pub mod errors {
    pub use crate::error::{BlockFault, CaptureErrorKind, KeyError};
}
