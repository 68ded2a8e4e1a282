//! `Stage3D`s: positions, and requests for contexts.

use std::ffi::{CString, c_char};

use context3d::backend::Backend as _;
use context3d::{Answer, Error, Stage3D};

use crate::arguments::name;
use crate::context::{MolehillContextOptions, profile_name, with_context};
use crate::device::{Device, Renderer};
use crate::failure::{Failure, MolehillStatus};
use crate::handles::{MolehillContext, MolehillDevice, MolehillRecording};
use crate::pointers::{MolehillBool, flag, slice, text, writable, write};
use crate::registry::{Kind, destroy, keep, with};
use crate::sized::{grows, required_sized, write_sized};
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
    /// Whether a request waits for molehill_stage3d_answer.
    pub requested: MolehillBool,
    /// Whether the context of molehill_stage3d_end_frame works.
    pub alive: MolehillBool,
}

grows!(MolehillStage3DInfo);

/// A `Stage3D` of a host.
#[derive(Default)]
pub(crate) struct Stage {
    pub(crate) stage3d: Stage3D,
    /// The context of molehill_stage3d_end_frame.
    pub(crate) context: MolehillContext,
    /// Where it is recorded, and its index.
    pub(crate) recorded: (MolehillRecording, u32),
    /// The text of the last event.
    pub(crate) event_text: CString,
}

impl Kind for Stage {
    const WHAT: &'static str = "Stage3D";
}

fn with_stage(
    stage: MolehillStage3D,
    action: impl FnOnce(&mut Stage3D) -> Result<(), Error>,
) -> Result<(), Failure> {
    with(stage.id, |stage: &mut Stage| Ok(action(&mut stage.stage3d)?))
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
    guard(|| with_stage(stage, |stage| stage.set_x(value)))
}

/// `Stage3D.y = value`
#[unsafe(no_mangle)]
pub extern "C" fn molehill_stage3d_set_y(stage: MolehillStage3D, value: f64) -> MolehillStatus {
    guard(|| with_stage(stage, |stage| stage.set_y(value)))
}

/// `Stage3D.visible = value`
#[unsafe(no_mangle)]
pub extern "C" fn molehill_stage3d_set_visible(
    stage: MolehillStage3D,
    value: MolehillBool,
) -> MolehillStatus {
    guard(|| {
        with_stage(stage, |stage| {
            stage.set_visible(flag(value));
            Ok(())
        })
    })
}

/// Whether the context of a `Stage3D` works.
pub(crate) fn is_alive(stage: u64) -> Result<bool, Failure> {
    let context = with(stage, |stage: &mut Stage| Ok(stage.context))?;
    let alive = with_context(context, |context| Ok(context.api.ended().is_none()));
    Ok(alive.unwrap_or_default())
}

/// Gets the properties of a `Stage3D`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_stage3d_info(
    stage: MolehillStage3D,
    info: *mut MolehillStage3DInfo,
) -> MolehillStatus {
    guard(|| {
        let alive = is_alive(stage.id)?.into();
        let value = with(stage.id, |Stage { stage3d: stage, .. }: &mut Stage| {
            Ok(MolehillStage3DInfo {
                struct_size: 0,
                x: stage.x(),
                y: stage.y(),
                visible: stage.visible().into(),
                requested: stage.pending_request().is_some().into(),
                alive,
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
        let (mode, profile) = unsafe { (name(render_mode), text(profile)) };
        with_stage(stage, |stage| stage.request(mode, profile, flag(listens)))
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
        let names =
            names.map(|names| names.iter().map(|name| unsafe { text(*name) }).collect::<Vec<_>>());
        with_stage(stage, |stage| stage.request_matching(names.as_deref(), flag(listens)))
    })
}

/// Answers the request, after the frame: MOLEHILL_STATUS_OK with profile and SWF version in the options for molehill_context_create, before
/// context3DCreate is dispatched; MOLEHILL_STATUS_FLASH_ERROR with the number (3702) of the `error` event to dispatch;
/// MOLEHILL_STATUS_NOTHING without a request. `device` is the device for the request's mode, 0 if there is none;
/// `others` is the number of contexts of other Stage3Ds.
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

/// A renderer of the device; `None` without a device.
pub(crate) fn renderer(device: MolehillDevice) -> Result<Option<Renderer>, Failure> {
    let device = (device.id != 0).then_some(device.id);
    device.map(|device| with(device, |device: &mut Device| device.renderer())).transpose()
}

pub(crate) fn answer(
    stage: MolehillStage3D,
    renderer: Option<&Renderer>,
    swf_version: u32,
    others: u32,
) -> Result<Option<Answer>, Failure> {
    let caps = renderer.map(|renderer| renderer.caps());
    let others = usize::try_from(others).unwrap_or(usize::MAX);
    with(stage.id, |stage: &mut Stage| Ok(stage.stage3d.answer_beside(caps, swf_version, others)))
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
        with_stage(stage, |stage| {
            stage.context_ended(ended);
            Ok(())
        })?;
        Ok(MolehillStatus::Ok)
    })
}
