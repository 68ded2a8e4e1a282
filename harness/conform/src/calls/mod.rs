//! Code generated from [`context3d::call_table!`]: a method for each call, a parser, and access to the arguments.

pub(crate) mod words;

use std::io;

use context3d::arguments::Rectangle;
use context3d::enums::FlashName;
use molehill_capture::Call;
use molehill_capture::data::{
    BitmapData, BitmapTargetData, ByteArray, CubeSide, Enum, Floats, Matrix, MipLevel, Numbers,
    OptionalParameter, PointData, Uints,
};
use molehill_capture::objects::{
    IndexBufferId, ObjectId, ObjectKind, ProgramId, TextureId, VertexBufferId,
};
use molehill_replay::record::RecordError;

use words::{ScriptObjects, argument};

#[rustfmt::skip]
macro_rules! argument {
    (Boolean = $default:expr) => { Option<bool> };
    ($type:ident = $default:expr) => { argument!($type) };
    (int) => { i32 };
    (uint) => { u32 };
    (Number) => { f64 };
    (Boolean) => { bool };
    (ByteArray) => { impl Into<ByteArray> };
    (Bytecode) => { impl Into<ByteArray> };
    (VectorNumber) => { Vec<f64> };
    (VectorFloat) => { Vec<f32> };
    (VectorUint) => { Vec<u32> };
    (Matrix3D) => { [f64; 16] };
    (BitmapData) => { BitmapData };
    (BitmapTarget) => { BitmapTargetData };
    (VideoFrame) => { BitmapData };
    (Rectangle) => { Option<[f64; 4]> };
    (Point) => { Option<[f64; 2]> };
    (CubeSide) => { Option<u32> };
    (MipLevel) => { Option<u32> };
    (VertexBuffer3D) => { impl Into<Option<VertexBufferId>> };
    (IndexBuffer3D) => { impl Into<Option<IndexBufferId>> };
    (Program3D) => { impl Into<Option<ProgramId>> };
    (TextureBase) => { impl Into<Option<TextureId>> };
    (enum $enumeration:ident) => { &str };
}

#[rustfmt::skip]
macro_rules! field {
    ($value:ident Rectangle = $default:expr) => { OptionalParameter($value.map(|corners| Some(rectangle(corners)))) };
    ($value:ident Point = $default:expr) => { OptionalParameter($value.map(|[x, y]| Some(PointData { x, y }))) };
    ($value:ident Boolean = $default:expr) => { OptionalParameter($value) };
    ($value:ident VectorNumber) => { Some(Numbers($value)) };
    ($value:ident VectorFloat) => { Some(Floats($value)) };
    ($value:ident VectorUint) => { Some(Uints($value)) };
    ($value:ident Matrix3D) => { Some(Matrix(Box::new($value))) };
    ($value:ident Rectangle) => { $value.map(rectangle) };
    ($value:ident CubeSide) => { CubeSide($value) };
    ($value:ident MipLevel) => { MipLevel($value) };
    ($value:ident enum $enumeration:ident) => { Enum::parse(Some($value)) };
    ($value:ident $type:ident) => { $value.into() };
}

#[rustfmt::skip]
macro_rules! id {
    (VertexBuffer3D) => { VertexBufferId };
    (IndexBuffer3D) => { IndexBufferId };
    (Program3D) => { ProgramId };
    (TextureBase) => { TextureId };
    (Texture) => { TextureId };
    (RectangleTexture) => { TextureId };
    (CubeTexture) => { TextureId };
    (VideoTexture) => { TextureId };
}

#[rustfmt::skip]
macro_rules! result {
    () => { () };
    (Reply) => { () };
    (BitmapPatch) => { () };
    ($class:ident) => { id!($class) };
}

#[rustfmt::skip]
macro_rules! created {
    ($made:ident) => { $made.map(drop) };
    ($made:ident Reply) => { $made.map(drop) };
    ($made:ident BitmapPatch) => { $made.map(drop) };
    ($made:ident $class:ident) => { $made?.map(id!($class)).ok_or_else(|| invalid("the call created no object")) };
}

/// A mutable reference to an argument of a Stage3D call.
pub(crate) enum ArgumentMut<'a> {
    Int(&'a mut i32),
    /// A string argument, with the name of its enumeration.
    Name(&'static str, &'a mut dyn Member),
}

/// Passes an argument to the function `see`, if the argument is a number or a string.
#[rustfmt::skip]
macro_rules! part {
    ($see:ident $parameter:literal $field:ident int) => { $see($parameter, ArgumentMut::Int($field)) };
    ($see:ident $parameter:literal $field:ident enum $enumeration:ident) => { $see($parameter, ArgumentMut::Name(stringify!($enumeration), $field)) };
    ($see:ident $parameter:literal $field:ident $type:ident $(= $default:expr)?) => {{
        let _ = $field;
    }};
}

macro_rules! define_calls {
    ($(
        $(#[$doc:meta])*
        $variant:ident: $kind:ident $($class:ident)|+ $(($receiver:ident: $base:ident))? $name:literal $(-> $result:ident)?,
            since $since:literal, needs $needs:ident $(dirties [$($dirty:ident)*])? {
                $($field:ident $parameter:literal: $($type:ident)+ $(($($declared:tt)*))? $(= $default:expr)?),* $(,)?
            } [$($code:ident)*] $(as $like:ident)?
            => $witness:literal;
    )+) => {
        pastey::paste! {
            /// Stage3D calls on a context and its objects, with a method for each entry of the call table. A method
            /// returns the error of its call. Strings that aren't members of their enumeration are passed on.
            #[allow(clippy::too_many_arguments, reason = "as many as ActionScript's")]
            pub trait Calls {
                /// Executes a call on an object (`None`: on the context). Returns the created object, if any.
                fn make(&mut self, on: Option<ObjectId>, call: Call) -> Result<Option<ObjectId>, RecordError>;

                $(
                    fn [<$variant:snake>](
                        &mut self,
                        $($receiver: id!($base),)?
                        $($field: argument!($($type)+ $(= $default)?)),*
                    ) -> Result<result!($($result)?), RecordError> {
                        let on = None $(.or(Some($receiver.0)))?;
                        let made = self.make(on, Call::$variant { $($field: field!($field $($type)+ $(= $default)?)),* });
                        created!(made $($result)?)
                    }
                )+
            }
        }

        /// Passes each number and string among the arguments of a context's call to `see`, with the parameter's name.
        pub(crate) fn arguments_mut(
        call: &mut Call,
        mut see: impl FnMut(&'static str, ArgumentMut<'_>),
        ) {
            match call {
                $(Call::$variant { $($field),* } => { $(part!(see $parameter $field $($type)+ $(= $default)?);)* })+
                Call::RequestContext3D { .. } | Call::SetX { .. } | Call::SetY { .. } | Call::SetVisible { .. } => {}
            }
        }

        /// Parses a call on an object of a class. Returns `None` if the class lacks the call or an argument is wrong.
        pub(crate) fn call<'a>(
            class: ObjectKind,
            name: &str,
            mut words: impl Iterator<Item = &'a str>,
            objects: &ScriptObjects,
        ) -> Option<Call> {
            let words: &mut dyn Iterator<Item = &str> = &mut words;
            let call = match (name, class) {
                $(($name, $(ObjectKind::$class)|+) => Call::$variant { $($field: argument(words, objects)?),* },)+
                _ => return None,
            };
            words.next().is_none().then_some(call)
        }
    };
}

context3d::call_table!(define_calls);

fn rectangle([x, y, width, height]: [f64; 4]) -> Rectangle {
    Rectangle { x, y, width, height }
}

pub(crate) fn invalid(error: impl ToString) -> RecordError {
    io::Error::new(io::ErrorKind::InvalidData, error.to_string()).into()
}

pub fn bitmap(width: u32, height: u32, transparent: bool, bgra: Vec<u8>) -> BitmapData {
    let shape = BitmapTargetData { width, height, transparent, disposed: false };
    BitmapData { shape, bgra: bgra.into() }
}

/// A string argument of any enumeration.
pub(crate) trait Member {
    fn text(&self) -> Option<&str>;
    fn set(&mut self, text: &str);
    /// Replaces an invalid string with the first valid string of its enumeration.
    fn repair(&mut self);
}

impl<T: FlashName> Member for Enum<T> {
    fn text(&self) -> Option<&str> {
        Enum::text(self)
    }
    fn set(&mut self, text: &str) {
        *self = Enum::parse(Some(text));
    }
    fn repair(&mut self) {
        if let (Enum::Null | Enum::Unknown(_), Some((first, _))) = (&*self, T::NAMES.first()) {
            *self = Enum::Is(*first);
        }
    }
}
