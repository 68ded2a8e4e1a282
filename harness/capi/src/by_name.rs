//! Calls and properties by class and name: one native function of a host serves every method.

use std::cell::RefCell;
use std::ffi::{CString, c_char, c_void};

use context3d::agal::Endian;
use context3d::arguments::BitmapTarget;
use context3d::calls::{Arguments, HeldBitmap, Method, Parameter, Value};
use context3d::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use context3d::{AnyHandle, FlashError, Handle};

use crate::arguments::{
    self as a, Canvas, MolehillBitmap, MolehillBitmapTarget, MolehillPoint, MolehillRectangle,
    ObjectKey, context_of,
};
use crate::context::{Out, disposed, execute_in, with_context};
use crate::failure::{Failure, MolehillStatus};
use crate::handles::MolehillContext;
use crate::handles::MolehillObject;
use crate::pointers::{MolehillBool, flag, slice, text, write};
use crate::sized::{grows, required_sized, writable_sized, write_sized};
use crate::stage_frame;
use crate::status::{c_string, guard};

/// A `ByteArray`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillBytes {
    /// `length` bytes.
    pub data: *const c_void,
    /// Length of `data` in bytes.
    pub length: usize,
    /// Its `endian` is "bigEndian".
    pub big_endian: MolehillBool,
}

/// A `Vector.<Number>`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillNumbers {
    /// `length` numbers.
    pub data: *const f64,
    /// Number of elements.
    pub length: usize,
}

/// A `Vector.<float>`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillFloats {
    /// `length` numbers.
    pub data: *const f32,
    /// Number of elements.
    pub length: usize,
}

/// A `Vector.<uint>`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillUints {
    /// `length` numbers.
    pub data: *const u32,
    /// Number of elements.
    pub length: usize,
}

/// A `Vector.<String>`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillTexts {
    /// `length` texts: UTF-8 that ends with 0, or null.
    pub data: *const *const c_char,
    /// Number of elements.
    pub length: usize,
}

/// A `Matrix3D`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillMatrix {
    /// `rawData`
    pub raw_data: [f64; 16],
}

/// The arguments of a native call, which molehill_call takes one by one, in the order of the declaration. Each function
/// converts the next one as ActionScript does for a parameter of its type, and returns 1 with the value; 0 for null; or -1
/// if the VM throws, such as 1034 for an object of another class: then molehill_call returns MOLEHILL_STATUS_THROWN and
/// nothing is executed. Memory that a value points to is used until molehill_call returns. The functions may make calls.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillArguments {
    /// sizeof(MolehillArguments)
    pub struct_size: usize,
    /// Passed to the functions.
    pub user_data: *mut c_void,
    /// Whether there is another argument; if not, the parameter gets its default. Null: a VM that fills in defaults.
    pub is_left: Option<unsafe extern "C" fn(user_data: *mut c_void) -> MolehillBool>,
    /// `int`
    pub next_int: Option<unsafe extern "C" fn(user_data: *mut c_void, value: *mut i32) -> i32>,
    /// `uint`
    pub next_uint: Option<unsafe extern "C" fn(user_data: *mut c_void, value: *mut u32) -> i32>,
    /// `Number`
    pub next_number: Option<unsafe extern "C" fn(user_data: *mut c_void, value: *mut f64) -> i32>,
    /// `Boolean`
    pub next_bool:
        Option<unsafe extern "C" fn(user_data: *mut c_void, value: *mut MolehillBool) -> i32>,
    /// `String`: UTF-8 that ends with 0.
    pub next_string:
        Option<unsafe extern "C" fn(user_data: *mut c_void, value: *mut *const c_char) -> i32>,
    /// `ByteArray`
    pub next_bytes:
        Option<unsafe extern "C" fn(user_data: *mut c_void, value: *mut MolehillBytes) -> i32>,
    /// `Vector.<Number>`
    pub next_numbers:
        Option<unsafe extern "C" fn(user_data: *mut c_void, value: *mut MolehillNumbers) -> i32>,
    /// `Vector.<float>`; AIR's.
    pub next_floats:
        Option<unsafe extern "C" fn(user_data: *mut c_void, value: *mut MolehillFloats) -> i32>,
    /// `Vector.<uint>`
    pub next_uints:
        Option<unsafe extern "C" fn(user_data: *mut c_void, value: *mut MolehillUints) -> i32>,
    /// `Matrix3D`
    pub next_matrix:
        Option<unsafe extern "C" fn(user_data: *mut c_void, value: *mut MolehillMatrix) -> i32>,
    /// `Rectangle`
    pub next_rectangle:
        Option<unsafe extern "C" fn(user_data: *mut c_void, value: *mut MolehillRectangle) -> i32>,
    /// `Point`; AIR's.
    pub next_point:
        Option<unsafe extern "C" fn(user_data: *mut c_void, value: *mut MolehillPoint) -> i32>,
    /// `BitmapData` that is read. The value's struct_size is set, and the rest is 0.
    pub next_bitmap:
        Option<unsafe extern "C" fn(user_data: *mut c_void, value: *mut MolehillBitmap) -> i32>,
    /// `BitmapData` that is written. The value's struct_size is set, and the rest is 0.
    pub next_bitmap_target: Option<
        unsafe extern "C" fn(user_data: *mut c_void, value: *mut MolehillBitmapTarget) -> i32,
    >,
    /// A buffer, program or texture that some context created.
    pub next_object:
        Option<unsafe extern "C" fn(user_data: *mut c_void, value: *mut MolehillObject) -> i32>,
    /// `Vector.<String>`
    pub next_strings:
        Option<unsafe extern "C" fn(user_data: *mut c_void, value: *mut MolehillTexts) -> i32>,
    /// Whether the Stage3D has a listener for context3DCreate. Null: it has.
    pub listens: Option<unsafe extern "C" fn(user_data: *mut c_void) -> MolehillBool>,
}

/// The type of a property's value.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MolehillValueKind {
    /// null
    Null = 0,
    /// `Boolean`: `number` is 0 or 1.
    Boolean = 1,
    /// `int`, `uint` or `Number`: `number`.
    Number = 2,
    /// `String`: `text`.
    Text = 3,
    /// `Stage3D.context3D`: the host's object of the context that was created last. (Null after its end.)
    Context = 4,
}

/// A property's value.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillValue {
    /// sizeof(MolehillValue)
    pub struct_size: usize,
    /// Its type.
    pub kind: MolehillValueKind,
    /// For MOLEHILL_VALUE_KIND_NUMBER and _BOOLEAN, else 0.
    pub number: f64,
    /// For MOLEHILL_VALUE_KIND_TEXT, else "". Valid until the context's next molehill_property, or its end.
    pub text: *const c_char,
}

grows!(MolehillArguments, MolehillValue);

type Next<T> = Option<unsafe extern "C" fn(*mut c_void, *mut T) -> i32>;

/// A call's arguments as the trait of the table.
struct Native<'a> {
    parameters: &'static [Parameter],
    from: MolehillArguments,
    canvas: &'a RefCell<Option<Canvas<'a>>>,
}

impl<'a> Native<'a> {
    fn take<T>(&self, next: Next<T>, mut value: T) -> Result<Option<T>, Failure> {
        let missing = || Failure::argument("a function of MolehillArguments is null");
        let next = next.ok_or_else(missing)?;
        // SAFETY: the caller's function, with a pointer to the variable above.
        match unsafe { next(self.from.user_data, &raw mut value) } {
            1.. => Ok(Some(value)),
            0 => Ok(None),
            _ => {
                let text = "the VM throws at an argument".to_owned();
                Err(Failure::Here(MolehillStatus::Thrown, text))
            }
        }
    }

    /// As `take`, where ActionScript has no null.
    fn take_some<T: Copy>(&self, next: Next<T>, zero: T) -> Result<T, Failure> {
        Ok(self.take(next, zero)?.unwrap_or(zero))
    }
}

/// An object of a class's kind; a stale handle counts as a disposed one.
fn typed(class: &str, handle: u64) -> Result<Option<AnyHandle>, Failure> {
    fn any<K: ObjectKey>(handle: u64) -> Result<Option<AnyHandle>, Failure>
    where
        AnyHandle: From<Handle<K>>,
    {
        Ok(a::object::<K>(handle)?.map(AnyHandle::from))
    }
    match class {
        "VertexBuffer3D" => any::<VertexBufferKey>(handle),
        "IndexBuffer3D" => any::<IndexBufferKey>(handle),
        "Program3D" => any::<ProgramKey>(handle),
        _ => any::<TextureKey>(handle),
    }
}

/// What the host has filled in, for the length of the call.
macro_rules! filled {
    ($self:ident $next:ident $type:ident, |$value:ident| $some:expr) => {{
        // SAFETY: numbers and pointers, all valid if they are 0.
        let zeros: $type = unsafe { std::mem::zeroed() };
        let taken = $self.take($self.from.$next, zeros)?;
        // SAFETY of pointers: the caller's promise.
        taken.map(|$value| Ok(unsafe { $some })).transpose()
    }};
}

impl<'a> Arguments for Native<'a> {
    type Error = Failure;
    type Bytes = &'a [u8];
    type Numbers = &'a [f64];
    type Floats = &'a [f32];
    type Uints = &'a [u32];
    type Text = &'a str;
    type Pixels = &'a [u8];

    fn is_left(&self) -> bool {
        // SAFETY: the caller's function.
        self.from.is_left.is_none_or(|is_left| flag(unsafe { is_left(self.from.user_data) }))
    }

    fn mismatch(&mut self) -> Failure {
        Failure::handle("an argument is null, or of another class")
    }

    fn throw(&mut self, error: &FlashError) -> Failure {
        Failure::Api(error.clone().into())
    }

    fn listens(&mut self) -> Result<bool, Failure> {
        // SAFETY: the caller's function.
        Ok(self.from.listens.is_none_or(|listens| flag(unsafe { listens(self.from.user_data) })))
    }

    fn next_int(&mut self) -> Result<i32, Failure> {
        self.take_some(self.from.next_int, 0)
    }

    fn next_uint(&mut self) -> Result<u32, Failure> {
        self.take_some(self.from.next_uint, 0)
    }

    fn next_number(&mut self) -> Result<f64, Failure> {
        self.take_some(self.from.next_number, 0.0)
    }

    fn next_bool(&mut self) -> Result<bool, Failure> {
        self.take_some(self.from.next_bool, 0).map(flag)
    }

    fn next_string(&mut self) -> Result<Option<&'a str>, Failure> {
        let text = self.take(self.from.next_string, std::ptr::null())?;
        Ok(text.and_then(|text| unsafe { crate::pointers::text(text) }))
    }

    fn next_strings(&mut self) -> Result<Option<Vec<Option<&'a str>>>, Failure> {
        filled!(self next_strings MolehillTexts, |it| {
            let texts = slice(it.data, it.length)?.unwrap_or_default();
            texts.iter().map(|one| text(*one)).collect()
        })
    }

    fn next_bytes(&mut self) -> Result<Option<(&'a [u8], Endian)>, Failure> {
        filled!(self next_bytes MolehillBytes, |it| {
            let bytes = a::bytes(it.data, it.length)?.unwrap_or_default();
            (bytes, Endian::from_big(flag(it.big_endian)))
        })
    }

    fn next_numbers(&mut self) -> Result<Option<&'a [f64]>, Failure> {
        filled!(self next_numbers MolehillNumbers, |it| slice(it.data, it.length)?.unwrap_or_default())
    }

    fn next_floats(&mut self) -> Result<Option<&'a [f32]>, Failure> {
        filled!(self next_floats MolehillFloats, |it| slice(it.data, it.length)?.unwrap_or_default())
    }

    fn next_uints(&mut self) -> Result<Option<&'a [u32]>, Failure> {
        filled!(self next_uints MolehillUints, |it| slice(it.data, it.length)?.unwrap_or_default())
    }

    fn next_matrix(&mut self) -> Result<Option<[f64; 16]>, Failure> {
        let matrix = self.take(self.from.next_matrix, MolehillMatrix { raw_data: [0.0; 16] })?;
        Ok(matrix.map(|it| it.raw_data))
    }

    fn next_rectangle(&mut self) -> Result<Option<[f64; 4]>, Failure> {
        let taken = self.take(self.from.next_rectangle, MolehillRectangle::default())?;
        Ok(taken.map(|MolehillRectangle { x, y, width, height }| [x, y, width, height]))
    }

    fn next_point(&mut self) -> Result<Option<[f64; 2]>, Failure> {
        let point = self.take(self.from.next_point, MolehillPoint { x: 0.0, y: 0.0 })?;
        Ok(point.map(|MolehillPoint { x, y }| [x, y]))
    }

    fn next_bitmap(&mut self) -> Result<Option<HeldBitmap<&'a [u8]>>, Failure> {
        let taken = self.take(self.from.next_bitmap, MolehillBitmap::default())?;
        let Some(taken) = taken else { return Ok(None) };
        unsafe { a::bitmap(&raw const taken) }
    }

    fn next_bitmap_target(&mut self) -> Result<Option<BitmapTarget>, Failure> {
        let taken = self.take(self.from.next_bitmap_target, MolehillBitmapTarget::default())?;
        let Some(taken) = taken else { return Ok(None) };
        let (shape, canvas) = unsafe { a::bitmap_target(&raw const taken) }?;
        self.canvas.replace(canvas);
        Ok(shape)
    }

    fn next_object(&mut self) -> Result<Option<AnyHandle>, Failure> {
        let taken = self.take(self.from.next_object, MolehillObject::default())?;
        // No call has two.
        let object = |class: &&str| class.ends_with("3D") || *class == "TextureBase";
        let mut classes = self.parameters.iter().map(|it| it.table_type);
        let class = classes.find(|class| object(class) && *class != "Matrix3D");
        typed(class.unwrap_or_default(), taken.unwrap_or_default().id)
    }
}

/// The row of a method, and its class.
///
/// # Safety
/// The pointers are null or point to texts that end with 0 and don't change during `'a`.
unsafe fn names<'a>(class: *const c_char, name: *const c_char) -> (&'a str, &'a str) {
    unsafe { (text(class).unwrap_or_default(), text(name).unwrap_or_default()) }
}

/// Makes the call of a method, or the assignment to a property, that MOLEHILL_METHODS or MOLEHILL_SETTERS lists. `on` is the
/// Stage3D, context or object, as MOLEHILL_OBJECT(handle), and `class_name` its class: methods of textures differ by it. `created`
/// receives the object that the call creates, else null; it may be null if the call creates none. The statuses are those of
/// the functions above; besides MOLEHILL_STATUS_THROWN, MOLEHILL_STATUS_BAD_HANDLE if an argument is an object of another
/// class, where ActionScript throws 1034.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_call(
    on: MolehillObject,
    class_name: *const c_char,
    method: *const c_char,
    arguments: *const MolehillArguments,
    created: *mut MolehillObject,
) -> MolehillStatus {
    guard(|| {
        let (class, name) = unsafe { names(class_name, method) };
        let from = unsafe { required_sized(arguments) }?;
        let canvas = RefCell::new(None);
        let mut native = Native { parameters: &[], from, canvas: &canvas };
        if class == "Stage3D" {
            return stage_frame::call(on.id, name, &mut native);
        }
        let unknown = || Failure::argument(format!("no call {class}.{name}"));
        let call = Method::find(class, name)
            .or_else(|| Method::find(class, &format!("set {name}")))
            .ok_or_else(unknown)?;
        native.parameters = call.parameters;
        if !created.is_null() || call.result.is_some() {
            unsafe { write(created, MolehillObject::default()) }?;
        }
        let receiver = if class == "Context3D" { None } else { typed(class, on.id)? };
        call.with(class, receiver, &mut native, |_, command| {
            let is_contexts = class == "Context3D";
            let out = match call.name {
                "dispose" if !is_contexts => Out::End(on.id),
                _ if call.result.is_some() => Out::Object(created.cast()),
                _ => Out::Pixels(canvas.take()),
            };
            let context = match is_contexts {
                true => Some(MolehillContext { id: on.id }),
                false => context_of(on.id),
            };
            unsafe { execute_in(context, out, command) }
        })?
    })
}

/// Reads a property that MOLEHILL_PROPERTIES lists; `on` and `class_name` are those of molehill_call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_property(
    on: MolehillObject,
    class_name: *const c_char,
    property: *const c_char,
    value: *mut MolehillValue,
) -> MolehillStatus {
    guard(|| {
        unsafe { writable_sized(value) }?;
        let (class, name) = unsafe { names(class_name, property) };
        let write = |read: Option<&Value>, text: *const c_char| {
            let (kind, number) = match read {
                None => (MolehillValueKind::Context, 0.0),
                Some(Value::Text(None)) => (MolehillValueKind::Null, 0.0),
                Some(Value::Text(Some(_))) => (MolehillValueKind::Text, 0.0),
                Some(Value::Number(number)) => (MolehillValueKind::Number, *number),
                Some(Value::Boolean(it)) => (MolehillValueKind::Boolean, f64::from(u8::from(*it))),
            };
            unsafe { write_sized(value, MolehillValue { struct_size: 0, kind, number, text }) }
        };
        if class == "Stage3D" {
            return write(stage_frame::property(on.id, name)?.as_ref(), c"".as_ptr());
        }
        let (context, object) = match class {
            "Context3D" => (Some(MolehillContext { id: on.id }), None),
            _ => (context_of(on.id), typed(class, on.id)?),
        };
        with_context(context.ok_or_else(disposed)?, |context| {
            let unknown = || Failure::argument(format!("no property {class}.{name}"));
            let read = context.api.property(class, name, object)?.ok_or_else(unknown)?;
            context.property_text = match &read {
                Value::Text(Some(text)) => c_string(text),
                Value::Text(None) | Value::Number(_) | Value::Boolean(_) => CString::default(),
            };
            write(Some(&read), context.property_text.as_ptr())
        })
    })
}
