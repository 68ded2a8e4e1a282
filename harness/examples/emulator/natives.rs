//! Converts the VM's values to arguments of Stage3D calls.

use std::rc::Rc;

use context3d::arguments::{ByteOrder, PixelLayout};
use context3d::backend::AnyBackend;
use context3d::native::{BitmapSource, Endian, FlashError, Native, Vm, VmArgument};

use super::vm::{Heap, Thrown, Value};

/// The memory layout of the VM's bitmaps.
pub(crate) const LAYOUT: PixelLayout =
    PixelLayout { order: ByteOrder::Rgba, straight_alpha: true, stride: None };

/// The VM's state during a call.
pub(crate) struct Calling<'a> {
    pub(crate) heap: &'a Heap,
    /// True if the program has a listener for `context3DCreate`.
    pub(crate) listens: bool,
}

impl Vm for Calling<'_> {
    type Value = Value;
    type Error = Thrown;
    type Bytes = Rc<[u8]>;
    type Text = Rc<str>;
    type Numbers = Rc<[f64]>;
    type Floats = Rc<[f32]>;
    type Uints = Rc<[u32]>;

    fn argument(&mut self, value: &Value) -> VmArgument<Self> {
        match value {
            Value::Null => VmArgument::Null,
            Value::Boolean(value) => VmArgument::Boolean(*value),
            Value::Number(number) => VmArgument::Number(*number),
            Value::Text(text) => VmArgument::Text(Rc::clone(text)),
            Value::Bytes(bytes) => VmArgument::Bytes(Rc::clone(bytes), Endian::Little),
            Value::Numbers(numbers) => VmArgument::Numbers(Rc::clone(numbers)),
            Value::Uints(numbers) => VmArgument::Uints(Rc::clone(numbers)),
            Value::Bitmap(bitmap) => VmArgument::Bitmap(BitmapSource {
                width: bitmap.width,
                height: bitmap.height,
                transparent: true,
                pixels: Some(bitmap.rgba.borrow().as_slice().into()),
                layout: LAYOUT,
            }),
            Value::Object(id) => match self.heap.native::<Native<AnyBackend>>(*id) {
                Some(native) => VmArgument::Object(native.object()),
                None => VmArgument::Other,
            },
        }
    }

    /// Returns an element: this VM represents a `Matrix3D`, `Rectangle` or `Point` as a list of numbers.
    fn property(&mut self, object: &Value, name: &'static str) -> Result<Value, Thrown> {
        let index = ["x", "y", "width", "height"].iter().position(|field| *field == name);
        Ok(match (object, index) {
            (Value::Numbers(numbers), Some(index)) => {
                numbers.get(index).map_or(Value::Null, |number| Value::Number(*number))
            }
            _ => object.clone(),
        })
    }

    fn throw(&mut self, error: &FlashError) -> Thrown {
        Thrown::new(error.class().name(), error.as3_message())
    }

    fn has_create_listener(&mut self, _: &Value) -> Result<bool, Thrown> {
        Ok(self.listens)
    }
}
