//! Presenting: how the picture gets to the host.

use std::num::NonZeroU32;

use backend_gl::GlBackend;
use backend_gl::present::{Destination, Layout, Placement};
use context3d::arguments::ByteOrder;
use context3d::backend::{Backend as _, BackendError, Region, Surface};

use crate::arguments::{MolehillBool, flag, read, required, slice_mut, writable, write};
use crate::context::{MolehillContext, Renderer, with_context};
use crate::status::{Failure, MolehillStatus, guard};

/// The picture by GL's names.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillFront {
    /// A `GL_TEXTURE_2D` of `GL_RGBA8` with one level; v = 0 is the picture's top row.
    pub texture: u32,
    /// A framebuffer with it; row 0 is the picture's top row.
    pub framebuffer: u32,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
}

/// Where a picture goes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillPlacement {
    /// The first column, pixels.
    pub x: i32,
    /// The first row, pixels, as GL counts: in a window from below.
    pub y: i32,
    /// Pixels; another width than the picture's scales it.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// The first row becomes the picture's bottom one, as a window needs it.
    pub bottom_up: MolehillBool,
    /// Scaled pixels are mixed; otherwise the nearest one is taken.
    pub smooth: MolehillBool,
}

/// Whole pixels of a picture, from its top left corner.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillRegion {
    /// Pixels left of it.
    pub x: u32,
    /// Pixels above it.
    pub y: u32,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
}

/// The host's memory for a picture.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillPixels {
    /// `length` bytes.
    pub pixels: *mut u8,
    /// Bytes.
    pub length: usize,
    /// Bytes from a row to the next, at least four a pixel.
    pub stride: usize,
    /// B, G, R, A instead of R, G, B, A.
    pub bgra: MolehillBool,
    /// The first row in memory becomes the picture's bottom one.
    pub bottom_up: MolehillBool,
}

/// The size of what was read.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillSize {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
}

fn gl(renderer: &mut Renderer) -> Result<&mut GlBackend, Failure> {
    match renderer {
        Renderer::Gl(backend) => Ok(backend),
        Renderer::Software(_) => {
            let what = "a software device has no GL".to_owned();
            Err(BackendError::Unsupported(what).into())
        }
    }
}

fn found(there: bool) -> MolehillStatus {
    match there {
        true => MolehillStatus::Ok,
        false => MolehillStatus::Nothing,
    }
}

/// What the last present showed, by GL's names. They are good until the next present or configureBackBuffer, to be read and
/// sampled. MOLEHILL_STATUS_NOTHING before the first present.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_front(
    context: MolehillContext,
    front: *mut MolehillFront,
) -> MolehillStatus {
    guard(|| {
        writable(front)?;
        with_context(context, |context| {
            let Some(shown) = gl(context.api.backend_mut())?.front() else {
                return Ok(MolehillStatus::Nothing);
            };
            let shown = MolehillFront {
                texture: shown.texture.get(),
                framebuffer: shown.framebuffer.get(),
                width: shown.width,
                height: shown.height,
            };
            // SAFETY: the caller's promise.
            unsafe { write(front, shown) }?;
            Ok(MolehillStatus::Ok)
        })
    })
}

/// # Safety
/// `place` is null or points to a placement.
unsafe fn present_into(
    context: MolehillContext,
    destination: Destination,
    place: *const MolehillPlacement,
) -> Result<MolehillStatus, Failure> {
    // SAFETY: the caller's promise.
    let place = unsafe { required(place) }?;
    let place = Placement {
        x: place.x,
        y: place.y,
        width: place.width,
        height: place.height,
        bottom_up: flag(place.bottom_up),
        smooth: flag(place.smooth),
    };
    with_context(context, |context| {
        let backend = gl(context.api.backend_mut())?;
        Ok(found(backend.present_into(destination, &place)?))
    })
}

/// Copies what the last present showed into a framebuffer of the host; 0: the context's own, a window's.
/// MOLEHILL_STATUS_NOTHING before the first present.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_present_into_framebuffer(
    context: MolehillContext,
    framebuffer: u32,
    place: *const MolehillPlacement,
) -> MolehillStatus {
    let destination = Destination::Framebuffer(NonZeroU32::new(framebuffer));
    // SAFETY: the caller's promise.
    guard(|| unsafe { present_into(context, destination, place) })
}

/// Copies what the last present showed into level 0 of a `GL_TEXTURE_2D` of the host that has storage and can be rendered to.
/// MOLEHILL_STATUS_NOTHING before the first present.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_present_into_texture(
    context: MolehillContext,
    texture: u32,
    place: *const MolehillPlacement,
) -> MolehillStatus {
    guard(|| {
        let texture = NonZeroU32::new(texture);
        let texture = texture.ok_or_else(|| Failure::argument("the texture is 0"))?;
        // SAFETY: the caller's promise.
        unsafe { present_into(context, Destination::Texture(texture), place) }
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
) -> Result<MolehillStatus, Failure> {
    // SAFETY: the caller's promise.
    let region = unsafe { read(region) }?.map_or(Region::ALL, |region| Region {
        x: region.x,
        y: region.y,
        width: region.width,
        height: region.height,
    });
    // SAFETY: the caller's promise.
    let memory = unsafe { required(pixels) }?;
    // SAFETY: the caller's promise.
    let out = unsafe { slice_mut(memory.pixels, memory.length) }?.unwrap_or_default();
    if !size.is_null() {
        writable(size)?;
    }
    let layout = Layout {
        order: match flag(memory.bgra) {
            true => ByteOrder::Bgra,
            false => ByteOrder::Rgba,
        },
        stride: memory.stride,
        bottom_up: flag(memory.bottom_up),
    };
    let read = with_context(context, |context| {
        Ok(match context.api.backend_mut() {
            Renderer::Gl(backend) if delayed => backend.read_front_delayed(region, &layout, out)?,
            Renderer::Gl(backend) => backend.read_front(region, &layout, out)?,
            Renderer::Software(backend) => {
                let mut rgba = Vec::new();
                match backend.read_region(Surface::Front, region, &mut rgba)? {
                    (0, _) | (_, 0) => None,
                    size => {
                        layout.arrange(&rgba, size, out)?;
                        Some(size)
                    }
                }
            }
        })
    })?;
    if let (Some((width, height)), false) = (read, size.is_null()) {
        // SAFETY: the caller's promise.
        unsafe { write(size, MolehillSize { width, height }) }?;
    }
    Ok(found(read.is_some()))
}

/// Reads a region of what the last present showed into the host's memory; null: all of it. `size`, which may be null, gets its
/// size. Waits until it is drawn. MOLEHILL_STATUS_NOTHING before the first present.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_read_front(
    context: MolehillContext,
    region: *const MolehillRegion,
    pixels: *const MolehillPixels,
    size: *mut MolehillSize,
) -> MolehillStatus {
    // SAFETY: the caller's promise.
    guard(|| unsafe { read_front(context, region, pixels, size, false) })
}

/// The same without waiting, to be called once a frame after present: it begins to read what was presented now, and gives what
/// was presented at the call before. MOLEHILL_STATUS_NOTHING at the first call. A software device has nothing to wait for, and
/// gives what was presented last.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_read_front_delayed(
    context: MolehillContext,
    region: *const MolehillRegion,
    pixels: *const MolehillPixels,
    size: *mut MolehillSize,
) -> MolehillStatus {
    // SAFETY: the caller's promise.
    guard(|| unsafe { read_front(context, region, pixels, size, true) })
}
