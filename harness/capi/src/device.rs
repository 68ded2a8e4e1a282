//! Devices, which create the renderers of contexts.

use std::ffi::{CString, c_char, c_void};
use std::num::NonZeroUsize;
use std::rc::Rc;

#[cfg(feature = "offscreen")]
use backend_gl::offscreen::{self, Offscreen, Share};
use backend_gl::workarounds::{UnknownWorkaround, Workarounds};
use backend_gl::{DeviceOptions, GlBackend, GlDevice, MakeCurrent};
use context3d::backend::{BackendError, FrameSource};
use context3d_layers::{EnhancedBackend, RecoverableBackend};
use molehill_capture::enhanced_from_env;
use molehill_reference::{RasterOptions, ReferenceBackend};

use crate::failure::{CallFailure, MolehillStatus};
use crate::handles::MolehillDevice;
use crate::pointers::{MolehillBool, flag, text, write};
use crate::registry::{StoreKind, destroy, keep, with};
use crate::sized::{grows, sized};
use crate::status::guard;

/// Options for making a device. A null pointer means all 0, the default.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillDeviceOptions {
    /// sizeof(MolehillDeviceOptions)
    pub struct_size: usize,
    /// Workarounds that are forced, such as "clip-depth-in-shader=on,rgb8-for-565=off"; null: the driver decides.
    pub workarounds: *const c_char,
    /// Off-screen: OpenGL ES 3.0 instead of OpenGL 3.3.
    pub gles: MolehillBool,
    /// Off-screen: a debug context: its messages go to the log, and objects have names in debuggers. Slower.
    pub debug: MolehillBool,
    /// Off-screen: after each call, also the one that makes the device, restores the thread's previous context.
    pub restore: MolehillBool,
    /// Software: maximum number of threads; 0: as many as there are cores.
    pub threads: u32,
    /// Off-screen: a context to share textures and syncs with: an `EGLContext`, `HGLRC` or `CGLContextObj`; null: none.
    /// The context may be current on another thread, such as a render thread. The shared context must have the API of
    /// the device (`gles`).
    pub share_context: *mut c_void,
    /// Off-screen: the `EGLDisplay` of `share_context`; null for WGL and CGL.
    pub share_display: *mut c_void,
}

/// Returns the address of the GL function with this name, or null. The function must not throw, except the loaders of
/// molehill.hpp.
pub type MolehillLoader =
    Option<unsafe extern "C" fn(user_data: *mut c_void, name: *const c_char) -> *const c_void>;

/// Makes the host's GL context current when Molehill needs it. All functions of this struct except `make_current` may
/// be null. No function of this struct may throw.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillMakeCurrent {
    /// sizeof(MolehillMakeCurrent)
    pub struct_size: usize,
    /// Makes the context current on this thread if it isn't. Returns 0 on failure; the device is then lost.
    pub make_current: Option<unsafe extern "C" fn(user_data: *mut c_void) -> MolehillBool>,
    /// Returns whether the context is current. Called for each draw. A result other than 0 must be certain: ask the
    /// window system if other code can make another context current on this thread. 0 is always correct.
    pub is_current: Option<unsafe extern "C" fn(user_data: *mut c_void) -> MolehillBool>,
    /// Called at the end of a call that began with `make_current`: can restore the thread's previous context.
    pub release: Option<unsafe extern "C" fn(user_data: *mut c_void)>,
    /// The argument `user_data` of each function, used until the device and all its contexts are destroyed.
    pub user_data: *mut c_void,
}

grows!(MolehillDeviceOptions, MolehillMakeCurrent);

struct Hook {
    make_current: unsafe extern "C" fn(*mut c_void) -> MolehillBool,
    rest: MolehillMakeCurrent,
}

impl MakeCurrent for Hook {
    fn make_current(&self) -> Result<(), BackendError> {
        // SAFETY: this is the host's function with the host's data.
        let current = flag(unsafe { (self.make_current)(self.rest.user_data) });
        current.then_some(()).ok_or(BackendError::Lost)
    }

    fn is_current(&self) -> bool {
        self.rest.is_current.is_some_and(|ask| flag(unsafe { ask(self.rest.user_data) }))
    }

    fn release(&self) {
        if let Some(release) = self.rest.release {
            unsafe { release(self.rest.user_data) }
        }
    }
}

pub(crate) type DeviceOpener = Box<dyn FnMut() -> Result<Renderer, BackendError>>;

pub(crate) type Renderer = Box<dyn RenderBackend>;

/// A backend on any device, with operations that [`FrameSource`] lacks.
pub(crate) trait RenderBackend: FrameSource {
    /// Returns the OpenGL backend; `None` for other backends.
    fn gl(&mut self) -> Option<&mut GlBackend> {
        None
    }

    /// Prepares the backend for being dropped: see [`StoreKind::leave`].
    fn leave(&mut self, _elsewhere: bool) {}

    /// Returns the number of device losses that the backend has survived.
    fn restored(&self) -> u64 {
        0
    }
}

impl RenderBackend for EnhancedBackend<GlBackend> {
    fn gl(&mut self) -> Option<&mut GlBackend> {
        Some(self.below_mut())
    }

    fn leave(&mut self, elsewhere: bool) {
        let below = self.below_mut();
        if elsewhere { below.device().abandon() } else { below.defer_deletion() }
    }
}

impl RenderBackend for EnhancedBackend<ReferenceBackend> {}

impl RenderBackend for RecoverableBackend<Renderer, DeviceOpener> {
    fn gl(&mut self) -> Option<&mut GlBackend> {
        self.backend_mut().gl()
    }

    fn leave(&mut self, elsewhere: bool) {
        self.backend_mut().leave(elsewhere);
    }

    fn restored(&self) -> u64 {
        RecoverableBackend::restored(self)
    }
}

/// A reference to a device of any kind; clones refer to the same device.
pub(crate) type DeviceReference = Rc<dyn RenderDevice>;

pub(crate) type DeviceReopener = Box<dyn FnOnce() -> Result<DeviceReference, CallFailure>>;

/// A device, which creates the renderers of contexts. Each kind of device implements this trait.
pub(crate) trait RenderDevice {
    fn renderer(&self) -> Result<Renderer, CallFailure>;

    /// Returns the OpenGL device; `None` for other devices.
    fn gl(&self) -> Option<&GlDevice> {
        None
    }

    /// Returns a function that reopens the device without the host; `None` if only the host can reopen it.
    fn again(&self) -> Option<DeviceReopener> {
        None
    }

    /// Makes the device's context current: see [`molehill_device_make_current`].
    fn make_current(&self) -> Result<(), BackendError> {
        Ok(())
    }
}

impl StoreKind for DeviceReference {
    const WHAT: &'static str = "device";

    fn leave(&mut self, elsewhere: bool) {
        if let Some(gl) = self.gl() {
            if elsewhere { gl.abandon() } else { gl.defer_deletion() }
        }
    }
}

/// A device in the host's GL context.
impl RenderDevice for GlDevice {
    fn renderer(&self) -> Result<Renderer, CallFailure> {
        Ok(Box::new(enhanced_from_env(self.backend()?)))
    }

    fn gl(&self) -> Option<&GlDevice> {
        Some(self)
    }
}

impl RenderDevice for RasterOptions {
    fn renderer(&self) -> Result<Renderer, CallFailure> {
        Ok(Box::new(enhanced_from_env(ReferenceBackend::new(*self))))
    }
}

/// A device with its own GL context.
#[cfg(feature = "offscreen")]
struct OwnDevice(Offscreen, GlDevice, offscreen::OffscreenOptions);

#[cfg(feature = "offscreen")]
impl RenderDevice for OwnDevice {
    fn renderer(&self) -> Result<Renderer, CallFailure> {
        self.1.renderer()
    }

    fn gl(&self) -> Option<&GlDevice> {
        Some(&self.1)
    }

    fn again(&self) -> Option<DeviceReopener> {
        let options = self.2;
        Some(Box::new(move || open(options)))
    }

    fn make_current(&self) -> Result<(), BackendError> {
        self.0.make_current()
    }
}

/// # Safety
/// The pointer is null or points to options. The string of the options is null or ends with 0.
unsafe fn options(
    pointer: *const MolehillDeviceOptions,
) -> Result<(MolehillDeviceOptions, DeviceOptions), CallFailure> {
    let options = unsafe { sized(pointer) }?.unwrap_or_default();
    let forced = unsafe { text(options.workarounds) }.unwrap_or_default();
    let workarounds: Workarounds = forced
        .parse()
        .map_err(|unknown: UnknownWorkaround| CallFailure::argument(unknown.to_string()))?;
    let device = DeviceOptions { workarounds, ..DeviceOptions::default() };
    Ok((options, device))
}

/// Returns a closure that calls the host's GL loader with the host's `user_data`.
pub(crate) fn loading(
    loader: MolehillLoader,
    user_data: *mut c_void,
) -> Result<impl Fn(&str) -> *const c_void, CallFailure> {
    let loader = loader.ok_or_else(|| CallFailure::argument("the loader is null"))?;
    Ok(move |name: &str| match CString::new(name) {
        // SAFETY: this is the host's function with the host's data.
        Ok(name) => unsafe { loader(user_data, name.as_ptr()) },
        Err(_) => std::ptr::null(),
    })
}

/// Creates a device and writes its handle.
///
/// # Safety
/// `device` is null or points to memory for a handle.
unsafe fn create(
    device: *mut MolehillDevice,
    make: impl FnOnce() -> Result<DeviceReference, CallFailure>,
) -> MolehillStatus {
    guard(|| {
        unsafe { write(device, MolehillDevice::default()) }?;
        let made = make()?;
        unsafe { write(device, MolehillDevice { id: keep(made) }) }
    })
}

/// Creates a device in the host's GL context (OpenGL 3.3 core or OpenGL ES 3.0, or newer), with the functions that the
/// loader returns during this call. MOLEHILL_STATUS_DRIVER if a required function is missing; the message names it.
///
/// The context must be current on this thread now, and at every later call with the device and its contexts, unless
/// `current` makes it current; `current` may be null. Without a current context GL does nothing: the first call of a
/// frame, present, reads and creations then fail with MOLEHILL_STATUS_DRIVER, but other calls are silently lost.
/// Molehill can't detect that another context is current: calls then change that context's state and objects.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_device_from_loader(
    loader: MolehillLoader,
    user_data: *mut c_void,
    current: *const MolehillMakeCurrent,
    options: *const MolehillDeviceOptions,
    device: *mut MolehillDevice,
) -> MolehillStatus {
    let make = || {
        let (_, options) = unsafe { self::options(options) }?;
        let load = loading(loader, user_data)?;
        let current = unsafe { sized(current) }?.map(|rest| {
            let make_current = rest.make_current;
            let make_current =
                make_current.ok_or_else(|| CallFailure::argument("`make_current` is null"))?;
            Ok::<Rc<dyn MakeCurrent>, CallFailure>(Rc::new(Hook { make_current, rest }))
        });
        // SAFETY: the host guarantees the conditions in the header.
        let device = unsafe { GlDevice::from_loader(&load, &options, current.transpose()?) }?;
        Ok(Rc::new(device) as DeviceReference)
    };
    unsafe { create(device, make) }
}

/// Creates a device with its own GL context without a window, through EGL, WGL or CGL. MOLEHILL_STATUS_UNSUPPORTED if
/// the library was built without off-screen devices.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_device_offscreen(
    options: *const MolehillDeviceOptions,
    device: *mut MolehillDevice,
) -> MolehillStatus {
    let make = || {
        let (options, device) = unsafe { self::options(options) }?;
        open_offscreen(&options, device)
    };
    unsafe { create(device, make) }
}

#[cfg(feature = "offscreen")]
fn open_offscreen(
    options: &MolehillDeviceOptions,
    device: DeviceOptions,
) -> Result<DeviceReference, CallFailure> {
    let api = if flag(options.gles) { offscreen::Api::Gles } else { offscreen::Api::OpenGl };
    let usual = offscreen::OffscreenOptions::new(api);
    open(offscreen::OffscreenOptions {
        debug: flag(options.debug) || usual.debug,
        restore: flag(options.restore),
        // SAFETY: the host guarantees that the handles are those of a context and its display.
        share: (!options.share_context.is_null())
            .then(|| unsafe { Share::new(options.share_display, options.share_context) }),
        device,
        ..usual
    })
}

#[cfg(feature = "offscreen")]
fn open(options: offscreen::OffscreenOptions) -> Result<DeviceReference, CallFailure> {
    let opened = Offscreen::open_with(&options);
    let opened = opened.map_err(|error| BackendError::Driver(error.to_string()))?;
    let device = opened.device()?;
    // The host's context may not exist any more when the device is reopened.
    let options = offscreen::OffscreenOptions { share: None, ..options };
    Ok(Rc::new(OwnDevice(opened, device, options)))
}

#[cfg(not(feature = "offscreen"))]
fn open_offscreen(
    _: &MolehillDeviceOptions,
    _: DeviceOptions,
) -> Result<DeviceReference, CallFailure> {
    let what = "this library was built without off-screen devices".to_owned();
    Err(BackendError::Unsupported(what).into())
}

/// Creates a device on the CPU: the reference renderer, which needs no GL. The reference renderer is exact, but slow.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_device_software(
    options: *const MolehillDeviceOptions,
    device: *mut MolehillDevice,
) -> MolehillStatus {
    let make = || {
        let (options, _) = unsafe { self::options(options) }?;
        Ok(Rc::new(RasterOptions {
            threads: usize::try_from(options.threads).ok().and_then(NonZeroUsize::new),
            ..RasterOptions::default()
        }) as DeviceReference)
    };
    unsafe { create(device, make) }
}

/// Calls `action` with the OpenGL device. Does nothing for a software device.
fn with_gl(
    device: MolehillDevice,
    action: impl FnOnce(&GlDevice) -> Result<(), BackendError>,
) -> MolehillStatus {
    guard(|| {
        with(device.id, |device: &mut DeviceReference| {
            device.gl().map_or(Ok(()), |gl| Ok(action(gl)?))
        })
    })
}

/// Call this after the host has used the GL context, before the next call of this library: all GL state is set again.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_device_invalidate_state(device: MolehillDevice) -> MolehillStatus {
    with_gl(device, |gl| {
        gl.invalidate_state();
        Ok(())
    })
}

/// Sets GL's state to its defaults, for code of the host that relies on them.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_device_reset_to_gl_defaults(device: MolehillDevice) -> MolehillStatus {
    with_gl(device, GlDevice::reset_to_gl_defaults)
}

/// Call this when the GL context is destroyed or about to be: GL is no longer called, and every call returns
/// MOLEHILL_STATUS_DEVICE_LOST. The device and its contexts must still be destroyed.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_device_abandon(device: MolehillDevice) -> MolehillStatus {
    with_gl(device, |gl| {
        gl.abandon();
        Ok(())
    })
}

/// Makes an off-screen device's context current for GL calls of the host. Functions of this library make the context
/// current themselves.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_device_make_current(device: MolehillDevice) -> MolehillStatus {
    guard(|| with(device.id, |device: &mut DeviceReference| Ok(device.make_current()?)))
}

/// Frees a device. The device's contexts continue to work; the last context frees the shared objects. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_device_destroy(device: MolehillDevice) -> MolehillStatus {
    guard(|| destroy::<DeviceReference>(device.id, |_| Ok(())))
}

pub(crate) fn gl(renderer: &mut Renderer) -> Result<&mut GlBackend, CallFailure> {
    let missing =
        || BackendError::Unsupported("a software device has no OpenGL context".to_owned()).into();
    renderer.gl().ok_or_else(missing)
}
