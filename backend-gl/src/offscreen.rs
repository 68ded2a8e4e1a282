//! A GL context without a window, through EGL (`libEGL.so.1`) loaded at run time.
//!
//! Routes are tried in the order of [`Route::ALL`]; the first that works is used. Displays belong to the process: they
//! are never terminated, because `eglTerminate` would end them for every other [`Offscreen`].
//!
//! Each backend keeps its context alive and makes it current itself, so that several can be used in turn on one thread,
//! and other code on the thread can use EGL too: before everything that uses GL, draws included, EGL is asked which context
//! is current. The previous context is not restored, unless [`Options::restore`] is set.
#![allow(
    unsafe_code,
    reason = "EGL's extension functions are called through addresses, and glow's loader is unsafe"
)]

mod api;
mod factory;
mod routes;

use std::cell::{Cell, OnceCell};
use std::ffi::c_void;
use std::fmt;
use std::rc::Rc;

use context3d::backend::BackendError;
use khronos_egl as egl;

use crate::device::MakeCurrent;
use crate::gl::{Gl, loading};
use crate::{DeviceOptions, GlBackend, GlDevice};
pub use api::Api;
pub use factory::GlFactory;
use routes::{Egl, find, library, open_route};

/// A way to an EGL display without a window system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Route {
    /// Mesa's surfaceless platform.
    Surfaceless,
    /// `EGL_EXT_platform_device`, each device in turn.
    Device,
    /// The default display, with a pbuffer.
    Default,
}

impl Route {
    /// All routes, in the order in which they are tried.
    pub const ALL: [Route; 3] = [Route::Surfaceless, Route::Device, Route::Default];
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Route::Surfaceless => "EGL surfaceless",
            Route::Device => "EGL device",
            Route::Default => "EGL default display",
        })
    }
}

/// Options for opening a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// OpenGL or OpenGL ES.
    pub api: Api,
    /// OpenGL's compatibility profile, whose compiler also accepts GLSL before 1.40. Has no effect in OpenGL ES.
    pub compatibility: bool,
    /// A debug context: all messages of the driver are logged, and errors are reported with their packet. Slower.
    pub debug: bool,
    /// Requests notification of device resets, if the driver supports it.
    pub robust: bool,
    /// The only route to try; all if `None`.
    pub route: Option<Route>,
    /// Restores the EGL context that was current before, or none, after opening and after each call of a device or
    /// backend. For a host that uses EGL on the same thread without regard to Molehill; each call then changes contexts
    /// twice.
    pub restore: bool,
    /// Options of its device.
    pub device: DeviceOptions,
    /// Replaces the context's functions when they are loaded: for recorders.
    pub interpose: Option<Interpose>,
}

/// A function that gets a GL function's name and address, and returns the address to use.
#[derive(Clone, Copy, Debug)]
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

impl PartialEq for Interpose {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

impl Eq for Interpose {}

impl Options {
    /// Default options: robust, all routes, and a debug context if `log` is enabled at debug level.
    pub fn new(api: Api) -> Self {
        Self {
            api,
            compatibility: false,
            debug: log::log_enabled!(log::Level::Debug),
            robust: true,
            route: None,
            restore: false,
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

/// Why no context could be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OffscreenError {
    /// `libEGL.so.1` can't be loaded, or is older than EGL 1.4.
    NoLibrary(String),
    /// Every route failed.
    NoContext {
        /// The requested API.
        api: Api,
        /// All routes that were tried, with the reason of each failure.
        tried: Vec<(Route, String)>,
    },
    /// The context exists but can't be made current on this thread.
    MakeCurrent(String),
}

impl fmt::Display for OffscreenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OffscreenError::NoLibrary(why) => write!(f, "EGL can't be loaded: {why}"),
            OffscreenError::NoContext { api, tried } => {
                write!(f, "no off-screen {api} context")?;
                for (route, why) in tried {
                    write!(f, "; {route}: {why}")?;
                }
                Ok(())
            }
            OffscreenError::MakeCurrent(why) => {
                write!(f, "the context can't be made current: {why}")
            }
        }
    }
}

impl std::error::Error for OffscreenError {}

/// A GL context without a window. It must stay on the thread that opened it.
pub struct Offscreen {
    context: Rc<Context>,
    gl: Rc<glow::Context>,
    description: String,
    options: DeviceOptions,
    interpose: Option<Interpose>,
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
        let egl = library()?;
        let mut tried = Vec::new();
        for route in Route::ALL {
            if options.route.is_some_and(|only| only != route) {
                continue;
            }
            match open_route(egl, route, options) {
                Ok(offscreen) => {
                    log::info!("opened {}", offscreen.description);
                    return Ok(offscreen);
                }
                Err(why) => {
                    log::debug!("{route}: {why}");
                    tried.push((route, why));
                }
            }
        }
        Err(OffscreenError::NoContext { api: options.api, tried })
    }

    /// Makes the context current on this thread if it isn't. Backends do this themselves.
    ///
    /// # Errors
    /// [`OffscreenError::MakeCurrent`] if EGL refuses.
    pub fn make_current(&self) -> Result<(), OffscreenError> {
        if self.context.is_current() {
            return Ok(());
        }
        self.context.egl_make_current().map_err(OffscreenError::MakeCurrent)
    }

    /// The context's functions; call `make_current` of the second value before each use.
    pub(crate) fn gl(&self) -> Result<(Rc<Gl>, Rc<dyn MakeCurrent>), BackendError> {
        let egl = self.context.egl;
        // SAFETY: `self.gl` was loaded from this context, which is current; the caller calls `make_current` before every
        // later use. EGL returns null or the address of the GL function with that name.
        let gl = loading(Some(&*self.context), || unsafe {
            Gl::new(Rc::clone(&self.gl), &|name| find(egl, self.interpose, name))
        })?;
        Ok((Rc::new(gl), Rc::clone(&self.context) as Rc<dyn MakeCurrent>))
    }

    /// The device on this context, shared by all backends. It keeps the context alive.
    ///
    /// # Errors
    /// As [`GlDevice::new`]; [`BackendError::Lost`] if the context can't be made current.
    pub fn device(&self) -> Result<GlDevice, BackendError> {
        if let Some(device) = self.device.get() {
            return Ok(device.clone());
        }
        let (gl, current) = self.gl()?;
        let device = GlDevice::with_gl(gl, Some(current), &self.options)?;
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
    pub fn functions(&self) -> &Rc<glow::Context> {
        &self.gl
    }

    /// A description for messages: API, version, renderer and route, such as
    /// `OpenGL 4.5 (Core Profile) Mesa 22.3.6, llvmpipe (LLVM 15.0.6, 256 bits), EGL surfaceless`.
    pub fn description(&self) -> &str {
        &self.description
    }
}

/// The EGL objects of a context.
struct Context {
    egl: &'static Egl,
    display: egl::Display,
    context: egl::Context,
    surface: Option<egl::Surface>,
    /// See [`Options::restore`].
    restore: bool,
    previous: Cell<Option<Previous>>,
}

/// The context that was current on the thread before.
#[derive(Clone, Copy)]
struct Previous {
    display: egl::Display,
    draw: Option<egl::Surface>,
    read: Option<egl::Surface>,
    context: Option<egl::Context>,
}

impl Context {
    /// Makes the context current if it isn't, until [`MakeCurrent::release`].
    fn enter(&self) -> Result<(), String> {
        if self.is_current() {
            return Ok(());
        }
        if self.restore {
            self.previous.set(Some(self.previous()));
        }
        self.egl_make_current()
    }

    fn egl_make_current(&self) -> Result<(), String> {
        self.egl
            .make_current(self.display, self.surface, self.surface, Some(self.context))
            .map_err(|error| error.to_string())
    }

    /// The context that is current on the thread.
    fn previous(&self) -> Previous {
        let surface = |which| self.egl.get_current_surface(which);
        Previous {
            display: self.egl.get_current_display().unwrap_or(self.display),
            draw: surface(egl::DRAW),
            read: surface(egl::READ),
            context: self.egl.get_current_context(),
        }
    }
}

impl MakeCurrent for Context {
    fn make_current(&self) -> Result<(), BackendError> {
        self.enter().map_err(|why| {
            log::error!("the context can't be made current: {why}");
            BackendError::Lost
        })
    }

    /// Asks EGL, because other code on this thread may use it too. EGL keeps the answer in the thread's own memory.
    fn is_current(&self) -> bool {
        self.egl.get_current_context() == Some(self.context)
    }

    fn release(&self) {
        let Some(before) = self.previous.take() else {
            return;
        };
        let made = self.egl.make_current(before.display, before.draw, before.read, before.context);
        if let Err(error) = made {
            log::warn!("the thread's context can't be made current again: {error}");
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if self.is_current()
            && let Err(error) = self.egl.make_current(self.display, None, None, None)
        {
            log::warn!("releasing a context: {error}");
        }
        if let Err(error) = self.egl.destroy_context(self.display, self.context) {
            log::warn!("destroying a context: {error}");
        }
        self.release();
        if let Some(surface) = self.surface
            && let Err(error) = self.egl.destroy_surface(self.display, surface)
        {
            log::warn!("destroying a surface: {error}");
        }
    }
}
