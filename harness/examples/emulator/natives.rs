//! The binding: reads the VM's values as the arguments of a call.

use std::cell::Ref;

use context3d::agal::Endian;
use context3d::arguments::{ByteOrder, PixelLayout};
use context3d::backend::AnyBackend;
use context3d::calls::{Arguments, HeldBitmap};
use context3d::native::Native;
use context3d::{AnyHandle, FlashError};

use super::vm::{BitmapData, Heap, Thrown, Value};

/// The memory layout of the VM's bitmaps.
pub(crate) const LAYOUT: PixelLayout =
    PixelLayout { order: ByteOrder::Rgba, straight_alpha: true, stride: None };

/// A call's arguments.
pub(crate) struct Values<'a> {
    pub(crate) heap: &'a Heap,
    pub(crate) values: &'a [Value],
    pub(crate) next: usize,
    /// The program has a listener for `context3DCreate`.
    pub(crate) listens: bool,
}

impl<'a> Values<'a> {
    fn next(&mut self) -> Result<&'a Value, Thrown> {
        self.next += 1;
        let count = "Error #1063: Argument count mismatch.";
        let value = self.values.get(self.next - 1);
        value.ok_or_else(|| Thrown::new("ArgumentError", count))
    }

    /// A reference of one of the types that `get` accepts, or null.
    fn reference<T>(&mut self, get: impl Fn(&'a Value) -> Option<T>) -> Result<Option<T>, Thrown> {
        match self.next()? {
            Value::Null => Ok(None),
            value => get(value).map(Some).ok_or_else(|| self.mismatch()),
        }
    }

    /// A `Matrix3D`, `Rectangle` or `Point`, which this VM represents by its numbers.
    fn array<const N: usize>(&mut self) -> Result<Option<[f64; N]>, Thrown> {
        let numbers = self.next_numbers()?.map(<[f64; N]>::try_from);
        numbers.transpose().map_err(|_| self.mismatch())
    }
}

impl<'a> Arguments for Values<'a> {
    type Error = Thrown;
    type Bytes = &'a [u8];
    type Numbers = &'a [f64];
    type Floats = &'a [f32];
    type Uints = &'a [u32];
    type Text = &'a str;
    type Pixels = Ref<'a, [u8]>;

    fn is_left(&self) -> bool {
        self.next < self.values.len()
    }

    fn mismatch(&mut self) -> Thrown {
        Thrown::new("TypeError", "Error #1034: Type Coercion failed.")
    }

    fn throw(&mut self, error: &FlashError) -> Thrown {
        Thrown::new(error.class().name(), error.as3_message())
    }

    fn listens(&mut self) -> Result<bool, Thrown> {
        Ok(self.listens)
    }

    /// This VM has no `Vector.<String>`.
    fn next_strings(&mut self) -> Result<Option<Vec<Option<&'a str>>>, Thrown> {
        self.reference(|_| None)
    }

    /// ActionScript's `int(value)`: modulo 2³²; NaN and infinities become 0.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "after the remainder it fits, and NaN becomes 0"
    )]
    fn next_int(&mut self) -> Result<i32, Thrown> {
        let number = self.next_number()?;
        Ok((number % 4_294_967_296.0) as i64 as i32)
    }

    fn next_number(&mut self) -> Result<f64, Thrown> {
        self.next()?.number()
    }

    fn next_bool(&mut self) -> Result<bool, Thrown> {
        Ok(!matches!(self.next()?, Value::Null | Value::Boolean(false)))
    }

    fn next_string(&mut self) -> Result<Option<&'a str>, Thrown> {
        self.reference(|value| match value {
            Value::Text(text) => Some(&**text),
            _ => None,
        })
    }

    fn next_bytes(&mut self) -> Result<Option<(&'a [u8], Endian)>, Thrown> {
        self.reference(|value| match value {
            Value::Bytes(bytes) => Some((&**bytes, Endian::Little)),
            _ => None,
        })
    }

    fn next_numbers(&mut self) -> Result<Option<&'a [f64]>, Thrown> {
        self.reference(|value| match value {
            Value::Numbers(numbers) => Some(&**numbers),
            _ => None,
        })
    }

    fn next_uints(&mut self) -> Result<Option<&'a [u32]>, Thrown> {
        self.reference(|value| match value {
            Value::Uints(numbers) => Some(&**numbers),
            _ => None,
        })
    }

    fn next_matrix(&mut self) -> Result<Option<[f64; 16]>, Thrown> {
        self.array()
    }

    fn next_rectangle(&mut self) -> Result<Option<[f64; 4]>, Thrown> {
        self.array()
    }

    fn next_point(&mut self) -> Result<Option<[f64; 2]>, Thrown> {
        self.array()
    }

    fn next_bitmap(&mut self) -> Result<Option<HeldBitmap<Ref<'a, [u8]>>>, Thrown> {
        let bitmap = |&BitmapData { width, height, ref rgba }: &'a BitmapData| HeldBitmap {
            width,
            height,
            transparent: true,
            pixels: Some(Ref::map(rgba.borrow(), Vec::as_slice)),
            layout: LAYOUT,
        };
        self.reference(|value| match value {
            Value::Bitmap(held) => Some(bitmap(held)),
            _ => None,
        })
    }

    fn next_object(&mut self) -> Result<Option<AnyHandle>, Thrown> {
        let heap = self.heap;
        self.reference(|value| match value {
            Value::Object(id) => heap.native::<Native<AnyBackend>>(*id)?.object(),
            _ => None,
        })
    }
}
