//! Converts arguments in captures to arguments of `context3d`'s commands and back, by type.

use std::cell::Cell;
use std::collections::HashMap;

use context3d::arguments::{self, Bytecode, PixelLayout, Rectangle};
use context3d::enums::{EnumArg, FlashName};
use context3d::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use context3d::{AnyHandle, ObjectHandle};

use crate::data::{
    BitmapData, BitmapTargetData, ByteArray, ByteArrayData, CubeSide, Enum, Floats, Matrix,
    MipLevel, Numbers, PointData, Uints,
};
use crate::extent::Extent;
use crate::ids::{Ids, ReplayObject};
use crate::object::{ObjectId, ObjectKind};
use crate::value::{IndexBufferId, ProgramId, TextureId, VertexBufferId};

/// Maps the object ids in a call's arguments to the objects of the replay.
pub struct Resolver<'r> {
    ids: &'r Ids,
    met_null: Cell<bool>,
}

impl<'r> Resolver<'r> {
    /// Creates a resolver for one call, with the objects that exist before the call.
    pub fn new(ids: &'r Ids) -> Self {
        Resolver { ids, met_null: Cell::new(false) }
    }

    /// Returns whether an argument was an object whose creation failed in the replay.
    pub fn met_null(&self) -> bool {
        self.met_null.get()
    }

    fn object(&self, id: ObjectId) -> Option<ReplayObject> {
        let object = self.ids.get(id).filter(|object| *object != ReplayObject::Null);
        self.met_null.set(self.met_null.get() || object.is_none());
        object
    }
}

pub(crate) type ObjectTable = HashMap<AnyHandle, KnownObject>;

#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownObject {
    pub(crate) id: ObjectId,
    pub(crate) class: ObjectKind,
    pub(crate) extent: Extent,
}

/// The recorded objects, and the class of the call's receiver.
pub(crate) struct Scope<'k> {
    pub(crate) known: &'k ObjectTable,
    pub(crate) class: ObjectKind,
}

/// Converts a recorded argument to a command's argument of type `T` and back.
pub(crate) trait CommandArgument<'a, T>: Sized {
    fn to_command(&'a self, resolver: &Resolver<'_>) -> T;

    fn from_command(value: T, scope: &Scope<'_>) -> Self;
}

/// Converts references. An object of another context or class is passed on, and the context treats it as disposed. An
/// object that was not recorded becomes null in a capture.
macro_rules! references {
    ($($id:ident = $object:ident($key:ty);)+) => {$(
        impl CommandArgument<'_, Option<ObjectHandle<$key>>> for Option<$id> {
            fn to_command(&self, resolver: &Resolver<'_>) -> Option<ObjectHandle<$key>> {
                resolver.object(self.as_ref()?.0).map(ObjectHandle::<$key>::from)
            }

            fn from_command(value: Option<ObjectHandle<$key>>, scope: &Scope<'_>) -> Self {
                scope.known.get(&value?.into()).map(|object| $id(object.id))
            }
        }

        impl From<ReplayObject> for ObjectHandle<$key> {
            fn from(object: ReplayObject) -> Self {
                match object {
                    ReplayObject::$object(_, key) => key,
                    _ => Self::default(),
                }
            }
        }
    )+};
}

references! {
    VertexBufferId = VertexBuffer(VertexBufferKey);
    IndexBufferId = IndexBuffer(IndexBufferKey);
    ProgramId = Program(ProgramKey);
    TextureId = Texture(TextureKey);
}

impl<'a, T: FlashName> CommandArgument<'a, EnumArg<'a, T>> for Enum<T> {
    fn to_command(&'a self, _: &Resolver<'_>) -> EnumArg<'a, T> {
        self.name()
    }

    fn from_command(value: EnumArg<'a, T>, _: &Scope<'_>) -> Self {
        Enum::parse(value.text())
    }
}

impl<'a, T: CommandArgument<'a, C>, C> CommandArgument<'a, Option<C>> for Option<T> {
    fn to_command(&'a self, resolver: &Resolver<'_>) -> Option<C> {
        self.as_ref().map(|own| own.to_command(resolver))
    }

    fn from_command(value: Option<C>, scope: &Scope<'_>) -> Self {
        value.map(|value| T::from_command(value, scope))
    }
}

/// Implements [`Argument`] for a type of recorded argument and a type of command argument.
macro_rules! arguments {
    ($($own:ty as $command:ty: |$value:pat_param| $to:expr, |$from:pat_param, $scope:pat_param| $back:expr;)+) => {$(
        impl<'a> CommandArgument<'a, $command> for $own {
            fn to_command(&'a self, _: &Resolver<'_>) -> $command {
                let $value = self;
                $to
            }

            fn from_command($from: $command, $scope: &Scope<'_>) -> Self {
                $back
            }
        }
    )+};
}

arguments! {
    i32 as i32: |own| *own, |value, _| value;
    u32 as u32: |own| *own, |value, _| value;
    f64 as f64: |own| *own, |value, _| value;
    bool as bool: |own| *own, |value, _| value;
    Rectangle as Rectangle: |own| *own, |value, _| value;
    PointData as [f64; 2]: |own| [own.x, own.y], |[x, y], _| PointData { x, y };
    Matrix as &'a [f64; 16]: |own| &own.0, |matrix, _| Matrix(Box::new(*matrix));
    Numbers as &'a [f64]: |own| &own.0, |numbers, _| Numbers(numbers.to_vec());
    Floats as &'a [f32]: |own| &own.0, |numbers, _| Floats(numbers.to_vec());
    Uints as &'a [u32]: |own| &own.0, |numbers, _| Uints(numbers.to_vec());
    CubeSide as Option<u32>: |own| own.0,
        |value, scope| CubeSide((scope.class == ObjectKind::CubeTexture).then(|| value.unwrap_or(0)));
    MipLevel as u32: |own| own.0.unwrap_or(0),
        |value, scope| MipLevel((scope.class != ObjectKind::RectangleTexture).then_some(value));
    ByteArray as Option<&'a [u8]>: |own| own.0.as_ref().map(|array| array.bytes.as_slice()),
        |value, scope| Self::from_command(value.map(Bytecode::from), scope);
    ByteArray as Option<Bytecode<'a>>:
        |own| own.0.as_ref().map(|array| Bytecode { bytes: &array.bytes, endian: array.endian }),
        |value, _| ByteArray(value.map(|Bytecode { bytes, endian }| ByteArrayData { bytes: bytes.to_vec(), endian }));
    // A bitmap with a width or height of 0 counts as disposed.
    BitmapTargetData as arguments::BitmapTarget:
        |BitmapTargetData { width, height, transparent, disposed }| {
            let [width, height] = [*width, *height].map(|side| if *disposed { 0 } else { side });
            arguments::BitmapTarget { width, height, transparent: *transparent }
        },
        |arguments::BitmapTarget { width, height, transparent }, _| {
            BitmapTargetData { width, height, transparent, disposed: width == 0 || height == 0 }
        };
}

impl<'a> CommandArgument<'a, arguments::Bitmap<'a>> for BitmapData {
    fn to_command(&'a self, _: &Resolver<'_>) -> arguments::Bitmap<'a> {
        arguments::Bitmap {
            width: self.shape.width,
            height: self.shape.height,
            transparent: self.shape.transparent,
            layout: PixelLayout::default(),
            pixels: (!self.shape.disposed).then_some(self.bgra.as_slice()),
        }
    }

    /// Records a bitmap as disposed if its pixel array is too short for its size: both raise the same error.
    fn from_command(value: arguments::Bitmap<'a>, _: &Scope<'_>) -> Self {
        let bgra = value.to_layout(PixelLayout::default());
        let shape = BitmapTargetData {
            width: bgra.as_ref().map_or(0, |_| value.width),
            height: bgra.as_ref().map_or(0, |_| value.height),
            transparent: value.transparent,
            disposed: bgra.is_none(),
        };
        BitmapData { shape, bgra: bgra.unwrap_or_default().into() }
    }
}
