//! Captures: JSON Lines of the calls that a Flash program made on Stage3D (FORMAT.md beside the shared captures).
//!
//! [`Reader`] gives [`Record`]s, [`Writer`] takes them; what one writes the other reads back the same. The table of calls
//! in `context3d` is the only description of them. A reader takes any input: what is wrong comes as a [`CaptureError`]
//! with the number of the line, memory stays bounded by the longest line that is allowed ([`MAX_LINE_BYTES`]), and
//! every object that a record names was created by an earlier one and is of the class that the call takes.

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
pub use source::MAX_LINE_BYTES;
pub use value::{CubeSide, MipLevel, Optional};
pub use writer::Writer;
