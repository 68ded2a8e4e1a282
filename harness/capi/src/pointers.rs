//! Numbers, pointers and strings as C passes them. Pointers passed to `unsafe` functions must be null, or valid for the
//! length and unchanged during `'a`.

use std::ffi::{CStr, c_char};

use crate::failure::{CallFailure, MolehillStatus};

/// False: 0; true: every other number.
pub type MolehillBool = i32;

pub(crate) fn flag(value: MolehillBool) -> bool {
    value != 0
}

/// Returns a number; `None` for 0, which means the default.
pub(crate) fn given<T: Default + PartialEq>(number: T) -> Option<T> {
    (number != T::default()).then_some(number)
}

/// Returns the values at a pointer; `None` for null with length 0.
///
/// # Safety
/// A pointer that is not null points to `length` values that don't change during `'a`.
pub(crate) unsafe fn slice<'a, T>(
    pointer: *const T,
    length: usize,
) -> Result<Option<&'a [T]>, CallFailure> {
    // SAFETY: the pointer is not null, aligned, and spans at most `isize::MAX` bytes; the caller guarantees the rest.
    let values = || unsafe { std::slice::from_raw_parts(pointer, length) };
    Ok(check(pointer, length)?.then(values))
}

/// Like [`slice`], but mutable.
///
/// # Safety
/// A pointer that is not null points to `length` values that nothing else accesses during `'a`.
pub(crate) unsafe fn slice_mut<'a, T>(
    pointer: *mut T,
    length: usize,
) -> Result<Option<&'a mut [T]>, CallFailure> {
    // SAFETY: as in `slice`.
    let values = || unsafe { std::slice::from_raw_parts_mut(pointer, length) };
    Ok(check(pointer, length)?.then(values))
}

/// Checks a pointer with a length. Returns false for null with length 0.
pub(crate) fn check<T>(pointer: *const T, length: usize) -> Result<bool, CallFailure> {
    if pointer.is_null() {
        let empty = (length == 0).then_some(false);
        return empty
            .ok_or_else(|| CallFailure::argument("a pointer is null, but its length is not 0"));
    }
    let bytes = length.checked_mul(size_of::<T>());
    if bytes.is_none_or(|bytes| isize::try_from(bytes).is_err()) {
        return Err(CallFailure::argument("a length exceeds the address space"));
    }
    let aligned = pointer.is_aligned().then_some(true);
    aligned.ok_or_else(|| CallFailure::argument("a pointer is not aligned"))
}

/// Copies the value at a pointer; `None` for null.
///
/// # Safety
/// A pointer that is not null points to a `T`.
pub(crate) unsafe fn read<T: Copy>(pointer: *const T) -> Result<Option<T>, CallFailure> {
    let values = unsafe { slice(pointer, usize::from(!pointer.is_null())) }?;
    Ok(values.and_then(|values| values.first()).copied())
}

/// Checks that a pointer to a result is not null and aligned.
pub(crate) fn writable<T>(pointer: *mut T) -> Result<(), CallFailure> {
    if pointer.is_null() {
        return Err(CallFailure::argument("the pointer to the result is null"));
    }
    check(pointer, 1).map(drop)
}

/// Writes a result, and returns success.
///
/// # Safety
/// A pointer that is not null points to memory for a `T`.
pub(crate) unsafe fn write<T>(pointer: *mut T, value: T) -> Result<MolehillStatus, CallFailure> {
    writable(pointer)?;
    // SAFETY: the pointer is not null and aligned; the caller guarantees the rest.
    unsafe { pointer.write(value) };
    Ok(MolehillStatus::Ok)
}

/// Reads a string; `None` for null. Invalid UTF-8 becomes U+FFFD, which matches no name.
///
/// # Safety
/// A pointer that is not null points to a string that ends with 0 and doesn't change during `'a`.
pub(crate) unsafe fn text<'a>(pointer: *const c_char) -> Option<&'a str> {
    if pointer.is_null() {
        return None;
    }
    let text = unsafe { CStr::from_ptr(pointer) };
    Some(text.to_str().unwrap_or("\u{FFFD}"))
}
