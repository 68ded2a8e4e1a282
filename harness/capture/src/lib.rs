//! Captures: the Stage3D calls of a Flash program, as a file.
//!
//! [`Reader`] returns [`Record`]s and [`Writer`] writes them, in either [`Form`]; reading gives back exactly what was written.
//! [`Recorder`] writes what a host executes. [`Index`] tells where frames, calls and objects are, without reading a capture
//! whole. A reader accepts any input: errors are [`CaptureError`]s with a line number, what is before them is read, memory is
//! bounded by the longest allowed line ([`MAX_LINE_BYTES`]) or block, and every object in a record was created by an earlier
//! one and has the class that the call requires.
//!
#![doc = include_str!("../FORMAT.md")]

mod arguments;
mod binary;
mod call;
pub mod data;
mod error;
mod foreign;
mod header;
mod ids;
mod index;
mod json;
pub mod objects;
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
