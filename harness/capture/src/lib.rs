//! Captures: the Stage3D calls of a Flash program as JSON Lines (FORMAT.md beside the shared captures).
//!
//! [`Reader`] returns [`Record`]s and [`Writer`] writes them; reading gives back exactly what was written. The table of
//! calls in `context3d` is their only description. A reader accepts any input: errors are [`CaptureError`]s with a line
//! number, memory is bounded by the longest allowed line ([`MAX_LINE_BYTES`]), and every object in a record was created
//! by an earlier one and has the class that the call requires.

mod arguments;
mod call;
mod data;
mod dispatch;
mod error;
mod foreign;
mod header;
mod ids;
mod json;
mod objects;
mod reader;
mod recorded;
mod recorder;
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
pub use error::{CaptureError, CaptureErrorKind, KeyError};
pub use header::{Header, MAX_SIDE};
pub use ids::{Ids, Object};
pub use objects::{
    IndexBufferId, ObjectId, ObjectKind, ProgramId, STAGE3DS, TextureId, VertexBufferId,
};
pub use reader::{CallLine, Reader, Record, count_frames};
pub use recorder::{RECORD_VARIABLE, RecordedContext, Recorder};
pub use source::MAX_LINE_BYTES;
pub use value::{CubeSide, MipLevel, Optional};
pub use writer::Writer;
