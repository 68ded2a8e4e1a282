//! What a host does with a `Stage3D`: calls by name, recordings, and the end of a frame.

use std::ffi::c_char;

use context3d::enums::{FlashName as _, RenderMode};
use context3d::native::{Event, Native, Record as _};
use context3d::{FlashError, Request};

use crate::context::{Context, with_api, with_context};
use crate::device::Renderer;
use crate::failure::{Failure, MolehillStatus};
use crate::handles::{MolehillContext, MolehillDevice, MolehillRecording};
use crate::objects::user_data;
use crate::pointers::text;
use crate::recording::{Forward, Recording};
use crate::registry::{find, is_live, with};
use crate::sized::{grows, writable_sized, write_sized};
use crate::stage3d::{Make, MolehillStage3D, Stage};
use crate::status::{c_string, guard};

/// The kind of an event.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MolehillStageEventKind {
    /// `context3DCreate` of the Stage3D.
    ContextCreated = 0,
    /// `error` of the Stage3D.
    Error = 1,
    /// `textureReady` of a texture.
    TextureReady = 2,
    /// `error` of a texture.
    TextureError = 3,
}

/// An event to dispatch after a frame.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillStageEvent {
    /// sizeof(MolehillStageEvent)
    pub struct_size: usize,
    /// Its kind.
    pub kind: MolehillStageEventKind,
    /// For MOLEHILL_STAGE_EVENT_KIND_CONTEXT_CREATED: the new context, which the host destroys.
    pub context: MolehillContext,
    /// For events of textures: the host's user data of the texture; released ones have no events.
    pub user_data: u64,
    /// The error's number, or 0.
    pub error_number: u32,
    /// The error's text, such as "Error #3702: …", else "". Valid until the next event of the Stage3D and of its context.
    pub message: *const c_char,
}

grows!(MolehillStageEvent);

/// Records a Stage3D as `stage.stage3Ds[index]`: its calls, its refused requests, and the contexts of
/// molehill_stage3d_end_frame. Begin before the program's first call. The handle 0 ends it.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_stage3d_record(
    stage: MolehillStage3D,
    recording: MolehillRecording,
    index: u32,
) -> MolehillStatus {
    guard(|| {
        if recording.id != 0 {
            find::<Recording>(recording.id)?;
        }
        with(stage.id, |stage: &mut Stage| {
            stage.recording = recording;
            stage.native.record(Forward { recording, index });
            Ok(())
        })
    })
}

/// Begins the frame of a Stage3D, before `enterFrame` and with an empty stack: gets the event that answers a request
/// of the program since the last frame, as in a timer's or loader's event. Such a program draws in the next
/// `enterFrame`. MOLEHILL_STATUS_NOTHING without a request, and after one answer. The arguments are those of
/// molehill_stage3d_end_frame.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_stage3d_begin_frame(
    stage: MolehillStage3D,
    device: MolehillDevice,
    swf_version: u32,
    others: u32,
    event: *mut MolehillStageEvent,
) -> MolehillStatus {
    let next = |it: &_, make: Make<'_>| Native::begin_frame(it, swf_version, make);
    guard(|| unsafe { give(event, stage, device, others, next) })
}

/// Ends the frame of a Stage3D, after its code ran and with an empty stack: gets the next event to dispatch, until
/// MOLEHILL_STATUS_NOTHING. A frame has the events of textures that wait at the first call, and the answer to one
/// request: if a handler uploads or requests again, the next frame has its event.
///
/// A request is answered with a new context, and the former context ends as by `dispose(false)`. A context that was
/// lost, or ended by `dispose(true)`, is replaced. This function is used in place of molehill_stage3d_answer,
/// molehill_context_create, molehill_context_record, molehill_stage3d_context_ended and
/// molehill_context_take_texture_event. `device` is the device for the request's mode (MolehillStage3DInfo). If it is
/// 0, the request is refused; if it is lost, the request waits. `others` is the number of working contexts of other
/// Stage3Ds. After the last Stage3D, call molehill_recording_end_frame.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_stage3d_end_frame(
    stage: MolehillStage3D,
    device: MolehillDevice,
    swf_version: u32,
    others: u32,
    event: *mut MolehillStageEvent,
) -> MolehillStatus {
    let next = |it: &_, make: Make<'_>| Native::next_event(it, swf_version, make);
    guard(|| unsafe { give(event, stage, device, others, next) })
}

/// Writes the next event, if there is one. Nobody listens to a texture that was released.
///
/// # Safety
/// A pointer that is not null points to an event of the size that it says.
unsafe fn give(
    to: *mut MolehillStageEvent,
    stage: MolehillStage3D,
    device: MolehillDevice,
    others: u32,
    next: impl Fn(&Native<Renderer>, Make<'_>) -> Option<Event<Renderer>>,
) -> Result<MolehillStatus, Failure> {
    unsafe { writable_sized(to) }?;
    with(stage.id, |stage: &mut Stage| {
        while let Some(event) = stage.answering(device, others, &next)? {
            if event.target.is_none_or(is_live) {
                unsafe { write_sized(to, stage.describe(event)) }?;
                return Ok(MolehillStatus::Ok);
            }
        }
        Ok(MolehillStatus::Nothing)
    })
}

impl Stage {
    fn describe(&mut self, event: Event<Renderer>) -> MolehillStageEvent {
        let text = event.error.as_ref().map(FlashError::as3_message);
        self.event_text = c_string(&text.unwrap_or_default());
        let target = event.target.and_then(|texture| user_data(texture, |it| *it).ok());
        MolehillStageEvent {
            kind: match (event.target, &event.error) {
                (Some(_), None) => MolehillStageEventKind::TextureReady,
                (Some(_), Some(_)) => MolehillStageEventKind::TextureError,
                (None, Some(_)) => MolehillStageEventKind::Error,
                (None, None) => MolehillStageEventKind::ContextCreated,
            },
            context: event.context3d.map_or(MolehillContext::default(), |native| {
                Context::keep(native, Some(self.recording))
            }),
            user_data: target.unwrap_or_default(),
            error_number: event.error.map_or(0, |error| error.number().into()),
            message: self.event_text.as_ptr(),
            ..MolehillStageEvent::default()
        }
    }
}

/// Starts recording the calls on a context, as those of `stage.stage3Ds[stage3d_index]`; the handle 0 stops it.
/// `render_mode` is the argument of requestContext3D; null: "auto". Call this before the first call on the context,
/// otherwise objects are missing in the recording.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_record(
    context: MolehillContext,
    recording: MolehillRecording,
    stage3d_index: u32,
    render_mode: *const c_char,
) -> MolehillStatus {
    guard(|| {
        let profile = with_api(context, |api| Ok(api.options().profile))?;
        let mode = unsafe { text(render_mode) }.and_then(RenderMode::from_name);
        let mode = mode.unwrap_or(RenderMode::Auto);
        let mut forward = Forward { recording, index: stage3d_index };
        if recording.id != 0 {
            with(recording.id, |it: &mut Recording| it.recorder().map(drop))?;
        }
        let request = Request { mode, profiles: vec![profile] };
        let id = forward.context(0, &request, profile);
        with_context(context, |context| {
            context.recording = recording;
            context.native.record(forward);
            context.native.record_context_as(id);
            Ok(())
        })
    })
}
