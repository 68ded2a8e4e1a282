//! `Stage3D`s: positions, requests for contexts, recordings, and the frames of a host.

use std::ffi::{CString, c_char};

use context3d::backend::BackendError;
use context3d::enums::{EnumArg, FlashName as _, RenderMode};
use context3d::native::{CallRecorder as _, HostEvent, Native};
use context3d::{Error, FlashError, Host, Invocation, Request, RequestResult};

use crate::context::{
    CapiContext, MolehillContextOptions, MolehillHost, profile_name, with_api, with_context,
};
use crate::device::{DeviceReference, Renderer};
use crate::failure::{CallFailure, MolehillStatus};
use crate::handles::{MolehillContext, MolehillDevice, MolehillRecording, MolehillStage3D};
use crate::objects::user_data;
use crate::pointers::{MolehillBool, flag, slice, text, writable, write};
use crate::recording::{Recording, RecordingForwarder};
use crate::registry::{StoreKind, destroy, find, is_live, keep, with};
use crate::sized::{grows, required_sized, sized, writable_sized, write_sized};
use crate::status::{c_string, guard};

/// Number of `Stage3D`s of a desktop player's stage.
pub const MOLEHILL_STAGE3DS: u32 = 4;
const _: () =
    assert!(MOLEHILL_STAGE3DS == context3d::native::STAGE3DS, "the header has the number");

/// The properties of a `Stage3D`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillStage3DInfo {
    /// sizeof(MolehillStage3DInfo)
    pub struct_size: usize,
    /// Stage pixels; fractions are kept.
    pub x: f64,
    /// Stage pixels; fractions are kept.
    pub y: f64,
    /// The picture is visible.
    pub visible: MolehillBool,
    /// A request is pending.
    pub requested: MolehillBool,
    /// The context that was created for the last request is usable.
    pub alive: MolehillBool,
    /// The mode of the pending request: "auto" or "software", which only a device that renders on the CPU answers;
    /// null without a request.
    pub render_mode: *const c_char,
    /// The names of the profiles that the request accepts. Valid until the Stage3D's next molehill_stage3d_info, or
    /// its end.
    pub profiles: *const *const c_char,
    /// Number of `profiles`; 0 without a request.
    pub profile_count: usize,
    /// The width at which the picture is shown, in stage pixels; 0 without a context. The picture can have more pixels
    /// than its displayed size.
    pub width: u32,
    /// The height at which the picture is shown, in stage pixels; 0 without a context.
    pub height: u32,
}

/// The kind of an event.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MolehillStageEventKind {
    /// The Stage3D's `context3DCreate` event.
    ContextCreated = 0,
    /// The Stage3D's `error` event.
    Error = 1,
    /// The texture's `textureReady` event.
    TextureReady = 2,
    /// The texture's `error` event.
    TextureError = 3,
}

/// An event to dispatch after a frame.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillStageEvent {
    /// sizeof(MolehillStageEvent)
    pub struct_size: usize,
    /// Tells which of the other fields are set.
    pub kind: MolehillStageEventKind,
    /// The new context of MOLEHILL_STAGE_EVENT_KIND_CONTEXT_CREATED, which the host destroys.
    pub context: MolehillContext,
    /// The host's user data of an event's texture. Released textures have no events.
    pub user_data: u64,
    /// The error's number, or 0.
    pub error_number: u32,
    /// The error's text, such as "Error #3702: …", else "". The string is valid until the next event of the Stage3D or
    /// of its context is taken.
    pub message: *const c_char,
}

grows!(MolehillStage3DInfo, MolehillStageEvent);

pub(crate) struct StageEntry {
    pub(crate) native: Native<Renderer>,
    /// The recording of the Stage3D's calls; 0 if the Stage3D isn't recorded.
    pub(crate) recording: MolehillRecording,
    /// Storage for the string of the last event.
    pub(crate) event_text: CString,
    /// The names of the requested profiles.
    profiles: Vec<*const c_char>,
}

impl StoreKind for StageEntry {
    const WHAT: &'static str = "Stage3D";
}

pub(crate) type Make<'a> = &'a mut dyn FnMut(&Request) -> Result<Renderer, BackendError>;

impl StageEntry {
    /// Calls `action` with a function that creates the backend for a request. If the creation fails for another reason
    /// than a device error, returns the failure and keeps the request pending.
    pub(crate) fn answering<T>(
        &self,
        device: MolehillDevice,
        others: u32,
        action: impl FnOnce(&Native<Renderer>, Make<'_>) -> T,
    ) -> Result<T, CallFailure> {
        self.native.set_others(usize::try_from(others).unwrap_or(usize::MAX));
        let mut wrong = Ok(());
        let mut make = |_: &Request| {
            if device.id == 0 {
                return Err(BackendError::Unsupported("the host passed no device".to_owned()));
            }
            let made = with(device.id, |device: &mut DeviceReference| device.renderer());
            made.map_err(|failure| match failure {
                CallFailure::Api(Error::Backend(error)) => error,
                failure => {
                    wrong = Err(failure);
                    BackendError::Lost
                }
            })
        };
        let result = action(&self.native, &mut make);
        wrong.map(|()| result)
    }
}

pub(crate) fn execute(stage: u64, call: &Invocation<'_>) -> Result<(), CallFailure> {
    with(stage, |stage: &mut StageEntry| Ok(stage.native.execute(call).map(drop)?))
}

/// Creates a `Stage3D` at 0, 0, visible.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_stage3d_create(stage: *mut MolehillStage3D) -> MolehillStatus {
    guard(|| {
        writable(stage)?;
        let native = Native::stage3ds_of(1).remove(0);
        let (recording, event_text) = (MolehillRecording::default(), CString::default());
        let id = keep(StageEntry { native, recording, event_text, profiles: Vec::new() });
        unsafe { write(stage, MolehillStage3D { id }) }
    })
}

/// Frees a `Stage3D`. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_stage3d_destroy(stage: MolehillStage3D) -> MolehillStatus {
    guard(|| destroy::<StageEntry>(stage.id, |_| Ok(())))
}

/// Sets `Stage3D.x`.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_stage3d_set_x(stage: MolehillStage3D, value: f64) -> MolehillStatus {
    guard(|| execute(stage.id, &Invocation::SetX { value }))
}

/// Sets `Stage3D.y`.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_stage3d_set_y(stage: MolehillStage3D, value: f64) -> MolehillStatus {
    guard(|| execute(stage.id, &Invocation::SetY { value }))
}

/// Sets `Stage3D.visible`.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_stage3d_set_visible(
    stage: MolehillStage3D,
    value: MolehillBool,
) -> MolehillStatus {
    guard(|| execute(stage.id, &Invocation::SetVisible { value: flag(value) }))
}

/// Sets the host's properties; null: those of a desktop Flash Player. A context that a request of the Stage3D creates
/// begins with the host's properties. Only `x`, `y` and `software` come from the Stage3D and the request. Changes
/// affect only later calls.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_stage3d_set_host(
    stage: MolehillStage3D,
    host: *const MolehillHost,
) -> MolehillStatus {
    guard(|| {
        let host = Host::from(unsafe { sized(host) }?.unwrap_or_default());
        with(stage.id, |stage: &mut StageEntry| {
            stage.native.set_host(host);
            Ok(())
        })
    })
}

/// Gets the properties of a `Stage3D`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_stage3d_info(
    stage: MolehillStage3D,
    info: *mut MolehillStage3DInfo,
) -> MolehillStatus {
    guard(|| {
        let value = with(stage.id, |stage: &mut StageEntry| {
            let stage3d = stage.native.stage3d();
            let request = stage3d.pending_request();
            let profiles = request.iter().flat_map(|request| request.profiles.iter());
            stage.profiles = profiles.map(|profile| profile_name(*profile)).collect();
            let size = stage.native.with_context(|api| api.back_buffer_size());
            let (width, height) = size.unwrap_or_default();
            Ok(MolehillStage3DInfo {
                width,
                height,
                x: stage3d.x(),
                y: stage3d.y(),
                visible: stage3d.visible().into(),
                requested: request.is_some().into(),
                alive: stage.native.is_alive().into(),
                render_mode: match request.map(|request| request.mode) {
                    None => std::ptr::null(),
                    Some(RenderMode::Auto) => c"auto".as_ptr(),
                    Some(RenderMode::Software) => c"software".as_ptr(),
                },
                profiles: stage.profiles.as_ptr(),
                profile_count: stage.profiles.len(),
                ..MolehillStage3DInfo::default()
            })
        })?;
        unsafe { write_sized(info, value) }
    })
}

/// Calls `requestContext3D(context3DRenderMode, profile)`. `listens`: there is a listener for context3DCreate.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_stage3d_request(
    stage: MolehillStage3D,
    render_mode: *const c_char,
    profile: *const c_char,
    listens: MolehillBool,
) -> MolehillStatus {
    guard(|| {
        let (mode, profile) = unsafe { (EnumArg::parse(text(render_mode)), text(profile)) };
        execute(stage.id, &Invocation::RequestContext3D { mode, profile, listens: flag(listens) })
    })
}

/// Calls `requestContext3DMatchingProfiles(profiles)`, with `count` names.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_stage3d_request_matching(
    stage: MolehillStage3D,
    profiles: *const *const c_char,
    count: usize,
    listens: MolehillBool,
) -> MolehillStatus {
    guard(|| {
        let names = unsafe { slice(profiles, count) }?;
        let profiles =
            names.map(|names| Vec::from_iter(names.iter().map(|name| unsafe { text(*name) })));
        let (profiles, listens) = (profiles.as_deref(), flag(listens));
        let request = Invocation::RequestContext3DMatchingProfiles { profiles, listens };
        execute(stage.id, &request)
    })
}

/// Answers the request; call it after each frame and before the next `enterFrame`. MOLEHILL_STATUS_OK with profile and
/// SWF version in the options for molehill_context_create, before context3DCreate is dispatched;
/// MOLEHILL_STATUS_FLASH_ERROR with the number (3702) of the `error` event to dispatch; MOLEHILL_STATUS_NOTHING
/// without a request. `device` is the device for the request's mode, 0 if there is none; if it is lost, returns
/// MOLEHILL_STATUS_DEVICE_LOST, and the request stays pending. `others` is the number of working contexts of other
/// Stage3Ds. The Stage3D's former context ends: call molehill_context_dispose.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_stage3d_answer(
    stage: MolehillStage3D,
    device: MolehillDevice,
    swf_version: u32,
    others: u32,
    options: *mut MolehillContextOptions,
) -> MolehillStatus {
    guard(|| {
        let mut value = unsafe { required_sized(options) }?;
        let answer = with(stage.id, |stage: &mut StageEntry| {
            stage.answering(device, others, |it, make| it.decide(swf_version, make))
        })?;
        let granted = match answer? {
            None => return Ok(MolehillStatus::Nothing),
            Some((RequestResult::Refuse(error, _), _)) => return Err(Error::Flash(error).into()),
            Some((RequestResult::Create(granted, _), _)) => granted,
        };
        value.profile = profile_name(granted.profile);
        value.swf_version = granted.swf_version;
        unsafe { write_sized(options, value) }
    })
}

/// Call this when the Stage3D's context has ended (see molehill_context_info): if Flash creates another context, the
/// request is pending again. Returns MOLEHILL_STATUS_NOTHING while the context is usable.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_stage3d_context_ended(
    stage: MolehillStage3D,
    context: MolehillContext,
) -> MolehillStatus {
    guard(|| {
        let Some(ended) = with_api(context, |api| api.ended())? else {
            return Ok(MolehillStatus::Nothing);
        };
        with(stage.id, |stage: &mut StageEntry| {
            stage.native.context_ended(ended);
            Ok(MolehillStatus::Ok)
        })
    })
}

/// Records a Stage3D as `stage.stage3Ds[index]`: its calls, its refused requests, and the contexts of
/// molehill_stage3d_end_frame. Begin the recording before the program's first call. The handle 0 ends the recording.
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
        with(stage.id, |stage: &mut StageEntry| {
            stage.recording = recording;
            stage.native.record(RecordingForwarder { recording, index });
            Ok(())
        })
    })
}

/// Begins the frame of a Stage3D: call it before `enterFrame` and with an empty stack. Gets the event that answers a
/// request that the program made since the last frame, as in a timer's or loader's event. A program that receives the
/// event context3DCreate draws in the next `enterFrame`. Returns MOLEHILL_STATUS_NOTHING without a request, and after
/// the request's event. The arguments are those of molehill_stage3d_end_frame.
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

/// Ends the frame of a Stage3D: call it after its code ran and with an empty stack. Gets the next event to dispatch,
/// until MOLEHILL_STATUS_NOTHING. The events of a frame are the texture events that are pending at the first call, and
/// the result of one request. If a handler uploads or requests again, the next frame gets that event.
///
/// A request is answered with a new context, and the former context ends as by `dispose(false)`. A context that was
/// lost, or ended by `dispose(true)`, is replaced. This function replaces molehill_stage3d_answer,
/// molehill_context_create, molehill_context_record, molehill_stage3d_context_ended and
/// molehill_context_take_texture_event. `device` is the device for the request's mode (MolehillStage3DInfo). If
/// `device` is 0, the request is rejected; if the device is lost, the request stays pending. `others` is the number of
/// working contexts of other Stage3Ds. After the last Stage3D, call molehill_recording_end_frame.
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

/// Writes the next event, if any. Skips events of released textures.
///
/// # Safety
/// A pointer that is not null points to an event of the size in its first field.
unsafe fn give(
    to: *mut MolehillStageEvent,
    stage: MolehillStage3D,
    device: MolehillDevice,
    others: u32,
    next: impl Fn(&Native<Renderer>, Make<'_>) -> Option<HostEvent<Renderer>>,
) -> Result<MolehillStatus, CallFailure> {
    unsafe { writable_sized(to) }?;
    with(stage.id, |stage: &mut StageEntry| {
        while let Some(event) = stage.answering(device, others, &next)? {
            if event.target.is_none_or(is_live) {
                return unsafe { write_sized(to, stage.describe(event)) };
            }
        }
        Ok(MolehillStatus::Nothing)
    })
}

impl StageEntry {
    fn describe(&mut self, event: HostEvent<Renderer>) -> MolehillStageEvent {
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
                CapiContext::keep(native, Some(self.recording))
            }),
            user_data: target.unwrap_or_default(),
            error_number: event.error.map_or(0, |error| error.number().into()),
            message: self.event_text.as_ptr(),
            ..MolehillStageEvent::default()
        }
    }
}

/// Starts recording the calls on a context, as those of `stage.stage3Ds[stage3d_index]`; the handle 0 stops recording.
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
        let profile = with_api(context, |api| api.options().profile)?;
        let mode = unsafe { text(render_mode) }.and_then(RenderMode::from_name);
        let mode = mode.unwrap_or(RenderMode::Auto);
        let mut forward = RecordingForwarder { recording, index: stage3d_index };
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
