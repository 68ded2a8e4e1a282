//! Generates ActionScript code for the arguments of calls: one implementation per type in the table of calls.

use std::collections::HashMap;

use context3d::agal::Endian;
use context3d::arguments::Rectangle;
use context3d::enums::FlashName;
use molehill_capture::data::{
    BitmapData, BitmapTargetData, ByteArray, CubeSide, Enum, Floats, Matrix, MipLevel, Numbers,
    OptionalParameter, PointData, Uints,
};
use molehill_capture::objects::{IndexBufferId, ObjectId, ProgramId, TextureId, VertexBufferId};
use swf::avm2::types::Op;

use crate::code::MethodCode;
use crate::pool::MultiName;
use crate::runtime::OBJECTS;

const BITMAP_DATA: MultiName<'_> = MultiName::In("flash.display", "BitmapData");

/// The reason why an ActionScript program can't make a call.
pub(crate) type OmissionReason = &'static str;

/// The bulk data of all calls, with each byte sequence stored once, and the indices of objects.
#[derive(Default)]
pub(crate) struct Data {
    pub(crate) bytes: Vec<u8>,
    offsets: HashMap<Vec<u8>, i32>,
    objects: HashMap<ObjectId, i32>,
}

impl Data {
    /// Stores bytes, and returns their offset and length.
    fn store(&mut self, bytes: &[u8]) -> Result<(i32, i32), OmissionReason> {
        let too_long = |_| "more than 2 GiB of data";
        let length = i32::try_from(bytes.len()).map_err(too_long)?;
        if let Some(offset) = self.offsets.get(bytes) {
            return Ok((*offset, length));
        }
        let offset = i32::try_from(self.bytes.len()).map_err(too_long)?;
        i32::try_from(self.bytes.len().saturating_add(bytes.len())).map_err(too_long)?;
        self.bytes.extend_from_slice(bytes);
        self.offsets.insert(bytes.to_vec(), offset);
        Ok((offset, length))
    }

    /// Clears the map of object ids to indices.
    pub(crate) fn forget_objects(&mut self) {
        self.objects.clear();
    }

    /// Returns the 0-based index of an object in the property `objects`.
    pub(crate) fn object(&mut self, id: ObjectId) -> i32 {
        let next = i32::try_from(self.objects.len()).unwrap_or(i32::MAX);
        *self.objects.entry(id).or_insert(next)
    }
}

/// Pushes `this.objects[number]`.
pub(crate) fn object(code: &mut MethodCode, number: i32) {
    code.local(0).get(OBJECTS).int(number).get(MultiName::Late);
}

/// An argument type whose values can be pushed on the stack. Returns the number of pushed values, which is 0 for an
/// omitted argument.
pub(crate) trait PushArgument {
    fn push(&self, code: &mut MethodCode, data: &mut Data) -> Result<u32, OmissionReason>;
}

macro_rules! simple {
    ($($type:ty: |$value:ident, $code:ident, $data:ident| $push:expr;)+) => {$(
        impl PushArgument for $type {
            fn push(&self, $code: &mut MethodCode, $data: &mut Data) -> Result<u32, OmissionReason> {
                let ($value, _) = (self, &$data);
                $push;
                Ok(1)
            }
        }
    )+};
}

simple! {
    i32: |value, code, data| code.int(*value);
    u32: |value, code, data| code.uint(*value);
    f64: |value, code, data| code.double(*value);
    bool: |value, code, data| code.bool(*value);
    Option<String>: |text, code, data| code.text_or_null(text.as_deref());
    ByteArray: |array, code, data| match &array.0 {
        None => _ = code.op(Op::PushNull),
        Some(array) => {
            let (offset, length) = data.store(&array.bytes)?;
            code.local(0).int(offset).int(length).bool(array.endian == Endian::Big).call("bytes", 3);
        }
    };
    Numbers: |numbers, code, data| {
        let (offset, _) = data.store(&numbers.0.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>())?;
        code.local(0).int(offset).int(length(numbers.0.len())?).call("numbers", 2);
    };
    Uints: |numbers, code, data| {
        let (offset, _) = data.store(&numbers.0.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>())?;
        code.local(0).int(offset).int(length(numbers.0.len())?).call("uints", 2);
    };
    Matrix: |matrix, code, data| {
        let class = MultiName::In("flash.geom", "Matrix3D");
        code.find(class);
        Numbers(matrix.0.to_vec()).push(code, data)?;
        code.construct(class, 1);
    };
    BitmapData: |bitmap, code, data| {
        if bitmap.shape.disposed {
            bitmap.shape.push(code, data)?;
        } else {
            let BitmapTargetData { width, height, transparent, .. } = bitmap.shape;
            let (offset, _) = data.store(&set_pixels(&bitmap.bgra, transparent))?;
            code.local(0).int(offset).uint(width).uint(height).bool(transparent).call("bitmap", 4);
        }
    };
    BitmapTargetData: |shape, code, data| {
        let side = |side: u32| if shape.disposed { side.max(1) } else { side };
        code.find(BITMAP_DATA).uint(side(shape.width)).uint(side(shape.height)).bool(shape.transparent).int(0);
        code.construct(BITMAP_DATA, 4);
        if shape.disposed {
            code.op(Op::Dup).void("dispose", 0);
        }
    };
    Rectangle: |it, code, data| {
        let class = MultiName::In("flash.geom", "Rectangle");
        code.find(class).double(it.x).double(it.y).double(it.width).double(it.height).construct(class, 4);
    };
    PointData: |it, code, data| {
        let class = MultiName::In("flash.geom", "Point");
        code.find(class).double(it.x).double(it.y).construct(class, 2);
    };
    Option<Vec<Option<String>>>: |names, code, data| match names {
        None => _ = code.op(Op::PushNull),
        Some(names) => {
            let count = length(names.len())?;
            code.vector("String", |code| code.int(count));
            for (index, name) in (0..).zip(names) {
                code.op(Op::Dup).int(index).text_or_null(name.as_deref()).set(MultiName::Late);
            }
        }
    };
}

impl PushArgument for Floats {
    fn push(&self, _: &mut MethodCode, _: &mut Data) -> Result<u32, OmissionReason> {
        Err("Vector.<float> is not in Flash Player")
    }
}

fn length(length: usize) -> Result<i32, OmissionReason> {
    i32::try_from(length).map_err(|_| "more than 2 GiB of data")
}

/// Converts pixels for `setPixels`: A, R, G, B with straight alpha. The player premultiplies pixels of transparent
/// bitmaps again, with unknown rounding. Colours of opaque bitmaps don't change, regardless of the recorded alpha.
fn set_pixels(bgra: &[u8], transparent: bool) -> Vec<u8> {
    let straight = |color: u8, alpha: u8| match alpha {
        0 => 0,
        alpha => {
            let (color, alpha) = (u32::from(color), u32::from(alpha));
            u8::try_from((color * 255 + alpha / 2) / alpha).unwrap_or(u8::MAX)
        }
    };
    let pixels = bgra.as_chunks::<4>().0.iter();
    let pixel = |[b, g, r, a]: &[u8; 4]| {
        let alpha = if transparent { *a } else { u8::MAX };
        [alpha, straight(*r, alpha), straight(*g, alpha), straight(*b, alpha)]
    };
    pixels.flat_map(pixel).collect()
}

impl<T: FlashName> PushArgument for Enum<T> {
    fn push(&self, code: &mut MethodCode, _: &mut Data) -> Result<u32, OmissionReason> {
        code.text_or_null(self.text());
        Ok(1)
    }
}

/// Implements [`PushArgument`] for references and vectors, which may be null.
macro_rules! nullable {
    ($($type:ty)+) => {$(
        impl PushArgument for Option<$type> {
            fn push(&self, code: &mut MethodCode, data: &mut Data) -> Result<u32, OmissionReason> {
                match self {
                    Some(value) => value.push(code, data),
                    None => {
                        code.op(Op::PushNull);
                        Ok(1)
                    }
                }
            }
        }
    )+};
}

nullable! { Numbers Floats Uints Matrix BitmapData BitmapTargetData Rectangle PointData }
nullable! { VertexBufferId IndexBufferId ProgramId TextureId }

macro_rules! references {
    ($($type:ty)+) => {$(
        impl PushArgument for $type {
            fn push(&self, code: &mut MethodCode, data: &mut Data) -> Result<u32, OmissionReason> {
                let number = data.object(self.0);
                object(code, number);
                Ok(1)
            }
        }
    )+};
}

references! { VertexBufferId IndexBufferId ProgramId TextureId }

/// Implements [`PushArgument`] for parameters that only the methods of some classes have.
macro_rules! of_some_classes {
    ($($type:ty)+) => {$(
        impl PushArgument for $type {
            fn push(&self, code: &mut MethodCode, data: &mut Data) -> Result<u32, OmissionReason> {
                self.0.map_or(Ok(0), |value| value.push(code, data))
            }
        }
    )+};
}

of_some_classes! { CubeSide MipLevel }

impl<T: PushArgument> PushArgument for OptionalParameter<T> {
    fn push(&self, code: &mut MethodCode, data: &mut Data) -> Result<u32, OmissionReason> {
        self.0.as_ref().map_or(Ok(0), |value| value.push(code, data))
    }
}
