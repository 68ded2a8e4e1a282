//! Captures: the Stage3D calls of a Flash program, as a file.
//!
//! [`Reader`] returns [`Record`]s and [`Writer`] writes them; reading gives back exactly what was written. [`Recorder`]
//! writes what a host executes. A reader accepts any input: errors are [`CaptureError`]s with a line number, memory is
//! bounded by the longest allowed line ([`MAX_LINE_BYTES`]), and every object in a record was created by an earlier one and
//! has the class that the call requires.
//!
//! # A capture of your own game
//!
//! - **In an emulator that has Molehill**, the host keeps a [`Recorder`] and passes it every command with its result, as its
//!   page shows. [`Recorder::from_env`] makes it the user's choice: `MOLEHILL_RECORD=game.s3d.jsonl emulator game.swf`. When
//!   the variable is absent nothing is done and nothing costs anything.
//! - **In any other player** or emulator, each native method of `Stage3D`, `Context3D` and the objects of a context writes one
//!   line, as specified below, when it is called, and the player one at the end of each frame. That needs no library but one
//!   for base64. [`Writer`] is there for Rust.
//! - Begin before the first `requestContext3D`: what was made earlier can't be named.
//! - `molehill info game.s3d.jsonl` reads the file and names the line and the key that are wrong; `molehill replay` draws it.
//!
//! # Format
//!
//! Specified here and nowhere else.
//!
//! UTF-8 text, one JSON object a line (`NAME.s3d.jsonl`), optionally compressed with zstd (`.zst`). The first line is the
//! [`Header`]: `{"stage3dCapture":1,"title":…,"swfVersion":…,"stageWidth":…,"stageHeight":…,"stageColor":"#rrggbb"}`, with
//! `frameRate` and `generator` if they are known. Each other line is a call or the end of a frame:
//!
//! ```text
//! {"call":"drawTriangles","on":2,"indexBuffer":7,"firstIndex":0,"numTriangles":-1}
//! {"frame":0}
//! ```
//!
//! - `call` is the name of the method or property, `on` the id of the object that is called, `result` the id of the object
//!   that the call created. Ids are whole numbers, unique in the file. `throws` is the number of the error that the call
//!   raised in the recording player, `time` the seconds since its start; readers may ignore both.
//! - Every parameter has ActionScript's name as its key, defaults written out; [`Call`] lists all calls with their
//!   parameters. A property that is set has the key `value`. A null reference is `null`.
//! - Numbers that JSON can't express are `"NaN"`, `"Infinity"` and `"-Infinity"`.
//! - Bytes are base64, and the suffix of the key says of what: `B64` (a `ByteArray`, or the 16 float64 of a matrix),
//!   `F64B64` (`Vector.<Number>`), `U32B64` (`Vector.<uint>`), all little endian. Beside the bytes of a `ByteArray` that
//!   was set to big endian stands a key with `Endian` instead of `B64` and the value `"bigEndian"`.
//! - A `BitmapData` is `{"width":…,"height":…,"transparent":…,"argbPremultipliedB64":…}`: rows top to bottom, B, G, R, A,
//!   premultiplied; without pixels and with `"disposed":true` once it is disposed.
//! - A `Stage3D` first appears where it is first called. `requestContext3D` names in `result` the context that calls use
//!   from then on. Calls on a context are recorded where they are made, asynchronous ones too.
//! - `videoFrame` on a `VideoTexture` is the host's: the picture that the texture shows from then on. So is
//!   `uploadBlocks`: a level's blocks, for a host that reads ATF files itself.

mod arguments;
mod call;
pub mod data;
mod describe;
mod error;
mod foreign;
mod header;
mod ids;
mod json;
pub mod objects;
mod reader;
mod recorded;
mod recorder;
mod source;
#[cfg(test)]
mod tests;
mod value;
mod writer;
mod zstd;

pub use call::{CALLS, Call, CallInfo};
pub use error::CaptureError;
pub use header::{Header, MAX_SIDE};
pub use reader::{CallLine, Reader, Record, count_frames};
pub use recorder::{RECORD_VARIABLE, RecordedContext, Recorder};
pub use source::MAX_LINE_BYTES;
pub use writer::Writer;

/// Calls as commands of `context3d`.
pub mod commands {
    pub use crate::arguments::Resolver;
    pub use crate::call::command;
    pub use crate::ids::{Ids, Object};
}

/// What stands in a [`CaptureError`].
pub mod errors {
    pub use crate::error::{CaptureErrorKind, KeyError};
}
