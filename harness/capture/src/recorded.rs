//! Converts the arguments of commands to those of captures, by type.

use std::collections::HashMap;

use context3d::arguments::{BitmapTarget, Bytecode, PixelLayout, Rectangle};
use context3d::enums::{FlashName, Name};
use context3d::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use context3d::{AnyHandle, Handle};

use crate::data::{
    Bitmap, ByteArray, Bytes, CubeSide, Enum, Floats, Matrix, MipLevel, Numbers, Optional, Point,
    Uints,
};
use crate::extent::Extent;
use crate::objects::{IndexBufferId, ObjectId, ObjectKind, ProgramId, TextureId, VertexBufferId};

/// The recorded objects.
pub(super) type Known = HashMap<AnyHandle, KnownObject>;

/// A recorded object.
#[derive(Clone, Copy, Debug)]
pub(super) struct KnownObject {
    pub(super) id: ObjectId,
    pub(super) class: ObjectKind,
    pub(super) extent: Extent,
}

/// The context of a conversion.
pub(super) struct Scope<'k> {
    pub(super) known: &'k Known,
    /// The class of the receiver.
    pub(super) class: ObjectKind,
}

/// An argument of a capture that can be converted from a command's argument of type `In`.
pub(super) trait Recorded<In>: Sized {
    fn recorded(value: In, scope: &Scope<'_>) -> Self;
}

macro_rules! plain {
    ($($type:ty),+) => {$(
        impl Recorded<$type> for $type {
            fn recorded(value: $type, _scope: &Scope<'_>) -> $type {
                value
            }
        }
    )+};
}

plain!(i32, u32, f64, bool, Option<Rectangle>);

/// An object that was not recorded becomes null.
macro_rules! references {
    ($($id:ident <= $key:ty;)+) => {$(
        impl Recorded<Option<Handle<$key>>> for Option<$id> {
            fn recorded(value: Option<Handle<$key>>, scope: &Scope<'_>) -> Self {
                scope.known.get(&value?.into()).map(|object| $id(object.id))
            }
        }
    )+};
}

references! {
    VertexBufferId <= VertexBufferKey;
    IndexBufferId <= IndexBufferKey;
    ProgramId <= ProgramKey;
    TextureId <= TextureKey;
}

impl<T: FlashName> Recorded<Name<'_, T>> for Enum<T> {
    fn recorded(value: Name<'_, T>, _scope: &Scope<'_>) -> Self {
        Enum::parse(value.text())
    }
}

impl<In, T: Recorded<In>> Recorded<In> for Optional<T> {
    fn recorded(value: In, scope: &Scope<'_>) -> Self {
        Optional(Some(T::recorded(value, scope)))
    }
}

impl Recorded<Option<[f64; 2]>> for Option<Point> {
    fn recorded(value: Option<[f64; 2]>, _scope: &Scope<'_>) -> Self {
        value.map(|[x, y]| Point { x, y })
    }
}

impl Recorded<Option<u32>> for CubeSide {
    fn recorded(value: Option<u32>, scope: &Scope<'_>) -> Self {
        CubeSide(match scope.class {
            ObjectKind::CubeTexture => Some(value.unwrap_or(0)),
            _ => None,
        })
    }
}

impl Recorded<u32> for MipLevel {
    fn recorded(value: u32, scope: &Scope<'_>) -> Self {
        MipLevel((scope.class != ObjectKind::RectangleTexture).then_some(value))
    }
}

impl Recorded<Option<&[u8]>> for ByteArray {
    fn recorded(value: Option<&[u8]>, scope: &Scope<'_>) -> Self {
        Self::recorded(value.map(Bytecode::from), scope)
    }
}

impl Recorded<Option<Bytecode<'_>>> for ByteArray {
    fn recorded(value: Option<Bytecode<'_>>, _scope: &Scope<'_>) -> Self {
        ByteArray(value.map(|Bytecode { bytes, endian }| Bytes { bytes: bytes.to_vec(), endian }))
    }
}

impl Recorded<Option<&[f64]>> for Option<Numbers> {
    fn recorded(value: Option<&[f64]>, _scope: &Scope<'_>) -> Self {
        value.map(|numbers| Numbers(numbers.to_vec()))
    }
}

impl Recorded<Option<&[f32]>> for Option<Floats> {
    fn recorded(value: Option<&[f32]>, _scope: &Scope<'_>) -> Self {
        value.map(|numbers| Floats(numbers.to_vec()))
    }
}

impl Recorded<Option<&[u32]>> for Option<Uints> {
    fn recorded(value: Option<&[u32]>, _scope: &Scope<'_>) -> Self {
        value.map(|numbers| Uints(numbers.to_vec()))
    }
}

impl Recorded<Option<&[f64; 16]>> for Option<Matrix> {
    fn recorded(value: Option<&[f64; 16]>, _scope: &Scope<'_>) -> Self {
        value.map(|matrix| Matrix(Box::new(*matrix)))
    }
}

impl Recorded<context3d::arguments::Bitmap<'_>> for Bitmap {
    fn recorded(value: context3d::arguments::Bitmap<'_>, _scope: &Scope<'_>) -> Self {
        // A bitmap with too little memory for its size is recorded as disposed: both raise the same error.
        let bgra = value.to_layout(PixelLayout::default());
        let shape = crate::data::BitmapTarget {
            width: bgra.as_ref().map_or(0, |_| value.width),
            height: bgra.as_ref().map_or(0, |_| value.height),
            transparent: value.transparent,
            disposed: bgra.is_none(),
        };
        Bitmap { shape, bgra: bgra.unwrap_or_default() }
    }
}

impl Recorded<Option<context3d::arguments::Bitmap<'_>>> for Option<Bitmap> {
    fn recorded(value: Option<context3d::arguments::Bitmap<'_>>, scope: &Scope<'_>) -> Self {
        value.map(|bitmap| Bitmap::recorded(bitmap, scope))
    }
}

impl Recorded<Option<BitmapTarget>> for Option<crate::data::BitmapTarget> {
    fn recorded(value: Option<BitmapTarget>, _scope: &Scope<'_>) -> Self {
        value.map(|target| crate::data::BitmapTarget {
            width: target.width,
            height: target.height,
            transparent: target.transparent,
            disposed: target.width == 0 || target.height == 0,
        })
    }
}
