//! Presenting: how the picture gets to the host.

use std::ffi::c_void;
use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};

use backend_gl::GlBackend;
use backend_gl::present::{Destination, Fence, Layout, Placement};
use context3d::backend::{Backend as _, BackendError, Region, Surface};
use molehill_reference::ReferenceBackend;

use crate::arguments::{MolehillBool, MolehillSize, flag, order, read, slice_mut, writable, write};
use crate::context::{Context, MolehillContext, with_context};
use crate::device::Renderer;
use crate::failure::{Failure, MolehillStatus};
use crate::registry::{Name, name_of, owner};
use crate::sized::{grows, required_sized, writable_sized, write_sized};
use crate::status::guard;

/// The presented picture by its GL names.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillFront {
    /// sizeof(MolehillFront)
    pub struct_size: usize,
    /// A `GL_TEXTURE_2D` of `GL_RGBA8` with one level; v = 0 is the picture's top row.
    pub texture: u32,
    /// A framebuffer with it; row 0 is the picture's top row.
    pub framebuffer: u32,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// A `GLsync`, which the host waits for before it reads the texture, and deletes; null from molehill_context_front.
    pub sync: *mut c_void,
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
    /// `length` bytes.
    pub pixels: *mut u8,
    /// Length of `pixels` in bytes.
    pub length: usize,
    /// Bytes from a row to the next; 0: rows without padding.
    pub stride: usize,
    /// R, G, B, A instead of B, G, R, A.
    pub rgba: MolehillBool,
    /// The first row in memory is the picture's bottom row.
    pub bottom_up: MolehillBool,
}

grows!(MolehillFront, MolehillPlacement, MolehillPixels);

fn gl(renderer: &mut Renderer) -> Result<&mut GlBackend, Failure> {
    match renderer {
        Renderer::Gl(backend) => Ok(backend),
        Renderer::Recoverable(backend) => gl(backend.backend_mut()),
        Renderer::Software(_) => {
            let what = "a software device has no GL".to_owned();
            Err(BackendError::Unsupported(what).into())
        }
    }
}

fn found(there: bool) -> MolehillStatus {
    if there { MolehillStatus::Ok } else { MolehillStatus::Nothing }
}

/// Gets the picture of the last present by its GL names, which are valid until the next present or configureBackBuffer;
/// it may only be read and sampled. MOLEHILL_STATUS_NOTHING before the first present.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_front(
    context: MolehillContext,
    front: *mut MolehillFront,
) -> MolehillStatus {
    guard(|| {
        unsafe { writable_sized(front) }?;
        with_context(context, |context| {
            let Some(shown) = gl(context.api.backend_mut())?.front() else {
                return Ok(MolehillStatus::Nothing);
            };
            let shown = MolehillFront {
                struct_size: 0,
                texture: shown.texture.get(),
                framebuffer: shown.framebuffer.get(),
                width: shown.width,
                height: shown.height,
                sync: std::ptr::null_mut(),
            };
            unsafe { write_sized(front, shown) }?;
            Ok(MolehillStatus::Ok)
        })
    })
}

/// Gets the picture of the last present for another thread, whose GL context shares objects with the device's: it waits
/// for `front->sync` (glWaitSync), deletes it (glDeleteSync), and samples the texture, which no later frame changes until
/// molehill_context_release_front. That has to be called once for each success of this; up to four earlier pictures can be
/// held. Framebuffers are not shared: `front->framebuffer` is 0. MOLEHILL_STATUS_NOTHING before the first present.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_acquire_front(
    context: MolehillContext,
    front: *mut MolehillFront,
) -> MolehillStatus {
    guard(|| {
        unsafe { writable_sized(front) }?;
        with_context(context, |context| {
            release_returned(context);
            let Some((shown, fence)) = gl(context.api.backend_mut())?.acquire_front()? else {
                return Ok(MolehillStatus::Nothing);
            };
            let shown = MolehillFront {
                struct_size: 0,
                texture: shown.texture.get(),
                framebuffer: 0,
                width: shown.width,
                height: shown.height,
                sync: fence.into_raw(),
            };
            unsafe { write_sized(front, shown) }?;
            Ok(MolehillStatus::Ok)
        })
    })
}

/// A front that a host has released, until its context takes it: the texture and the address of a `GLsync`.
type Returned = (Name, u32, usize);

static RETURNED: Mutex<Vec<Returned>> = Mutex::new(Vec::new());
/// Maximum number of fronts of a context that wait: more than it lends.
const MOST_RETURNED: usize = 16;

/// Gives back a texture of molehill_context_acquire_front. `sync` is a `GLsync` after the last command that reads it,
/// flushed; the device waits for it and deletes it. Null: GL has finished reading. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_release_front(
    context: MolehillContext,
    texture: u32,
    sync: *mut c_void,
) -> MolehillStatus {
    guard(|| {
        owner::<Context>(context.id)?;
        let name = name_of(context.id);
        let mut returned = RETURNED.lock().unwrap_or_else(PoisonError::into_inner);
        if returned.iter().filter(|(context, ..)| *context == name).count() >= MOST_RETURNED {
            return Err(Failure::argument("more pictures are released than were acquired"));
        }
        returned.push((name, texture, sync.expose_provenance()));
        Ok(())
    })
}

/// Removes what was released of a context.
pub(crate) fn take_returned(context: Name) -> Vec<Returned> {
    let mut returned = RETURNED.lock().unwrap_or_else(PoisonError::into_inner);
    returned.extract_if(.., |(it, ..)| *it == context).collect()
}

/// Passes what was released to the device.
pub(crate) fn release_returned(context: &mut Context) {
    let returned = take_returned(context.name);
    let Ok(backend) = gl(context.api.backend_mut()) else {
        return;
    };
    for (_, texture, sync) in returned {
        // SAFETY: the host says that it is a `GLsync` of a context that shares objects with the device's.
        let fence = unsafe { Fence::from_raw(std::ptr::with_exposed_provenance_mut(sync)) };
        let texture = NonZeroU32::new(texture);
        let released = texture.map_or(Ok(()), |texture| backend.release_front(texture, fence));
        if let Err(error) = released {
            log::warn!("a picture is released: {error}");
        }
    }
}

/// # Safety
/// `place` is null or points to a placement.
unsafe fn present_into(
    context: MolehillContext,
    destination: Destination,
    place: *const MolehillPlacement,
) -> Result<MolehillStatus, Failure> {
    let place = unsafe { required_sized(place) }?;
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

/// Copies the picture of the last present into a framebuffer of the host; 0: the default framebuffer, such as a
/// window's. MOLEHILL_STATUS_NOTHING before the first present.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_present_into_framebuffer(
    context: MolehillContext,
    framebuffer: u32,
    place: *const MolehillPlacement,
) -> MolehillStatus {
    let destination = Destination::Framebuffer(NonZeroU32::new(framebuffer));
    guard(|| unsafe { present_into(context, destination, place) })
}

/// Copies the picture of the last present into level 0 of a `GL_TEXTURE_2D` of the host that has storage and can be
/// rendered to. `sync`, if it isn't null, receives a `GLsync` after the copy, with which a context that shares objects with
/// the device's waits (glWaitSync) before it reads the texture; the host deletes it. MOLEHILL_STATUS_NOTHING, and null,
/// before the first present.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_present_into_texture(
    context: MolehillContext,
    texture: u32,
    place: *const MolehillPlacement,
    sync: *mut *mut c_void,
) -> MolehillStatus {
    guard(|| {
        if !sync.is_null() {
            unsafe { write(sync, std::ptr::null_mut()) }?;
        }
        let texture = NonZeroU32::new(texture);
        let texture = texture.ok_or_else(|| Failure::argument("the texture is 0"))?;
        let status = unsafe { present_into(context, Destination::Texture(texture), place) }?;
        if !sync.is_null() && status == MolehillStatus::Ok {
            with_context(context, |context| {
                let fence = gl(context.api.backend_mut())?.fence()?;
                unsafe { write(sync, fence.into_raw()) }
            })?;
        }
        Ok(status)
    })
}

/// As [`GlBackend::read_front`].
fn read_software(
    backend: &mut ReferenceBackend,
    region: Region,
    layout: &Layout,
    out: &mut [u8],
) -> Result<Option<(u32, u32)>, Failure> {
    const CORNER: Region = Region { x: 0, y: 0, width: 1, height: 1 };
    let mut rgba = Vec::new();
    // A back buffer has at least one pixel.
    if backend.read_region(Surface::Front, CORNER, &mut rgba)? == (0, 0) {
        return Ok(None);
    }
    let size = backend.read_region(Surface::Front, region, &mut rgba)?;
    layout.arrange(&rgba, size, out)?;
    Ok(Some(size))
}

fn read_by(
    renderer: &mut Renderer,
    region: Region,
    layout: &Layout,
    out: &mut [u8],
    delayed: bool,
) -> Result<Option<(u32, u32)>, Failure> {
    Ok(match renderer {
        Renderer::Gl(backend) if delayed => backend.read_front_delayed(region, layout, out)?,
        Renderer::Gl(backend) => backend.read_front(region, layout, out)?,
        Renderer::Software(backend) => read_software(backend, region, layout, out)?,
        Renderer::Recoverable(it) => read_by(it.backend_mut(), region, layout, out, delayed)?,
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
    let layout = Layout {
        order: order(memory.rgba),
        stride: memory.stride,
        bottom_up: flag(memory.bottom_up),
    };
    let read = with_context(context, |context| {
        read_by(context.api.backend_mut(), region, &layout, out, delayed)
    })?;
    if let (Some((width, height)), false) = (read, size.is_null()) {
        let (width, height) = if width == 0 || height == 0 { (0, 0) } else { (width, height) };
        unsafe { write(size, MolehillSize { width, height }) }?;
    }
    Ok(found(read.is_some()))
}

/// Reads a region of the picture of the last present into the host's memory; null: all of it. `size` receives the size
/// of the region's part inside the picture, 0 and 0 if there is none; it may be null. Waits until GL has drawn the
/// picture. MOLEHILL_STATUS_NOTHING before the first present.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_read_front(
    context: MolehillContext,
    region: *const MolehillRegion,
    pixels: *const MolehillPixels,
    size: *mut MolehillSize,
) -> MolehillStatus {
    guard(|| unsafe { read_front(context, region, pixels, size, false) })
}

/// As molehill_context_read_front, without waiting; call it once per frame after present: it starts reading the current
/// picture, and returns the picture of the previous call. MOLEHILL_STATUS_NOTHING at the first call. A software device
/// never waits, and returns the current picture.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_read_front_delayed(
    context: MolehillContext,
    region: *const MolehillRegion,
    pixels: *const MolehillPixels,
    size: *mut MolehillSize,
) -> MolehillStatus {
    guard(|| unsafe { read_front(context, region, pixels, size, true) })
}
