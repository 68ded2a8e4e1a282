//! Structs that may grow: the first field is the size in the header that the host was compiled with. Fields that an
//! older header lacks have their default, 0; a newer header's fields must be 0.

use std::mem::{MaybeUninit, size_of};

use crate::failure::{Failure, MolehillStatus};
use crate::pointers::{check, writable};

/// A struct with its size in its first field.
///
/// # Safety
/// The struct is `repr(C)`, begins with a `usize`, and is valid if all its bytes are 0.
pub(crate) unsafe trait Grows: Copy {}

macro_rules! grows {
    ($($name:ty),+) => {$(
        // SAFETY: as declared above: numbers, pointers and functions that may be null.
        unsafe impl crate::sized::Grows for $name {}

        impl Default for $name {
            fn default() -> Self {
                // SAFETY: valid if all its bytes are 0, as above.
                let zeros: Self = unsafe { std::mem::MaybeUninit::zeroed().assume_init() };
                Self { struct_size: size_of::<Self>(), ..zeros }
            }
        }
    )+};
}
pub(crate) use grows;

/// Upper bound for `struct_size`: a larger value means that the host did not set the field.
const MOST: usize = 4096;

/// Reads and checks the size in the host's header.
///
/// # Safety
/// The pointer is not null and points to a size, and to as many bytes.
unsafe fn size<T: Grows>(pointer: *const T) -> Result<usize, Failure> {
    check(pointer, 1)?;
    // SAFETY: not null and aligned; the caller guarantees the rest.
    let size = unsafe { pointer.cast::<usize>().read() };
    // The size of a struct is a multiple of its alignment, so no field is cut.
    let known = (size_of::<usize>()..=MOST).contains(&size) && size.is_multiple_of(align_of::<T>());
    let name = std::any::type_name::<T>().rsplit("::").next().unwrap_or_default();
    let wrong = || Failure::argument(format!("struct_size of a {name} is {size}"));
    known.then_some(size).ok_or_else(wrong)
}

/// Copies a struct of any size; `None` for null.
///
/// # Safety
/// A pointer that is not null points to a struct of the size that it says.
pub(crate) unsafe fn sized<T: Grows>(pointer: *const T) -> Result<Option<T>, Failure> {
    if pointer.is_null() {
        return Ok(None);
    }
    let size = unsafe { size(pointer) }?;
    let bytes = pointer.cast::<u8>();
    let mut value = MaybeUninit::<T>::zeroed();
    let common = size.min(size_of::<T>());
    // SAFETY: as many bytes are at both; they overlap nowhere, and nothing is larger than `MOST`.
    let rest = unsafe {
        value.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(bytes, common);
        std::slice::from_raw_parts(bytes.add(common), size - common)
    };
    if rest.iter().any(|byte| *byte != 0) {
        let text = "a struct has fields that this version of the library doesn't know";
        return Err(Failure::argument(text));
    }
    // SAFETY: zeros are valid, and so is what the host wrote.
    Ok(Some(unsafe { value.assume_init() }))
}

/// Like [`sized`], but null is an error.
pub(crate) unsafe fn required_sized<T: Grows>(pointer: *const T) -> Result<T, Failure> {
    unsafe { sized(pointer) }?.ok_or_else(|| Failure::argument("a pointer is null"))
}

/// Checks that a result can be written, before the call is executed.
///
/// # Safety
/// A pointer that is not null points to a struct of the size that it says.
pub(crate) unsafe fn writable_sized<T: Grows>(pointer: *mut T) -> Result<(), Failure> {
    writable(pointer)?;
    unsafe { size(pointer) }.map(drop)
}

/// Writes a result, except its size, and returns success. Fields that the host's header lacks are left out, and fields
/// that the library doesn't know become 0.
///
/// # Safety
/// The caller meets the requirements of [`writable_sized`].
pub(crate) unsafe fn write_sized<T: Grows>(
    pointer: *mut T,
    value: T,
) -> Result<MolehillStatus, Failure> {
    unsafe { writable_sized(pointer) }?;
    let size = unsafe { size(pointer) }?;
    let first = size_of::<usize>();
    let common = size.min(size_of::<T>());
    let (to, from) = (pointer.cast::<u8>(), (&raw const value).cast::<u8>());
    // SAFETY: as many bytes are at both, and they overlap nowhere.
    unsafe {
        to.add(first).copy_from_nonoverlapping(from.add(first), common - first);
        to.add(common).write_bytes(0, size - common);
    }
    Ok(MolehillStatus::Ok)
}
