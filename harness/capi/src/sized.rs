//! Structs that later versions may extend. The first field is the struct's size in the header with which the host was
//! compiled. Fields that an older header lacks default to 0; unknown fields of a newer header must be 0.

use std::mem::{MaybeUninit, size_of};

use crate::failure::{CallFailure, MolehillStatus};
use crate::pointers::{check, writable};

/// A struct whose first field is its size.
///
/// # Safety
/// The struct is `repr(C)`, begins with a `usize`, and is valid if all its bytes are 0.
pub(crate) unsafe trait SizedStruct: Copy {}

macro_rules! grows {
    ($($name:ty),+) => {$(
        // SAFETY: all fields are numbers, pointers and functions that may be null, as declared above.
        unsafe impl crate::sized::SizedStruct for $name {}

        impl Default for $name {
            fn default() -> Self {
                // SAFETY: a `SizedStruct` is valid if all its bytes are 0.
                let zeros: Self = unsafe { std::mem::MaybeUninit::zeroed().assume_init() };
                Self { struct_size: size_of::<Self>(), ..zeros }
            }
        }
    )+};
}
pub(crate) use grows;

/// Upper bound for `struct_size`: a larger value means that the host did not set the field.
const MOST: usize = 4096;

/// Reads and checks the struct's size, as the host set it.
///
/// # Safety
/// The pointer is not null and points to a struct that starts with its size.
unsafe fn size<T: SizedStruct>(pointer: *const T) -> Result<usize, CallFailure> {
    check(pointer, 1)?;
    // SAFETY: the pointer is not null and aligned; the caller guarantees the rest.
    let size = unsafe { pointer.cast::<usize>().read() };
    // A struct's size is a multiple of its alignment, so that no field is partly copied.
    let known = (size_of::<usize>()..=MOST).contains(&size) && size.is_multiple_of(align_of::<T>());
    let name = std::any::type_name::<T>().rsplit("::").next().unwrap_or_default();
    let wrong = || {
        CallFailure::argument(format!(
            "struct_size of a {name} must be its size in bytes, found {size}"
        ))
    };
    known.then_some(size).ok_or_else(wrong)
}

/// Copies a struct of any size; `None` for null.
///
/// # Safety
/// A pointer that is not null points to a struct of the size in its first field.
pub(crate) unsafe fn sized<T: SizedStruct>(pointer: *const T) -> Result<Option<T>, CallFailure> {
    if pointer.is_null() {
        return Ok(None);
    }
    let size = unsafe { size(pointer) }?;
    let bytes = pointer.cast::<u8>();
    let mut value = MaybeUninit::<T>::zeroed();
    let common = size.min(size_of::<T>());
    // SAFETY: source and destination have this number of bytes and don't overlap; no size exceeds `MOST`.
    let rest = unsafe {
        value.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(bytes, common);
        std::slice::from_raw_parts(bytes.add(common), size - common)
    };
    if rest.iter().any(|byte| *byte != 0) {
        let text = "a struct has fields that this version of the library doesn't know";
        return Err(CallFailure::argument(text));
    }
    // SAFETY: zeros and the host's values are valid for all fields.
    Ok(Some(unsafe { value.assume_init() }))
}

/// Like [`sized`], but null is an error.
pub(crate) unsafe fn required_sized<T: SizedStruct>(pointer: *const T) -> Result<T, CallFailure> {
    unsafe { sized(pointer) }?.ok_or_else(|| CallFailure::argument("a required pointer is null"))
}

/// Checks, before a call is executed, that its result can be written.
///
/// # Safety
/// A pointer that is not null points to a struct of the size in its first field.
pub(crate) unsafe fn writable_sized<T: SizedStruct>(pointer: *mut T) -> Result<(), CallFailure> {
    writable(pointer)?;
    unsafe { size(pointer) }.map(drop)
}

/// Writes a result to the host's struct, except the field with the struct's size. Returns success. Fields that the
/// host's header lacks are omitted, and fields that the library doesn't know become 0.
///
/// # Safety
/// The caller meets the requirements of [`writable_sized`].
pub(crate) unsafe fn write_sized<T: SizedStruct>(
    pointer: *mut T,
    value: T,
) -> Result<MolehillStatus, CallFailure> {
    unsafe { writable_sized(pointer) }?;
    let size = unsafe { size(pointer) }?;
    let first = size_of::<usize>();
    let common = size.min(size_of::<T>());
    let (to, from) = (pointer.cast::<u8>(), (&raw const value).cast::<u8>());
    // SAFETY: source and destination have this number of bytes, and don't overlap.
    unsafe {
        to.add(first).copy_from_nonoverlapping(from.add(first), common - first);
        to.add(common).write_bytes(0, size - common);
    }
    Ok(MolehillStatus::Ok)
}
