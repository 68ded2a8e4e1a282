//! Converts the arguments of captures to those of `context3d`'s commands and back, by type.

use std::cell::Cell;
use std::collections::HashMap;

use context3d::arguments::{self, Bytecode, PixelLayout, Rectangle};
use context3d::enums::{FlashName, Name};
use context3d::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use context3d::{AnyHandle, Handle};

use crate::data::{
    Bitmap, BitmapTarget, ByteArray, Bytes, CubeSide, Enum, Floats, Matrix, MipLevel, Numbers,
    Point, Uints,
};
use crate::extent::Extent;
use crate::ids::{Ids, Object};
use crate::object::{ObjectId, ObjectKind};
use crate::value::{IndexBufferId, ProgramId, TextureId, VertexBufferId};

/// Resolves the object ids in the arguments of one call.
pub struct Resolver<'r> {
    ids: &'r Ids,
    met_null: Cell<bool>,
}

impl<'r> Resolver<'r> {
    /// A resolver for one call.
    pub fn new(ids: &'r Ids) -> Self {
        Resolver { ids, met_null: Cell::new(false) }
    }

    /// Whether an argument was an object that could not be created here.
    pub fn met_null(&self) -> bool {
        self.met_null.get()
    }

    fn object(&self, id: ObjectId) -> Option<Object> {
        let object = self.ids.get(id).filter(|object| *object != Object::Null);
        self.met_null.set(self.met_null.get() || object.is_none());
        object
    }
}

/// The recorded objects.
pub(crate) type Known = HashMap<AnyHandle, KnownObject>;

/// A recorded object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownObject {
    pub(crate) id: ObjectId,
    pub(crate) class: ObjectKind,
    pub(crate) extent: Extent,
}

/// The recorded objects, and the receiver's class.
pub(crate) struct Scope<'k> {
    pub(crate) known: &'k Known,
    pub(crate) class: ObjectKind,
}

/// An argument of a capture, for a command's argument of type `T`.
pub(crate) trait Argument<'a, T>: Sized {
    fn to_command(&'a self, resolver: &Resolver<'_>) -> T;

    fn from_command(value: T, scope: &Scope<'_>) -> Self;
}

macro_rules! plain {
    ($($type:ty),+) => {$(
        impl Argument<'_, $type> for $type {
            fn to_command(&self, _: &Resolver<'_>) -> $type {
                *self
            }

            fn from_command(value: $type, _: &Scope<'_>) -> $type {
                value
            }
        }
    )+};
}

plain!(i32, u32, f64, bool, Option<Rectangle>);

/// An object of another context (usually one that was lost) is passed on: the called context treats it as disposed. So
/// is an object of another kind. An object that was not recorded becomes null in a capture.
macro_rules! references {
    ($($id:ident = $object:ident($key:ty);)+) => {$(
        impl Argument<'_, Option<Handle<$key>>> for Option<$id> {
            fn to_command(&self, resolver: &Resolver<'_>) -> Option<Handle<$key>> {
                resolver.object(self.as_ref()?.0).map(Handle::<$key>::from)
            }

            fn from_command(value: Option<Handle<$key>>, scope: &Scope<'_>) -> Self {
                scope.known.get(&value?.into()).map(|object| $id(object.id))
            }
        }

        impl From<Object> for Handle<$key> {
            fn from(object: Object) -> Self {
                match object {
                    Object::$object(_, key) => key,
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

impl<'a, T: FlashName> Argument<'a, Name<'a, T>> for Enum<T> {
    fn to_command(&'a self, _: &Resolver<'_>) -> Name<'a, T> {
        self.name()
    }

    fn from_command(value: Name<'a, T>, _: &Scope<'_>) -> Self {
        Enum::parse(value.text())
    }
}

impl Argument<'_, Option<[f64; 2]>> for Option<Point> {
    fn to_command(&self, _: &Resolver<'_>) -> Option<[f64; 2]> {
        self.map(|Point { x, y }| [x, y])
    }

    fn from_command(value: Option<[f64; 2]>, _: &Scope<'_>) -> Self {
        value.map(|[x, y]| Point { x, y })
    }
}

impl Argument<'_, Option<u32>> for CubeSide {
    fn to_command(&self, _: &Resolver<'_>) -> Option<u32> {
        self.0
    }

    fn from_command(value: Option<u32>, scope: &Scope<'_>) -> Self {
        CubeSide((scope.class == ObjectKind::CubeTexture).then(|| value.unwrap_or(0)))
    }
}

impl Argument<'_, u32> for MipLevel {
    fn to_command(&self, _: &Resolver<'_>) -> u32 {
        self.0.unwrap_or(0)
    }

    fn from_command(value: u32, scope: &Scope<'_>) -> Self {
        MipLevel((scope.class != ObjectKind::RectangleTexture).then_some(value))
    }
}

impl<'a> Argument<'a, Option<&'a [u8]>> for ByteArray {
    fn to_command(&'a self, _: &Resolver<'_>) -> Option<&'a [u8]> {
        self.0.as_ref().map(|array| array.bytes.as_slice())
    }

    fn from_command(value: Option<&'a [u8]>, scope: &Scope<'_>) -> Self {
        Self::from_command(value.map(Bytecode::from), scope)
    }
}

impl<'a> Argument<'a, Option<Bytecode<'a>>> for ByteArray {
    fn to_command(&'a self, _: &Resolver<'_>) -> Option<Bytecode<'a>> {
        self.0.as_ref().map(|array| Bytecode { bytes: &array.bytes, endian: array.endian })
    }

    fn from_command(value: Option<Bytecode<'a>>, _: &Scope<'_>) -> Self {
        ByteArray(value.map(|Bytecode { bytes, endian }| Bytes { bytes: bytes.to_vec(), endian }))
    }
}

macro_rules! vectors {
    ($($name:ident($element:ty);)+) => {$(
        impl<'a> Argument<'a, Option<&'a [$element]>> for Option<$name> {
            fn to_command(&'a self, _: &Resolver<'_>) -> Option<&'a [$element]> {
                self.as_ref().map(|numbers| numbers.0.as_slice())
            }

            fn from_command(value: Option<&'a [$element]>, _: &Scope<'_>) -> Self {
                value.map(|numbers| $name(numbers.to_vec()))
            }
        }
    )+};
}

vectors! {
    Numbers(f64);
    Floats(f32);
    Uints(u32);
}

impl<'a> Argument<'a, Option<&'a [f64; 16]>> for Option<Matrix> {
    fn to_command(&'a self, _: &Resolver<'_>) -> Option<&'a [f64; 16]> {
        self.as_ref().map(|matrix| &*matrix.0)
    }

    fn from_command(value: Option<&'a [f64; 16]>, _: &Scope<'_>) -> Self {
        value.map(|matrix| Matrix(Box::new(*matrix)))
    }
}

impl<'a> Argument<'a, arguments::Bitmap<'a>> for Bitmap {
    fn to_command(&'a self, _: &Resolver<'_>) -> arguments::Bitmap<'a> {
        arguments::Bitmap {
            width: self.shape.width,
            height: self.shape.height,
            transparent: self.shape.transparent,
            layout: PixelLayout::default(),
            pixels: (!self.shape.disposed).then_some(self.bgra.as_slice()),
        }
    }

    /// A bitmap with too little memory for its size is recorded as disposed: both raise the same error.
    fn from_command(value: arguments::Bitmap<'a>, _: &Scope<'_>) -> Self {
        let bgra = value.to_layout(PixelLayout::default());
        let shape = BitmapTarget {
            width: bgra.as_ref().map_or(0, |_| value.width),
            height: bgra.as_ref().map_or(0, |_| value.height),
            transparent: value.transparent,
            disposed: bgra.is_none(),
        };
        Bitmap { shape, bgra: bgra.unwrap_or_default() }
    }
}

impl<'a> Argument<'a, Option<arguments::Bitmap<'a>>> for Option<Bitmap> {
    fn to_command(&'a self, resolver: &Resolver<'_>) -> Option<arguments::Bitmap<'a>> {
        self.as_ref().map(|bitmap| bitmap.to_command(resolver))
    }

    fn from_command(value: Option<arguments::Bitmap<'a>>, scope: &Scope<'_>) -> Self {
        value.map(|bitmap| Bitmap::from_command(bitmap, scope))
    }
}

impl Argument<'_, Option<arguments::BitmapTarget>> for Option<BitmapTarget> {
    fn to_command(&self, _: &Resolver<'_>) -> Option<arguments::BitmapTarget> {
        self.map(|BitmapTarget { width, height, transparent, disposed }| {
            let [width, height] = [width, height].map(|side| if disposed { 0 } else { side });
            arguments::BitmapTarget { width, height, transparent }
        })
    }

    fn from_command(value: Option<arguments::BitmapTarget>, _: &Scope<'_>) -> Self {
        value.map(|arguments::BitmapTarget { width, height, transparent }| BitmapTarget {
            width,
            height,
            transparent,
            disposed: width == 0 || height == 0,
        })
    }
}
