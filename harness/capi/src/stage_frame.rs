//! What a host does with a `Stage3D`: calls by name, recordings, and the end of a frame.

use std::ffi::c_char;

use context3d::calls::{Arguments, Method, MethodKind, Value};
use context3d::enums::{FlashName as _, RenderMode};
use context3d::{Answer, ContextOptions};

use crate::context::{Destroyed, create, with_context};
use crate::device::Renderer;
use crate::failure::{Failure, MolehillStatus};
use crate::handles::{MolehillContext, MolehillDevice, MolehillRecording};
use crate::objects::{entry, take_texture_event};
use crate::pointers::text;
use crate::recording::Recording;
use crate::registry::{find, with};
use crate::sized::{grows, writable_sized, write_sized};
use crate::stage3d::{Frame, MolehillStage3D, Stage, answer, execute, renderer, with_current};
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

/// A method or setter of a `Stage3D`.
pub(crate) fn call<A: Arguments<Error = Failure>>(
    stage: u64,
    name: &str,
    arguments: &mut A,
) -> Result<MolehillStatus, Failure> {
    let unknown = || Failure::argument(format!("no call Stage3D.{name}"));
    let method = Method::find("Stage3D", name)
        .or_else(|| Method::find("Stage3D", &format!("set {name}")))
        .filter(|method| method.kind != MethodKind::Getter)
        .ok_or_else(unknown)?;
    method.with("Stage3D", None, arguments, |_, invocation| execute(stage, invocation))??;
    Ok(MolehillStatus::Ok)
}

/// A property of a `Stage3D`; `None`: the context, which works.
pub(crate) fn property(stage: u64, name: &str) -> Result<Option<Value>, Failure> {
    with(stage, |stage: &mut Stage| {
        let Stage { stage3d, .. } = stage;
        match name {
            "x" => Ok(Some(Value::Number(stage3d.x()))),
            "y" => Ok(Some(Value::Number(stage3d.y()))),
            "visible" => Ok(Some(Value::Boolean(stage3d.visible()))),
            "context3D" => Ok((!stage.is_alive()).then_some(Value::Text(None))),
            _ => Err(Failure::argument(format!("no property Stage3D.{name}"))),
        }
    })
}

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
            stage.recorded = (recording, index);
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
    guard(|| unsafe {
        give(event, || match with(stage.id, |stage: &mut Stage| Ok(stage.frame))? {
            Frame::Over => answer_request(stage, device, swf_version, others, Frame::Begun),
            Frame::Begun | Frame::Ends(_) | Frame::Answered => Ok(None),
        })
    })
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
    guard(|| unsafe { give(event, || next_event(stage, device, swf_version, others)) })
}

/// Writes an event, if there is one.
///
/// # Safety
/// A pointer that is not null points to an event of the size that it says.
unsafe fn give(
    event: *mut MolehillStageEvent,
    next: impl FnOnce() -> Result<Option<MolehillStageEvent>, Failure>,
) -> Result<MolehillStatus, Failure> {
    unsafe { writable_sized(event) }?;
    let Some(next) = next()? else { return Ok(MolehillStatus::Nothing) };
    unsafe { write_sized(event, next) }?;
    Ok(MolehillStatus::Ok)
}

fn next_event(
    stage: MolehillStage3D,
    device: MolehillDevice,
    swf_version: u32,
    others: u32,
) -> Result<Option<MolehillStageEvent>, Failure> {
    let enter = |frame| {
        with(stage.id, |stage: &mut Stage| {
            stage.frame = frame;
            Ok(())
        })
    };
    let (context, frame) = with(stage.id, |stage: &mut Stage| Ok((stage.context, stage.frame)))?;
    let waiting = match frame {
        Frame::Over | Frame::Begun => {
            with_current(context, |it| it.api.texture_events_waiting())?.unwrap_or_default()
        }
        Frame::Ends(left) => left,
        Frame::Answered => 0,
    };
    for left in (0..waiting).rev() {
        // The host may have destroyed it.
        let Some(Some(event)) = with_current(context, take_texture_event)? else { break };
        enter(Frame::Ends(left))?;
        if entry(event.texture.id, |_| ()).is_err() {
            continue; // nobody listens to a released one
        }
        let kind = match event.failed {
            0 => MolehillStageEventKind::TextureReady,
            _ => MolehillStageEventKind::TextureError,
        };
        return Ok(Some(MolehillStageEvent {
            kind,
            user_data: event.user_data,
            error_number: event.error_number,
            message: event.message,
            ..MolehillStageEvent::default()
        }));
    }
    enter(Frame::Over)?;
    match frame {
        Frame::Answered => Ok(None),
        Frame::Over | Frame::Begun | Frame::Ends(_) => {
            answer_request(stage, device, swf_version, others, Frame::Answered)
        }
    }
}

/// Takes note of a context that ended, and answers the request, if there is one. Then the frame is at `answered`.
fn answer_request(
    stage: MolehillStage3D,
    device: MolehillDevice,
    swf_version: u32,
    others: u32,
    answered: Frame,
) -> Result<Option<MolehillStageEvent>, Failure> {
    let request = with(stage.id, |stage: &mut Stage| {
        if let Some(ended) = stage.ended()? {
            stage.stage3d.context_ended(ended);
            stage.context = MolehillContext::default();
        }
        Ok(stage.stage3d.pending_request().cloned())
    })?;
    let Some(request) = request else { return Ok(None) };
    let renderer = match renderer(device) {
        Err(Failure::Api(_)) => return Ok(None), // lost
        renderer => renderer?,
    };
    let answer = answer(stage, renderer.as_ref(), swf_version, others)?;
    with(stage.id, |stage: &mut Stage| {
        let event = match (answer, renderer) {
            (Some(Answer::Create(options, _)), Some(renderer)) => {
                stage.make(renderer, options, request.mode)?
            }
            (Some(Answer::Refuse(error, _)), _) => {
                stage.event_text = c_string(&error.as3_message());
                MolehillStageEvent {
                    kind: MolehillStageEventKind::Error,
                    error_number: error.number().into(),
                    message: stage.event_text.as_ptr(),
                    ..MolehillStageEvent::default()
                }
            }
            (Some(Answer::Create(..)), None) | (None, _) => return Ok(None),
        };
        stage.frame = answered;
        Ok(Some(event))
    })
}

impl Stage {
    /// Makes the context that answers a request, and ends the former one.
    fn make(
        &mut self,
        renderer: Renderer,
        options: ContextOptions,
        mode: RenderMode,
    ) -> Result<MolehillStageEvent, Failure> {
        let former = with_current(self.context, |context| context.api.dispose(false))?;
        if let Some(Err(error)) = former {
            log::error!("Stage3D: {error}");
        }
        self.destroyed = Destroyed::default();
        let (api, destroyed) = (self.stage3d.create(renderer, options), self.destroyed.clone());
        self.context = create(api, Some(destroyed));
        let (recording, index) = self.recorded;
        if let Err(failure) = record(self.context, recording, index, Some(mode.name())) {
            log::error!("Stage3D: the context is not recorded: {failure:?}");
        }
        Ok(MolehillStageEvent {
            kind: MolehillStageEventKind::ContextCreated,
            context: self.context,
            message: c"".as_ptr(),
            ..MolehillStageEvent::default()
        })
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
    guard(|| record(context, recording, stage3d_index, unsafe { text(render_mode) }))
}

fn record(
    context: MolehillContext,
    recording: MolehillRecording,
    stage3d_index: u32,
    render_mode: Option<&str>,
) -> Result<(), Failure> {
    with_context(context, |context| {
        context.recording = None;
        if recording.id != 0 {
            let profile = context.api.options().profile;
            let joined = with(recording.id, |it: &mut Recording| {
                it.join(recording, stage3d_index, render_mode.unwrap_or("auto"), profile)
            })?;
            context.recording = Some(joined);
        }
        Ok(())
    })
}
