//! Buffers, programs and textures: handles, user data, release, events, and frames of video decoders.

use std::ffi::c_char;

use context3d::native::{Native, VideoFrame, VideoPlane, YuvMatrix};
use context3d::{Context3D, FlashError};
use slotmap::Key as _;

use crate::arguments::{MolehillSize, context_of, receiver};
use crate::context::{disposed, live, release, with_api, with_context};
use crate::device::{Renderer, gl};
use crate::failure::{CallFailure, MolehillStatus};
use crate::handles::{MolehillContext, MolehillObject, MolehillTexture};
use crate::pointers::{MolehillBool, flag, slice, text, writable, write};
use crate::recording::while_it_runs;
use crate::registry::{HandleEntry, is_live, key_of, table, with};
use crate::sized::{grows, required_sized, writable_sized, write_sized};
use crate::status::{c_string, guard};

/// An event that a texture dispatches.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillTextureEvent {
    /// sizeof(MolehillTextureEvent)
    pub struct_size: usize,
    /// The texture that the event belongs to.
    pub texture: MolehillTexture,
    /// The host's user data of the texture.
    pub user_data: u64,
    /// The event is an `error` event with `error_number` instead of `textureReady`.
    pub failed: MolehillBool,
    /// The number of the error, 3790, or 0.
    pub error_number: u32,
    /// The text of the `error` event, such as "Error #3790: …", else "". The string is valid until the context ends or
    /// its next event is taken with molehill_context_take_texture_event.
    pub message: *const c_char,
}

/// Rows of bytes from top to bottom.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillPlane {
    /// `length` bytes, only read during the call.
    pub data: *const u8,
    /// Length of `data` in bytes.
    pub length: usize,
    /// Bytes from a row to the next.
    pub stride: usize,
}

/// A frame of a video in I420 or NV12, in limited range. The planes of U and V have half the width and height, rounded
/// up.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillYuvFrame {
    /// sizeof(MolehillYuvFrame)
    pub struct_size: usize,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// The plane of Y (luma), with one byte for each pixel.
    pub y: MolehillPlane,
    /// I420: U. NV12: U and V in turn.
    pub u: MolehillPlane,
    /// I420: V. NV12: all 0.
    pub v: MolehillPlane,
    /// The video has the colours of BT.709 (high definition) instead of BT.601.
    pub bt709: MolehillBool,
}

grows!(MolehillTextureEvent, MolehillYuvFrame);

/// Calls `action` with the host's user data of an object.
pub(crate) fn user_data<T>(
    object: u64,
    action: impl FnOnce(&mut u64) -> T,
) -> Result<T, CallFailure> {
    match table().live.get_mut(key_of(object)) {
        Some(HandleEntry::Owned { context, user_data, .. }) if !context.is_null() => {
            Ok(action(user_data))
        }
        _ => Err(CallFailure::handle(format!("{object:#x} is not the handle of an object"))),
    }
}

/// Borrows the context of an object, and calls `action` with the object.
pub(crate) fn on_object<T>(
    object: u64,
    action: impl FnOnce(&mut Native<Renderer>) -> Result<T, CallFailure>,
) -> Result<T, CallFailure> {
    with_context(context_of(object).ok_or_else(disposed)?, |_| match is_live(object) {
        true => with(object, action),
        false => Err(disposed()),
    })
}

/// Releases an object to which the program has no reference any more, for finalisers of a garbage collector. Any
/// thread. The object is freed at the next present, creation or molehill_context_collect_released when it is not
/// bound. The handle becomes stale. Returns MOLEHILL_STATUS_NOTHING if the handle was already stale, because the object
/// was disposed; MOLEHILL_STATUS_BAD_HANDLE for a handle of another kind, such as a context's.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_object_release(object: MolehillObject) -> MolehillStatus {
    guard(|| {
        let there = is_live(object.id);
        if there { release(object.id) } else { Ok(MolehillStatus::Nothing) }
    })
}

/// Sets the host's user data of an object, such as a pointer; initially 0. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_object_set_user_data(
    object: MolehillObject,
    user_data: u64,
) -> MolehillStatus {
    guard(|| self::user_data(object.id, |it| *it = user_data))
}

/// Gets the host's user data of an object. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_object_user_data(
    object: MolehillObject,
    user_data: *mut u64,
) -> MolehillStatus {
    guard(|| unsafe { write(user_data, self::user_data(object.id, |it| *it)?) })
}

/// Names an object, for example by the program's own name of a texture. The context's recordings contain the name. On a
/// device in a debug context, debuggers show at most 255 bytes of the name, and a program loses its name with the next
/// upload. Null: "".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_object_set_name(
    object: MolehillObject,
    name: *const c_char,
) -> MolehillStatus {
    let name = unsafe { text(name) }.unwrap_or_default();
    guard(|| {
        let handle = live(object.id)?;
        let context = context_of(object.id).ok_or_else(disposed)?;
        let recording = with_context(context, |context| Ok(context.recording))?;
        while_it_runs(recording, |recorder| recorder.name(handle, name));
        with_api(context, |api| match (api.key(handle), gl(api.backend_mut())) {
            (Some(key), Ok(backend)) => Ok(backend.label(key, name)?),
            _ => Ok(()),
        })?
    })
}

/// Gets `VideoTexture.videoWidth` and `videoHeight`: the size of the last frame, 0 before the first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_texture_video_size(
    texture: MolehillTexture,
    size: *mut MolehillSize,
) -> MolehillStatus {
    guard(|| {
        writable(size)?;
        let (context, texture) = receiver(texture.id)?;
        let context = context.ok_or_else(disposed)?;
        let (width, height) = with_api(context, |api| api.video_size(texture))??;
        unsafe { write(size, MolehillSize { width, height }) }
    })
}

/// Frees released objects that are not bound.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_context_collect_released(context: MolehillContext) -> MolehillStatus {
    guard(|| Ok(with_api(context, Context3D::collect_released)??))
}

/// Gets the next texture event, until MOLEHILL_STATUS_NOTHING. Call this function repeatedly after each frame. The
/// first call determines the frame's events. If a handler uploads again, the next frame gets that event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_take_texture_event(
    context: MolehillContext,
    event: *mut MolehillTextureEvent,
) -> MolehillStatus {
    guard(|| {
        unsafe { writable_sized(event) }?;
        let next = with_context(context, |context| {
            let Some(next) = context.native.next_texture_event() else { return Ok(None) };
            let text = next.error.as_ref().map(FlashError::as3_message);
            context.event_text = c_string(&text.unwrap_or_default());
            let id = next.target.unwrap_or_default();
            Ok(Some(MolehillTextureEvent {
                texture: MolehillTexture { id },
                user_data: user_data(id, |it| *it).unwrap_or_default(),
                failed: next.error.is_some().into(),
                error_number: next.error.map_or(0, |error| error.number().into()),
                message: context.event_text.as_ptr(),
                ..MolehillTextureEvent::default()
            }))
        })?;
        let Some(next) = next else { return Ok(MolehillStatus::Nothing) };
        unsafe { write_sized(event, next) }
    })
}

/// # Safety
/// The caller meets the requirements of [`slice`].
unsafe fn plane<'a>(plane: MolehillPlane) -> Result<Option<VideoPlane<'a>>, CallFailure> {
    let bytes = unsafe { slice(plane.data, plane.length) }?;
    Ok(bytes.map(|bytes| VideoPlane { bytes, stride: plane.stride }))
}

/// Sets the next frame of a `VideoTexture` from planes of Y, U and V, as molehill_video_texture_frame does from a
/// bitmap. Dispatch `textureReady` afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_video_texture_yuv_frame(
    texture: MolehillTexture,
    frame: *const MolehillYuvFrame,
) -> MolehillStatus {
    guard(|| {
        let frame = unsafe { required_sized(frame) }?;
        let missing = || CallFailure::argument("a plane of the frame is null");
        let y = unsafe { plane(frame.y) }?.ok_or_else(missing)?;
        let u = unsafe { plane(frame.u) }?.ok_or_else(missing)?;
        let size = [frame.width, frame.height];
        let matrix = if flag(frame.bt709) { YuvMatrix::Bt709 } else { YuvMatrix::Bt601 };
        let frame = match unsafe { plane(frame.v) }? {
            Some(v) => VideoFrame::I420 { size, y, u, v, matrix },
            None => VideoFrame::Nv12 { size, y, uv: u, matrix },
        };
        on_object(texture.id, |it| Ok(it.video_frame(&frame).map(drop)?))
    })
}
