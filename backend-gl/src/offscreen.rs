//! GL contexts without a window: of EGL (loaded at run time), WGL on Windows, CGL on macOS, and in a browser of an
//! `OffscreenCanvas` with WebGL 2.
//!
//! [`Offscreen`] tries the ways to open a context in the order of [`Route::ALL`], and uses the first way that works. If
//! the environment variable [`EGL_VARIABLE`] names a folder, only the EGL library there is used, such as ANGLE's. EGL's
//! displays belong to the process: they are never terminated, because `eglTerminate` would end them for every other
//! [`Offscreen`]. Browsers limit the number of contexts (Chromium: 16), and lose the oldest context above it: in
//! browsers, every [`Offscreen`] of a thread shares one context, which is opened again after a loss.
//!
//! Each backend keeps its context alive and makes it current itself, so that several can be used alternately on one
//! thread, and other code on the thread can use OpenGL too: before every use of GL, draws included, the window system
//! is queried for the current context. The previous context is not restored, unless [`OffscreenOptions::restore`] is
//! set.
#![allow(
    unsafe_code,
    reason = "window systems are called through addresses and handles, and glow's loader is unsafe"
)]

#[cfg_attr(target_arch = "wasm32", path = "offscreen/web.rs")]
#[cfg_attr(not(target_arch = "wasm32"), path = "offscreen/native.rs")]
mod platform;

use std::cell::OnceCell;
use std::ffi::c_void;
use std::fmt;
use std::rc::Rc;

use context3d::backend::{BackendError, BackendFactory};

use crate::backend::GlBackend;
use crate::device::MakeCurrent as _;
use crate::device::{DeviceOptions, GlDevice};
use crate::gl::HostGl;
use platform::PlatformContext;

/// The environment variable with the folder of the EGL library. The system's library is used if the variable is empty
/// or absent.
pub const EGL_VARIABLE: &str = "MOLEHILL_EGL";

/// OpenGL or OpenGL ES.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Api {
    /// Desktop OpenGL, core profile, 3.3 or newer; not in browsers.
    #[default]
    OpenGl,
    /// OpenGL ES 3.0 or newer; in browsers WebGL 2, which is based on it.
    Gles,
}

impl fmt::Display for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Api::OpenGl => "OpenGL",
            Api::Gles => "OpenGL ES",
        })
    }
}

/// A way to open a context without a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Route {
    /// Mesa's surfaceless EGL platform.
    Surfaceless,
    /// `EGL_EXT_platform_device`; the devices are tried in order.
    Device,
    /// EGL's default display, with a pbuffer.
    Default,
    /// The OpenGL of Windows, with a window that is never shown.
    Wgl,
    /// The OpenGL of macOS.
    Cgl,
    /// A browser's `OffscreenCanvas`.
    Canvas,
}

impl Route {
    /// All ways to open a context on this system, in the order in which they are tried.
    pub const ALL: &[Route] = if cfg!(target_arch = "wasm32") {
        &[Route::Canvas]
    } else if cfg!(windows) {
        &[Route::Wgl, Route::Default]
    } else if cfg!(target_os = "macos") {
        &[Route::Cgl, Route::Default]
    } else {
        &[Route::Surfaceless, Route::Device, Route::Default]
    };

    fn is_egl(self) -> bool {
        match self {
            Route::Surfaceless | Route::Device | Route::Default => true,
            Route::Wgl | Route::Cgl | Route::Canvas => false,
        }
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Route::Surfaceless => "EGL surfaceless",
            Route::Device => "EGL device",
            Route::Default => "EGL default display",
            Route::Wgl => "WGL",
            Route::Cgl => "CGL",
            Route::Canvas => "OffscreenCanvas",
        })
    }
}

/// Options of a context. In browsers, only `api` and `device` have an effect. The context reports resets of the device
/// if the driver supports that.
#[derive(Clone, Copy, Debug)]
pub struct OffscreenOptions {
    /// OpenGL or OpenGL ES.
    pub api: Api,
    /// OpenGL's compatibility profile, whose compiler also accepts GLSL before 1.40. OpenGL ES ignores `compatibility`.
    pub compatibility: bool,
    /// A slower debug context: all messages of the driver are logged, and errors are reported with their packet.
    pub debug: bool,
    /// The only way to open the context that is tried; `None` tries all ways of [`Route::ALL`].
    pub route: Option<Route>,
    /// Restores the previous context, if any, after a context is opened and after each call of a device or backend.
    /// Hosts need `restore` if other code on this thread expects its own context to stay current. Each call switches
    /// contexts twice.
    pub restore: bool,
    /// Promises that no other code makes contexts current on this thread, so that calls needn't query the current
    /// context (with libglvnd's EGL, a system call per draw). Any number of `exclusive` contexts may alternate. Debug
    /// builds verify that the context is current.
    pub exclusive: bool,
    /// A context of the host that shares textures and fences; not in browsers.
    pub share: Option<Share>,
    /// Options of the device.
    pub device: DeviceOptions,
    /// Replaces GL functions while they are loaded, for recorders.
    pub interpose: Option<Interpose>,
}

/// A function that receives a GL function's name and address, and returns the address to use.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(
    target_arch = "wasm32",
    allow(dead_code, reason = "a browser's functions have no addresses")
)]
pub struct Interpose(fn(&str, *const c_void) -> *const c_void);

impl Interpose {
    /// Wraps a function that replaces GL functions.
    ///
    /// # Safety
    /// The function returns null or the address of a function with the same signature to call instead.
    pub unsafe fn new(interpose: fn(&str, *const c_void) -> *const c_void) -> Self {
        Interpose(interpose)
    }
}

/// A host's context with its display, for contexts that share its objects. The host's context may be current on another
/// thread, such as a render thread, if the driver permits that.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(target_arch = "wasm32", allow(dead_code, reason = "a browser's contexts share nothing"))]
pub struct Share {
    display: *mut c_void,
    context: *mut c_void,
}

// SAFETY: EGL, WGL and CGL allow the use of these handles on every thread.
unsafe impl Send for Share {}
// SAFETY: as for `Send`.
unsafe impl Sync for Share {}

impl Share {
    /// Wraps the results of `eglGetCurrentDisplay` and `eglGetCurrentContext`, or null and the context of WGL or CGL.
    ///
    /// # Safety
    /// `display` and `context` are an initialized `EGLDisplay` with one of its `EGLContext`s, or null with an `HGLRC`
    /// or `CGLContextObj`. `display` and `context` stay valid until the new context is opened.
    pub unsafe fn new(display: *mut c_void, context: *mut c_void) -> Self {
        Share { display, context }
    }
}

impl OffscreenOptions {
    /// Creates default options: all ways of [`Route::ALL`], and a debug context if `log` is enabled at debug level.
    pub fn new(api: Api) -> Self {
        Self {
            api,
            compatibility: false,
            debug: log::log_enabled!(log::Level::Debug),
            route: None,
            restore: false,
            exclusive: false,
            share: None,
            device: DeviceOptions::default(),
            interpose: None,
        }
    }
}

impl From<Api> for OffscreenOptions {
    fn from(api: Api) -> Self {
        Self::new(api)
    }
}

/// The error if no context could be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OffscreenError {
    /// The requested API.
    pub api: Api,
    /// All ways to open a context that were tried, with the reason for each failure.
    pub tried: Vec<(Route, String)>,
}

impl fmt::Display for OffscreenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no off-screen {} context", self.api)?;
        self.tried.iter().try_for_each(|(route, why)| write!(f, "; {route}: {why}"))
    }
}

impl std::error::Error for OffscreenError {}

/// A GL context without a window, which must stay on the thread that opened it.
pub struct Offscreen {
    context: Rc<PlatformContext>,
    functions: HostGl,
    description: String,
    options: OffscreenOptions,
    device: OnceCell<GlDevice>,
}

impl fmt::Debug for Offscreen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Offscreen").field("description", &self.description).finish_non_exhaustive()
    }
}

impl Offscreen {
    /// Opens a context with [`OffscreenOptions::new`] and makes it current.
    ///
    /// # Errors
    /// [`OffscreenError`], with every route that was tried and the reason of its failure.
    pub fn open(api: Api) -> Result<Self, OffscreenError> {
        Self::open_with(&OffscreenOptions::new(api))
    }

    /// Opens a context with these options and makes it current, unless [`OffscreenOptions::restore`] is set.
    ///
    /// # Errors
    /// [`OffscreenError`], with every route that was tried and the reason of its failure.
    pub fn open_with(options: &OffscreenOptions) -> Result<Self, OffscreenError> {
        let mut tried = Vec::new();
        // A shared context determines the display, so that one attempt to open a context is enough.
        let most = if options.share.is_some() { 1 } else { usize::MAX };
        let only_egl = platform::only_egl(options);
        let routes = Route::ALL.iter().filter(|route| match options.route {
            Some(only) => only == **route,
            None => !only_egl || route.is_egl(),
        });
        for &route in routes.take(most) {
            match platform::open(route, options) {
                Ok((context, functions, driver)) => {
                    let description = format!("{driver}, {route}");
                    log::info!("opened {description}");
                    let (context, options) = (Rc::new(context), *options);
                    let device = OnceCell::new();
                    return Ok(Self { context, functions, description, options, device });
                }
                Err(why) => {
                    log::debug!("{route}: {why}");
                    tried.push((route, why));
                }
            }
        }
        Err(OffscreenError { api: options.api, tried })
    }

    /// Like [`Offscreen::open`], but creates the context in the share group of `host`, with the same API. Falls back to
    /// an unshared context without a host context, or if the driver rejects sharing.
    /// [`Context3D::take_frame`](context3d::Context3D::take_frame) supports shared and unshared contexts.
    ///
    /// # Errors
    /// The errors of [`Offscreen::open`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn open_shared(host: Option<Share>) -> Result<Self, OffscreenError> {
        let shared = host.and_then(|_| {
            let options = |api| OffscreenOptions { share: host, ..OffscreenOptions::new(api) };
            [Api::OpenGl, Api::Gles].iter().find_map(|api| Self::open_with(&options(*api)).ok())
        });
        shared.map_or_else(|| Self::open(Api::OpenGl), Ok)
    }

    /// Creates a backend on a context that all backends of this thread share. The first call, and the first call after
    /// a loss, opens the context like [`Offscreen::open_shared`].
    ///
    /// # Errors
    /// [`BackendError::Driver`] if no context can be opened; the errors of [`Offscreen::device`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn backend_shared(host: Option<Share>) -> Result<GlBackend, BackendError> {
        use std::cell::RefCell;
        thread_local!(static OPENED: RefCell<Option<Offscreen>> = const { RefCell::new(None) });
        OPENED.with_borrow_mut(|opened| {
            match opened.as_ref().map(Offscreen::backend) {
                None | Some(Err(BackendError::Lost)) => {}
                Some(backend) => return backend,
            }
            let new = Self::open_shared(host);
            let new = new.map_err(|error| BackendError::Driver(error.to_string()))?;
            opened.insert(new).backend()
        })
    }

    /// Makes the context current on this thread. Backends make the context current without this call. With
    /// [`OffscreenOptions::restore`], the next call of a device or backend restores the previous context.
    ///
    /// # Errors
    /// [`BackendError::Lost`] if the context can't be made current.
    pub fn make_current(&self) -> Result<(), BackendError> {
        self.context.make_current()
    }

    /// Returns the device on this context, which all backends share. The device keeps the context alive.
    ///
    /// # Errors
    /// The errors of `GlDevice::new`; [`BackendError::Lost`] if the context can't be made current.
    pub fn device(&self) -> Result<GlDevice, BackendError> {
        if let Some(device) = self.device.get() {
            return Ok(device.clone());
        }
        let gl = platform::load(&self.context, &self.functions, &self.options)?;
        let context = Rc::clone(&self.context);
        let shares = self.options.share.is_some();
        let options = DeviceOptions { shares, ..self.options.device };
        let device = GlDevice::with_gl(Rc::new(gl), Some(context), &options)?;
        Ok(self.device.get_or_init(|| device).clone())
    }

    /// Creates a backend on this context, which the backend keeps alive. Several backends can be used alternately.
    ///
    /// # Errors
    /// The errors of [`Offscreen::device`].
    pub fn backend(&self) -> Result<GlBackend, BackendError> {
        self.device()?.backend()
    }

    /// Returns the context's functions, for other code that draws with the context: call [`Offscreen::make_current`]
    /// before, and [`GlDevice::invalidate_state`] afterwards.
    pub fn functions(&self) -> &HostGl {
        &self.functions
    }

    /// Returns a description of the context for messages: API, version, renderer and route, such as `OpenGL 4.5 (Core
    /// Profile) Mesa 22.3.6, llvmpipe (LLVM 15.0.6, 256 bits), EGL surfaceless`.
    pub fn description(&self) -> &str {
        &self.description
    }
}

/// Creates OpenGL backends, each with a separate context. A backend keeps its context alive and makes it current.
#[derive(Debug)]
pub struct GlFactory {
    options: OffscreenOptions,
    description: Option<String>,
}

impl GlFactory {
    /// Creates a factory with these options.
    pub fn new(options: impl Into<OffscreenOptions>) -> Self {
        GlFactory { options: options.into(), description: None }
    }

    /// Returns a description of the driver and the forced workarounds; `None` before the first backend is created.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }
}

impl BackendFactory for GlFactory {
    type Backend = GlBackend;

    fn create(&mut self) -> Result<GlBackend, BackendError> {
        let offscreen = Offscreen::open_with(&self.options)
            .map_err(|error| BackendError::Driver(error.to_string()))?;
        let forced = self.options.device.workarounds;
        self.description = Some(if forced.is_empty() {
            offscreen.description().to_owned()
        } else {
            format!("{}, {forced}", offscreen.description())
        });
        offscreen.backend()
    }
}
