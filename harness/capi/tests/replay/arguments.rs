//! Converts the arguments of commands to arguments of C functions.

use std::collections::HashMap;
use std::ffi::{CString, c_char};

use context3d::AnyHandle;
use context3d::agal::Endian;
use context3d::arguments::{Bitmap, BitmapTarget, ByteOrder, Bytecode, Rectangle};
use molehill_c::*;

/// A context that is used through the C functions.
pub(crate) struct C {
    pub(crate) context: MolehillContext,
    pub(crate) created: u64,
    /// The C handles of the Rust objects.
    pub(crate) handles: HashMap<AnyHandle, u64>,
    /// The memory of the last `drawToBitmapData`.
    pub(crate) pixels: Vec<u8>,
    /// The width of the last bitmap in pixels.
    pub(crate) width: u32,
    /// The number of calls of `drawToBitmapData`.
    pub(crate) bitmaps: usize,
}

impl C {
    pub(crate) fn handle<T: Into<AnyHandle>>(&self, handle: Option<T>) -> u64 {
        // An object of another context, which this replay didn't create, becomes an invalid handle.
        let number = |handle: T| self.handles.get(&handle.into()).copied();
        handle.map_or(0, |handle| number(handle).unwrap_or(u64::MAX))
    }

    pub(crate) fn target(&mut self, target: BitmapTarget) -> MolehillBitmapTarget {
        let disposed = target.width == 0 || target.height == 0;
        self.width = target.width;
        self.pixels = vec![0; target.width as usize * target.height as usize * 4];
        MolehillBitmapTarget {
            width: target.width,
            height: target.height,
            transparent: target.transparent.into(),
            pixels: match disposed {
                true => std::ptr::null_mut(),
                false => self.pixels.as_mut_ptr(),
            },
            length: self.pixels.len(),
            ..Default::default()
        }
    }
}

pub(crate) fn pointer<T>(values: Option<&[T]>) -> *const T {
    values.map_or(std::ptr::null(), <[T]>::as_ptr)
}

pub(crate) fn length<T>(values: Option<&[T]>) -> usize {
    values.map_or(0, <[T]>::len)
}

pub(crate) fn pointer_to<T>(value: &Option<T>) -> *const T {
    value.as_ref().map_or(std::ptr::null(), std::ptr::from_ref)
}

pub(crate) fn big_endian(code: Option<Bytecode<'_>>) -> MolehillBool {
    code.is_some_and(|code| code.endian == Endian::Big).into()
}

pub(crate) fn c_string(text: &str) -> CString {
    CString::new(text).expect("a text without zeros")
}

pub(crate) fn text(text: &Option<CString>) -> *const c_char {
    text.as_ref().map_or(std::ptr::null(), |text| text.as_ptr())
}

pub(crate) fn picture(bitmap: Bitmap<'_>) -> MolehillBitmap {
    MolehillBitmap {
        width: bitmap.width,
        height: bitmap.height,
        transparent: bitmap.transparent.into(),
        pixels: pointer(bitmap.pixels),
        length: length(bitmap.pixels),
        rgba: (bitmap.layout.order == ByteOrder::Rgba).into(),
        straight_alpha: bitmap.layout.straight_alpha.into(),
        stride: bitmap.layout.stride.unwrap_or(0),
        ..Default::default()
    }
}

pub(crate) fn rectangle(rectangle: Rectangle) -> MolehillRectangle {
    let Rectangle { x, y, width, height } = rectangle;
    MolehillRectangle { x, y, width, height }
}
