//! Adapts a slice of VM values to [`Arguments`].

use std::ops::Deref;

use agal::Endian;

use super::arguments::to_int;
use super::{Arguments, BitmapSource, Elements, StringVector, VectorCopy, VectorElement};
use crate::convert::single;
use crate::error::{ErrorCode, FlashError};
use crate::handle::AnyHandle;

/// A VM value, classified by type. An argument can borrow the VM's memory, to avoid copies.
pub enum VmArgument<V: Vm + ?Sized> {
    /// ActionScript's null or undefined.
    Null,
    /// A value of type `Boolean`.
    Boolean(bool),
    /// A value of type `int`, `uint` or `Number`.
    Number(f64),
    /// A value of type `String`.
    Text(V::Text),
    /// A `ByteArray`: all its bytes, and its `endian` property.
    Bytes(V::Bytes, Endian),
    /// A `Vector.<Number>` that the VM stores as an array of `f64`.
    Numbers(V::Numbers),
    /// A `Vector.<float>` (AIR only) that the VM stores as an array of `f32`.
    Floats(V::Floats),
    /// A `Vector.<uint>` that the VM stores as an array of `u32`.
    Uints(V::Uints),
    /// A `Vector` of this length, whose elements [`Vm::element`] classifies.
    Vector(usize),
    /// A `BitmapData` object.
    Bitmap(BitmapSource<V::Bytes>),
    /// An object of a context: the result of [`Native::object`](crate::native::Native::object).
    Object(Option<AnyHandle>),
    /// A value whose type has no variant in this enum.
    Other,
}

/// The callbacks of a VM for [`ArgumentSlice`].
pub trait Vm {
    /// The VM's type of values.
    type Value;
    /// The VM's type of a thrown error.
    type Error;
    /// The memory of a `ByteArray` or `BitmapData`: a guard of a borrow, or a copy.
    type Bytes: Deref<Target = [u8]>;
    /// The text of a `String`: a borrow, a guard, or a copy as a `String`.
    type Text: Deref<Target = str>;
    /// The array of a `Vector.<Number>`: a borrow, a guard, or a [`VectorCopy`] copy.
    type Numbers: Deref<Target = [f64]>;
    /// The array of a `Vector.<float>`: a borrow, a guard, or a [`VectorCopy`] copy.
    type Floats: Deref<Target = [f32]>;
    /// The array of a `Vector.<uint>`: a borrow, a guard, or a [`VectorCopy`] copy.
    type Uints: Deref<Target = [u32]>;

    /// Classifies a VM value.
    fn argument(&mut self, value: &Self::Value) -> VmArgument<Self>;
    /// Classifies an element of a [`VmArgument::Vector`].
    fn element(&mut self, vector: &Self::Value, index: usize) -> VmArgument<Self> {
        let _ = (vector, index);
        VmArgument::Null
    }
    /// Reads a property: `rawData` of a `Matrix3D`; `x`, `y`, `width`, `height` of a `Rectangle`; `x`, `y` of a `Point`.
    fn property(
        &mut self,
        object: &Self::Value,
        name: &'static str,
    ) -> Result<Self::Value, Self::Error>;
    /// Creates the VM's error for an error of Flash.
    fn throw(&mut self, error: &FlashError) -> Self::Error;
    /// Collects the VM's garbage, and returns whether objects were dropped. Called once before an error for exhausted
    /// memory or too many objects (3691). The call's arguments must stay valid.
    fn collect_garbage(&mut self) -> bool {
        false
    }
    /// Returns whether a `Stage3D` has a listener for `context3DCreate`.
    fn has_create_listener(&mut self, stage3d: &Self::Value) -> Result<bool, Self::Error>;
}

/// The arguments of a native call, as a slice of VM values that [`Vm::argument`] classifies. Converts Booleans to
/// numbers, and any value to Boolean; The VM must perform other conversions of the declarations, such as of strings to
/// numbers, before the call. Missing arguments get their declared defaults.
#[derive(Debug)]
pub struct ArgumentSlice<'a, V: Vm> {
    vm: &'a mut V,
    this: &'a V::Value,
    values: std::slice::Iter<'a, V::Value>,
}

impl<'a, V: Vm> ArgumentSlice<'a, V> {
    /// Creates the arguments of a call on `this`.
    pub fn new(vm: &'a mut V, this: &'a V::Value, values: &'a [V::Value]) -> Self {
        ArgumentSlice { vm, this, values: values.iter() }
    }

    /// Converts the next argument to a `T` with `to`. Null becomes `None`.
    fn take<T>(
        &mut self,
        to: impl FnOnce(&mut V, &V::Value, VmArgument<V>) -> Option<T>,
    ) -> Result<Option<T>, V::Error> {
        let value = self.values.next().ok_or_else(|| mismatch(self.vm))?;
        match self.vm.argument(value) {
            VmArgument::Null => Ok(None),
            argument => to(self.vm, value, argument).map(Some).ok_or_else(|| mismatch(self.vm)),
        }
    }

    /// Reads and converts properties of the next argument, an object. Stops at the first failure, because getters may
    /// run ActionScript.
    fn properties<const N: usize, T: Default>(
        &mut self,
        names: [&'static str; N],
        to: fn(&mut V, &V::Value, VmArgument<V>) -> Option<T>,
    ) -> Result<Option<[T; N]>, V::Error> {
        let object = self.values.as_slice().first();
        let not_null = self.take(|_, _, _| Some(()))?.and(object);
        let Some(object) = not_null else { return Ok(None) };
        let mut values = [(); N].map(|()| T::default());
        for (slot, name) in values.iter_mut().zip(names) {
            let value = self.vm.property(object, name)?;
            let argument = self.vm.argument(&value);
            *slot = to(self.vm, &value, argument).ok_or_else(|| mismatch(self.vm))?;
        }
        Ok(Some(values))
    }
}

fn mismatch<V: Vm>(vm: &mut V) -> V::Error {
    vm.throw(&FlashError::new(ErrorCode::Coercion, &[""; 0]))
}

/// Converts the elements of a number vector.
fn converted<V: Vm, T: VectorElement>(
    vm: &mut V,
    value: &V::Value,
    vector: VmArgument<V>,
    to: fn(f64) -> T,
) -> Option<VectorCopy<T>> {
    match vector {
        VmArgument::Numbers(numbers) => Some(VectorCopy::new(&numbers, |it| to(*it))),
        VmArgument::Floats(floats) => Some(VectorCopy::new(&floats, |it| to(f64::from(*it)))),
        VmArgument::Uints(uints) => Some(VectorCopy::new(&uints, |it| to(f64::from(*it)))),
        vector => {
            let VmArgument::Vector(len) = vector else { return None };
            VectorCopy::collect((0..len).map(|index| number(vm.element(value, index)).map(to)))
        }
    }
}

fn matrix<V: Vm>(vm: &mut V, value: &V::Value, data: VmArgument<V>) -> Option<[f64; 16]> {
    match data {
        VmArgument::Numbers(numbers) => numbers[..].try_into().ok(),
        data => converted(vm, value, data, |number| number)?[..].try_into().ok(),
    }
}

/// Converts an argument to a number. Null becomes 0; a string or an object becomes `None`.
fn number<V: Vm>(argument: VmArgument<V>) -> Option<f64> {
    match argument {
        VmArgument::Number(value) => Some(value),
        VmArgument::Boolean(value) => Some(f64::from(value)),
        argument => matches!(argument, VmArgument::Null).then_some(0.0),
    }
}

/// Converts an argument to `Boolean`: null, false, 0, NaN and the empty string become false.
fn boolean<V: Vm>(argument: VmArgument<V>) -> bool {
    match argument {
        VmArgument::Boolean(value) => value,
        VmArgument::Number(value) => value != 0.0 && !value.is_nan(),
        VmArgument::Text(text) => !text.is_empty(),
        argument => !matches!(argument, VmArgument::Null),
    }
}

macro_rules! take_vector {
    ($($next:ident $kind:ident, $to:expr;)+) => {$(
        fn $next(&mut self) -> Result<Option<Self::$kind>, V::Error> {
            self.take(|vm, value, vector| match vector {
                VmArgument::$kind(numbers) => Some(Elements::Lent(numbers)),
                vector => converted(vm, value, vector, $to).map(Elements::Converted),
            })
        }
    )+};
}

macro_rules! take {
    ($($next:ident $kind:ident($($value:ident),+) -> $type:ty = $as:expr;)+) => {$(
        fn $next(&mut self) -> Result<Option<$type>, V::Error> {
            self.take(|_, _, it| if let VmArgument::$kind($($value),+) = it { $as } else { None })
        }
    )+};
}

impl<V: Vm> Arguments for ArgumentSlice<'_, V> {
    type Error = V::Error;
    type Bytes = V::Bytes;
    type Numbers = Elements<V::Numbers, f64>;
    type Floats = Elements<V::Floats, f32>;
    type Uints = Elements<V::Uints, u32>;
    type Text = V::Text;
    type Pixels = V::Bytes;

    take! {
        next_string Text(text) -> V::Text = Some(text);
        next_bytes Bytes(bytes, endian) -> (V::Bytes, Endian) = Some((bytes, endian));
        next_bitmap Bitmap(bitmap) -> BitmapSource<V::Bytes> = Some(bitmap);
        next_object Object(object) -> AnyHandle = object;
    }

    take_vector! {
        next_numbers Numbers, |number| number;
        next_floats Floats, single;
        next_uints Uints, |number| to_int(number).cast_unsigned();
    }

    fn has_next(&self) -> bool {
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
    fn has_create_listener(&mut self) -> Result<bool, V::Error> {
        self.vm.has_create_listener(self.this)
    }
    fn next_number(&mut self) -> Result<f64, V::Error> {
        Ok(self.take(|_, _, value| number(value))?.unwrap_or_default())
    }
    fn next_bool(&mut self) -> Result<bool, V::Error> {
        Ok(self.take(|_, _, value| Some(boolean(value)))?.unwrap_or_default())
    }
    fn next_strings(&mut self) -> Result<Option<StringVector<V::Text>>, V::Error> {
        self.take(|vm, value, vector| {
            let VmArgument::Vector(len) = vector else { return None };
            let text = |index| match vm.element(value, index) {
                VmArgument::Text(text) => Some(Some(text)),
                element => matches!(element, VmArgument::Null).then_some(None),
            };
            (0..len).map(text).collect()
        })
    }
    fn next_matrix(&mut self) -> Result<Option<[f64; 16]>, V::Error> {
        Ok(self.properties(["rawData"], matrix)?.map(|[data]| data))
    }
    fn next_rectangle(&mut self) -> Result<Option<[f64; 4]>, V::Error> {
        self.properties(["x", "y", "width", "height"], |_, _, value| number(value))
    }
    fn next_point(&mut self) -> Result<Option<[f64; 2]>, V::Error> {
        self.properties(["x", "y"], |_, _, value| number(value))
    }
}
