//! Converts the arguments of calls: pointers with lengths, strings, bitmaps, handles. Pointers passed to `unsafe`
//! functions must be null, or valid for the length and unchanged during `'a`.

use std::ffi::{c_char, c_void};

use context3d::AnyHandle;
use context3d::agal::Endian;
use context3d::arguments::{Bitmap, BitmapTarget, ByteOrder, Bytecode, PixelLayout, Rectangle};
use context3d::enums::{EnumArg, FlashName};
use context3d::native::Native;

use crate::device::Renderer;
use crate::failure::CallFailure;
use crate::handles::MolehillContext;
use crate::pointers::{MolehillBool, flag, given, read, slice, slice_mut, text};
use crate::registry::{handle_of, is_live, key_of, table, with};
use crate::sized::{grows, sized};

/// A `flash.geom.Rectangle`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct MolehillRectangle {
    /// Left.
    pub x: f64,
    /// Top.
    pub y: f64,
    /// The width may be negative or NaN, as in ActionScript.
    pub width: f64,
    /// The height may be negative or NaN, as in ActionScript.
    pub height: f64,
}

/// A `flash.geom.Point`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillPoint {
    /// Pixels.
    pub x: f64,
    /// Pixels.
    pub y: f64,
}

/// A size in pixels.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillSize {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

/// A `BitmapData` that is read: rows from top to bottom, four bytes per pixel. If the last three fields are 0, the
/// format is that of Flash's own `BitmapData`: B, G, R, A, premultiplied, rows without padding.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillBitmap {
    /// sizeof(MolehillBitmap)
    pub struct_size: usize,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// `length` bytes, only read during the call. A null pointer with length 0 means a disposed bitmap.
    pub pixels: *const u8,
    /// Length of `pixels` in bytes. The padding after the last row may be missing.
    pub length: usize,
    /// Bytes from a row to the next; 0: rows without padding.
    pub stride: usize,
    /// The bitmap has an alpha channel.
    pub transparent: MolehillBool,
    /// R, G, B, A instead of B, G, R, A.
    pub rgba: MolehillBool,
    /// Colour is not multiplied by alpha.
    pub straight_alpha: MolehillBool,
}

/// A `BitmapData` that is written; the fields are those of MolehillBitmap.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillBitmapTarget {
    /// sizeof(MolehillBitmapTarget)
    pub struct_size: usize,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// `length` bytes, only written during the call. A null pointer with length 0 means a disposed bitmap.
    pub pixels: *mut u8,
    /// Length of `pixels` in bytes. The padding after the last row may be missing.
    pub length: usize,
    /// Bytes from a row to the next; 0: rows without padding.
    pub stride: usize,
    /// The bitmap has an alpha channel; if 0, alpha becomes 255.
    pub transparent: MolehillBool,
    /// R, G, B, A instead of B, G, R, A.
    pub rgba: MolehillBool,
    /// Colour is not multiplied by alpha.
    pub straight_alpha: MolehillBool,
}

grows!(MolehillBitmap, MolehillBitmapTarget);

fn layout(rgba: MolehillBool, straight_alpha: MolehillBool, stride: usize) -> PixelLayout {
    PixelLayout { order: order(rgba), straight_alpha: flag(straight_alpha), stride: given(stride) }
}

pub(crate) fn order(rgba: MolehillBool) -> ByteOrder {
    if flag(rgba) { ByteOrder::Rgba } else { ByteOrder::Bgra }
}

impl From<MolehillRectangle> for Rectangle {
    fn from(MolehillRectangle { x, y, width, height }: MolehillRectangle) -> Self {
        Rectangle { x, y, width, height }
    }
}

/// Returns the face of a cube texture. -1 becomes `None`, for a method without the parameter `side`.
pub(crate) fn side(value: i64) -> Option<u32> {
    (value >= 0).then(|| u32::try_from(value).unwrap_or(u32::MAX))
}

/// Reads an enumeration constant by its name in Flash.
pub(crate) unsafe fn name<'a, T: FlashName>(pointer: *const c_char) -> EnumArg<'a, T> {
    EnumArg::parse(unsafe { text(pointer) })
}

pub(crate) unsafe fn bytes<'a>(
    pointer: *const c_void,
    length: usize,
) -> Result<Option<&'a [u8]>, CallFailure> {
    unsafe { slice(pointer.cast(), length) }
}

/// Reads the `ByteArray` of an AGAL program.
pub(crate) unsafe fn bytecode<'a>(
    pointer: *const c_void,
    length: usize,
    big_endian: MolehillBool,
) -> Result<Option<Bytecode<'a>>, CallFailure> {
    let endian = Endian::from_big(flag(big_endian));
    let bytes = unsafe { bytes(pointer, length) }?;
    Ok(bytes.map(|bytes| Bytecode { bytes, endian }))
}

/// Reads `Matrix3D.rawData`.
///
/// # Safety
/// A pointer that is not null points to sixteen numbers that don't change during `'a`.
pub(crate) unsafe fn matrix<'a>(pointer: *const f64) -> Result<Option<&'a [f64; 16]>, CallFailure> {
    let length = if pointer.is_null() { 0 } else { 16 };
    let numbers = unsafe { slice(pointer, length) }?;
    Ok(numbers.and_then(|numbers| numbers.first_chunk()))
}

pub(crate) unsafe fn rectangle(
    pointer: *const MolehillRectangle,
) -> Result<Option<Rectangle>, CallFailure> {
    Ok(unsafe { read(pointer) }?.map(Rectangle::from))
}

pub(crate) unsafe fn point(pointer: *const MolehillPoint) -> Result<Option<[f64; 2]>, CallFailure> {
    Ok(unsafe { read(pointer) }?.map(|MolehillPoint { x, y }| [x, y]))
}

/// Returns the length in bytes of a bitmap of this size, without the last row's padding; an error if `length` is less.
fn needed(
    (width, height): (u32, u32),
    layout: PixelLayout,
    length: usize,
) -> Result<usize, CallFailure> {
    let row = u64::from(width) * 4;
    let stride = layout.stride.map_or(row, |stride| stride as u64);
    let rows = u64::from(height.saturating_sub(1)).saturating_mul(stride);
    let bytes = usize::try_from(rows.saturating_add(row)).unwrap_or(usize::MAX);
    let large_enough = bytes <= length && row <= stride;
    let small =
        || CallFailure::argument("the bitmap's memory is too small for its size and stride");
    large_enough.then_some(bytes).ok_or_else(small)
}

/// # Safety
/// A pointer that is not null points to a valid bitmap, whose pixels don't change during `'a`.
pub(crate) unsafe fn bitmap<'a>(
    pointer: *const MolehillBitmap,
) -> Result<Option<Bitmap<'a>>, CallFailure> {
    let Some(bitmap) = (unsafe { sized(pointer) })? else { return Ok(None) };
    let pixels = unsafe { slice(bitmap.pixels, bitmap.length) }?;
    let layout = layout(bitmap.rgba, bitmap.straight_alpha, bitmap.stride);
    let bytes = match pixels {
        Some(_) => needed((bitmap.width, bitmap.height), layout, bitmap.length)?,
        None => 0, // disposed
    };
    Ok(Some(Bitmap {
        width: bitmap.width,
        height: bitmap.height,
        transparent: flag(bitmap.transparent),
        pixels: pixels.and_then(|pixels| pixels.get(..bytes)),
        layout,
    }))
}

/// Reads a video frame; null is an error.
pub(crate) unsafe fn video_frame<'a>(
    pointer: *const MolehillBitmap,
) -> Result<Bitmap<'a>, CallFailure> {
    unsafe { bitmap(pointer) }?.ok_or_else(|| CallFailure::argument("the video frame is null"))
}

/// The destination of `drawToBitmapData`: its dimensions, and its memory unless the bitmap is disposed.
type BitmapDestination<'a> = (BitmapTarget, PixelLayout, Option<&'a mut [u8]>);

///
/// # Safety
/// A pointer that is not null points to a bitmap with valid memory for its pixels, which nothing else accesses during
/// `'a`.
pub(crate) unsafe fn bitmap_target<'a>(
    pointer: *const MolehillBitmapTarget,
) -> Result<Option<BitmapDestination<'a>>, CallFailure> {
    let Some(target) = (unsafe { sized(pointer) })? else { return Ok(None) };
    let pixels = unsafe { slice_mut(target.pixels, target.length) }?;
    let layout = layout(target.rgba, target.straight_alpha, target.stride);
    let (width, height) = match &pixels {
        None => (0, 0),
        Some(_) => (target.width, target.height),
    };
    needed((width, height), layout, target.length)?;
    let shape = BitmapTarget { width, height, transparent: flag(target.transparent) };
    Ok(Some((shape, layout, pixels)))
}

/// Returns the object of a handle; `None` for 0. An unknown or stale handle counts as a disposed object.
pub(crate) fn object<H: TryFrom<AnyHandle> + Default>(
    handle: u64,
) -> Result<Option<H>, CallFailure> {
    if handle == 0 {
        return Ok(None);
    }
    if !is_live(handle) {
        return Ok(Some(H::default()));
    }
    let object = with(handle, |it: &mut Native<Renderer>| Ok(it.object()))?;
    let wrong = || CallFailure::handle(format!("{handle:#x} is an object of another class"));
    object.and_then(|object| object.try_into().ok()).map(Some).ok_or_else(wrong)
}

/// Returns the receiver of a method and its context; `None` if the context was destroyed. A null handle is an error.
pub(crate) fn receiver<H: TryFrom<AnyHandle> + Default>(
    handle: u64,
) -> Result<(Option<MolehillContext>, H), CallFailure> {
    let object =
        object(handle)?.ok_or_else(|| CallFailure::handle("the handle of the object is 0"))?;
    Ok((context_of(handle), object))
}

/// Returns the context of an object, also of a disposed one.
pub(crate) fn context_of(object: u64) -> Option<MolehillContext> {
    let context = table().context_of(key_of(object));
    context.map(|name| MolehillContext { id: handle_of(name) })
}
