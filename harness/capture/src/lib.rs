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
mod data;
mod dispatch;
mod error;
mod foreign;
mod header;
mod ids;
mod index;
mod json;
mod objects;
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

pub use arguments::Resolver;
pub use call::{CALLS, Call, CallInfo};
pub use data::{Bitmap, BitmapTarget, ByteArray, Bytes, Matrix, Numbers, Point, Uints};
pub use dispatch::command;
pub use error::{BlockFault, CaptureError, CaptureErrorKind, KeyError};
pub use header::{EVENT_VERSION, Header, MAX_SIDE};
pub use ids::{Ids, Object};
pub use index::{Creation, Index};
pub use objects::{
    IndexBufferId, ObjectId, ObjectKind, ProgramId, STAGE3DS, TextureId, VertexBufferId,
};
pub use reader::{CallLine, Event, EventLine, Reader, Record, count_frames};
pub use recorder::{ContextRequest, RECORD_VARIABLE, RecordedContext, Recorder};
pub use source::MAX_LINE_BYTES;
pub use value::{CubeSide, MipLevel, Optional};
pub use writer::{Form, Writer};
pub use zstd::Compressed;
