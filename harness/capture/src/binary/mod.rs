//! The binary form: blocks with checksums, compressed independently. `FORMAT.md` specifies every byte.

mod block;
mod decode;
mod encode;
mod leb;
mod payloads;
mod read;
mod tag;
mod write;

pub(crate) use block::{BlockKind, BlockPosition, MAX_INDEX_BYTES};
pub(crate) use leb::{LebCursor, put};
pub(crate) use read::{BinaryReader, PayloadSource, starts_like};
pub(crate) use write::BinaryWriter;
