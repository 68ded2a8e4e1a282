//! `Stage3D`s: positions, and requests for contexts.

use std::ffi::{CString, c_char};

use context3d::backend::{Backend as _, BackendError};
use context3d::enums::{Name, RenderMode};
use context3d::native::Record;
use context3d::{Answer, Context3D, Ended, Error, Host, Invocation, Stage3D};

use crate::context::{
    Context, Destroyed, MolehillContextOptions, MolehillHost, profile_name, with_context,
};
use crate::device::{Device, Renderer};
use crate::failure::{Failure, MolehillStatus};
use crate::handles::{MolehillContext, MolehillDevice, MolehillRecording};
use crate::pointers::{MolehillBool, flag, slice, text, writable, write};
use crate::recording::while_it_runs;
use crate::registry::{Kind, destroy, keep, with};
use crate::sized::{grows, required_sized, sized, write_sized};
use crate::status::guard;

/// A `Stage3D`: its position, and the program's request for a context until the host answers it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MolehillStage3D {
    /// 0 is null.
    pub id: u64,
}

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
    /// Whether it is visible.
    pub visible: MolehillBool,
    /// Whether a request waits for its answer.
    pub requested: MolehillBool,
    /// Whether the context of molehill_stage3d_end_frame works.
    pub alive: MolehillBool,
    /// The mode of the request that waits: "auto" or "software", which only a device that renders on the CPU answers;
    /// null without a request.
    pub render_mode: *const c_char,
}

grows!(MolehillStage3DInfo);

/// Where the frame of a `Stage3D` is.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Frame {
    #[default]
    Over,
    /// molehill_stage3d_begin_frame has answered a request.
    Begun,
    /// So many events of textures are left, and then the answer to a request.
    Ends(usize),
    /// molehill_stage3d_end_frame has answered a request.
    Answered,
}

/// A `Stage3D` of a host.
#[derive(Default)]
pub(crate) struct Stage {
    pub(crate) stage3d: Stage3D,
    /// The context of molehill_stage3d_end_frame.
    pub(crate) context: MolehillContext,
    /// How that context had ended when the host destroyed it.
    pub(crate) destroyed: Destroyed,
    pub(crate) frame: Frame,
    /// Where it is recorded, and its index.
    pub(crate) recorded: (MolehillRecording, u32),
    /// The text of the last event.
    pub(crate) event_text: CString,
}

impl Kind for Stage {
    const WHAT: &'static str = "Stage3D";
}

impl Stage {
    /// Whether the context works. A context that a call is using does.
    pub(crate) fn is_alive(&self) -> bool {
        self.context.id != 0 && matches!(self.ended(), Ok(None) | Err(_))
    }

    /// How the context has ended, if there is one.
    pub(crate) fn ended(&self) -> Result<Option<Ended>, Failure> {
        let ended = with_current(self.context, |context| context.api.ended())?;
        let gone = || self.destroyed.get().unwrap_or(Ended::Lost);
        Ok(ended.unwrap_or_else(|| (self.context.id != 0).then(gone)))
    }
}

/// As [`with_context`], with the context of a `Stage3D`; `None` if there is none, the host has destroyed it, or a panic
/// has left it in an unknown state.
pub(crate) fn with_current<R>(
    context: MolehillContext,
    action: impl FnOnce(&mut Context) -> R,
) -> Result<Option<R>, Failure> {
    match with_context(context, |context| Ok(action(context))) {
        Ok(done) => Ok(Some(done)),
        Err(busy @ Failure::Here(MolehillStatus::Busy, _)) => Err(busy),
        Err(Failure::Here(..) | Failure::Api(_)) => Ok(None),
    }
}

/// Carries out a call, and records it.
pub(crate) fn execute(stage: u64, command: &Invocation<'_>) -> Result<(), Failure> {
    let (recording, index) =
        with(stage, |Stage { stage3d, context, recorded, .. }: &mut Stage| {
            match with_current(*context, |it| stage3d.execute(command, Some(&mut it.api)))? {
                Some(done) => done,
                None => stage3d.execute(command, None::<&mut Context3D<Renderer>>),
            }?;
            Ok(*recorded)
        })?;
    while_it_runs(recording, |recorder| Record::stage3d(recorder, index, command));
    Ok(())
}

/// Makes a `Stage3D` at 0, 0, visible.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_stage3d_create(stage: *mut MolehillStage3D) -> MolehillStatus {
    guard(|| {
        writable(stage)?;
        let id = keep(|_| Stage::default());
        unsafe { write(stage, MolehillStage3D { id }) }
    })
}

/// Frees a `Stage3D`. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_stage3d_destroy(stage: MolehillStage3D) -> MolehillStatus {
    guard(|| destroy::<Stage>(stage.id, |_| Ok(())))
}

/// `Stage3D.x = value`
#[unsafe(no_mangle)]
pub extern "C" fn molehill_stage3d_set_x(stage: MolehillStage3D, value: f64) -> MolehillStatus {
    guard(|| execute(stage.id, &Invocation::SetX { value }))
}

/// `Stage3D.y = value`
#[unsafe(no_mangle)]
pub extern "C" fn molehill_stage3d_set_y(stage: MolehillStage3D, value: f64) -> MolehillStatus {
    guard(|| execute(stage.id, &Invocation::SetY { value }))
}

/// `Stage3D.visible = value`
#[unsafe(no_mangle)]
pub extern "C" fn molehill_stage3d_set_visible(
    stage: MolehillStage3D,
    value: MolehillBool,
) -> MolehillStatus {
    guard(|| execute(stage.id, &Invocation::SetVisible { value: flag(value) }))
}

/// Sets the facts that only the host knows; null: those of a desktop Flash Player. The contexts of
/// molehill_stage3d_end_frame have them from the beginning, except `x`, `y` and `software`, which the Stage3D and the
/// request decide. Affects later calls only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_stage3d_set_host(
    stage: MolehillStage3D,
    host: *const MolehillHost,
) -> MolehillStatus {
    guard(|| {
        let host = Host::from(unsafe { sized(host) }?.unwrap_or_default());
        with(stage.id, |stage: &mut Stage| {
            with_current(stage.context, |context| context.api.set_host(host))?;
            stage.stage3d.set_host(host);
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
        let value = with(stage.id, |stage: &mut Stage| {
            let Stage { stage3d, .. } = stage;
            let mode = stage3d.pending_request().map(|request| request.mode);
            Ok(MolehillStage3DInfo {
                struct_size: 0,
                x: stage3d.x(),
                y: stage3d.y(),
                visible: stage3d.visible().into(),
                requested: mode.is_some().into(),
                alive: stage.is_alive().into(),
                render_mode: match mode {
                    None => std::ptr::null(),
                    Some(RenderMode::Auto) => c"auto".as_ptr(),
                    Some(RenderMode::Software) => c"software".as_ptr(),
                },
            })
        })?;
        unsafe { write_sized(info, value) }
    })
}

/// `requestContext3D(context3DRenderMode, profile)`. `listens`: whether there is a listener for context3DCreate.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_stage3d_request(
    stage: MolehillStage3D,
    render_mode: *const c_char,
    profile: *const c_char,
    listens: MolehillBool,
) -> MolehillStatus {
    guard(|| {
        let (mode, profile) = unsafe { (Name::parse(text(render_mode)), text(profile)) };
        execute(stage.id, &Invocation::RequestContext3D { mode, profile, listens: flag(listens) })
    })
}

/// `requestContext3DMatchingProfiles(profiles)`, with `count` names.
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

/// Answers the request, after each frame and before the next `enterFrame`: MOLEHILL_STATUS_OK with profile and SWF
/// version in the options for molehill_context_create, before context3DCreate is dispatched;
/// MOLEHILL_STATUS_FLASH_ERROR with the number (3702) of the `error` event to dispatch; MOLEHILL_STATUS_NOTHING
/// without a request. `device` is the device for the request's mode, 0 if there is none; with a lost one,
/// MOLEHILL_STATUS_DEVICE_LOST, and the request waits. `others` is the number of working contexts of other Stage3Ds.
/// The Stage3D's former context ends: call molehill_context_dispose.
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
        let renderer = renderer(device)?;
        let granted = match answer(stage, renderer.as_ref(), swf_version, others)? {
            None => return Ok(MolehillStatus::Nothing),
            Some(Answer::Refuse(error, _)) => return Err(Error::Flash(error).into()),
            Some(Answer::Create(granted, _)) => granted,
        };
        value.profile = profile_name(granted.profile);
        value.swf_version = granted.swf_version;
        unsafe { write_sized(options, value) }?;
        Ok(MolehillStatus::Ok)
    })
}

/// A renderer of the device; `None` without a device, and if it can't make one. A lost device is an error, because the
/// request waits for the next one.
pub(crate) fn renderer(device: MolehillDevice) -> Result<Option<Renderer>, Failure> {
    if device.id == 0 {
        return Ok(None);
    }
    match with(device.id, |device: &mut Device| device.renderer()) {
        Ok(renderer) => Ok(Some(renderer)),
        Err(lost @ Failure::Api(Error::Backend(BackendError::Lost))) => Err(lost),
        Err(Failure::Api(error)) => {
            log::error!("Stage3D: {error}");
            Ok(None)
        }
        Err(wrong @ Failure::Here(..)) => Err(wrong),
    }
}

/// Answers the request, and records a refused one.
pub(crate) fn answer(
    stage: MolehillStage3D,
    renderer: Option<&Renderer>,
    swf_version: u32,
    others: u32,
) -> Result<Option<Answer>, Failure> {
    let caps = renderer.map(|renderer| renderer.caps());
    let others = usize::try_from(others).unwrap_or(usize::MAX);
    with(stage.id, |stage: &mut Stage| {
        let request = stage.stage3d.pending_request().cloned();
        let answer = stage.stage3d.answer_beside(caps, swf_version, others);
        if let (Some(request), Some(Answer::Refuse(error, reason))) = (&request, &answer) {
            let (recording, index) = stage.recorded;
            while_it_runs(recording, |it| Record::refused(it, index, request, error, reason));
        }
        Ok(answer)
    })
}

/// Call this when the Stage3D's context has ended (see molehill_context_info): if Flash makes another one, the request
/// is pending again. MOLEHILL_STATUS_NOTHING while the context works.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_stage3d_context_ended(
    stage: MolehillStage3D,
    context: MolehillContext,
) -> MolehillStatus {
    guard(|| {
        let Some(ended) = with_context(context, |context| Ok(context.api.ended()))? else {
            return Ok(MolehillStatus::Nothing);
        };
        with(stage.id, |stage: &mut Stage| {
            stage.stage3d.context_ended(ended);
            Ok(MolehillStatus::Ok)
        })
    })
}
