//! Converts the arguments of a native call into an [`Invocation`].

use std::ops::Deref;

use agal::Endian;

use super::{CallIndex, Method};
use crate::command::{Bytecode, Invocation, Rectangle};
use crate::enums::EnumArg;
use crate::error::FlashError;
use crate::handle::{AnyHandle, ObjectHandle};
use crate::method_table;
use crate::pixels::{BitmapSource, BitmapTarget};

/// The elements of a `Vector.<String>`; `None` for null.
pub type StringVector<T> = Vec<Option<T>>;

/// The arguments of a native call in a VM, which [`Method::with`] reads one by one, in the order of the declaration.
///
/// Each `next_*` method converts an argument as ActionScript does for a parameter of that type, or fails with the VM's
/// error, such as 1034 for an object of another class. Pass on numbers out of range, unknown strings and null
/// references: Molehill raises their errors at the right time. `None` is null.
pub trait Arguments {
    /// The VM's type of a thrown error.
    type Error;
    /// A `ByteArray`'s bytes: a slice, a guard of a borrow, or a copy.
    type Bytes: Deref<Target = [u8]>;
    /// The elements of a `Vector.<Number>`.
    type Numbers: Deref<Target = [f64]>;
    /// The elements of a `Vector.<float>`.
    type Floats: Deref<Target = [f32]>;
    /// The elements of a `Vector.<uint>`.
    type Uints: Deref<Target = [u32]>;
    /// The characters of a `String`.
    type Text: Deref<Target = str>;
    /// The pixels of a `BitmapData`.
    type Pixels: Deref<Target = [u8]>;

    /// Returns whether another argument was passed. If no argument was passed, the parameter gets its default. If a VM
    /// fills in default arguments itself, its `has_next` always returns true.
    fn has_next(&self) -> bool {
        true
    }
    /// Creates the VM's error for an object of another class (1034).
    fn mismatch(&mut self) -> Self::Error;
    /// Creates the VM's error object for a Flash error.
    fn throw(&mut self, error: &FlashError) -> Self::Error;
    /// Collects the VM's garbage, and returns whether objects were dropped. Called once before an error for exhausted
    /// memory or too many objects (3691). The call's arguments must stay valid.
    fn collect_garbage(&mut self) -> bool {
        false
    }
    /// Returns whether the `Stage3D` on which the method is called has a listener for `context3DCreate`.
    fn has_create_listener(&mut self) -> Result<bool, Self::Error>;

    /// Converts the next argument to `int`.
    fn next_int(&mut self) -> Result<i32, Self::Error> {
        self.next_number().map(to_int)
    }
    /// Converts the next argument to `uint`.
    fn next_uint(&mut self) -> Result<u32, Self::Error> {
        self.next_int().map(i32::cast_unsigned)
    }
    /// Converts the next argument to `Number`.
    fn next_number(&mut self) -> Result<f64, Self::Error>;
    /// Converts the next argument to `Boolean`.
    fn next_bool(&mut self) -> Result<bool, Self::Error>;
    /// Converts the next argument to `String`.
    fn next_string(&mut self) -> Result<Option<Self::Text>, Self::Error>;
    /// Converts the next argument to `Vector.<String>`.
    fn next_strings(&mut self) -> Result<Option<StringVector<Self::Text>>, Self::Error>;
    /// Reads the next argument, a `ByteArray`: all bytes, and `endian`.
    fn next_bytes(&mut self) -> Result<Option<(Self::Bytes, Endian)>, Self::Error>;
    /// Reads the next argument, a `Vector.<Number>`.
    fn next_numbers(&mut self) -> Result<Option<Self::Numbers>, Self::Error>;
    /// Reads the next argument, a `Vector.<float>`, which only AIR supports.
    fn next_floats(&mut self) -> Result<Option<Self::Floats>, Self::Error> {
        Err(self.mismatch())
    }
    /// Reads the next argument, a `Vector.<uint>`.
    fn next_uints(&mut self) -> Result<Option<Self::Uints>, Self::Error>;
    /// Reads the next argument, a `Matrix3D`: its `rawData`.
    fn next_matrix(&mut self) -> Result<Option<[f64; 16]>, Self::Error>;
    /// Reads the next argument, a `Rectangle`: x, y, width and height.
    fn next_rectangle(&mut self) -> Result<Option<[f64; 4]>, Self::Error>;
    /// Reads the next argument, a `Point`: x and y.
    fn next_point(&mut self) -> Result<Option<[f64; 2]>, Self::Error>;
    /// Reads the next argument, a `BitmapData` whose pixels are uploaded.
    fn next_bitmap(&mut self) -> Result<Option<BitmapSource<Self::Pixels>>, Self::Error>;
    /// Reads the next argument, a `BitmapData` that receives the pixels of [`Reply::Bitmap`](crate::Reply::Bitmap).
    fn next_bitmap_target(&mut self) -> Result<Option<BitmapTarget>, Self::Error> {
        let target = |BitmapSource { width, height, transparent, .. }: BitmapSource<_>| {
            BitmapTarget { width, height, transparent }
        };
        Ok(self.next_bitmap()?.map(target))
    }
    /// Reads the next argument, an object that any context created.
    fn next_object(&mut self) -> Result<Option<AnyHandle>, Self::Error>;
}

/// Converts like ActionScript's `int(number)`: modulo 2³²; NaN and infinities become 0.
#[expect(
    clippy::cast_possible_truncation,
    reason = "after the remainder it fits, and NaN becomes 0"
)]
pub(super) fn to_int(number: f64) -> i32 {
    (number % 4_294_967_296.0) as i64 as i32
}

fn object<A: Arguments + ?Sized, K>(arguments: &mut A) -> Result<Option<ObjectHandle<K>>, A::Error>
where
    ObjectHandle<K>: TryFrom<AnyHandle>,
{
    let object = arguments.next_object()?.map(ObjectHandle::try_from).transpose();
    object.map_err(|_| arguments.mismatch())
}

/// Converts the next argument to the parameter's type.
#[rustfmt::skip]
macro_rules! take {
    ($from:ident $class:ident int) => { $from.next_int()? };
    ($from:ident $class:ident uint) => { $from.next_uint()? };
    ($from:ident $class:ident Number) => { $from.next_number()? };
    ($from:ident $class:ident Boolean) => { $from.next_bool()? };
    ($from:ident $class:ident ByteArray) => { $from.next_bytes()? };
    ($from:ident $class:ident Bytecode) => { $from.next_bytes()? };
    ($from:ident $class:ident VectorNumber) => { $from.next_numbers()? };
    ($from:ident $class:ident VectorFloat) => { $from.next_floats()? };
    ($from:ident $class:ident VectorUint) => { $from.next_uints()? };
    ($from:ident $class:ident Matrix3D) => { $from.next_matrix()? };
    ($from:ident $class:ident BitmapData) => { $from.next_bitmap()? };
    ($from:ident $class:ident BitmapTarget) => { $from.next_bitmap_target()? };
    ($from:ident $class:ident VideoFrame) => { $from.next_bitmap()?.ok_or_else(|| $from.mismatch())? };
    ($from:ident $class:ident Rectangle) => { $from.next_rectangle()?.map(|[x, y, width, height]| Rectangle { x, y, width, height }) };
    ($from:ident $class:ident Point) => { $from.next_point()? };
    ($from:ident $class:ident CubeSide) => { if $class == "CubeTexture" { Some($from.next_uint()?) } else { None } };
    ($from:ident $class:ident MipLevel) => { if $class == "RectangleTexture" { 0 } else { $from.next_uint()? } };
    ($from:ident $class:ident VertexBuffer3D) => { object($from)? };
    ($from:ident $class:ident IndexBuffer3D) => { object($from)? };
    ($from:ident $class:ident Program3D) => { object($from)? };
    ($from:ident $class:ident TextureBase) => { object($from)? };
    ($from:ident $class:ident Strings) => { $from.next_strings()? };
    ($from:ident $class:ident Listens) => { $from.has_create_listener()? };
    ($from:ident $class:ident enum $enumeration:ident) => { $from.next_string()? };
    // The default of an enumeration parameter is a static string, which `lend` parses.
    ($from:ident $class:ident enum $enumeration:ident or $default:literal) => {
        take!($from $class String or $default)
    };
    ($from:ident $class:ident String or $default:literal) => {
        if $from.has_next() { StringArgument::Passed($from.next_string()?) } else { StringArgument::Default($default) }
    };
    ($from:ident $class:ident $type:ident or null $($since:tt)*) => {
        if $from.has_next() { take!($from $class $type) } else { None }
    };
    ($from:ident $class:ident $type:ident or $($default:tt)+) => {
        if $from.has_next() { take!($from $class $type) } else { $($default)+ }
    };
}

/// A string argument, or the parameter's default.
enum StringArgument<T> {
    Passed(Option<T>),
    Default(&'static str),
}

impl<T: Deref<Target = str>> StringArgument<T> {
    fn text(&self) -> Option<&str> {
        match self {
            StringArgument::Passed(text) => text.as_deref(),
            StringArgument::Default(text) => Some(text),
        }
    }
}

/// Borrows a converted argument for a field of an `Invocation`.
#[rustfmt::skip]
macro_rules! lend {
    ($value:ident ByteArray) => { $value.as_ref().map(|(bytes, _)| &**bytes) };
    ($value:ident Bytecode) => { $value.as_ref().map(|(bytes, endian)| Bytecode { bytes, endian: *endian }) };
    ($value:ident VectorNumber) => { $value.as_deref() };
    ($value:ident VectorFloat) => { $value.as_deref() };
    ($value:ident VectorUint) => { $value.as_deref() };
    ($value:ident Matrix3D) => { $value.as_ref() };
    ($value:ident BitmapData) => { $value.as_ref().map(BitmapSource::lend) };
    ($value:ident VideoFrame) => { $value.lend() };
    ($value:ident String or $($default:tt)+) => { $value.text() };
    ($value:ident Strings) => {
        $value.as_ref().map(|texts| Vec::from_iter(texts.iter().map(Option::as_deref))).as_deref()
    };
    ($value:ident enum $enumeration:ident or $($default:tt)+) => { EnumArg::parse($value.text()) };
    ($value:ident enum $enumeration:ident) => { EnumArg::parse($value.as_deref()) };
    ($value:ident $type:ident $(or $($default:tt)+)?) => { $value };
}

macro_rules! define_arguments {
    ($(
        $(#[$doc:meta])*
        $variant:ident: $kind:ident $($class:ident)|+ $(($receiver:ident: $base:ident))? $name:literal $(-> $result:ident)?,
            since $since:literal, needs $needs:ident $(dirties [$($dirty:ident)*])? {
                $($field:ident $parameter:literal: $($type:ident)+ $(($($declared:tt)*))? $(= $default:expr)?),* $(,)?
            } [$($code:ident)*] $(as $like:ident)?
            => $witness:literal;
    )+) => {
        impl Method {
            /// Reads the arguments, and passes the arguments and the invocation to `then`, which executes the
            /// invocation. `class` is the receiver's class: the parameters of textures' methods depend on it.
            /// `receiver` is the buffer, program or texture whose method is called.
            ///
            /// # Errors
            /// The errors of the arguments. A getter, which has no invocation, fails with `Arguments::mismatch`.
            pub fn with<A: Arguments, T>(
                &self,
                class: &str,
                receiver: Option<AnyHandle>,
                arguments: &mut A,
                then: impl FnOnce(&mut A, &Invocation<'_>) -> T,
            ) -> Result<T, A::Error> {
                match self.row {
                    None => Err(arguments.mismatch()),
                    $(Some(CallIndex::$variant) => {
                        $(let $receiver = receiver.and_then(|it| ObjectHandle::try_from(it).ok()).ok_or_else(|| arguments.mismatch())?;)?
                        $(let $field = take!(arguments class $($type)+ $(or $($declared)*)?);)*
                        Ok(then(arguments, &Invocation::$variant {
                            $($receiver,)?
                            $($field: lend!($field $($type)+ $(or $($declared)*)?)),*
                        }))
                    })+
                }
            }
        }
    };
}

method_table!(define_arguments);
