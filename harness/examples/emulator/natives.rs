//! The binding, generated from `call_table!` for every call of the API: converts the name of a native method and the
//! VM's values to a [`Command`], and the result to a value or an exception.

use std::cell::Ref;

use context3d::arguments::{Bitmap, BitmapTarget, ByteOrder, Bytecode, PixelLayout, Rectangle};
use context3d::enums::{FlashName, Name};
use context3d::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use context3d::{AnyHandle, Command, Error, Handle, ReleaseQueue, Reply, call_table};

use super::vm::{BitmapData, Heap, Thrown, Value};

/// The memory layout of the VM's bitmaps.
pub(crate) const LAYOUT: PixelLayout =
    PixelLayout { order: ByteOrder::Rgba, straight_alpha: true, stride: None };

/// The native part of an object that a context created. It is dropped when the program has no reference to the object
/// any more.
pub(crate) struct Resource<C> {
    /// The context that made it.
    pub(crate) context: C,
    pub(crate) handle: AnyHandle,
    /// The context's queue. Pushing needs no access to the context, which may be in use during garbage collection.
    pub(crate) queue: ReleaseQueue,
}

impl<C> Drop for Resource<C> {
    fn drop(&mut self) {
        self.queue.push(self.handle);
    }
}

/// Finds the handle of a VM object.
pub(crate) type Find<'a> = &'a dyn Fn(&Heap, &Value) -> Option<AnyHandle>;

/// The pixels of the bitmaps among the arguments, borrowed for the duration of a call.
pub(crate) fn borrow(arguments: &[Value]) -> Vec<Option<Ref<'_, Vec<u8>>>> {
    let borrowed = arguments.iter().map(|value| match value {
        Value::Bitmap(bitmap) => Some(bitmap.rgba.borrow()),
        _ => None,
    });
    borrowed.collect()
}

/// Reads arguments one by one, converting them as ActionScript does.
pub(crate) struct Arguments<'a> {
    pub(crate) heap: &'a Heap,
    pub(crate) find: Find<'a>,
    /// The receiver's class.
    pub(crate) class: &'static str,
    pub(crate) values: &'a [Value],
    pub(crate) pixels: &'a [Option<Ref<'a, Vec<u8>>>],
    pub(crate) next: usize,
}

impl<'a> Arguments<'a> {
    fn is_left(&self) -> bool {
        self.next < self.values.len()
    }

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
            value => get(value).map(Some).ok_or_else(coercion),
        }
    }

    /// ActionScript's `int(value)`: modulo 2³²; NaN and infinities become 0.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "after the remainder it fits, and NaN becomes 0"
    )]
    fn int(&mut self) -> Result<i32, Thrown> {
        let number = self.next()?.number()?;
        Ok((number % 4_294_967_296.0) as i64 as i32)
    }

    fn uint(&mut self) -> Result<u32, Thrown> {
        self.int().map(i32::cast_unsigned)
    }

    fn boolean(&mut self) -> Result<bool, Thrown> {
        Ok(!matches!(self.next()?, Value::Null | Value::Boolean(false)))
    }

    fn bytes(&mut self) -> Result<Option<&'a [u8]>, Thrown> {
        self.reference(|value| match value {
            Value::Bytes(bytes) => Some(&**bytes),
            _ => None,
        })
    }

    fn numbers(&mut self) -> Result<Option<&'a [f64]>, Thrown> {
        self.reference(|value| match value {
            Value::Numbers(numbers) => Some(&**numbers),
            _ => None,
        })
    }

    fn uints(&mut self) -> Result<Option<&'a [u32]>, Thrown> {
        self.reference(|value| match value {
            Value::Uints(numbers) => Some(&**numbers),
            _ => None,
        })
    }

    /// A `Matrix3D`, `Rectangle` or `Point`, which this VM represents by its numbers.
    fn array<const N: usize>(&mut self) -> Result<Option<&'a [f64; N]>, Thrown> {
        let numbers = self.numbers()?;
        let array = numbers.map(|numbers| numbers.try_into().map_err(|_| coercion()));
        array.transpose()
    }

    fn rectangle(&mut self) -> Result<Option<Rectangle>, Thrown> {
        let rectangle = self.array()?.copied();
        Ok(rectangle.map(|[x, y, width, height]| Rectangle { x, y, width, height }))
    }

    fn bitmap_data(&mut self) -> Result<Option<&'a BitmapData>, Thrown> {
        self.reference(|value| match value {
            Value::Bitmap(bitmap) => Some(&**bitmap),
            _ => None,
        })
    }

    fn bitmap(&mut self) -> Result<Option<Bitmap<'a>>, Thrown> {
        let bitmap = self.bitmap_data()?;
        let pixels = self.pixels.get(self.next - 1).and_then(Option::as_ref);
        Ok(bitmap.map(|bitmap| Bitmap {
            width: bitmap.width,
            height: bitmap.height,
            transparent: true,
            pixels: pixels.map(|pixels| pixels.as_slice()),
            layout: LAYOUT,
        }))
    }

    fn target(&mut self) -> Result<Option<BitmapTarget>, Thrown> {
        let bitmap = self.bitmap_data()?;
        Ok(bitmap.map(|bitmap| BitmapTarget {
            width: bitmap.width,
            height: bitmap.height,
            transparent: true,
        }))
    }

    fn name<T: FlashName>(&mut self) -> Result<Name<'a, T>, Thrown> {
        let text = self.reference(|value| match value {
            Value::Text(text) => Some(&**text),
            _ => None,
        })?;
        Ok(Name::parse(text))
    }

    fn object<K>(
        &mut self,
        key: fn(AnyHandle) -> Option<Handle<K>>,
    ) -> Result<Option<Handle<K>>, Thrown> {
        let (heap, find) = (self.heap, self.find);
        self.reference(|value| find(heap, value).and_then(key))
    }
}

fn coercion() -> Thrown {
    Thrown::new("TypeError", "Error #1034: Type Coercion failed.")
}

macro_rules! handles {
    ($($function:ident $kind:ident $key:ty;)+) => {$(
        fn $function(handle: AnyHandle) -> Option<Handle<$key>> {
            match handle {
                AnyHandle::$kind(handle) => Some(handle),
                _ => None,
            }
        }
    )+};
}

handles! {
    vertex_buffer VertexBuffer VertexBufferKey;
    index_buffer IndexBuffer IndexBufferKey;
    program Program ProgramKey;
    texture Texture TextureKey;
}

/// Reads the next argument, by its type in the table.
macro_rules! argument {
    ($from:ident int) => { $from.int()? };
    ($from:ident uint) => { $from.uint()? };
    ($from:ident Number) => { $from.next()?.number()? };
    ($from:ident Boolean) => { $from.boolean()? };
    ($from:ident ByteArray) => { $from.bytes()? };
    ($from:ident Bytecode) => { $from.bytes()?.map(Bytecode::from) };
    ($from:ident VectorNumber) => { $from.numbers()? };
    // This VM has no `Vector.<float>`.
    ($from:ident VectorFloat) => { $from.reference(|_| None)? };
    ($from:ident VectorUint) => { $from.uints()? };
    ($from:ident Matrix3D) => { $from.array()? };
    ($from:ident BitmapData) => { $from.bitmap()? };
    ($from:ident BitmapTarget) => { $from.target()? };
    ($from:ident VideoFrame) => { $from.bitmap()?.ok_or_else(coercion)? };
    ($from:ident Rectangle) => { $from.rectangle()? };
    ($from:ident Point) => { $from.array()?.copied() };
    // Only cube textures have the parameter.
    ($from:ident CubeSide) => { if $from.class == "CubeTexture" { Some($from.uint()?) } else { None } };
    // Rectangle textures don't have it.
    ($from:ident MipLevel) => { if $from.class == "RectangleTexture" { 0 } else { $from.uint()? } };
    ($from:ident VertexBuffer3D) => { $from.object(vertex_buffer)? };
    ($from:ident IndexBuffer3D) => { $from.object(index_buffer)? };
    ($from:ident Program3D) => { $from.object(program)? };
    ($from:ident TextureBase) => { $from.object(texture)? };
    ($from:ident enum $enumeration:ident) => { $from.name()? };
    ($from:ident $($type:ident)+ = $default:expr) => {
        if $from.is_left() { argument!($from $($type)+) } else { $default }
    };
}

/// The object whose method is called.
macro_rules! receiver {
    ($this:ident VertexBuffer3D) => {
        $this.and_then(vertex_buffer).ok_or_else(coercion)?
    };
    ($this:ident IndexBuffer3D) => {
        $this.and_then(index_buffer).ok_or_else(coercion)?
    };
    ($this:ident Program3D) => {
        $this.and_then(program).ok_or_else(coercion)?
    };
    ($this:ident TextureBase) => {
        $this.and_then(texture).ok_or_else(coercion)?
    };
}

macro_rules! created {
    () => {
        ""
    };
    ($class:ident) => {
        stringify!($class)
    };
}

macro_rules! define_binding {
    ($(
        $(#[$doc:meta])*
        $variant:ident: $kind:ident $($class:ident)|+ $(($receiver:ident: $base:ident))? $name:literal $(-> $result:ident)?,
            since $since:literal, needs $needs:ident $(dirties [$($dirty:ident)*])? {
                $($field:ident $parameter:literal: $($type:ident)+ $(($($declared:tt)*))? $(= $default:expr)?),* $(,)?
            } [$($code:ident)*] $(as $like:ident)?
            => $witness:literal;
    )+) => {
        /// The command for a method or setter of a class, and the class of the object that it creates. The fields of a
        /// command are in the order of the ActionScript method's parameters.
        pub(crate) fn command<'a>(
            name: &str,
            this: Option<AnyHandle>,
            mut arguments: Arguments<'a>,
        ) -> Result<(Command<'a>, &'static str), Thrown> {
            let from = &mut arguments;
            match (from.class, name) {
                $(($(stringify!($class))|+, $name) => {
                    $(let $receiver = receiver!(this $base);)?
                    $(let $field = argument!(from $($type)+ $(= $default)?);)*
                    Ok((Command::$variant { $($receiver,)? $($field),* }, created!($($result)?)))
                })+
                (class, _) => Err(Thrown::new(
                    "ReferenceError",
                    format!("Error #1069: Property {name} not found on {class}."),
                )),
            }
        }

        /// Whether a command sets this property of a class.
        pub(crate) fn is_setter(class: &str, name: &str) -> bool {
            match (class, name) {
                $(($(stringify!($class))|+, $name) => stringify!($kind) == "setter",)+
                _ => false,
            }
        }
    };
}

call_table!(define_binding);

/// Converts a result: the handle of a new object, pixels for a bitmap among the arguments, or nothing.
pub(crate) fn reply(
    result: Result<Reply, Error>,
    arguments: &[Value],
) -> Result<Option<AnyHandle>, Thrown> {
    match result {
        Ok(Reply::VertexBuffer(handle)) => Ok(Some(handle.into())),
        Ok(Reply::IndexBuffer(handle)) => Ok(Some(handle.into())),
        Ok(Reply::Program(handle)) => Ok(Some(handle.into())),
        Ok(Reply::Texture(handle)) => Ok(Some(handle.into())),
        Ok(Reply::Bitmap(patch)) => {
            if let Some(Value::Bitmap(bitmap)) = arguments.first() {
                patch.write_to(&mut bitmap.rgba.borrow_mut(), bitmap.width, LAYOUT);
            }
            Ok(None)
        }
        Ok(Reply::Done | Reply::Null | Reply::Skipped(_)) => Ok(None),
        Err(Error::Flash(error)) => Err(Thrown::new(error.class().name(), error.as3_message())),
        // Flash raises no error: the program continues, and `Context3D::ended` reports a lost device.
        Err(error @ (Error::Unsupported(_) | Error::Backend(_))) => {
            log::warn!("{error}");
            Ok(None)
        }
    }
}
