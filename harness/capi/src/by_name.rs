//! Calls and properties by class and name: one native function of a host serves every method.

use std::ffi::{CString, c_char, c_void};

use context3d::agal::Endian;
use context3d::arguments::BitmapTarget;
use context3d::calls::{Arguments, BitmapSource, MethodKind, Parameter};
use context3d::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use context3d::native::{Method, NativeResult};
use context3d::{AnyHandle, FlashError, ObjectHandle};

use crate::arguments::{
    self as a, MolehillBitmap, MolehillBitmapTarget, MolehillPoint, MolehillRectangle, context_of,
};
use crate::context::{CallOutput, disposed, execute, with_context};
use crate::device::Renderer;
use crate::failure::{CallFailure, MolehillStatus};
use crate::handles::{MolehillContext, MolehillObject};
use crate::objects::on_object;
use crate::pointers::{MolehillBool, flag, slice, text, write};
use crate::registry::{owner, with};
use crate::sized::{grows, required_sized, writable_sized, write_sized};
use crate::stage3d::{StageEntry, execute as execute_on_stage};
use crate::status::{c_string, guard};

/// A `ByteArray`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillBytes {
    /// `length` bytes.
    pub data: *const c_void,
    /// Length of `data` in bytes.
    pub length: usize,
    /// The array's `endian` is "bigEndian".
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
    /// `length` pointers to strings: UTF-8 that ends with 0, or null.
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

/// The arguments of a native call. molehill_call reads the arguments one by one, in the order of the declaration. Each
/// function converts the next argument as ActionScript does for a parameter of its type. A function returns 1 with the
/// value, 0 for null, or -1 if the VM throws an error, such as 1034 for an object of another class. If a function
/// returns -1, molehill_call returns MOLEHILL_STATUS_THROWN and executes nothing. Memory that a value points to is used
/// until molehill_call returns. The functions may call this library.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillArguments {
    /// sizeof(MolehillArguments)
    pub struct_size: usize,
    /// The argument `user_data` of each function.
    pub user_data: *mut c_void,
    /// Returns whether another argument was passed; if not, the parameter gets its default. A null function means that
    /// the VM fills in the defaults.
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
    /// `Vector.<float>`, which only AIR has.
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
    /// `Point`, which only AIR has.
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
    /// Returns whether the Stage3D has a listener for context3DCreate. Null means that there is a listener.
    pub listens: Option<unsafe extern "C" fn(user_data: *mut c_void) -> MolehillBool>,
}

/// The type of a property's value.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MolehillValueKind {
    /// ActionScript's `null`.
    Null = 0,
    /// `Boolean`: `number` is 0 or 1.
    Boolean = 1,
    /// `int`, `uint` or `Number`: `number` is the value.
    Number = 2,
    /// `String`: `text` is the value.
    Text = 3,
    /// `Stage3D.context3D`: the host's object of the last created context, or null if that context has ended.
    Context = 4,
}

/// A property's value.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillValue {
    /// sizeof(MolehillValue)
    pub struct_size: usize,
    /// The type.
    pub kind: MolehillValueKind,
    /// The value of MOLEHILL_VALUE_KIND_NUMBER and _BOOLEAN, else 0.
    pub number: f64,
    /// The value of MOLEHILL_VALUE_KIND_TEXT, else "". Valid until the context's next molehill_property, or its end.
    pub text: *const c_char,
}

grows!(MolehillArguments, MolehillValue);

type NextArgument<T> = Option<unsafe extern "C" fn(*mut c_void, *mut T) -> i32>;

struct HostCalls<'a> {
    parameters: &'a [Parameter],
    from: MolehillArguments,
    /// The destination bitmap of a call such as `drawToBitmapData`.
    target: MolehillBitmapTarget,
}

impl HostCalls<'_> {
    fn take<T>(&self, next: NextArgument<T>, mut value: T) -> Result<Option<T>, CallFailure> {
        let missing = || CallFailure::argument("a function of MolehillArguments is null");
        let next = next.ok_or_else(missing)?;
        // SAFETY: `next` is the caller's function, and the pointer refers to the local variable `value`.
        match unsafe { next(self.from.user_data, &raw mut value) } {
            1.. => Ok(Some(value)),
            0 => Ok(None),
            _ => {
                let text = "the VM threw an exception while it converted an argument".to_owned();
                Err(CallFailure::Here(MolehillStatus::Thrown, text))
            }
        }
    }
}

/// Returns a handle as an object of a class. A stale handle counts as a disposed object.
fn typed(class: &str, handle: u64) -> Result<Option<AnyHandle>, CallFailure> {
    fn any<K>(handle: u64) -> Result<Option<AnyHandle>, CallFailure>
    where
        ObjectHandle<K>: TryFrom<AnyHandle> + Into<AnyHandle> + Default,
    {
        Ok(a::object::<ObjectHandle<K>>(handle)?.map(Into::into))
    }
    match class {
        "VertexBuffer3D" => any::<VertexBufferKey>(handle),
        "IndexBuffer3D" => any::<IndexBufferKey>(handle),
        "Program3D" => any::<ProgramKey>(handle),
        _ => any::<TextureKey>(handle),
    }
}

/// Defines functions that take the next argument: numbers, for which null becomes 0, and nullable types.
macro_rules! taken {
    ($($next:ident: $type:ty;)+) => {$(
        fn $next(&mut self) -> Result<$type, CallFailure> {
            Ok(self.take(self.from.$next, Default::default())?.unwrap_or_default())
        }
    )+};
    ($($next:ident: $type:ty = |$it:ident| $value:expr;)+) => {$(
        #[allow(unused_unsafe, reason = "only some values have pointers")]
        fn $next(&mut self) -> Result<Option<$type>, CallFailure> {
            // SAFETY: the types are numbers and pointers, for which zero is valid.
            let taken = self.take(self.from.$next, unsafe { std::mem::zeroed() })?;
            // SAFETY: the caller guarantees valid pointers.
            taken.map(|$it| Ok(unsafe { $value })).transpose()
        }
    )+};
}

impl<'a> Arguments for HostCalls<'a> {
    type Error = CallFailure;
    type Bytes = &'a [u8];
    type Numbers = &'a [f64];
    type Floats = &'a [f32];
    type Uints = &'a [u32];
    type Text = &'a str;
    type Pixels = &'a [u8];

    fn has_next(&self) -> bool {
        // SAFETY: this is the caller's function, with the caller's data.
        self.from.is_left.is_none_or(|is_left| flag(unsafe { is_left(self.from.user_data) }))
    }

    fn mismatch(&mut self) -> CallFailure {
        CallFailure::handle("an argument is null, or of another class")
    }

    fn throw(&mut self, error: &FlashError) -> CallFailure {
        CallFailure::Api(error.clone().into())
    }

    fn has_create_listener(&mut self) -> Result<bool, CallFailure> {
        // SAFETY: this is the caller's function, with the caller's data.
        Ok(self.from.listens.is_none_or(|listens| flag(unsafe { listens(self.from.user_data) })))
    }

    fn next_bool(&mut self) -> Result<bool, CallFailure> {
        Ok(self.take(self.from.next_bool, 0)?.is_some_and(flag))
    }

    taken! {
        next_int: i32;
        next_uint: u32;
        next_number: f64;
    }

    taken! {
        next_bytes: (&'a [u8], Endian) = |it| {
            let bytes = a::bytes(it.data, it.length)?.unwrap_or_default();
            (bytes, Endian::from_big(flag(it.big_endian)))
        };
        next_numbers: &'a [f64] = |it| slice(it.data, it.length)?.unwrap_or_default();
        next_floats: &'a [f32] = |it| slice(it.data, it.length)?.unwrap_or_default();
        next_uints: &'a [u32] = |it| slice(it.data, it.length)?.unwrap_or_default();
        next_strings: Vec<Option<&'a str>> = |it| {
            let texts = slice(it.data, it.length)?.unwrap_or_default();
            texts.iter().map(|one| text(*one)).collect()
        };
        next_matrix: [f64; 16] = |it| it.raw_data;
        next_rectangle: [f64; 4] = |it| [it.x, it.y, it.width, it.height];
        next_point: [f64; 2] = |it| [it.x, it.y];
    }

    fn next_string(&mut self) -> Result<Option<&'a str>, CallFailure> {
        let text = self.take(self.from.next_string, std::ptr::null())?;
        Ok(text.and_then(|text| unsafe { crate::pointers::text(text) }))
    }

    fn next_bitmap(&mut self) -> Result<Option<BitmapSource<&'a [u8]>>, CallFailure> {
        let taken = self.take(self.from.next_bitmap, MolehillBitmap::default())?;
        let Some(taken) = taken else { return Ok(None) };
        unsafe { a::bitmap(&raw const taken) }
    }

    fn next_bitmap_target(&mut self) -> Result<Option<BitmapTarget>, CallFailure> {
        let taken = self.take(self.from.next_bitmap_target, MolehillBitmapTarget::default())?;
        let Some(taken) = taken else { return Ok(None) };
        self.target = taken;
        Ok(unsafe { a::bitmap_target(&raw const taken) }?.map(|(shape, ..)| shape))
    }

    fn next_object(&mut self) -> Result<Option<AnyHandle>, CallFailure> {
        let taken = self.take(self.from.next_object, MolehillObject::default())?;
        // A call has at most one object argument.
        let object = |class: &&str| class.ends_with("3D") || *class == "TextureBase";
        let mut classes = self.parameters.iter().map(|it| it.table_type);
        let class = classes.find(|class| object(class) && *class != "Matrix3D");
        typed(class.unwrap_or_default(), taken.unwrap_or_default().id)
    }
}

/// Returns the class and the name of a method or property; an empty string for null.
///
/// # Safety
/// Each pointer is null or points to a string that ends with 0 and doesn't change during `'a`.
unsafe fn names<'a>(class: *const c_char, name: *const c_char) -> (&'a str, &'a str) {
    unsafe { (text(class).unwrap_or_default(), text(name).unwrap_or_default()) }
}

/// Makes the call of a method, or the assignment to a property, that MOLEHILL_METHODS or MOLEHILL_SETTERS lists. `on`
/// is the Stage3D, context or object, as MOLEHILL_OBJECT(handle). `class_name` is the class of `on`; it selects among
/// the methods with one name of the texture classes. `created` receives the created object, or null if the call creates
/// none; only for such calls may the pointer be null. Returns the status of the call's C function,
/// MOLEHILL_STATUS_ATTACH for attachNetStream and attachCamera, or MOLEHILL_STATUS_THROWN. If an argument is an object
/// of another class (1034 in ActionScript), returns MOLEHILL_STATUS_BAD_HANDLE.
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
        let setter = || Method::find(class, &format!("set {name}"));
        let call = Method::find(class, name).or_else(setter);
        let call = call.filter(|call| call.kind != MethodKind::Getter);
        let call =
            call.ok_or_else(|| CallFailure::argument(format!("{class} has no call {name}")))?;
        let target = MolehillBitmapTarget::default();
        let mut host = HostCalls { parameters: call.parameters, from, target };
        if !created.is_null() || call.result.is_some() {
            unsafe { write(created, MolehillObject::default()) }?;
        }
        let (context, object) = on_class(class, on)?;
        if call.is_attached() {
            on_object(on.id, |it| Ok(it.invoke(call, &mut host)??))?;
            return Ok(MolehillStatus::Attach);
        }
        call.with(class, object, &mut host, |host, call| {
            let out = match (call.method().result, object, call.method().name) {
                (Some(_), ..) => CallOutput::Object(created.cast()),
                (None, Some(_), "dispose") => CallOutput::End(on.id),
                (None, ..) => CallOutput::Pixels(&raw const host.target),
            };
            match class {
                "Stage3D" => execute_on_stage(on.id, call).map(MolehillStatus::from),
                _ => unsafe { execute(context, out, call) },
            }
        })?
    })
}

/// Returns the context that executes a call of a class, and the receiver unless it is the context itself.
fn on_class(
    class: &str,
    on: MolehillObject,
) -> Result<(Option<MolehillContext>, Option<AnyHandle>), CallFailure> {
    Ok(match class {
        "Stage3D" => (None, None),
        "Context3D" => (Some(MolehillContext { id: on.id }), None),
        _ => (context_of(on.id), typed(class, on.id)?),
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
        let unknown = || CallFailure::argument(format!("{class} has no property {name}"));
        let row = Method::find(class, &format!("get {name}")).ok_or_else(unknown)?;
        let (context, object) = on_class(class, on)?;
        // A Stage3D without a context also has the static properties.
        if class == "Stage3D" || (row.is_static && owner::<StageEntry>(on.id).is_ok()) {
            return with(on.id, |stage: &mut StageEntry| unsafe {
                give(value, stage.native.property(row, None)?, &mut None)
            });
        }
        with_context(context.ok_or_else(disposed)?, |context| {
            let read = context.native.property(row, object)?;
            unsafe { give(value, read, &mut context.property_text) }
        })
    })
}

/// Writes a property's value. `place` owns the value's string.
///
/// # Safety
/// The caller meets the requirements of [`write_sized`].
unsafe fn give(
    to: *mut MolehillValue,
    value: NativeResult<Renderer>,
    place: &mut Option<CString>,
) -> Result<MolehillStatus, CallFailure> {
    let (kind, number, text) = match value {
        NativeResult::Context3D => (MolehillValueKind::Context, 0.0, None),
        NativeResult::Text(text) => (MolehillValueKind::Text, 0.0, Some(text)),
        NativeResult::Number(number) => (MolehillValueKind::Number, number, None),
        NativeResult::Boolean(it) => (MolehillValueKind::Boolean, f64::from(u8::from(it)), None),
        NativeResult::Null
        | NativeResult::Undefined
        | NativeResult::Created(_)
        | NativeResult::Bitmap(_)
        | NativeResult::Skipped(_)
        | NativeResult::Attach
        | NativeResult::Pending => (MolehillValueKind::Null, 0.0, None),
    };
    let text = text.map_or(c"".as_ptr(), |text| place.insert(c_string(&text)).as_ptr());
    unsafe { write_sized(to, MolehillValue { struct_size: 0, kind, number, text }) }
}
