//! Contexts, each with a `Context3D`.

use std::cell::Cell;
use std::ffi::{CString, c_char};
use std::rc::Rc;
use std::sync::LazyLock;

use context3d::{
    AnyHandle, Context3D, ContextOptions, Ended, ErrorCode, FlashError, Handle, Host, Invocation,
    Profile, Reply, Scale,
};

use crate::arguments::{Canvas, MolehillRectangle, ObjectKey, receiver};
use crate::device::{Device, Renderer};
use crate::failure::{Failure, MolehillStatus};
use crate::handles::{MolehillContext, MolehillDevice};
use crate::pointers::{MolehillBool, flag, text, write};
use crate::recording;
use crate::recovery::{MolehillRecovery, recoverable};
use crate::registry::{
    Entry, Kind, Name, Object, destroy, find, forget_objects, handle_of, keep, names, take_object,
    with,
};
use crate::sized::{grows, required_sized, sized, writable_sized, write_sized};
use crate::status::{c_string, guard, skipped};

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
    /// Only for molehill_context_create: lets the context survive the loss of its device. Null: a loss ends it, as in Flash.
    pub recovery: *const MolehillRecovery,
}

/// Facts that only the host knows. All 0: a desktop Flash Player without restrictions.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillHost {
    /// sizeof(MolehillHost)
    pub struct_size: usize,
    /// The application is in the background of a mobile system: calls that need the device raise 3768.
    pub background: MolehillBool,
    /// Whether the next field is known.
    pub has_descriptor: MolehillBool,
    /// `depthAndStencil` of the AIR application's descriptor, in direct mode (3709).
    pub descriptor_depth_and_stencil: MolehillBool,
    /// Whether the next three fields are known: in baselineConstrained the back buffer must be inside the stage
    /// (3723).
    pub has_placement: MolehillBool,
    /// `Stage3D.x`. Not for contexts of molehill_stage3d_end_frame, which know it.
    pub x: f64,
    /// `Stage3D.y`, likewise.
    pub y: f64,
    /// The area of the stage.
    pub stage: MolehillRectangle,
    /// Bitmaps and byte arrays can't be uploaded into compressed textures, as on mobile systems (3675).
    pub no_runtime_compression: MolehillBool,
    /// `supportsVideoTexture` is false.
    pub no_video_textures: MolehillBool,
    /// The context answers a request for `software`: the back buffer has at most 2048 pixels a side, and no
    /// antialiasing. Not for contexts of molehill_stage3d_end_frame, which know it.
    pub software: MolehillBool,
    /// Bytes under `ignoreResourceLimits`, for each kind of object; 0: 512 MiB.
    pub ignored_limits_memory: u64,
    /// `Stage.contentsScaleFactor`, for `wantsBestResolution`; 0: 1.
    pub contents_scale: f64,
    /// The browser's zoom, for `wantsBestResolutionOnBrowserZoom`; 0: 1.
    pub browser_zoom: f64,
    /// `ignoreResourceLimits` of a program that doesn't set it: 1 for AIR applications whose descriptor has the namespace
    /// 33.1 or later.
    pub ignore_resource_limits: MolehillBool,
    /// Largest side of the back buffer, which 3780 and 3781 print, if the device allows as much; 0: 16384.
    pub max_back_buffer: u32,
    /// Messages of errors are only numbers, as in release players.
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
    /// `dispose(true)`: a simulated loss; Flash makes another one.
    DisposedToRecreate = 2,
    /// The device was lost; Flash makes another one.
    Lost = 3,
}

/// The properties of a context.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillContextInfo {
    /// sizeof(MolehillContextInfo)
    pub struct_size: usize,
    /// Whether the context works, or how it ended.
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

/// How a context had ended when the host destroyed it; `None`: it was not destroyed.
pub(crate) type Destroyed = Rc<Cell<Option<Ended>>>;

pub(crate) struct Context {
    pub(crate) name: Name,
    pub(crate) api: Context3D<Renderer>,
    pub(crate) recording: Option<recording::Joined>,
    driver_info: CString,
    /// For the `Stage3D` that made it: how it has ended when the host destroys it.
    stage3d: Option<Destroyed>,
    /// Number of events that molehill_context_take_texture_event still gives in this frame; `None` between frames.
    pub(crate) frame_events: Option<usize>,
    /// The text of the last event.
    pub(crate) event_text: CString,
    /// The text of the last property.
    pub(crate) property_text: CString,
    /// Set while a call runs, and left set by a panic.
    broken: bool,
}

impl Kind for Context {
    const WHAT: &'static str = "context";

    fn leave(&mut self, elsewhere: bool) {
        self.api.backend_mut().leave(elsewhere);
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if let Some(destroyed) = &self.stage3d {
            destroyed.set(Some(self.api.ended().unwrap_or(Ended::Disposed)));
        }
        forget_objects(self.name);
        recording::forget_released(&mut self.recording);
    }
}

/// Calls `action` with a context, unless a panic has left it in an unknown state.
pub(crate) fn with_context<R>(
    handle: MolehillContext,
    action: impl FnOnce(&mut Context) -> Result<R, Failure>,
) -> Result<R, Failure> {
    with(handle.id, |context: &mut Context| {
        if std::mem::replace(&mut context.broken, true) {
            let text = "an earlier call broke this context".to_owned();
            return Err(Failure::Here(MolehillStatus::Internal, text));
        }
        let result = action(context);
        context.broken = false;
        result
    })
}

/// As [`with_context`], for what can't fail.
fn change(
    handle: MolehillContext,
    action: impl FnOnce(&mut Context3D<Renderer>),
) -> Result<(), Failure> {
    with_context(handle, |context| {
        action(&mut context.api);
        Ok(())
    })
}

/// The result of a call in addition to its status.
pub(crate) enum Out<'a> {
    Nothing,
    /// A new object; its handle is written here.
    Object(*mut u64),
    /// Pixels for `drawToBitmapData`.
    Pixels(Option<Canvas<'a>>),
    /// The disposal of this object.
    End(u64),
}

/// Executes a command: the common part of all functions in `calls`.
///
/// # Safety
/// A pointer in `out` that is not null points to memory for a handle.
pub(crate) unsafe fn execute(
    context: MolehillContext,
    out: Out<'_>,
    command: &Invocation<'_>,
) -> Result<MolehillStatus, Failure> {
    if let Out::Object(created) = out {
        unsafe { write(created, 0) }?;
    }
    with_context(context, |context| {
        let result = context.api.execute(command);
        recording::call(&mut context.recording, command, &result);
        let handle = match result? {
            Reply::Done | Reply::Null => None,
            Reply::VertexBuffer(handle) => Some(handle.into()),
            Reply::IndexBuffer(handle) => Some(handle.into()),
            Reply::Program(handle) => Some(handle.into()),
            Reply::Texture(handle) => Some(handle.into()),
            Reply::Skipped(code) => return Ok(skipped(code)),
            Reply::Bitmap(patch) => {
                if let Out::Pixels(Some(mut canvas)) = out {
                    canvas.put(&patch);
                }
                return Ok(MolehillStatus::Ok);
            }
        };
        match (out, handle) {
            (Out::Object(created), Some(handle)) => {
                unsafe { write(created, context.add(handle)) }?;
            }
            (Out::End(object), _) => drop(take_object(object)),
            _ => {}
        }
        Ok(MolehillStatus::Ok)
    })
}

/// Executes a call on an object in its context. If the context is gone, the call fails as in one that has ended: only
/// `dispose` has no error.
///
/// # Safety
/// As [`execute`].
pub(crate) unsafe fn execute_on<'a, K: ObjectKey>(
    object: u64,
    out: Out<'_>,
    command: impl FnOnce(Handle<K>) -> Result<Invocation<'a>, Failure>,
) -> Result<MolehillStatus, Failure> {
    let (context, receiver) = receiver(object)?;
    unsafe { execute_in(context, out, &command(receiver)?) }
}

/// As [`execute`], and [`execute_on`] if the context is gone.
pub(crate) unsafe fn execute_in(
    context: Option<MolehillContext>,
    out: Out<'_>,
    command: &Invocation<'_>,
) -> Result<MolehillStatus, Failure> {
    match (context, &out) {
        (Some(context), _) => unsafe { execute(context, out, command) },
        (None, Out::End(_)) => Ok(MolehillStatus::Ok),
        (None, _) => Err(disposed()),
    }
}

/// 3694
pub(crate) fn disposed() -> Failure {
    Failure::Api(FlashError::new(ErrorCode::Disposed, &[""; 0]).into())
}

/// Converts and checks the options.
///
/// # Safety
/// The pointer is null or points to options, whose text is null or ends with 0.
unsafe fn options(pointer: *const MolehillContextOptions) -> Result<ContextOptions, Failure> {
    let options = unsafe { required_sized(pointer) }?;
    let name = unsafe { text(options.profile) }.unwrap_or(Profile::Baseline.name());
    let unknown = || Failure::argument(format!("no profile has the name {name:?}"));
    Ok(ContextOptions {
        profile: Profile::from_name(name).ok_or_else(unknown)?,
        swf_version: options.swf_version,
    })
}

/// Makes a context on a device. The device can be destroyed before it.
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
            None => with(device.id, |device: &mut Device| device.renderer())?,
        };
        unsafe { write(context, create(Context3D::new(renderer, options), None)) }
    })
}

pub(crate) fn create(api: Context3D<Renderer>, stage3d: Option<Destroyed>) -> MolehillContext {
    let id = keep(|name| Context {
        name,
        api,
        recording: None,
        driver_info: CString::default(),
        stage3d,
        frame_events: None,
        event_text: CString::default(),
        property_text: CString::default(),
        broken: false,
    });
    MolehillContext { id }
}

/// Frees a context and all its objects. Its handle and those of its objects are stale from then on. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_context_destroy(context: MolehillContext) -> MolehillStatus {
    guard(|| destroy::<Context>(context.id, |_| Ok(())))
}

/// Changes the options, for a host that learns them late. Affects later calls only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_set_options(
    context: MolehillContext,
    options: *const MolehillContextOptions,
) -> MolehillStatus {
    guard(|| {
        let options = unsafe { self::options(options) }?;
        change(context, |api| api.set_options(options))
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
            ignored_limits_memory: match host.ignored_limits_memory {
                0 => default.ignored_limits_memory,
                bytes => bytes,
            },
            scale: Scale { contents: host.contents_scale, browser_zoom: host.browser_zoom },
            ignore_resource_limits: flag(host.ignore_resource_limits),
            max_back_buffer: match host.max_back_buffer {
                0 => default.max_back_buffer,
                pixels => pixels,
            },
            error_texts: !flag(host.no_error_texts),
        }
    }
}

/// Sets the facts that only the host knows; null: those of a desktop Flash Player. Affects later calls only. Contexts
/// of molehill_stage3d_end_frame have those of molehill_stage3d_set_host.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_set_host(
    context: MolehillContext,
    host: *const MolehillHost,
) -> MolehillStatus {
    guard(|| {
        let host = unsafe { sized(host) }?.unwrap_or_default();
        with_context(context, |context| {
            let facts = Host::from(host);
            if context.stage3d.is_none() {
                context.api.set_host(Host { stage: None, ..facts }); // at any position
                context.api.set_position(host.x, host.y)?;
                context.api.set_software(flag(host.software));
            }
            context.api.set_host(facts);
            Ok(())
        })
    })
}

/// Tells a context the position to which its Stage3D moves: 3723 if the back buffer of a `baselineConstrained` context
/// would not be inside the stage of MolehillHost. Call this before setting `Stage3D.x` or `y`, except of a Stage3D
/// whose contexts molehill_stage3d_end_frame makes: its setters do it.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_context_check_position(
    context: MolehillContext,
    x: f64,
    y: f64,
) -> MolehillStatus {
    guard(|| with_context(context, |context| Ok(context.api.set_position(x, y)?)))
}

/// Ends a context as if its device were lost, for hosts that detect or simulate a loss. The context must still be
/// destroyed.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_context_lose(context: MolehillContext) -> MolehillStatus {
    guard(|| change(context, Context3D::lose))
}

/// Gets the properties of a context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_info(
    context: MolehillContext,
    info: *mut MolehillContextInfo,
) -> MolehillStatus {
    guard(|| {
        unsafe { writable_sized(info) }?;
        with_context(context, |context| {
            context.driver_info = c_string(&context.api.driver_info());
            unsafe { write_sized(info, context.info()) }
        })
    })
}

/// The name of a profile as a C string.
pub(crate) fn profile_name(profile: Profile) -> *const c_char {
    static NAMES: LazyLock<Vec<(Profile, CString)>> = LazyLock::new(|| {
        let named = |profile: Profile| (profile, CString::new(profile.name()).unwrap_or_default());
        Profile::ALL.iter().copied().map(named).collect()
    });
    let row = NAMES.iter().find(|(row, _)| *row == profile);
    row.map_or(c"".as_ptr(), |(_, name)| name.as_ptr())
}

impl Context {
    /// Adds a new object to the table and returns its handle.
    fn add(&mut self, handle: AnyHandle) -> u64 {
        let object = Object {
            handle,
            context: self.name,
            queue: self.api.release_queue(),
            recorded: recording::released(self.recording.as_ref()),
            user_data: 0,
        };
        let number = handle_of(names().live.insert(Entry::Object(object)));
        // Texture events carry this number.
        self.api.set_user_data(handle, number);
        number
    }

    fn info(&self) -> MolehillContextInfo {
        let api = &self.api;
        let (back_buffer_width, back_buffer_height) = api.back_buffer_size();
        let (back_buffer_pixels_width, back_buffer_pixels_height) = api.back_buffer_pixels();
        let (max_back_buffer_width, max_back_buffer_height) = api.max_back_buffer_size();
        MolehillContextInfo {
            struct_size: 0,
            ended: match api.ended() {
                None => MolehillEnded::Alive,
                Some(Ended::Disposed) => MolehillEnded::Disposed,
                Some(Ended::DisposedToRecreate) => MolehillEnded::DisposedToRecreate,
                Some(Ended::Lost) => MolehillEnded::Lost,
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
            driver_info: self.driver_info.as_ptr(),
            restored: api.backend().restored(),
        }
    }
}
