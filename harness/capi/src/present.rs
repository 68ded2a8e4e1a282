//! Presented frames: as GL names, in a framebuffer or texture of the host, or in the host's memory.

use std::num::NonZeroU32;

use backend_gl::present::{FrameDestination, FrontFrame, PresentRect};
use context3d::backend::{FrameRead, FrameReadError, FrameSource as _, PresentedFrame, Region};

use crate::arguments::{MolehillSize, order};
use crate::context::with_api;
use crate::device::gl;
use crate::failure::{CallFailure, MolehillStatus};
use crate::handles::MolehillContext;
use crate::pointers::{MolehillBool, flag, read, slice_mut, writable, write};
use crate::sized::{grows, required_sized, writable_sized, write_sized};
use crate::status::guard;

/// The presented picture as GL objects.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillFront {
    /// sizeof(MolehillFront)
    pub struct_size: usize,
    /// A `GL_TEXTURE_2D` of `GL_RGBA8` with one level; v = 0 is the picture's top row.
    pub texture: u32,
    /// A framebuffer with the texture; row 0 is the picture's top row.
    pub framebuffer: u32,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

/// The position of a picture in its destination.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillPlacement {
    /// sizeof(MolehillPlacement)
    pub struct_size: usize,
    /// First column, in pixels.
    pub x: i32,
    /// First row, in pixels, as GL counts: from the bottom in a window.
    pub y: i32,
    /// Width in pixels; the picture is scaled if its width differs.
    pub width: u32,
    /// Height in pixels; the picture is scaled if its height differs.
    pub height: u32,
    /// The first row is the picture's bottom row, as in a window.
    pub bottom_up: MolehillBool,
    /// Scales with linear instead of nearest filtering.
    pub smooth: MolehillBool,
}

/// A rectangle of whole pixels; the origin is the picture's top left corner.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillRegion {
    /// Left edge, in pixels.
    pub x: u32,
    /// Top edge, in pixels.
    pub y: u32,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

/// The host's memory for pixels.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillPixels {
    /// sizeof(MolehillPixels)
    pub struct_size: usize,
    /// `length` bytes. A null pointer with length 0 requests only the size of the picture.
    pub pixels: *mut u8,
    /// Length of `pixels` in bytes.
    pub length: usize,
    /// Bytes from a row to the next; 0: rows without padding.
    pub stride: usize,
    /// R, G, B, A instead of B, G, R, A.
    pub rgba: MolehillBool,
    /// The first row in memory is the picture's bottom row.
    pub bottom_up: MolehillBool,
    /// With `MOLEHILL_SCALE`, a picture has more pixels than the program asked for. If `full_size` is nonzero, all
    /// pixels are read; if 0, the picture is scaled down to the size that the program asked for. Regions and sizes are
    /// in pixels of the result.
    pub full_size: MolehillBool,
}

grows!(MolehillFront, MolehillPlacement, MolehillPixels);

/// # Safety
/// The caller meets the requirements of [`writable_sized`].
pub(crate) unsafe fn write_front(
    front: *mut MolehillFront,
    [texture, framebuffer, width, height]: [u32; 4],
) -> Result<MolehillStatus, CallFailure> {
    let shown = MolehillFront { struct_size: 0, texture, framebuffer, width, height };
    unsafe { write_sized(front, shown) }
}

pub(crate) fn found(there: bool) -> MolehillStatus {
    if there { MolehillStatus::Ok } else { MolehillStatus::Nothing }
}

/// Gets the GL objects of the picture of the last present. The objects are valid until the next present or
/// configureBackBuffer, and may only be read and sampled. MOLEHILL_STATUS_NOTHING before the first present.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_front(
    context: MolehillContext,
    front: *mut MolehillFront,
) -> MolehillStatus {
    guard(|| {
        unsafe { writable_sized(front) }?;
        with_api(context, |api| {
            let Some(shown) = gl(api.backend_mut())?.front() else {
                return Ok(MolehillStatus::Nothing);
            };
            let FrontFrame { texture, framebuffer, width, height, .. } = shown;
            unsafe { write_front(front, [texture.get(), framebuffer.get(), width, height]) }
        })?
    })
}

/// # Safety
/// `place` is null or points to a placement.
unsafe fn present_into(
    context: MolehillContext,
    destination: FrameDestination,
    place: *const MolehillPlacement,
) -> Result<MolehillStatus, CallFailure> {
    let place = unsafe { required_sized(place) }?;
    let place = PresentRect {
        x: place.x,
        y: place.y,
        width: place.width,
        height: place.height,
        bottom_up: flag(place.bottom_up),
        smooth: flag(place.smooth),
    };
    with_api(context, |api| Ok(found(gl(api.backend_mut())?.present_into(destination, &place)?)))?
}

/// Copies the picture of the last present into a framebuffer of the host; 0: the default framebuffer, such as a
/// window's. MOLEHILL_STATUS_NOTHING before the first present.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_present_into_framebuffer(
    context: MolehillContext,
    framebuffer: u32,
    place: *const MolehillPlacement,
) -> MolehillStatus {
    let destination = FrameDestination::Framebuffer(NonZeroU32::new(framebuffer));
    guard(|| unsafe { present_into(context, destination, place) })
}

/// Copies the picture of the last present into level 0 of a `GL_TEXTURE_2D` of the host that has storage and can be
/// rendered to. MOLEHILL_STATUS_NOTHING before the first present. If another GL context reads the texture, the host
/// must synchronize with a fence; a front exchange synchronizes with its own fences.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_present_into_texture(
    context: MolehillContext,
    texture: u32,
    place: *const MolehillPlacement,
) -> MolehillStatus {
    guard(|| {
        let texture = NonZeroU32::new(texture);
        let texture =
            texture.ok_or_else(|| CallFailure::argument("the name of the texture is 0"))?;
        unsafe { present_into(context, FrameDestination::Texture(texture), place) }
    })
}

/// # Safety
/// Pointers are null or valid for their types, and `pixels` points to memory of its length.
unsafe fn read_front(
    context: MolehillContext,
    region: *const MolehillRegion,
    pixels: *const MolehillPixels,
    size: *mut MolehillSize,
    delayed: bool,
) -> Result<MolehillStatus, CallFailure> {
    let region = unsafe { read(region) }?.map_or(Region::ALL, |region| Region {
        x: region.x,
        y: region.y,
        width: region.width,
        height: region.height,
    });
    let memory = unsafe { required_sized(pixels) }?;
    let out = unsafe { slice_mut(memory.pixels, memory.length) }?.unwrap_or_default();
    if !size.is_null() {
        writable(size)?;
    }
    let how = FrameRead {
        region,
        program_size: !flag(memory.full_size),
        order: order(memory.rgba),
        stride: memory.stride,
        bottom_up: flag(memory.bottom_up),
        delayed: delayed && !memory.pixels.is_null(),
    };
    let read = match with_api(context, |api| api.backend_mut().read_frame(&how, out))? {
        Err(FrameReadError::Memory { width, height, .. }) if memory.pixels.is_null() => {
            Some((width, height))
        }
        read => read?.map(|PresentedFrame { width, height, .. }| (width, height)),
    };
    if let (Some((width, height)), false) = (read, size.is_null()) {
        let (width, height) = if width == 0 || height == 0 { (0, 0) } else { (width, height) };
        unsafe { write(size, MolehillSize { width, height }) }?;
    }
    Ok(found(read.is_some()))
}

/// Reads a region of the picture of the last present into the host's memory; null: all of it. `size` receives the size
/// of the region's part inside the picture, 0 and 0 if there is none; it may be null. Waits until GL has drawn the
/// picture. If `pixels->pixels` is null and its length 0, writes only `size`, so that the host can allocate the memory.
/// MOLEHILL_STATUS_NOTHING before the first present.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_read_front(
    context: MolehillContext,
    region: *const MolehillRegion,
    pixels: *const MolehillPixels,
    size: *mut MolehillSize,
) -> MolehillStatus {
    guard(|| unsafe { read_front(context, region, pixels, size, false) })
}

/// Like molehill_context_read_front, but without waiting. Call it once per frame after present: it starts reading the
/// current picture, and returns the picture of the previous call, in the size of that call. The first call returns
/// MOLEHILL_STATUS_NOTHING. A software device never waits, and returns the current picture. With null `pixels->pixels`
/// and length 0, gets the current picture's size, and starts nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_read_front_delayed(
    context: MolehillContext,
    region: *const MolehillRegion,
    pixels: *const MolehillPixels,
    size: *mut MolehillSize,
) -> MolehillStatus {
    guard(|| unsafe { read_front(context, region, pixels, size, true) })
}
