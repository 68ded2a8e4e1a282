//! A GL context without a window: through EGL loaded at run time, WGL on Windows, and CGL on macOS; in a browser, WebGL 2
//! of an `OffscreenCanvas`.
//!
//! Routes are tried in the order of [`Route::ALL`]; the first that works is used. If the environment variable
//! [`EGL_VARIABLE`] names a folder, only the EGL library there is used, such as ANGLE's. EGL's displays belong to the process: they
//! are never terminated, because `eglTerminate` would end them for every other [`Offscreen`]. Browsers limit the number
//! of contexts (Chromium: 16), and lose the oldest beyond it: there, everything that is opened on a thread shares one
//! context, as backends of different devices can, and a new one is opened when it is lost.
//!
//! Each backend keeps its context alive and makes it current itself, so that several can be used in turn on one thread,
//! and other code on the thread can use OpenGL too: before everything that uses GL, draws included, the window system is asked
//! which context is current. The previous context is not restored, unless [`Options::restore`] is set.
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
use crate::gl::Host;
use platform::Context;

/// The environment variable that names the folder of the EGL library to use; empty or absent: the system's.
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

/// A way to a context without a window system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Route {
    /// Mesa's surfaceless platform.
    Surfaceless,
    /// `EGL_EXT_platform_device`, each device in turn.
    Device,
    /// EGL's default display, with a pbuffer.
    Default,
    /// Windows' own OpenGL, with a window that is never shown.
    Wgl,
    /// The OpenGL of macOS.
    Cgl,
    /// A browser's `OffscreenCanvas`.
    Canvas,
}

impl Route {
    /// All routes of this system, in the order in which they are tried.
    pub const ALL: &[Route] = if cfg!(target_arch = "wasm32") {
        &[Route::Canvas]
    } else if cfg!(windows) {
        &[Route::Wgl, Route::Default]
    } else if cfg!(target_os = "macos") {
        &[Route::Cgl, Route::Default]
    } else {
        &[Route::Surfaceless, Route::Device, Route::Default]
    };
}

impl Route {
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

/// Options for opening a context, which reports resets of the device if the driver can. In browsers, only `api` and `device` have an effect.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// OpenGL or OpenGL ES.
    pub api: Api,
    /// OpenGL's compatibility profile, whose compiler also accepts GLSL before 1.40. Has no effect in OpenGL ES.
    pub compatibility: bool,
    /// A debug context: all messages of the driver are logged, and errors are reported with their packet. Slower.
    pub debug: bool,
    /// The only route to try; all if `None`.
    pub route: Option<Route>,
    /// Restores the context that was current before, or none, after opening and after each call of a device or
    /// backend. For a host that uses OpenGL on the same thread without regard to Molehill; each call then changes contexts
    /// twice.
    pub restore: bool,
    /// No other code makes contexts current on this thread, so that calls don't ask which one is: EGL with libglvnd makes
    /// a system call for each draw. Any number of contexts opened so may take turns. Debug builds check it.
    pub exclusive: bool,
    /// A context of the host with which textures and fences are shared; not in browsers.
    pub share: Option<Share>,
    /// Options of its device.
    pub device: DeviceOptions,
    /// Replaces the context's functions when they are loaded: for recorders.
    pub interpose: Option<Interpose>,
}

/// A function that gets a GL function's name and address, and returns the address to use.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(
    target_arch = "wasm32",
    allow(dead_code, reason = "a browser's functions have no addresses")
)]
pub struct Interpose(fn(&str, *const c_void) -> *const c_void);

impl Interpose {
    /// Wraps the function.
    ///
    /// # Safety
    /// The function returns null or the address of a function with the same signature that may be called instead.
    pub unsafe fn new(interpose: fn(&str, *const c_void) -> *const c_void) -> Self {
        Interpose(interpose)
    }
}

/// A context that shares its objects, such as that of a host's render thread, with its display. It may be current on another
/// thread, if the driver permits that.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(target_arch = "wasm32", allow(dead_code, reason = "a browser's contexts share nothing"))]
pub struct Share {
    display: *mut c_void,
    context: *mut c_void,
}

// SAFETY: the handles can be used on every thread.
unsafe impl Send for Share {}
// SAFETY: as above.
unsafe impl Sync for Share {}

impl Share {
    /// Wraps EGL's handles (`eglGetCurrentDisplay`, `eglGetCurrentContext`), or null and the context of WGL or CGL.
    ///
    /// # Safety
    /// They are an `EGLDisplay` that is initialized and an `EGLContext` of it, or null and an `HGLRC` or `CGLContextObj`, until
    /// the new context is opened.
    pub unsafe fn new(display: *mut c_void, context: *mut c_void) -> Self {
        Share { display, context }
    }
}

impl Options {
    /// Default options: all routes, and a debug context if `log` is enabled at debug level.
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

impl From<Api> for Options {
    fn from(api: Api) -> Self {
        Self::new(api)
    }
}

/// No context could be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OffscreenError {
    /// The requested API.
    pub api: Api,
    /// All routes that were tried, with the reason of each failure.
    pub tried: Vec<(Route, String)>,
}

impl fmt::Display for OffscreenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no off-screen {} context", self.api)?;
        self.tried.iter().try_for_each(|(route, why)| write!(f, "; {route}: {why}"))
    }
}

impl std::error::Error for OffscreenError {}

/// A GL context without a window. It must stay on the thread that opened it.
pub struct Offscreen {
    context: Rc<Context>,
    functions: Host,
    description: String,
    options: Options,
    device: OnceCell<GlDevice>,
}

impl fmt::Debug for Offscreen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Offscreen").field("description", &self.description).finish_non_exhaustive()
    }
}

impl Offscreen {
    /// Opens a context with [`Options::new`] and makes it current.
    ///
    /// # Errors
    /// [`OffscreenError`]; it names every route that was tried, with the reason.
    pub fn open(api: Api) -> Result<Self, OffscreenError> {
        Self::open_with(&Options::new(api))
    }

    /// Opens a context with these options and makes it current, unless [`Options::restore`] is set.
    ///
    /// # Errors
    /// [`OffscreenError`]; it names every route that was tried, with the reason.
    pub fn open_with(options: &Options) -> Result<Self, OffscreenError> {
        let mut tried = Vec::new();
        // The display of a context that is shared needs no route.
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

    /// As [`Offscreen::open`], for a host that may draw with OpenGL, too: the context shares objects with the host's, with
    /// OpenGL or OpenGL ES as the host, or with none if there is none or the driver refuses.
    /// [`Context3D::take_frame`](context3d::Context3D::take_frame) deals with both.
    ///
    /// # Errors
    /// As [`Offscreen::open`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn open_beside(host: Option<Share>) -> Result<Self, OffscreenError> {
        let shared = host.and_then(|_| {
            let options = |api| Options { share: host, ..Options::new(api) };
            [Api::OpenGl, Api::Gles].iter().find_map(|api| Self::open_with(&options(*api)).ok())
        });
        shared.map_or_else(|| Self::open(Api::OpenGl), Ok)
    }

    /// A backend of the thread's own context, which the first call, and one after its loss, opens as
    /// [`Offscreen::open_beside`].
    ///
    /// # Errors
    /// [`BackendError::Driver`] if no context can be opened; those of [`Offscreen::device`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn backend_beside(host: Option<Share>) -> Result<GlBackend, BackendError> {
        use std::cell::RefCell;
        thread_local!(static OPENED: RefCell<Option<Offscreen>> = const { RefCell::new(None) });
        OPENED.with_borrow_mut(|opened| {
            match opened.as_ref().map(Offscreen::backend) {
                None | Some(Err(BackendError::Lost)) => {}
                Some(backend) => return backend,
            }
            let new = Self::open_beside(host);
            let new = new.map_err(|error| BackendError::Driver(error.to_string()))?;
            opened.insert(new).backend()
        })
    }

    /// Makes the context current on this thread if it isn't. Backends do this themselves. With [`Options::restore`], the
    /// next call of a device or backend restores the previous one.
    ///
    /// # Errors
    /// [`BackendError::Lost`] if it can't be made current.
    pub fn make_current(&self) -> Result<(), BackendError> {
        self.context.make_current()
    }

    /// The device on this context, shared by all backends. It keeps the context alive.
    ///
    /// # Errors
    /// As `GlDevice::new`; [`BackendError::Lost`] if the context can't be made current.
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

    /// A backend on this context, which it keeps alive. Several can be used in turn.
    ///
    /// # Errors
    /// As [`Offscreen::device`].
    pub fn backend(&self) -> Result<GlBackend, BackendError> {
        self.device()?.backend()
    }

    /// The context's functions, for code that draws with it too: call [`Offscreen::make_current`] before, and
    /// [`GlDevice::invalidate_state`] afterwards.
    pub fn functions(&self) -> &Host {
        &self.functions
    }

    /// A description for messages: API, version, renderer and route, such as
    /// `OpenGL 4.5 (Core Profile) Mesa 22.3.6, llvmpipe (LLVM 15.0.6, 256 bits), EGL surfaceless`.
    pub fn description(&self) -> &str {
        &self.description
    }
}

/// Makes OpenGL backends with one context for each `Context3D`. Each keeps its context alive and makes it current if
/// another was used in between.
#[derive(Debug)]
pub struct GlFactory {
    options: Options,
    description: Option<String>,
}

impl GlFactory {
    /// A factory with these options.
    pub fn new(options: impl Into<Options>) -> Self {
        GlFactory { options: options.into(), description: None }
    }

    /// The driver and the forced workarounds, after the first backend was made.
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
