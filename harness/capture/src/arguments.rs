//! Converts a capture's arguments to those of `context3d`'s commands, by type.

use std::cell::Cell;

use context3d::Handle;
use context3d::arguments::{Bitmap, BitmapTarget, Bytecode, Rectangle};
use context3d::enums::{FlashName, Name};
use context3d::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};

use super::ids::{Ids, Object};
use crate::data::{ByteArray, CubeSide, Enum, Floats, Matrix, MipLevel, Numbers, Point, Uints};
use crate::objects::{IndexBufferId, ObjectId, ProgramId, TextureId, VertexBufferId};

/// Resolves the object ids in the arguments of one call.
pub struct Resolver<'r> {
    ids: &'r Ids,
    /// An argument was an object that could not be created here.
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
        if object.is_none() {
            self.met_null.set(true);
        }
        object
    }
}

/// A value of a capture that can be converted to a command's argument of type `Out`.
pub(super) trait Argument<'a, Out> {
    fn argument(&'a self, resolver: &Resolver<'_>) -> Out;
}

macro_rules! plain {
    ($($type:ty),+) => {$(
        impl Argument<'_, $type> for $type {
            fn argument(&self, _resolver: &Resolver<'_>) -> $type {
                *self
            }
        }
    )+};
}

plain!(i32, u32, f64, bool, Option<Rectangle>);

/// An object of another context (usually one that was lost) is passed on: the called context treats it as disposed. So
/// is an object of another kind.
macro_rules! keys {
    ($($id:ident => $object:ident => $key:ty;)+) => {$(
        impl Argument<'_, Option<$key>> for Option<$id> {
            fn argument(&self, resolver: &Resolver<'_>) -> Option<$key> {
                resolver.object(self.as_ref()?.0).map(|object| object.argument(resolver))
            }
        }

        impl Argument<'_, $key> for Object {
            fn argument(&self, _resolver: &Resolver<'_>) -> $key {
                match self {
                    Object::$object(_, key) => *key,
                    _ => <$key>::default(),
                }
            }
        }
    )+};
}

keys! {
    VertexBufferId => VertexBuffer => Handle<VertexBufferKey>;
    IndexBufferId => IndexBuffer => Handle<IndexBufferKey>;
    ProgramId => Program => Handle<ProgramKey>;
    TextureId => Texture => Handle<TextureKey>;
}

impl<'a, T: FlashName> Argument<'a, Name<'a, T>> for Enum<T> {
    fn argument(&'a self, _resolver: &Resolver<'_>) -> Name<'a, T> {
        self.name()
    }
}

impl Argument<'_, Option<[f64; 2]>> for Option<Point> {
    fn argument(&self, _resolver: &Resolver<'_>) -> Option<[f64; 2]> {
        self.map(|Point { x, y }| [x, y])
    }
}

impl Argument<'_, Option<u32>> for CubeSide {
    fn argument(&self, _resolver: &Resolver<'_>) -> Option<u32> {
        self.0
    }
}

impl Argument<'_, u32> for MipLevel {
    fn argument(&self, _resolver: &Resolver<'_>) -> u32 {
        self.0.unwrap_or(0)
    }
}

impl<'a> Argument<'a, Option<&'a [u8]>> for ByteArray {
    fn argument(&'a self, _resolver: &Resolver<'_>) -> Option<&'a [u8]> {
        self.0.as_ref().map(|array| array.bytes.as_slice())
    }
}

impl<'a> Argument<'a, Option<Bytecode<'a>>> for ByteArray {
    fn argument(&'a self, _resolver: &Resolver<'_>) -> Option<Bytecode<'a>> {
        self.0.as_ref().map(|array| Bytecode { bytes: &array.bytes, endian: array.endian })
    }
}

impl<'a> Argument<'a, Option<&'a [f64]>> for Option<Numbers> {
    fn argument(&'a self, _resolver: &Resolver<'_>) -> Option<&'a [f64]> {
        self.as_ref().map(|numbers| numbers.0.as_slice())
    }
}

impl<'a> Argument<'a, Option<&'a [f32]>> for Option<Floats> {
    fn argument(&'a self, _resolver: &Resolver<'_>) -> Option<&'a [f32]> {
        self.as_ref().map(|numbers| numbers.0.as_slice())
    }
}

impl<'a> Argument<'a, Option<&'a [u32]>> for Option<Uints> {
    fn argument(&'a self, _resolver: &Resolver<'_>) -> Option<&'a [u32]> {
        self.as_ref().map(|numbers| numbers.0.as_slice())
    }
}

impl<'a> Argument<'a, Option<&'a [f64; 16]>> for Option<Matrix> {
    fn argument(&'a self, _resolver: &Resolver<'_>) -> Option<&'a [f64; 16]> {
        self.as_ref().map(|matrix| &*matrix.0)
    }
}

impl<'a> Argument<'a, Bitmap<'a>> for crate::data::Bitmap {
    fn argument(&'a self, _resolver: &Resolver<'_>) -> Bitmap<'a> {
        let crate::data::Bitmap { shape, bgra } = self;
        Bitmap {
            width: shape.width,
            height: shape.height,
            transparent: shape.transparent,
            layout: context3d::arguments::PixelLayout::default(),
            pixels: (!shape.disposed).then_some(bgra.as_slice()),
        }
    }
}

impl<'a> Argument<'a, Option<Bitmap<'a>>> for Option<crate::data::Bitmap> {
    fn argument(&'a self, resolver: &Resolver<'_>) -> Option<Bitmap<'a>> {
        self.as_ref().map(|bitmap| bitmap.argument(resolver))
    }
}

impl Argument<'_, Option<BitmapTarget>> for Option<crate::data::BitmapTarget> {
    fn argument(&self, _resolver: &Resolver<'_>) -> Option<BitmapTarget> {
        self.map(|shape| match shape.disposed {
            true => BitmapTarget { width: 0, height: 0, transparent: shape.transparent },
            false => BitmapTarget {
                width: shape.width,
                height: shape.height,
                transparent: shape.transparent,
            },
        })
    }
}
