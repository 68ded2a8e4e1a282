//! `Stage3D`s: positions, and requests for contexts.

use std::ffi::{CString, c_char};

use context3d::backend::BackendError;
use context3d::enums::{Name, RenderMode};
use context3d::native::Native;
use context3d::{Answer, Error, Host, Invocation, Request};

use crate::context::{MolehillContextOptions, MolehillHost, profile_name, with_api};
use crate::device::{Device, Renderer};
use crate::failure::{Failure, MolehillStatus};
use crate::handles::{MolehillContext, MolehillDevice, MolehillRecording};
use crate::pointers::{MolehillBool, flag, slice, text, writable, write};
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
    /// Whether it is visible.
    pub visible: MolehillBool,
    /// Whether a request waits for its answer.
    pub requested: MolehillBool,
    /// Whether the context of molehill_stage3d_end_frame works.
    pub alive: MolehillBool,
    /// The mode of the request that waits: "auto" or "software", which only a device that renders on the CPU answers;
    /// null without a request.
    pub render_mode: *const c_char,
    /// The names of the profiles that the request accepts. Valid until the Stage3D's next molehill_stage3d_info, or its end.
    pub profiles: *const *const c_char,
    /// Number of `profiles`; 0 without a request.
    pub profile_count: usize,
}

grows!(MolehillStage3DInfo);

/// A `Stage3D` of a host.
pub(crate) struct Stage {
    pub(crate) native: Native<Renderer>,
    /// The recording of its calls; 0: none.
    pub(crate) recording: MolehillRecording,
    /// The text of the last event.
    pub(crate) event_text: CString,
    /// The names of the request's profiles.
    profiles: Vec<*const c_char>,
}

impl Kind for Stage {
    const WHAT: &'static str = "Stage3D";
}

pub(crate) type Make<'a> = &'a mut dyn FnMut(&Request) -> Result<Renderer, BackendError>;

impl Stage {
    /// Calls `action` with a function that makes the backend for a request. A failure that is not the device's is
    /// returned, and the request waits.
    pub(crate) fn answering<T>(
        &self,
        device: MolehillDevice,
        others: u32,
        action: impl FnOnce(&Native<Renderer>, Make<'_>) -> T,
    ) -> Result<T, Failure> {
        self.native.set_others(usize::try_from(others).unwrap_or(usize::MAX));
        let mut wrong = Ok(());
        let mut make = |_: &Request| {
            if device.id == 0 {
                return Err(BackendError::Unsupported("the host has no device".to_owned()));
            }
            let made = with(device.id, |device: &mut Device| device.renderer());
            made.map_err(|failure| match failure {
                Failure::Api(Error::Backend(error)) => error,
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

/// Carries out a call, and records it.
pub(crate) fn execute(stage: u64, call: &Invocation<'_>) -> Result<(), Failure> {
    with(stage, |stage: &mut Stage| Ok(stage.native.execute(call).map(drop)?))
}

/// Makes a `Stage3D` at 0, 0, visible.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_stage3d_create(stage: *mut MolehillStage3D) -> MolehillStatus {
    guard(|| {
        writable(stage)?;
        let native = Native::stage3ds_of(1).remove(0);
        let (recording, event_text) = (MolehillRecording::default(), CString::default());
        let id = keep(Stage { native, recording, event_text, profiles: Vec::new() });
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
        let value = with(stage.id, |stage: &mut Stage| {
            let stage3d = stage.native.stage3d();
            let request = stage3d.pending_request();
            let profiles = request.iter().flat_map(|request| request.profiles.iter());
            stage.profiles = profiles.map(|profile| profile_name(*profile)).collect();
            Ok(MolehillStage3DInfo {
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
        let answer = with(stage.id, |stage: &mut Stage| {
            stage.answering(device, others, |it, make| it.decide(swf_version, make))
        })?;
        let granted = match answer? {
            None => return Ok(MolehillStatus::Nothing),
            Some((Answer::Refuse(error, _), _)) => return Err(Error::Flash(error).into()),
            Some((Answer::Create(granted, _), _)) => granted,
        };
        value.profile = profile_name(granted.profile);
        value.swf_version = granted.swf_version;
        unsafe { write_sized(options, value) }?;
        Ok(MolehillStatus::Ok)
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
        let Some(ended) = with_api(context, |api| Ok(api.ended()))? else {
            return Ok(MolehillStatus::Nothing);
        };
        with(stage.id, |stage: &mut Stage| {
            stage.native.context_ended(ended);
            Ok(MolehillStatus::Ok)
        })
    })
}
