//! [`Invocation`], and the arguments and results of calls: programs, rectangles, bitmaps, replies.

use crate::enums::{self, EnumArg};
use crate::error::{ErrorCode, FlashError};
use crate::handle::{
    AnyHandle, IndexBufferKey, ObjectHandle, ProgramKey, TextureKey, VertexBufferKey,
};
use crate::method_table;
use crate::pixels::{Bitmap, BitmapPatch, BitmapTarget};

/// The Rust type of a parameter in a variant of [`Invocation`].
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
    ($a:lifetime VertexBuffer3D) => { Option<ObjectHandle<VertexBufferKey>> };
    ($a:lifetime IndexBuffer3D) => { Option<ObjectHandle<IndexBufferKey>> };
    ($a:lifetime Program3D) => { Option<ObjectHandle<ProgramKey>> };
    ($a:lifetime TextureBase) => { Option<ObjectHandle<TextureKey>> };
    ($a:lifetime String) => { Option<&$a str> };
    ($a:lifetime Strings) => { Option<&$a [Option<&$a str>]> };
    ($a:lifetime Listens) => { bool };
    ($a:lifetime enum $enumeration:ident) => { EnumArg<$a, enums::$enumeration> };
}

/// The Rust type of the receiver in a variant of [`Invocation`].
macro_rules! receiver {
    (VertexBuffer3D) => { ObjectHandle<VertexBufferKey> };
    (IndexBuffer3D) => { ObjectHandle<IndexBufferKey> };
    (Program3D) => { ObjectHandle<ProgramKey> };
    (TextureBase) => { ObjectHandle<TextureKey> };
}

macro_rules! classes {
    ($first:ident $(| $more:ident)*) => {
        concat!(stringify!($first) $(, ", ", stringify!($more))*)
    };
}

/// Implements `From` for each type of the list.
macro_rules! conversions {
    ($to:ty; $($from:ty, $value:pat => $result:expr;)+) => {
        $(impl From<$from> for $to {
            fn from($value: $from) -> Self {
                $result
            }
        })+
    };
}

pub(crate) use {classes, conversions, parameter, receiver};

macro_rules! define_command {
    ($(
        $(#[$doc:meta])*
        $variant:ident: $kind:ident $($class:ident)|+ $(($receiver:ident: $base:ident))? $name:literal $(-> $result:ident)?,
            since $since:literal, needs $needs:ident $(dirties [$($dirty:ident)*])? {
                $($field:ident $parameter:literal: $($type:ident)+ $(($($declared:tt)*))? $(= $default:expr)?),* $(,)?
            } [$($code:ident)*] $(as $like:ident)?
            => $witness:literal;
    )+) => {
        /// A call on a `Stage3D`, a `Context3D` or one of its objects, with ActionScript's arguments: `int` and `uint`
        /// as passed, `Number` as f64, a null reference as `None`. The arguments are not validated yet.
        ///
        /// A `ByteArray` is passed whole, with the offset argument. A matrix is `Matrix3D.rawData`, column-major.
        /// `side` is `None` and `miplevel` is 0 if the texture's class has no such parameter.
        // With `repr(u8)`, the discriminant is the method's index: looking up the index would take as long as a setter.
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

/// The bytecode of an AGAL program, in a `ByteArray`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytecode<'a> {
    /// All bytes of the `ByteArray`.
    pub bytes: &'a [u8],
    /// The byte order of the `ByteArray`.
    pub endian: agal::Endian,
}

impl Bytecode<'_> {
    /// Validates and links a vertex program with a fragment program as `Program3D.upload` does, including the hardware
    /// limits of the profile.
    ///
    /// # Errors
    /// The first error that Flash raises.
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
    /// The left edge.
    pub x: f64,
    /// The top edge.
    pub y: f64,
    /// The width, which may be negative or NaN, as in ActionScript.
    pub width: f64,
    /// The height, which may be negative or NaN, as in ActionScript.
    pub height: f64,
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// The call succeeded and returns no value.
    Done,
    /// ActionScript's null instead of a new object.
    Null,
    /// The new `VertexBuffer3D`.
    VertexBuffer(ObjectHandle<VertexBufferKey>),
    /// The new `IndexBuffer3D`.
    IndexBuffer(ObjectHandle<IndexBufferKey>),
    /// The new `Program3D`.
    Program(ObjectHandle<ProgramKey>),
    /// The new texture, of any class.
    Texture(ObjectHandle<TextureKey>),
    /// Flash silently dropped the draw, because error checking is off. With error checking, the draw raises the error
    /// code.
    Skipped(ErrorCode),
    /// The pixels that `drawToBitmapData` read.
    Bitmap(Box<BitmapPatch>),
}

impl Reply {
    /// Returns the created object, if any.
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

conversions! {
    Reply;
    (), () => Reply::Done;
    ObjectHandle<VertexBufferKey>, handle => Reply::VertexBuffer(handle);
    ObjectHandle<IndexBufferKey>, handle => Reply::IndexBuffer(handle);
    ObjectHandle<ProgramKey>, handle => Reply::Program(handle);
    ObjectHandle<TextureKey>, handle => Reply::Texture(handle);
    Option<ObjectHandle<TextureKey>>, handle => handle.map_or(Reply::Null, Reply::Texture);
    BitmapPatch, patch => Reply::Bitmap(Box::new(patch));
}

impl<'a> From<&'a [u8]> for Bytecode<'a> {
    /// Creates bytecode with little-endian byte order.
    fn from(bytes: &'a [u8]) -> Self {
        let endian = agal::Endian::Little;
        Bytecode { bytes, endian }
    }
}
