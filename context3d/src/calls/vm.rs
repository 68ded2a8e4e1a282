//! The arguments of a native call as a list of a VM's values.

use std::ops::Deref;

use agal::Endian;

use super::arguments::to_int;
use super::{Arguments, HeldBitmap, Texts};
use crate::error::{ErrorCode, FlashError};
use crate::handle::AnyHandle;

/// A value of a VM, by type. Memory of the VM is borrowed, so that nothing is copied.
pub enum Argument<V: Vm + ?Sized> {
    /// Null or undefined.
    Null,
    /// `Boolean`
    Boolean(bool),
    /// `int`, `uint` or `Number`
    Number(f64),
    /// `String`
    Text(V::Text),
    /// `ByteArray`: all its bytes, and its `endian`.
    Bytes(V::Bytes, Endian),
    /// A `Vector.<Number>` that is an array of numbers.
    Numbers(V::Numbers),
    /// A `Vector.<uint>` that is an array of numbers.
    Uints(V::Uints),
    /// The elements of any `Vector`. Each one is converted by itself.
    Vector(Vec<V::Value>),
    /// `BitmapData`
    Bitmap(HeldBitmap<V::Bytes>),
    /// An object of a context: its [`Native::object`](crate::native::Native::object).
    Object(Option<AnyHandle>),
    /// Any other object.
    Other,
}

/// What [`Values`] needs of a VM.
pub trait Vm {
    /// A value, such as an argument.
    type Value;
    /// What the VM throws.
    type Error;
    /// The memory of a `ByteArray` or `BitmapData`: a guard of a borrow, or a copy.
    type Bytes: Deref<Target = [u8]>;
    /// The text of a `String`: a borrow, a guard, or a copy as a `String`.
    type Text: Deref<Target = str>;
    /// The array of a `Vector.<Number>`: a borrow, a guard, or a copy as a `Vec`.
    type Numbers: Deref<Target = [f64]>;
    /// The array of a `Vector.<uint>`: a borrow, a guard, or a copy as a `Vec`.
    type Uints: Deref<Target = [u32]>;

    /// Says what a value is.
    fn argument(&mut self, value: &Self::Value) -> Argument<Self>;
    /// Reads a property: `rawData` of a `Matrix3D`; `x`, `y`, `width`, `height` of a `Rectangle`; `x`, `y` of a `Point`.
    fn property(
        &mut self,
        object: &Self::Value,
        name: &'static str,
    ) -> Result<Self::Value, Self::Error>;
    /// What the VM throws for one of Flash's errors.
    fn throw(&mut self, error: &FlashError) -> Self::Error;
    /// Collects the VM's garbage, and returns whether objects were dropped: called once before an error for lack of memory
    /// or of objects (3691). The call's arguments stay in use.
    fn collect_garbage(&mut self) -> bool {
        false
    }
    /// Whether a `Stage3D` has a listener for `context3DCreate`.
    fn listens(&mut self, stage3d: &Self::Value) -> Result<bool, Self::Error>;
}

/// The numbers of a `Vector`.
#[derive(Debug)]
pub enum Elements<Array, T> {
    /// The VM's own array.
    Lent(Array),
    /// A converted copy.
    Converted(Vec<T>),
}

impl<Array: Deref<Target = [T]>, T> Deref for Elements<Array, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Elements::Lent(array) => array,
            Elements::Converted(elements) => elements,
        }
    }
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
        to: impl FnOnce(&mut V, Argument<V>) -> Option<T>,
    ) -> Result<Option<T>, V::Error> {
        let value = self.values.next().ok_or_else(|| mismatch(self.vm))?;
        match self.vm.argument(value) {
            Argument::Null => Ok(None),
            argument => to(self.vm, argument).map(Some).ok_or_else(|| mismatch(self.vm)),
        }
    }

    /// Converts the properties of an object.
    fn properties<const N: usize, T: Default>(
        &mut self,
        names: [&'static str; N],
        to: fn(&mut V, Argument<V>) -> Option<T>,
    ) -> Result<Option<[T; N]>, V::Error> {
        let object = self.values.as_slice().first();
        // There is one, and it is not null.
        let taken = self.take(|_, _| Some(()))?.and(object);
        let Some(object) = taken else { return Ok(None) };
        let mut read = |name| {
            let value = self.vm.property(object, name)?;
            let argument = self.vm.argument(&value);
            to(self.vm, argument).ok_or_else(|| mismatch(self.vm))
        };
        let mut result = Ok(());
        let values = names.map(|name| {
            // The first failure ends it: a getter is code of the VM.
            let value = if result.is_ok() { read(name) } else { Ok(T::default()) };
            value.unwrap_or_else(|error| {
                result = Err(error);
                T::default()
            })
        });
        result.map(|()| Some(values))
    }
}

fn mismatch<V: Vm>(vm: &mut V) -> V::Error {
    vm.throw(&FlashError::new(ErrorCode::Coercion, &[""; 0]))
}

/// Converts the numbers of a vector.
fn converted<V: Vm, T>(vm: &mut V, vector: Argument<V>, to: fn(f64) -> T) -> Option<Vec<T>> {
    match vector {
        Argument::Numbers(numbers) => Some(numbers.iter().copied().map(to).collect()),
        Argument::Uints(uints) => Some(uints.iter().copied().map(f64::from).map(to).collect()),
        Argument::Vector(values) => {
            values.iter().map(|value| number(vm.argument(value)).map(to)).collect()
        }
        Argument::Null
        | Argument::Boolean(_)
        | Argument::Number(_)
        | Argument::Text(_)
        | Argument::Bytes(..)
        | Argument::Bitmap(_)
        | Argument::Object(_)
        | Argument::Other => None,
    }
}

fn matrix<V: Vm>(vm: &mut V, data: Argument<V>) -> Option<[f64; 16]> {
    match data {
        Argument::Numbers(numbers) => numbers[..].try_into().ok(),
        data => converted(vm, data, |number| number)?.try_into().ok(),
    }
}

fn number<V: Vm>(argument: Argument<V>) -> Option<f64> {
    match argument {
        Argument::Null => Some(0.0),
        Argument::Boolean(value) => Some(f64::from(value)),
        Argument::Number(value) => Some(value),
        Argument::Text(_)
        | Argument::Bytes(..)
        | Argument::Numbers(_)
        | Argument::Uints(_)
        | Argument::Vector(_)
        | Argument::Bitmap(_)
        | Argument::Object(_)
        | Argument::Other => None,
    }
}

fn boolean<V: Vm>(argument: Argument<V>) -> bool {
    match argument {
        Argument::Null => false,
        Argument::Boolean(value) => value,
        Argument::Number(value) => value != 0.0 && !value.is_nan(),
        Argument::Text(text) => !text.is_empty(),
        Argument::Bytes(..)
        | Argument::Numbers(_)
        | Argument::Uints(_)
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
    type Numbers = Elements<V::Numbers, f64>;
    type Floats = Vec<f32>;
    type Uints = Elements<V::Uints, u32>;
    type Text = V::Text;
    type Pixels = V::Bytes;

    take! {
        next_string Text(text) -> V::Text = Some(text);
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
    fn collect_garbage(&mut self) -> bool {
        self.vm.collect_garbage()
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
    fn next_numbers(&mut self) -> Result<Option<Self::Numbers>, V::Error> {
        self.take(|vm, vector| match vector {
            Argument::Numbers(numbers) => Some(Elements::Lent(numbers)),
            vector => converted(vm, vector, |number| number).map(Elements::Converted),
        })
    }
    #[expect(clippy::cast_possible_truncation, reason = "a Vector.<float> has them")]
    fn next_floats(&mut self) -> Result<Option<Vec<f32>>, V::Error> {
        self.take(|vm, vector| converted(vm, vector, |number| number as f32))
    }
    fn next_uints(&mut self) -> Result<Option<Self::Uints>, V::Error> {
        let uint = |number| to_int(number).cast_unsigned();
        self.take(|vm, vector| match vector {
            Argument::Uints(uints) => Some(Elements::Lent(uints)),
            vector => converted(vm, vector, uint).map(Elements::Converted),
        })
    }
    fn next_strings(&mut self) -> Result<Option<Texts<V::Text>>, V::Error> {
        self.take(|vm, vector| {
            let Argument::Vector(values) = vector else { return None };
            let text = |value| match vm.argument(value) {
                Argument::Null => Some(None),
                Argument::Text(text) => Some(Some(text)),
                Argument::Boolean(_)
                | Argument::Number(_)
                | Argument::Bytes(..)
                | Argument::Numbers(_)
                | Argument::Uints(_)
                | Argument::Vector(_)
                | Argument::Bitmap(_)
                | Argument::Object(_)
                | Argument::Other => None,
            };
            values.iter().map(text).collect()
        })
    }
    fn next_matrix(&mut self) -> Result<Option<[f64; 16]>, V::Error> {
        Ok(self.properties(["rawData"], matrix)?.map(|[data]| data))
    }
    fn next_rectangle(&mut self) -> Result<Option<[f64; 4]>, V::Error> {
        self.properties(["x", "y", "width", "height"], |_, value| number(value))
    }
    fn next_point(&mut self) -> Result<Option<[f64; 2]>, V::Error> {
        self.properties(["x", "y"], |_, value| number(value))
    }
}
