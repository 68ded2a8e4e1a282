//! The arguments of a native call as a list of a VM's values.

use std::ops::Deref;

use agal::Endian;

use super::arguments::to_int;
use super::{Arguments, HeldBitmap, Texts};
use crate::error::{ErrorCode, FlashError};
use crate::handle::AnyHandle;

/// What a VM's value is.
#[derive(Debug)]
pub enum Argument<Value, Bytes> {
    /// Null or undefined.
    Null,
    /// `Boolean`
    Boolean(bool),
    /// `int`, `uint` or `Number`
    Number(f64),
    /// `String`
    Text(String),
    /// `ByteArray`: all its bytes, and its `endian`.
    Bytes(Bytes, Endian),
    /// The elements of a `Vector`.
    Vector(Vec<Value>),
    /// `BitmapData`
    Bitmap(HeldBitmap<Bytes>),
    /// An object of a context: its [`Native::object`](crate::native::Native::object).
    Object(Option<AnyHandle>),
    /// Any other object.
    Other,
}

/// [`Argument`] of a VM.
pub type ArgumentOf<V> = Argument<<V as Vm>::Value, <V as Vm>::Bytes>;

/// What [`Values`] needs of a VM.
pub trait Vm {
    /// A value, such as an argument.
    type Value;
    /// What the VM throws.
    type Error;
    /// The memory of a `ByteArray` or `BitmapData`: a guard of a borrow, or a copy.
    type Bytes: Deref<Target = [u8]>;

    /// Says what a value is.
    fn argument(&mut self, value: &Self::Value) -> ArgumentOf<Self>;
    /// Reads a property: `rawData` of a `Matrix3D`; `x`, `y`, `width`, `height` of a `Rectangle`; `x`, `y` of a `Point`.
    fn property(
        &mut self,
        object: &Self::Value,
        name: &'static str,
    ) -> Result<Self::Value, Self::Error>;
    /// What the VM throws for one of Flash's errors.
    fn throw(&mut self, error: &FlashError) -> Self::Error;
    /// Whether a `Stage3D` has a listener for `context3DCreate`.
    fn listens(&mut self, stage3d: &Self::Value) -> Result<bool, Self::Error>;
}

/// The arguments of a native call as a list of a VM's values, which the VM describes one at a time. A Boolean is converted to a
/// number and any value to a Boolean; other conversions, such as that of a text to a number, are the VM's, before the call, by
/// the declarations. Parameters without a value get their defaults.
#[derive(Debug)]
pub struct Values<'a, V: Vm> {
    vm: &'a mut V,
    this: &'a V::Value,
    values: std::slice::Iter<'a, V::Value>,
}

impl<'a, V: Vm> Values<'a, V> {
    /// The arguments of a call on `this`.
    pub fn new(vm: &'a mut V, this: &'a V::Value, values: &'a [V::Value]) -> Self {
        Values { vm, this, values: values.iter() }
    }

    /// Converts the next value, unless it is null.
    fn take<T>(
        &mut self,
        to: impl FnOnce(&mut V, ArgumentOf<V>) -> Option<T>,
    ) -> Result<Option<T>, V::Error> {
        let value = self.values.next().ok_or_else(|| mismatch(self.vm))?;
        match self.vm.argument(value) {
            Argument::Null => Ok(None),
            argument => to(self.vm, argument).map(Some).ok_or_else(|| mismatch(self.vm)),
        }
    }

    /// Converts the elements of a vector.
    fn vector<T>(
        &mut self,
        to: fn(ArgumentOf<V>) -> Option<T>,
    ) -> Result<Option<Vec<T>>, V::Error> {
        self.take(|vm, vector| elements(vm, vector, to))
    }

    /// Converts the properties of an object.
    fn properties<const N: usize, T>(
        &mut self,
        names: [&'static str; N],
        to: fn(&mut V, ArgumentOf<V>) -> Option<T>,
    ) -> Result<Option<[T; N]>, V::Error> {
        let object = self.values.as_slice().first();
        // There is one, and it is not null.
        let taken = self.take(|_, _| Some(()))?.and(object);
        let Some(object) = taken else { return Ok(None) };
        let read = |name| {
            let value = self.vm.property(object, name)?;
            let argument = self.vm.argument(&value);
            to(self.vm, argument).ok_or_else(|| mismatch(self.vm))
        };
        let values: Result<Vec<T>, V::Error> = names.into_iter().map(read).collect();
        Ok(values?.try_into().ok())
    }
}

fn mismatch<V: Vm>(vm: &mut V) -> V::Error {
    vm.throw(&FlashError::new(ErrorCode::Coercion, &[""; 0]))
}

fn elements<V: Vm, T>(
    vm: &mut V,
    vector: ArgumentOf<V>,
    to: fn(ArgumentOf<V>) -> Option<T>,
) -> Option<Vec<T>> {
    let Argument::Vector(values) = vector else { return None };
    values.iter().map(|value| to(vm.argument(value))).collect()
}

fn number<T, B>(argument: Argument<T, B>) -> Option<f64> {
    match argument {
        Argument::Null => Some(0.0),
        Argument::Boolean(value) => Some(f64::from(value)),
        Argument::Number(value) => Some(value),
        Argument::Text(_)
        | Argument::Bytes(..)
        | Argument::Vector(_)
        | Argument::Bitmap(_)
        | Argument::Object(_)
        | Argument::Other => None,
    }
}

fn boolean<T, B>(argument: Argument<T, B>) -> bool {
    match argument {
        Argument::Null => false,
        Argument::Boolean(value) => value,
        Argument::Number(value) => value != 0.0 && !value.is_nan(),
        Argument::Text(text) => !text.is_empty(),
        Argument::Bytes(..)
        | Argument::Vector(_)
        | Argument::Bitmap(_)
        | Argument::Object(_)
        | Argument::Other => true,
    }
}

macro_rules! take {
    ($($next:ident $kind:ident($($value:ident),+) -> $type:ty = $as:expr;)+) => {$(
        fn $next(&mut self) -> Result<Option<$type>, V::Error> {
            self.take(|_, it| if let Argument::$kind($($value),+) = it { $as } else { None })
        }
    )+};
}

impl<V: Vm> Arguments for Values<'_, V> {
    type Error = V::Error;
    type Bytes = V::Bytes;
    type Numbers = Vec<f64>;
    type Floats = Vec<f32>;
    type Uints = Vec<u32>;
    type Text = String;
    type Pixels = V::Bytes;

    take! {
        next_string Text(text) -> String = Some(text);
        next_bytes Bytes(bytes, endian) -> (V::Bytes, Endian) = Some((bytes, endian));
        next_bitmap Bitmap(bitmap) -> HeldBitmap<V::Bytes> = Some(bitmap);
        next_object Object(object) -> AnyHandle = object;
    }

    fn is_left(&self) -> bool {
        self.values.len() > 0
    }
    fn mismatch(&mut self) -> V::Error {
        mismatch(self.vm)
    }
    fn throw(&mut self, error: &FlashError) -> V::Error {
        self.vm.throw(error)
    }
    fn listens(&mut self) -> Result<bool, V::Error> {
        self.vm.listens(self.this)
    }
    fn next_number(&mut self) -> Result<f64, V::Error> {
        Ok(self.take(|_, value| number(value))?.unwrap_or_default())
    }
    fn next_bool(&mut self) -> Result<bool, V::Error> {
        Ok(self.take(|_, value| Some(boolean(value)))?.unwrap_or_default())
    }
    fn next_numbers(&mut self) -> Result<Option<Vec<f64>>, V::Error> {
        self.vector(number)
    }
    #[expect(clippy::cast_possible_truncation, reason = "a Vector.<float> has them")]
    fn next_floats(&mut self) -> Result<Option<Vec<f32>>, V::Error> {
        self.vector(|value| number(value).map(|number| number as f32))
    }
    fn next_uints(&mut self) -> Result<Option<Vec<u32>>, V::Error> {
        self.vector(|value| number(value).map(to_int).map(i32::cast_unsigned))
    }
    fn next_strings(&mut self) -> Result<Option<Texts<String>>, V::Error> {
        self.vector(|value| match value {
            Argument::Null => Some(None),
            Argument::Text(text) => Some(Some(text)),
            Argument::Boolean(_)
            | Argument::Number(_)
            | Argument::Bytes(..)
            | Argument::Vector(_)
            | Argument::Bitmap(_)
            | Argument::Object(_)
            | Argument::Other => None,
        })
    }
    fn next_matrix(&mut self) -> Result<Option<[f64; 16]>, V::Error> {
        let data = |vm: &mut V, data| elements(vm, data, number)?.try_into().ok();
        Ok(self.properties(["rawData"], data)?.map(|[data]| data))
    }
    fn next_rectangle(&mut self) -> Result<Option<[f64; 4]>, V::Error> {
        self.properties(["x", "y", "width", "height"], |_, value| number(value))
    }
    fn next_point(&mut self) -> Result<Option<[f64; 2]>, V::Error> {
        self.properties(["x", "y"], |_, value| number(value))
    }
}
