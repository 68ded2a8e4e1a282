//! Buffers, programs and textures: handles, user data, release, events.

use std::ffi::c_char;

use context3d::FlashError;

use crate::arguments::{MolehillSize, context_of, receiver};
use crate::context::{Context, disposed, with_context};
use crate::device::gl;
use crate::failure::{Failure, MolehillStatus};
use crate::handles::MolehillContext;
use crate::handles::{MolehillObject, MolehillTexture};
use crate::pointers::{MolehillBool, text, writable, write};
use crate::recording;
use crate::registry::{Entry, Object, name_of, names, take_object};
use crate::sized::{grows, writable_sized, write_sized};
use crate::status::{c_string, guard};

/// An event that a texture dispatches.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillTextureEvent {
    /// sizeof(MolehillTextureEvent)
    pub struct_size: usize,
    /// The texture.
    pub texture: MolehillTexture,
    /// The host's user data of the texture.
    pub user_data: u64,
    /// Dispatch an `error` event with `error_number`, instead of `textureReady`.
    pub failed: MolehillBool,
    /// 3790, or 0.
    pub error_number: u32,
    /// The text of the `error` event, such as "Error #3790: …", else "". Valid until the context's next
    /// molehill_context_take_texture_event, or its end.
    pub message: *const c_char,
}

grows!(MolehillTextureEvent);

/// Calls `action` with an object's entry.
pub(crate) fn entry<T>(handle: u64, action: impl FnOnce(&mut Object) -> T) -> Result<T, Failure> {
    match names().live.get_mut(name_of(handle)) {
        Some(Entry::Object(object)) => Ok(action(object)),
        _ => Err(no_object(handle)),
    }
}

fn no_object(handle: u64) -> Failure {
    Failure::handle(format!("{handle:#x} names no object"))
}

/// Releases an object to which the program has no reference any more: for finalisers of a garbage collector. Any
/// thread. The object is freed when it is not bound: at the next present, creation or
/// molehill_context_collect_released. Its handle is stale from now on. MOLEHILL_STATUS_NOTHING if it was stale before,
/// because the object was disposed; MOLEHILL_STATUS_BAD_HANDLE for a handle of another kind, such as a context's.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_object_release(object: MolehillObject) -> MolehillStatus {
    guard(|| match take_object(object.id) {
        Some(object) => {
            object.queue.push(object.handle);
            Ok(MolehillStatus::Ok)
        }
        None if names().live.contains_key(name_of(object.id)) => Err(no_object(object.id)),
        None => Ok(MolehillStatus::Nothing),
    })
}

/// Sets the host's user data of an object, such as a pointer; initially 0. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_object_set_user_data(
    object: MolehillObject,
    user_data: u64,
) -> MolehillStatus {
    guard(|| entry(object.id, |object| object.user_data = user_data))
}

/// Gets the host's user data of an object. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_object_user_data(
    object: MolehillObject,
    user_data: *mut u64,
) -> MolehillStatus {
    guard(|| unsafe { write(user_data, entry(object.id, |object| object.user_data)?) })
}

/// Names an object, for example by the program's own name of a texture: in the recording of its context, and in debuggers on a
/// device in a debug context, where a name has at most 255 bytes, and a program loses it with its next upload. Null: "".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_object_set_name(
    object: MolehillObject,
    name: *const c_char,
) -> MolehillStatus {
    let name = unsafe { text(name) }.unwrap_or_default();
    guard(|| {
        let handle = entry(object.id, |object| object.handle)?;
        with_context(context_of(object.id).ok_or_else(disposed)?, |context| {
            recording::name(&mut context.recording, handle, name);
            match (context.api.key(handle), gl(context.api.backend_mut())) {
                (Some(key), Ok(backend)) => Ok(backend.label(key, name)?),
                _ => Ok(()),
            }
        })
    })
}

/// `VideoTexture.videoWidth`, `videoHeight`: the size of the last frame, 0 before the first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_texture_video_size(
    texture: MolehillTexture,
    size: *mut MolehillSize,
) -> MolehillStatus {
    guard(|| {
        writable(size)?;
        let (context, texture) = receiver(texture.id)?;
        with_context(context.ok_or_else(disposed)?, |context| {
            let (width, height) = context.api.video_size(texture)?;
            unsafe { write(size, MolehillSize { width, height }) }
        })
    })
}

/// Frees released objects that are not bound.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_context_collect_released(context: MolehillContext) -> MolehillStatus {
    guard(|| with_context(context, |context| Ok(context.api.collect_released()?)))
}

/// Gets the next event of a texture, until MOLEHILL_STATUS_NOTHING: after each frame, those that wait at the first
/// call. If a handler uploads again, the next frame has its event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_take_texture_event(
    context: MolehillContext,
    event: *mut MolehillTextureEvent,
) -> MolehillStatus {
    guard(|| {
        unsafe { writable_sized(event) }?;
        let next = with_context(context, |context| {
            let waiting = context.api.texture_events_waiting();
            let left = context.frame_events.take().unwrap_or(waiting).min(waiting);
            context.frame_events = left.checked_sub(1);
            Ok(if left == 0 { None } else { take_texture_event(context) })
        })?;
        let Some(next) = next else { return Ok(MolehillStatus::Nothing) };
        unsafe { write_sized(event, next) }?;
        Ok(MolehillStatus::Ok)
    })
}

pub(crate) fn take_texture_event(context: &mut Context) -> Option<MolehillTextureEvent> {
    let next = context.api.take_texture_event()?;
    recording::event(&mut context.recording, &next);
    let id = next.user_data;
    let text = next.error.as_ref().map(FlashError::as3_message);
    context.event_text = c_string(&text.unwrap_or_default());
    Some(MolehillTextureEvent {
        struct_size: 0,
        texture: MolehillTexture { id },
        user_data: entry(id, |object| object.user_data).unwrap_or(0),
        failed: next.error.is_some().into(),
        error_number: next.error.map_or(0, |error| error.number().into()),
        message: context.event_text.as_ptr(),
    })
}
