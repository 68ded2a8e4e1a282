//! [`Invocation`], and the arguments and results of calls: programs, rectangles, bitmaps, replies.

use crate::enums::{self, Name};
use crate::error::{ErrorCode, FlashError};
use crate::handle::{AnyHandle, Handle, IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use crate::method_table;
use crate::pixels::{Bitmap, BitmapPatch, BitmapTarget};

/// The type of a field of [`Invocation`].
macro_rules! parameter {
    ($a:lifetime int) => { i32 };
    ($a:lifetime uint) => { u32 };
    ($a:lifetime Number) => { f64 };
    ($a:lifetime Boolean) => { bool };
    ($a:lifetime ByteArray) => { Option<&$a [u8]> };
    ($a:lifetime Bytecode) => { Option<Bytecode<$a>> };
    ($a:lifetime VectorNumber) => { Option<&$a [f64]> };
    ($a:lifetime VectorFloat) => { Option<&$a [f32]> };
    ($a:lifetime VectorUint) => { Option<&$a [u32]> };
    ($a:lifetime Matrix3D) => { Option<&$a [f64; 16]> };
    ($a:lifetime BitmapData) => { Option<Bitmap<$a>> };
    ($a:lifetime BitmapTarget) => { Option<BitmapTarget> };
    ($a:lifetime VideoFrame) => { Bitmap<$a> };
    ($a:lifetime Rectangle) => { Option<Rectangle> };
    ($a:lifetime Point) => { Option<[f64; 2]> };
    ($a:lifetime CubeSide) => { Option<u32> };
    ($a:lifetime MipLevel) => { u32 };
    ($a:lifetime VertexBuffer3D) => { Option<Handle<VertexBufferKey>> };
    ($a:lifetime IndexBuffer3D) => { Option<Handle<IndexBufferKey>> };
    ($a:lifetime Program3D) => { Option<Handle<ProgramKey>> };
    ($a:lifetime TextureBase) => { Option<Handle<TextureKey>> };
    ($a:lifetime String) => { Option<&$a str> };
    ($a:lifetime Strings) => { Option<&$a [Option<&$a str>]> };
    ($a:lifetime Listens) => { bool };
    ($a:lifetime enum $enumeration:ident) => { Name<$a, enums::$enumeration> };
}

/// The type of the receiver field of [`Invocation`].
macro_rules! receiver {
    (VertexBuffer3D) => { Handle<VertexBufferKey> };
    (IndexBuffer3D) => { Handle<IndexBufferKey> };
    (Program3D) => { Handle<ProgramKey> };
    (TextureBase) => { Handle<TextureKey> };
}

macro_rules! classes {
    ($first:ident $(| $more:ident)*) => {
        concat!(stringify!($first) $(, ", ", stringify!($more))*)
    };
}

pub(crate) use {classes, parameter, receiver};

macro_rules! define_command {
    ($(
        $(#[$doc:meta])*
        $variant:ident: $kind:ident $($class:ident)|+ $(($receiver:ident: $base:ident))? $name:literal $(-> $result:ident)?,
            since $since:literal, needs $needs:ident $(dirties [$($dirty:ident)*])? {
                $($field:ident $parameter:literal: $($type:ident)+ $(($($declared:tt)*))? $(= $default:expr)?),* $(,)?
            } [$($code:ident)*] $(as $like:ident)?
            => $witness:literal;
    )+) => {
        /// A call on a `Stage3D`, a `Context3D` or one of its objects, with ActionScript's arguments: `int` and `uint` as passed,
        /// `Number` as f64, a null reference as `None`. Nothing is checked yet.
        ///
        /// Bytes that ActionScript passes as a `ByteArray` are passed whole, with the offset argument. A matrix is
        /// `Matrix3D.rawData`, column-major. If a method of a texture has no `side`, it is `None` here; if it has no
        /// `miplevel`, it is 0.
        // With a tag of its own, which is the index of the row: otherwise finding the row takes as long as a setter.
        #[repr(u8)]
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Invocation<'a> {
            $(
                #[doc = concat!("`", classes!($($class)|+), ".", $name, "`")]
                #[doc = ""]
                $(#[$doc])*
                $variant {
                    $(
                        /// The object whose method is called.
                        $receiver: receiver!($base),
                    )?
                    $(
                        #[doc = concat!("ActionScript's `", $parameter, "`.")]
                        $field: parameter!('a $($type)+),
                    )*
                },
            )+
        }
    };
}

method_table!(define_command);

/// A program's `ByteArray`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytecode<'a> {
    /// All its bytes.
    pub bytes: &'a [u8],
    /// Its `endian` property.
    pub endian: agal::Endian,
}

impl Bytecode<'_> {
    /// Checks and links a vertex program with a fragment program as `Program3D.upload` does, also by the native limits of
    /// the profile.
    ///
    /// # Errors
    /// Flash's first error.
    pub fn link(
        self,
        fragment: Bytecode<'_>,
        profile: agal::Profile,
    ) -> Result<agal::LinkedPair, FlashError> {
        let fragment = (fragment.bytes, fragment.endian);
        let pair = agal::upload((self.bytes, self.endian), fragment, &agal::Rules { profile })?;
        d3d9::from_agal::native_limits(&pair)?;
        Ok(pair)
    }
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

impl Reply {
    /// The new object, of any kind.
    pub fn handle(&self) -> Option<AnyHandle> {
        match *self {
            Reply::VertexBuffer(handle) => Some(handle.into()),
            Reply::IndexBuffer(handle) => Some(handle.into()),
            Reply::Program(handle) => Some(handle.into()),
            Reply::Texture(handle) => Some(handle.into()),
            Reply::Done | Reply::Null | Reply::Skipped(_) | Reply::Bitmap(_) => None,
        }
    }
}

macro_rules! replies {
    ($($from:ty, $result:pat => $reply:expr;)+) => {
        $(impl From<$from> for Reply {
            fn from($result: $from) -> Self {
                $reply
            }
        })+
    };
}

replies! {
    (), () => Reply::Done;
    Handle<VertexBufferKey>, handle => Reply::VertexBuffer(handle);
    Handle<IndexBufferKey>, handle => Reply::IndexBuffer(handle);
    Handle<ProgramKey>, handle => Reply::Program(handle);
    Handle<TextureKey>, handle => Reply::Texture(handle);
    Option<Handle<TextureKey>>, handle => handle.map_or(Reply::Null, Reply::Texture);
    BitmapPatch, patch => Reply::Bitmap(Box::new(patch));
}

impl<'a> From<&'a [u8]> for Bytecode<'a> {
    /// Little-endian bytes.
    fn from(bytes: &'a [u8]) -> Self {
        let endian = agal::Endian::Little;
        Bytecode { bytes, endian }
    }
}
