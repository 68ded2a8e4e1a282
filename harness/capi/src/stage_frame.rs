//! What a host does with a `Stage3D`: calls by name, recordings, and the end of a frame.

use std::ffi::c_char;

use context3d::calls::{Arguments, Member, Value};
use context3d::enums::FlashName as _;
use context3d::{Answer, FlashError, StageCommand};

use crate::context::{create, with_context};
use crate::failure::{Failure, MolehillStatus};
use crate::handles::{MolehillContext, MolehillDevice, MolehillRecording};
use crate::objects::{entry, take_texture_event};
use crate::pointers::text;
use crate::recording::{Recording, with_recorder};
use crate::registry::with;
use crate::sized::{grows, writable_sized, write_sized};
use crate::stage3d::{MolehillStage3D, Stage, answer, is_alive, renderer};
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

fn position(command: &StageCommand, (x, y): (f64, f64)) -> Option<(f64, f64)> {
    match *command {
        StageCommand::SetX(x) => Some((x, y)),
        StageCommand::SetY(y) => Some((x, y)),
        StageCommand::SetVisible(_)
        | StageCommand::Request { .. }
        | StageCommand::RequestMatching { .. } => None,
    }
}

/// A method or setter of a `Stage3D`.
pub(crate) fn call<A: Arguments<Error = Failure>>(
    stage: u64,
    name: &str,
    arguments: &mut A,
) -> Result<MolehillStatus, Failure> {
    let unknown = || Failure::argument(format!("no call Stage3D.{name}"));
    let member = Member::find("Stage3D", name)
        .or_else(|| Member::find("Stage3D", &format!("set {name}")))
        .ok_or_else(unknown)?;
    let command = member.stage_command(arguments)?.ok_or_else(unknown)?;
    let (context, at) = with(stage, |stage: &mut Stage| {
        Ok((stage.context, (stage.stage3d.x(), stage.stage3d.y())))
    })?;
    if let Some((x, y)) = position(&command, at).filter(|_| context.id != 0) {
        with_context(context, |context| Ok(context.api.check_position(x, y)?))?;
    }
    let (recording, index) = with(stage, |stage: &mut Stage| {
        stage.stage3d.execute(&command)?;
        Ok(stage.recorded)
    })?;
    if recording.id != 0 {
        with_recorder(recording, |recorder| {
            context3d::native::Record::stage3d(recorder, index, &command);
        });
    }
    Ok(MolehillStatus::Ok)
}

/// A property of a `Stage3D`; `None`: the context, which works.
pub(crate) fn property(stage: u64, name: &str) -> Result<Option<Value>, Failure> {
    let (x, y, visible) = with(stage, |Stage { stage3d, .. }: &mut Stage| {
        Ok((stage3d.x(), stage3d.y(), stage3d.visible()))
    })?;
    match name {
        "x" => Ok(Some(Value::Number(x))),
        "y" => Ok(Some(Value::Number(y))),
        "visible" => Ok(Some(Value::Boolean(visible))),
        "context3D" => Ok(if is_alive(stage)? { None } else { Some(Value::Text(None)) }),
        _ => Err(Failure::argument(format!("no property Stage3D.{name}"))),
    }
}

/// Records a Stage3D as `stage.stage3Ds[index]`: calls by molehill_call, and the contexts of molehill_stage3d_end_frame.
/// Begin before the program's first call. The handle 0 ends it.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_stage3d_record(
    stage: MolehillStage3D,
    recording: MolehillRecording,
    index: u32,
) -> MolehillStatus {
    guard(|| {
        with(stage.id, |stage: &mut Stage| {
            stage.recorded = (recording, index);
            Ok(())
        })
    })
}

/// Ends the frame of a Stage3D, after its code ran, with an empty stack: gets the next event to dispatch, until
/// MOLEHILL_STATUS_NOTHING. A request is answered with a new context, and one that ended is taken note of: this replaces
/// molehill_stage3d_answer, molehill_context_create, molehill_context_record, molehill_stage3d_context_ended and
/// molehill_context_take_texture_event. `device` is 0 if there is none; `others` is the number of contexts of other Stage3Ds.
/// After the last Stage3D, call molehill_recording_end_frame.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_stage3d_end_frame(
    stage: MolehillStage3D,
    device: MolehillDevice,
    swf_version: u32,
    others: u32,
    event: *mut MolehillStageEvent,
) -> MolehillStatus {
    guard(|| {
        unsafe { writable_sized(event) }?;
        let Some(next) = next_event(stage, device, swf_version, others)? else {
            return Ok(MolehillStatus::Nothing);
        };
        unsafe { write_sized(event, next) }?;
        Ok(MolehillStatus::Ok)
    })
}

fn next_event(
    stage: MolehillStage3D,
    device: MolehillDevice,
    swf_version: u32,
    others: u32,
) -> Result<Option<MolehillStageEvent>, Failure> {
    let (context, pending, recorded) = with(stage.id, |stage: &mut Stage| {
        let mode = stage.stage3d.pending_request().map(|request| request.mode);
        Ok((stage.context, mode, stage.recorded))
    })?;
    let mut pending = pending;
    if context.id != 0 {
        // The host may have destroyed it.
        while let Some(event) = take_texture_event(context).unwrap_or_default() {
            if entry(event.texture.id, |_| ()).is_err() {
                continue; // nobody listens to a released one
            }
            let kind = if event.failed == 0 {
                MolehillStageEventKind::TextureReady
            } else {
                MolehillStageEventKind::TextureError
            };
            return Ok(Some(MolehillStageEvent {
                kind,
                user_data: event.user_data,
                error_number: event.error_number,
                message: event.message,
                ..MolehillStageEvent::default()
            }));
        }
        let ended = with_context(context, |context| Ok(context.api.ended())).unwrap_or_default();
        if let Some(ended) = ended {
            pending = with(stage.id, |stage: &mut Stage| {
                stage.stage3d.context_ended(ended);
                stage.context = MolehillContext::default();
                Ok(stage.stage3d.pending_request().map(|request| request.mode))
            })?;
        }
    }
    let Some(mode) = pending else { return Ok(None) };
    let renderer = renderer(device)?;
    let answered = answer(stage, renderer.as_ref(), swf_version, others)?;
    match (answered, renderer) {
        (Some(Answer::Create(options, _)), Some(renderer)) => {
            let context = create(renderer, options);
            record(context, recorded.0, recorded.1, Some(mode.name()))?;
            created(stage, context)
        }
        (Some(Answer::Refuse(error, _)), _) => refused(stage, &error),
        (Some(Answer::Create(..)), None) | (None, _) => Ok(None),
    }
}

fn created(
    stage: MolehillStage3D,
    context: MolehillContext,
) -> Result<Option<MolehillStageEvent>, Failure> {
    let kind = MolehillStageEventKind::ContextCreated;
    with(stage.id, |stage: &mut Stage| {
        stage.context = context;
        let message = c"".as_ptr();
        Ok(Some(MolehillStageEvent { kind, context, message, ..MolehillStageEvent::default() }))
    })
}

fn refused(
    stage: MolehillStage3D,
    error: &FlashError,
) -> Result<Option<MolehillStageEvent>, Failure> {
    with(stage.id, |stage: &mut Stage| {
        stage.event_text = c_string(&error.as3_message());
        Ok(Some(MolehillStageEvent {
            kind: MolehillStageEventKind::Error,
            error_number: error.number().into(),
            message: stage.event_text.as_ptr(),
            ..MolehillStageEvent::default()
        }))
    })
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
