//! Contexts, each with a `Context3D`.

use std::ffi::{CString, c_char, c_void};

use context3d::native::{Native, NativeResult};
use context3d::{
    AnyHandle, Context3D, ContextOptions, DisplayScale, EndReason, ErrorCode, FlashError, Host,
    Invocation, Profile,
};

use crate::arguments::{MolehillBitmapTarget, MolehillRectangle, bitmap_target, receiver};
use crate::device::{DeviceReference, Renderer};
use crate::failure::{CallFailure, MolehillStatus};
use crate::handles::{MolehillContext, MolehillDevice, MolehillRecording};
use crate::pointers::{MolehillBool, flag, given, text, write};
use crate::recovery::{MolehillRecovery, recoverable};
use crate::registry::{StoreKind, destroy, find, is_live, keep, keep_in, key_of, with};
use crate::sized::{grows, required_sized, sized, writable_sized, write_sized};
use crate::status::{c_string, guard};

/// Options for making a context; they can be changed later.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillContextOptions {
    /// sizeof(MolehillContextOptions)
    pub struct_size: usize,
    /// The granted profile as Flash spells it: "baselineConstrained", "baseline", "baselineExtended",
    /// "standardConstrained", "standard", "standardExtended" or "enhanced"; null: "baseline".
    pub profile: *const c_char,
    /// The program's SWF version, on which some errors depend.
    pub swf_version: u32,
    /// Only for molehill_context_create: lets the context survive the loss of its device. Null: a loss ends the
    /// context, as in Flash.
    pub recovery: *const MolehillRecovery,
}

/// Properties that only the host knows. If all fields are 0, the host is a desktop Flash Player without restrictions.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillHost {
    /// sizeof(MolehillHost)
    pub struct_size: usize,
    /// The application is in the background of a mobile system: calls that need the device raise 3768.
    pub background: MolehillBool,
    /// The host knows `descriptor_depth_and_stencil`.
    pub has_descriptor: MolehillBool,
    /// `depthAndStencil` of the AIR application's descriptor, in direct mode (3709).
    pub descriptor_depth_and_stencil: MolehillBool,
    /// The host knows `x`, `y` and `stage`. In baselineConstrained the back buffer must be inside the stage (3723).
    pub has_placement: MolehillBool,
    /// `Stage3D.x`. A context that a Stage3D's request creates ignores `x` and uses the Stage3D's position.
    pub x: f64,
    /// `Stage3D.y`. A context that a Stage3D's request creates ignores `y` and uses the Stage3D's position.
    pub y: f64,
    /// The area of the stage.
    pub stage: MolehillRectangle,
    /// Bitmaps and byte arrays can't be uploaded into compressed textures, as on mobile systems (3675).
    pub no_runtime_compression: MolehillBool,
    /// `supportsVideoTexture` is false.
    pub no_video_textures: MolehillBool,
    /// The program requested the render mode `software`: the back buffer has at most 2048 pixels a side, and no
    /// antialiasing. A context that a Stage3D's request creates ignores `software` and uses the request's mode.
    pub software: MolehillBool,
    /// Maximum bytes under `ignoreResourceLimits`, for each kind of object; 0: 512 MiB.
    pub ignored_limits_memory: u64,
    /// `Stage.contentsScaleFactor`, for `wantsBestResolution`; 0 means 1.
    pub contents_scale: f64,
    /// The browser's zoom, for `wantsBestResolutionOnBrowserZoom`; 0 means 1.
    pub browser_zoom: f64,
    /// `ignoreResourceLimits` of a program that doesn't set it: 1 for AIR applications whose descriptor has the
    /// namespace 33.1 or later.
    pub ignore_resource_limits: MolehillBool,
    /// Maximum width and height of the back buffer, which 3780 and 3781 print, if the device allows as much; 0: 16384.
    pub max_back_buffer: u32,
    /// Error messages are only numbers, as in release players.
    pub no_error_texts: MolehillBool,
}

/// How a context ended.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MolehillEnded {
    /// The context works.
    Alive = 0,
    /// `dispose(false)`: `Stage3D.context3D` becomes null for good.
    Disposed = 1,
    /// `dispose(true)`: a simulated loss; Flash creates another context.
    DisposedToRecreate = 2,
    /// The device was lost; Flash creates another context.
    Lost = 3,
}

/// The properties of a context.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillContextInfo {
    /// sizeof(MolehillContextInfo)
    pub struct_size: usize,
    /// The end of the context, if it has ended.
    pub ended: MolehillEnded,
    /// `enableErrorChecking`
    pub error_checking: MolehillBool,
    /// `ignoreResourceLimits`
    pub ignores_resource_limits: MolehillBool,
    /// `supportsVideoTexture`
    pub supports_video_texture: MolehillBool,
    /// `backBufferWidth`
    pub back_buffer_width: u32,
    /// `backBufferHeight`
    pub back_buffer_height: u32,
    /// Width in display pixels, larger than the requested width if the program requests the best resolution.
    pub back_buffer_pixels_width: u32,
    /// Height in display pixels.
    pub back_buffer_pixels_height: u32,
    /// `maxBackBufferWidth`
    pub max_back_buffer_width: u32,
    /// `maxBackBufferHeight`
    pub max_back_buffer_height: u32,
    /// `totalGPUMemory`, in bytes.
    pub total_gpu_memory: u64,
    /// `profile`; null on a context that has ended.
    pub profile: *const c_char,
    /// `driverInfo`. Valid until the next molehill_context_info of this context, or its end.
    pub driver_info: *const c_char,
    /// Number of lost devices that the context has survived (MolehillRecovery).
    pub restored: u64,
}

grows!(MolehillContextOptions, MolehillHost, MolehillContextInfo);

pub(crate) struct CapiContext {
    pub(crate) native: Native<Renderer>,
    /// The recording of the context's calls; 0 if the context isn't recorded.
    pub(crate) recording: MolehillRecording,
    /// True if a `Stage3D` created the context.
    of_stage: bool,
    driver_info: CString,
    /// Storage for the string of the last event.
    pub(crate) event_text: CString,
    /// Storage for the string of the last property.
    pub(crate) property_text: Option<CString>,
    collector: MolehillCollector,
    collector_data: *mut c_void,
    /// True while a call runs. After a panic, `broken` stays true, because the context's state is unknown.
    broken: bool,
}

/// Collects the VM's garbage: releases objects that the program can't reach (molehill_object_release), and returns
/// whether there were any. The function must not use the context (MOLEHILL_STATUS_BUSY), and must not throw.
pub type MolehillCollector = Option<unsafe extern "C" fn(user_data: *mut c_void) -> MolehillBool>;

impl StoreKind for CapiContext {
    const WHAT: &'static str = "context";
    const HAS_OBJECTS: bool = true;

    fn leave(&mut self, elsewhere: bool) {
        self.native.with_context(|api| api.backend_mut().leave(elsewhere));
    }
}

impl Drop for CapiContext {
    fn drop(&mut self) {
        self.native.forget_context();
    }
}

impl StoreKind for Native<Renderer> {
    const WHAT: &'static str = "object";
}

/// Calls `action` with a context. Fails if an earlier panic has left the context in an unknown state.
pub(crate) fn with_context<R>(
    handle: MolehillContext,
    action: impl FnOnce(&mut CapiContext) -> Result<R, CallFailure>,
) -> Result<R, CallFailure> {
    with(handle.id, |context: &mut CapiContext| {
        if std::mem::replace(&mut context.broken, true) {
            context.native.with_context(Context3D::lose); // its Stage3D gets another one
            let text = "an internal error in an earlier call ended this context".to_owned();
            return Err(CallFailure::Here(MolehillStatus::Internal, text));
        }
        let result = action(context);
        context.broken = false;
        result
    })
}

/// Like [`with_context`], but passes the [`Context3D`], for operations that [`Native`] lacks.
pub(crate) fn with_api<R>(
    handle: MolehillContext,
    action: impl FnOnce(&mut Context3D<Renderer>) -> R,
) -> Result<R, CallFailure> {
    let busy = || CallFailure::busy("the context is in use by a call that has not returned");
    with_context(handle, |context| context.native.with_context(action).ok_or_else(busy))
}

/// The result of a call in addition to its status.
pub(crate) enum CallOutput {
    Nothing,
    /// A new object, whose handle is written through this pointer.
    Object(*mut u64),
    /// The destination of the pixels of `drawToBitmapData`.
    Pixels(*const MolehillBitmapTarget),
    /// The call disposes this object.
    End(u64),
}

/// Executes a command, for all functions in `calls`. If the context was destroyed, every call except `dispose` of an
/// object fails, as in an ended context.
///
/// # Safety
/// A pointer in `out` that is not null points to memory for a handle, or to a bitmap with memory for its pixels.
pub(crate) unsafe fn execute(
    context: impl Into<Option<MolehillContext>>,
    out: CallOutput,
    command: &Invocation<'_>,
) -> Result<MolehillStatus, CallFailure> {
    if let CallOutput::Object(created) = out {
        unsafe { write(created, 0) }?;
    }
    let Some(context) = context.into() else {
        let ends = matches!(out, CallOutput::End(_));
        return ends.then_some(MolehillStatus::Ok).ok_or_else(disposed);
    };
    let returned = with_context(context, |context| {
        let CapiContext { native, collector, collector_data, .. } = context;
        // SAFETY: this is the host's function with the host's data.
        let mut collect = || collector.is_some_and(|it| flag(unsafe { it(*collector_data) }));
        Ok(native.execute_or_collect(command, &mut collect)?)
    })?;
    match (returned, out) {
        (NativeResult::Skipped(code), _) => Err(CallFailure::Skipped(code)),
        (NativeResult::Created(native), CallOutput::Object(created)) => unsafe {
            write(created, keep_object(context, native)?)
        },
        (NativeResult::Bitmap(patch), CallOutput::Pixels(target)) => {
            if let Some((shape, layout, Some(pixels))) = unsafe { bitmap_target(target) }? {
                patch.write_to(pixels, shape.width, layout);
            }
            Ok(MolehillStatus::Ok)
        }
        (_, CallOutput::End(object)) if is_live(object) => release(object),
        _ => Ok(MolehillStatus::Ok),
    }
}

/// Executes a call on an object in its context.
///
/// # Safety
/// The caller meets the requirements of [`execute`].
pub(crate) unsafe fn execute_on<'a, H: TryFrom<AnyHandle> + Default>(
    object: u64,
    out: CallOutput,
    command: impl FnOnce(H) -> Result<Invocation<'a>, CallFailure>,
) -> Result<MolehillStatus, CallFailure> {
    let (context, receiver) = receiver(object)?;
    unsafe { execute(context, out, &command(receiver)?) }
}

fn keep_object(context: MolehillContext, native: Native<Renderer>) -> Result<u64, CallFailure> {
    let id = keep_in(key_of(context.id), |id| {
        // Texture events identify the object by this number.
        let object = native.object();
        native.with_context(|api| object.map(|object| api.set_user_data(object, id)));
        native
    });
    if !is_live(context.id) {
        release(id)?; // another thread destroyed the context during the call
    }
    Ok(id)
}

/// Drops an object and invalidates its handle.
pub(crate) fn release(object: u64) -> Result<MolehillStatus, CallFailure> {
    destroy::<Native<Renderer>>(object, |_| Ok(())).map(MolehillStatus::from)
}

/// Returns the `context3d` handle of an object, even if its context has ended.
pub(crate) fn live(object: u64) -> Result<AnyHandle, CallFailure> {
    with(object, |it: &mut Native<Renderer>| Ok(it.object()))?.ok_or_else(disposed)
}

/// Returns Flash's error for disposed objects, 3694.
pub(crate) fn disposed() -> CallFailure {
    CallFailure::Api(FlashError::new(ErrorCode::Disposed, &[""; 0]).into())
}

/// Converts and checks the options.
///
/// # Safety
/// The pointer is null or points to options. The string of the options is null or ends with 0.
unsafe fn options(pointer: *const MolehillContextOptions) -> Result<ContextOptions, CallFailure> {
    let options = unsafe { required_sized(pointer) }?;
    let profile = unsafe { profile(options.profile) }?;
    Ok(ContextOptions { profile, swf_version: options.swf_version })
}

/// Returns the profile with a name; `baseline` for null.
///
/// # Safety
/// The pointer is null or points to a string that ends with 0.
pub(crate) unsafe fn profile(name: *const c_char) -> Result<Profile, CallFailure> {
    let name = unsafe { text(name) }.unwrap_or(Profile::Baseline.name());
    let unknown = || CallFailure::argument(format!("unknown profile {name:?}"));
    Profile::from_name(name).ok_or_else(unknown)
}

/// Makes a context on a device. The host may destroy the device before the context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_create(
    device: MolehillDevice,
    options: *const MolehillContextOptions,
    context: *mut MolehillContext,
) -> MolehillStatus {
    guard(|| {
        unsafe { write(context, MolehillContext::default()) }?;
        let recovery = unsafe { sized(required_sized(options)?.recovery) }?;
        let options = unsafe { self::options(options) }?;
        let renderer = match recovery {
            Some(recovery) => recoverable(find(device.id)?, recovery)?,
            None => with(device.id, |device: &mut DeviceReference| device.renderer())?,
        };
        let native = Native::from_context(Context3D::new(renderer, options));
        unsafe { write(context, CapiContext::keep(native, None)) }
    })
}

/// Frees a context and all its objects. The handles of the context and its objects become stale. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_context_destroy(context: MolehillContext) -> MolehillStatus {
    guard(|| destroy::<CapiContext>(context.id, |_| Ok(())))
}

/// Changes the options, for a host that learns them late. The new options affect only later calls.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_set_options(
    context: MolehillContext,
    options: *const MolehillContextOptions,
) -> MolehillStatus {
    guard(|| {
        let options = unsafe { self::options(options) }?;
        with_api(context, |api| api.set_options(options))
    })
}

impl From<MolehillHost> for Host {
    fn from(host: MolehillHost) -> Self {
        let default = Host::default();
        Host {
            background: flag(host.background),
            descriptor_depth_and_stencil: flag(host.has_descriptor)
                .then_some(flag(host.descriptor_depth_and_stencil)),
            stage: flag(host.has_placement).then_some(host.stage.into()),
            runtime_compression: !flag(host.no_runtime_compression),
            video_textures: !flag(host.no_video_textures),
            ignored_limits_memory: given(host.ignored_limits_memory)
                .unwrap_or(default.ignored_limits_memory),
            scale: DisplayScale { contents: host.contents_scale, browser_zoom: host.browser_zoom },
            ignore_resource_limits: flag(host.ignore_resource_limits),
            max_back_buffer: given(host.max_back_buffer).unwrap_or(default.max_back_buffer),
            error_texts: !flag(host.no_error_texts),
        }
    }
}

/// Sets the host's properties for later calls; null: those of a desktop Flash Player. A context that a Stage3D's
/// request creates begins with the properties from molehill_stage3d_set_host.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_set_host(
    context: MolehillContext,
    host: *const MolehillHost,
) -> MolehillStatus {
    guard(|| {
        let host = unsafe { sized(host) }?.unwrap_or_default();
        let facts = Host::from(host);
        let of_stage = with_context(context, |context| Ok(context.of_stage))?;
        with_api(context, |api| {
            if !of_stage {
                api.set_host(Host { stage: None, ..facts }); // at any position
                api.set_position(host.x, host.y)?;
                api.set_software(flag(host.software));
            }
            api.set_host(facts);
            Ok(())
        })?
    })
}

/// Sets the function that is called once before a call fails because memory or the number of objects is exhausted
/// (3672, 3691, MOLEHILL_STATUS_OUT_OF_MEMORY): if it has released objects, the call is tried again. Null: none.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_context_set_collector(
    context: MolehillContext,
    collector: MolehillCollector,
    user_data: *mut c_void,
) -> MolehillStatus {
    guard(|| {
        with_context(context, |context| {
            (context.collector, context.collector_data) = (collector, user_data);
            Ok(())
        })
    })
}

/// Checks the position to which a Stage3D moves: 3723 if the back buffer of a `baselineConstrained` context would not
/// be inside the stage of MolehillHost. Call this before setting `Stage3D.x` or `y`. A Stage3D whose contexts
/// molehill_stage3d_end_frame creates checks the position in its own setters.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_context_check_position(
    context: MolehillContext,
    x: f64,
    y: f64,
) -> MolehillStatus {
    guard(|| Ok(with_api(context, |api| api.set_position(x, y))??))
}

/// Ends a context as if its device were lost, for hosts that detect or simulate a loss. The context must still be
/// destroyed.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_context_lose(context: MolehillContext) -> MolehillStatus {
    guard(|| with_api(context, Context3D::lose))
}

/// Gets the properties of a context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_info(
    context: MolehillContext,
    info: *mut MolehillContextInfo,
) -> MolehillStatus {
    guard(|| {
        unsafe { writable_sized(info) }?;
        let value = with_api(context, |api| self::info(api))?;
        with_context(context, |context| {
            context.driver_info = value.1;
            let driver_info = context.driver_info.as_ptr();
            unsafe { write_sized(info, MolehillContextInfo { driver_info, ..value.0 }) }
        })
    })
}

/// Returns the name of a profile as a C string.
pub(crate) fn profile_name(profile: Profile) -> *const c_char {
    static NAMES: std::sync::LazyLock<Vec<(Profile, CString)>> = std::sync::LazyLock::new(|| {
        let named = |profile: Profile| (profile, CString::new(profile.name()).unwrap_or_default());
        Profile::ALL.iter().copied().map(named).collect()
    });
    let row = NAMES.iter().find(|(row, _)| *row == profile);
    row.map_or(c"".as_ptr(), |(_, name)| name.as_ptr())
}

impl CapiContext {
    pub(crate) fn keep(
        native: Native<Renderer>,
        of_stage: Option<MolehillRecording>,
    ) -> MolehillContext {
        let id = keep(CapiContext {
            native,
            recording: of_stage.unwrap_or_default(),
            of_stage: of_stage.is_some(),
            driver_info: CString::default(),
            event_text: CString::default(),
            property_text: None,
            collector: None,
            collector_data: std::ptr::null_mut(),
            broken: false,
        });
        MolehillContext { id }
    }
}

/// Returns the properties of a context, and the string of `driverInfo`.
fn info(api: &Context3D<Renderer>) -> (MolehillContextInfo, CString) {
    let (back_buffer_width, back_buffer_height) = api.back_buffer_size();
    let (back_buffer_pixels_width, back_buffer_pixels_height) = api.back_buffer_pixels();
    let (max_back_buffer_width, max_back_buffer_height) = api.max_back_buffer_size();
    let info = MolehillContextInfo {
        ended: match api.ended() {
            None => MolehillEnded::Alive,
            Some(EndReason::Disposed) => MolehillEnded::Disposed,
            Some(EndReason::DisposedToRecreate) => MolehillEnded::DisposedToRecreate,
            Some(EndReason::Lost) => MolehillEnded::Lost,
        },
        error_checking: api.error_checking().into(),
        ignores_resource_limits: api.ignores_resource_limits().into(),
        supports_video_texture: api.supports_video_texture().into(),
        back_buffer_width,
        back_buffer_height,
        back_buffer_pixels_width,
        back_buffer_pixels_height,
        max_back_buffer_width,
        max_back_buffer_height,
        total_gpu_memory: api.total_gpu_memory(),
        profile: api.profile().map_or(std::ptr::null(), profile_name),
        restored: api.backend().restored(),
        ..MolehillContextInfo::default()
    };
    (info, c_string(&api.driver_info()))
}
