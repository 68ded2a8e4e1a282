//! Arguments and results of calls: programs, rectangles, bitmaps, replies.

use crate::error::ErrorCode;
use crate::handle::{Handle, IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use crate::pixels::PixelLayout;

/// A program's `ByteArray`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytecode<'a> {
    /// All its bytes.
    pub bytes: &'a [u8],
    /// Its `endian` property.
    pub endian: agal::Endian,
}

/// A `flash.geom.Rectangle`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rectangle {
    /// Left.
    pub x: f64,
    /// Top.
    pub y: f64,
    /// May be negative or NaN, as in ActionScript.
    pub width: f64,
    /// May be negative or NaN, as in ActionScript.
    pub height: f64,
}

/// A `BitmapData` that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bitmap<'a> {
    /// Pixels; 0 when disposed.
    pub width: u32,
    /// Pixels; 0 when disposed.
    pub height: u32,
    /// Has an alpha channel.
    pub transparent: bool,
    /// Rows in that layout; `None` when disposed.
    pub pixels: Option<&'a [u8]>,
    /// The memory layout of the pixels.
    pub layout: PixelLayout,
}

/// A `BitmapData` that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitmapTarget {
    /// Pixels; 0 when disposed.
    pub width: u32,
    /// Pixels; 0 when disposed.
    pub height: u32,
    /// Has an alpha channel; if not, alpha becomes 255.
    pub transparent: bool,
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// Done; the method returns nothing.
    Done,
    /// Null instead of a new object.
    Null,
    /// The new `VertexBuffer3D`.
    VertexBuffer(Handle<VertexBufferKey>),
    /// The new `IndexBuffer3D`.
    IndexBuffer(Handle<IndexBufferKey>),
    /// The new `Program3D`.
    Program(Handle<ProgramKey>),
    /// The new texture of any kind.
    Texture(Handle<TextureKey>),
    /// Error checking is off and Flash silently drops the draw: the error that it would raise with checking.
    Skipped(ErrorCode),
    /// The pixels that `drawToBitmapData` read.
    Bitmap(Box<BitmapPatch>),
}

/// Pixels to write to a `BitmapData`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitmapPatch {
    /// Left pixel in the destination.
    pub x: u32,
    /// Top pixel in the destination.
    pub y: u32,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Rows top to bottom, B, G, R, A, premultiplied.
    pub bgra: Vec<u8>,
}

impl From<()> for Reply {
    fn from((): ()) -> Self {
        Reply::Done
    }
}

impl From<Handle<VertexBufferKey>> for Reply {
    fn from(handle: Handle<VertexBufferKey>) -> Self {
        Reply::VertexBuffer(handle)
    }
}

impl From<Handle<IndexBufferKey>> for Reply {
    fn from(handle: Handle<IndexBufferKey>) -> Self {
        Reply::IndexBuffer(handle)
    }
}

impl From<Handle<ProgramKey>> for Reply {
    fn from(handle: Handle<ProgramKey>) -> Self {
        Reply::Program(handle)
    }
}

impl From<Handle<TextureKey>> for Reply {
    fn from(handle: Handle<TextureKey>) -> Self {
        Reply::Texture(handle)
    }
}

impl From<Option<Handle<TextureKey>>> for Reply {
    fn from(handle: Option<Handle<TextureKey>>) -> Self {
        handle.map_or(Reply::Null, Reply::Texture)
    }
}

impl From<BitmapPatch> for Reply {
    fn from(patch: BitmapPatch) -> Self {
        Reply::Bitmap(Box::new(patch))
    }
}

impl<'a> From<&'a [u8]> for Bytecode<'a> {
    /// Little-endian bytes.
    fn from(bytes: &'a [u8]) -> Self {
        let endian = agal::Endian::Little;
        Bytecode { bytes, endian }
    }
}
