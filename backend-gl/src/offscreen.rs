//! A GL context without a window, through EGL loaded at run time.
//!
//! Routes are tried in the order of [`Route::ALL`]; the first that gives a context wins. Displays are the process's: they
//! are never terminated, because `eglTerminate` would take them from every other [`Offscreen`].
//!
//! Each backend keeps its context alive and makes it current by itself, so several can be used in turn on one thread. Code
//! that calls EGL behind their back must end with [`Offscreen::make_current`].
#![allow(
    unsafe_code,
    reason = "EGL's extension functions are called through addresses, and glow's loader is unsafe"
)]

use std::cell::Cell;
use std::ffi::{CStr, c_void};
use std::fmt;
use std::rc::Rc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use context3d::BackendError;
use khronos_egl as egl;

use crate::GlBackend;
use crate::backend::Current;

type Egl = egl::DynamicInstance<egl::EGL1_4>;

/// `EGL_PLATFORM_SURFACELESS_MESA`
const PLATFORM_SURFACELESS: egl::Enum = 0x31DD;
/// `EGL_PLATFORM_DEVICE_EXT`
const PLATFORM_DEVICE: egl::Enum = 0x313F;
/// `EGL_OPENGL_ES3_BIT`
const ES3_BIT: egl::Int = 0x40;
/// `EGL_CONTEXT_FLAGS_KHR`, and its bits for debug and robust access: what EGL 1.4 has in place of 1.5's attributes.
const CONTEXT_FLAGS: egl::Int = 0x30FC;
const FLAG_DEBUG: egl::Int = 1;
const FLAG_ROBUST: egl::Int = 4;
/// `EGL_LOSE_CONTEXT_ON_RESET`
const LOSE_CONTEXT_ON_RESET: egl::Int = 0x31BF;
/// Devices asked for at most.
const MAX_DEVICES: usize = 16;

/// Versions asked for, best first. 4.6 isn't among them: Mesa 22 refuses it, and nothing of it is used.
const OPENGL_VERSIONS: &[(egl::Int, egl::Int)] = &[(4, 5), (4, 3), (3, 3)];
const GLES_VERSIONS: &[(egl::Int, egl::Int)] = &[(3, 2), (3, 0)];

/// Which of GL's two families.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Api {
    /// Desktop OpenGL, core profile, 3.3 or newer.
    #[default]
    OpenGl,
    /// OpenGL ES 3.0 or newer.
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
    /// In the order they are tried.
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

/// What kind of context to open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// OpenGL or OpenGL ES.
    pub api: Api,
    /// A debug context: every message of the driver goes to `log`, and errors are reported beside their packet. Slower.
    pub debug: bool,
    /// Ask for notification of device resets, if the driver has it.
    pub robust: bool,
    /// Only this route, instead of all.
    pub route: Option<Route>,
}

impl Options {
    /// The usual: robust, all routes, a debug context when `log` listens at debug level.
    pub fn new(api: Api) -> Self {
        Self {
            api,
            debug: log::log_enabled!(log::Level::Debug),
            robust: true,
            route: None,
        }
    }
}

/// Why there is no context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OffscreenError {
    /// `libEGL.so.1` can't be loaded, or is older than EGL 1.4.
    NoLibrary(String),
    /// Every route failed.
    NoContext {
        /// What was asked for.
        api: Api,
        /// Each route with the reason.
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

/// A GL context without a window. Stays on the thread that opened it.
pub struct Offscreen {
    context: Rc<Context>,
    gl: Rc<glow::Context>,
    description: String,
}

impl fmt::Debug for Offscreen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Offscreen")
            .field("description", &self.description)
            .finish_non_exhaustive()
    }
}

impl Offscreen {
    /// A context with [`Options::new`]. It is current afterwards.
    ///
    /// # Errors
    /// See [`OffscreenError`]; it names every route that was tried and why it failed.
    pub fn open(api: Api) -> Result<Self, OffscreenError> {
        Self::open_with(&Options::new(api))
    }

    /// A context of this kind. It is current afterwards.
    ///
    /// # Errors
    /// See [`OffscreenError`]; it names every route that was tried and why it failed.
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
        Err(OffscreenError::NoContext {
            api: options.api,
            tried,
        })
    }

    /// Makes the context current on this thread, whatever was before. Backends do it by themselves.
    ///
    /// # Errors
    /// [`OffscreenError::MakeCurrent`]
    pub fn make_current(&self) -> Result<(), OffscreenError> {
        self.context
            .make_current()
            .map_err(OffscreenError::MakeCurrent)
    }

    /// A backend on this context, which it keeps alive. Only one may be in use at a time.
    ///
    /// # Errors
    /// As [`GlBackend::new`]; [`BackendError::Lost`] when the context can't be made current.
    pub fn backend(&self) -> Result<GlBackend, BackendError> {
        self.context.ensure()?;
        let egl = self.context.egl;
        // SAFETY: `self.gl` was loaded from this context, which is current; `keep_current` makes it so before every later
        // use. EGL gives null or the address of the GL function of that name.
        let mut backend = unsafe { GlBackend::new(Rc::clone(&self.gl), &|name| find(egl, name)) }?;
        backend.keep_current(Rc::clone(&self.context) as Rc<dyn Current>);
        Ok(backend)
    }

    /// For people: API, version, renderer and route, as
    /// `OpenGL 4.5 (Core Profile) Mesa 22.3.6, llvmpipe (LLVM 15.0.6, 256 bits), EGL surfaceless`.
    pub fn description(&self) -> &str {
        &self.description
    }
}

/// EGL's side of a context.
struct Context {
    egl: &'static Egl,
    display: egl::Display,
    context: egl::Context,
    surface: Option<egl::Surface>,
    id: u64,
}

thread_local! {
    /// Id of the context that this module last made current on this thread; 0 for none.
    static CURRENT: Cell<u64> = const { Cell::new(0) };
}

/// Ids of contexts, from 1.
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

impl Context {
    fn make_current(&self) -> Result<(), String> {
        CURRENT.set(0);
        self.egl
            .make_current(self.display, self.surface, self.surface, Some(self.context))
            .map_err(|error| error.to_string())?;
        CURRENT.set(self.id);
        Ok(())
    }
}

impl Current for Context {
    fn ensure(&self) -> Result<(), BackendError> {
        if CURRENT.get() == self.id {
            return Ok(());
        }
        self.make_current().map_err(|why| {
            log::error!("the context can't be made current: {why}");
            BackendError::Lost
        })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // At a thread's end the cell may be gone already; EGL then releases the context with the thread.
        if CURRENT.try_with(Cell::get) == Ok(self.id) {
            let _ = CURRENT.try_with(|current| current.set(0));
            if let Err(error) = self.egl.make_current(self.display, None, None, None) {
                log::warn!("releasing a context: {error}");
            }
        }
        if let Err(error) = self.egl.destroy_context(self.display, self.context) {
            log::warn!("destroying a context: {error}");
        }
        if let Some(surface) = self.surface
            && let Err(error) = self.egl.destroy_surface(self.display, surface)
        {
            log::warn!("destroying a surface: {error}");
        }
    }
}

/// EGL, loaded once and never unloaded: drivers don't survive being unloaded.
fn library() -> Result<&'static Egl, OffscreenError> {
    static LIBRARY: OnceLock<Result<Egl, String>> = OnceLock::new();
    let library = LIBRARY.get_or_init(|| {
        // SAFETY: the system's EGL library keeps to EGL's interface, whose version is checked while loading.
        unsafe { Egl::load_required() }.map_err(|error| error.to_string())
    });
    library
        .as_ref()
        .map_err(|why| OffscreenError::NoLibrary(why.clone()))
}

fn find(egl: &Egl, name: &str) -> *const c_void {
    if name.contains('\0') {
        return std::ptr::null(); // khronos-egl would panic
    }
    egl.get_proc_address(name)
        .map_or(std::ptr::null(), |function| function as *const c_void)
}

/// Whether a space-separated list names an extension.
fn lists(extensions: &str, name: &str) -> bool {
    extensions.split(' ').any(|extension| extension == name)
}

fn open_route(egl: &'static Egl, route: Route, options: &Options) -> Result<Offscreen, String> {
    let mut reasons = Vec::new();
    for display in displays(egl, route)? {
        match open_display(egl, display, route, options) {
            Ok(offscreen) => return Ok(offscreen),
            Err(why) => reasons.push(why),
        }
    }
    if reasons.is_empty() {
        reasons.push("no display".to_owned());
    }
    Err(reasons.join(", then "))
}

/// The displays of a route.
fn displays(egl: &Egl, route: Route) -> Result<Vec<egl::Display>, String> {
    if route == Route::Default {
        // SAFETY: the default display is named by a constant, not by a pointer.
        let display = unsafe { egl.get_display(egl::DEFAULT_DISPLAY) };
        return Ok(display.into_iter().collect());
    }
    let client = egl
        .query_string(None, egl::EXTENSIONS)
        .map_err(|error| format!("no client extensions ({error})"))?
        .to_string_lossy();
    let need = |name: &str| match lists(&client, name) {
        true => Ok(()),
        false => Err(format!("{name} is missing")),
    };
    need("EGL_EXT_platform_base")?;
    let devices = match route {
        Route::Surfaceless => {
            need("EGL_MESA_platform_surfaceless")?;
            return Ok(
                platform_display(egl, PLATFORM_SURFACELESS, std::ptr::null_mut())
                    .into_iter()
                    .collect(),
            );
        }
        _ => {
            need("EGL_EXT_platform_device")?;
            if !lists(&client, "EGL_EXT_device_base") {
                need("EGL_EXT_device_enumeration")?;
            }
            devices(egl)?
        }
    };
    Ok(devices
        .into_iter()
        .filter_map(|device| platform_display(egl, PLATFORM_DEVICE, device))
        .collect())
}

/// `eglGetPlatformDisplayEXT`; `native` is null or a handle that EGL gave. The extension has been found.
fn platform_display(egl: &Egl, platform: egl::Enum, native: *mut c_void) -> Option<egl::Display> {
    type GetPlatformDisplay =
        unsafe extern "system" fn(egl::Enum, *mut c_void, *const egl::Int) -> egl::EGLDisplay;
    let function = egl.get_proc_address("eglGetPlatformDisplayEXT")?;
    // SAFETY: the signature that EGL_EXT_platform_base gives the function of this name.
    let function: GetPlatformDisplay = unsafe { std::mem::transmute(function) };
    // SAFETY: `native` is what the platform's specification asks for; no attributes.
    let display = unsafe { function(platform, native, std::ptr::null()) };
    if display == egl::NO_DISPLAY {
        return None;
    }
    // SAFETY: EGL made this display.
    Some(unsafe { egl::Display::from_ptr(display) })
}

/// `eglQueryDevicesEXT`. The extension has been found.
fn devices(egl: &Egl) -> Result<Vec<*mut c_void>, String> {
    type QueryDevices =
        unsafe extern "system" fn(egl::Int, *mut *mut c_void, *mut egl::Int) -> egl::Boolean;
    let function = egl
        .get_proc_address("eglQueryDevicesEXT")
        .ok_or("eglQueryDevicesEXT is missing")?;
    // SAFETY: the signature that EGL_EXT_device_enumeration gives the function of this name.
    let function: QueryDevices = unsafe { std::mem::transmute(function) };
    let mut devices = vec![std::ptr::null_mut(); MAX_DEVICES];
    let mut count = 0;
    let capacity = egl::Int::try_from(MAX_DEVICES).unwrap_or(egl::Int::MAX);
    // SAFETY: EGL writes at most `capacity` handles, the vector's length, and one count.
    let done = unsafe { function(capacity, devices.as_mut_ptr(), &mut count) };
    if done != egl::TRUE {
        return Err("eglQueryDevicesEXT failed".to_owned());
    }
    devices.truncate(usize::try_from(count).unwrap_or(0));
    Ok(devices)
}

fn open_display(
    egl: &'static Egl,
    display: egl::Display,
    route: Route,
    options: &Options,
) -> Result<Offscreen, String> {
    let version = egl
        .initialize(display)
        .map_err(|error| format!("eglInitialize: {error}"))?;
    let extensions = egl
        .query_string(Some(display), egl::EXTENSIONS)
        .map_err(|error| format!("no display extensions ({error})"))?
        .to_string_lossy();
    let (bind, renderable) = match options.api {
        Api::OpenGl => (egl::OPENGL_API, egl::OPENGL_BIT),
        Api::Gles => (egl::OPENGL_ES_API, ES3_BIT),
    };
    egl.bind_api(bind)
        .map_err(|error| format!("eglBindAPI({}): {error}", options.api))?;
    let surfaceless = lists(&extensions, "EGL_KHR_surfaceless_context");
    let config = choose_config(egl, display, renderable, surfaceless)?;
    let context = create_context(egl, display, config, version, options)?;
    let mut context = Context {
        egl,
        display,
        context,
        surface: None,
        id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
    };
    if !surfaceless {
        let size = [egl::WIDTH, 1, egl::HEIGHT, 1, egl::NONE];
        let surface = egl.create_pbuffer_surface(display, config, &size);
        context.surface = Some(surface.map_err(|error| format!("pbuffer: {error}"))?);
    }
    context
        .make_current()
        .map_err(|error| format!("eglMakeCurrent: {error}"))?;
    let (version, renderer) = identity(egl)?;
    // SAFETY: the context is current, EGL gives null or the function of the name asked for, and `identity` has made sure
    // of the version string that glow would panic without.
    let gl = unsafe { glow::Context::from_loader_function(|name| find(egl, name)) };
    Ok(Offscreen {
        context: Rc::new(context),
        gl: Rc::new(gl),
        description: format!("{version}, {renderer}, {route}"),
    })
}

fn choose_config(
    egl: &Egl,
    display: egl::Display,
    renderable: egl::Int,
    surfaceless: bool,
) -> Result<egl::Config, String> {
    // Named explicitly: the default asks for windows, which these platforms don't have.
    let kinds: &[egl::Int] = if surfaceless {
        &[egl::PBUFFER_BIT, 0]
    } else {
        &[egl::PBUFFER_BIT]
    };
    for kind in kinds {
        let wanted = [
            egl::SURFACE_TYPE,
            *kind,
            egl::RENDERABLE_TYPE,
            renderable,
            egl::NONE,
        ];
        let found = egl.choose_first_config(display, &wanted);
        if let Some(config) = found.map_err(|error| format!("eglChooseConfig: {error}"))? {
            return Ok(config);
        }
    }
    Err("no matching EGL config".to_owned())
}

/// The newest version that the display gives, with as much of the wishes as it grants.
fn create_context(
    egl: &Egl,
    display: egl::Display,
    config: egl::Config,
    egl_version: (egl::Int, egl::Int),
    options: &Options,
) -> Result<egl::Context, String> {
    let (versions, core) = match options.api {
        Api::OpenGl => (OPENGL_VERSIONS, true),
        Api::Gles => (GLES_VERSIONS, false),
    };
    let mut wishes = vec![(options.debug, options.robust), (options.debug, false)];
    wishes.extend([(false, options.robust), (false, false)]);
    wishes.dedup();
    let mut reasons = Vec::new();
    for &(major, minor) in versions {
        let mut last = String::new();
        for &(debug, robust) in &wishes {
            let mut attributes = vec![
                egl::CONTEXT_MAJOR_VERSION,
                major,
                egl::CONTEXT_MINOR_VERSION,
                minor,
            ];
            if core {
                attributes.extend([
                    egl::CONTEXT_OPENGL_PROFILE_MASK,
                    egl::CONTEXT_OPENGL_CORE_PROFILE_BIT,
                ]);
            }
            attributes.extend(wish_attributes(egl_version, debug, robust));
            attributes.push(egl::NONE);
            match egl.create_context(display, config, None, &attributes) {
                Ok(context) => return Ok(context),
                Err(error) => last = error.to_string(),
            }
        }
        reasons.push(format!("{} {major}.{minor}: {last}", options.api));
    }
    Err(reasons.join(", "))
}

/// Context attributes for a debug and a robust context, in the words of the display's EGL version.
fn wish_attributes(egl_version: (egl::Int, egl::Int), debug: bool, robust: bool) -> Vec<egl::Int> {
    let mut attributes = Vec::new();
    if egl_version >= (1, 5) {
        let yes = egl::Int::try_from(egl::TRUE).unwrap_or(1);
        if debug {
            attributes.extend([egl::CONTEXT_OPENGL_DEBUG, yes]);
        }
        if robust {
            attributes.extend([egl::CONTEXT_OPENGL_ROBUST_ACCESS, yes]);
        }
    } else {
        let debug = if debug { FLAG_DEBUG } else { 0 };
        let robust = if robust { FLAG_ROBUST } else { 0 };
        if debug | robust != 0 {
            attributes.extend([CONTEXT_FLAGS, debug | robust]);
        }
    }
    if robust {
        attributes.extend([
            egl::CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY,
            LOSE_CONTEXT_ON_RESET,
        ]);
    }
    attributes
}

/// Version and renderer of the current context, for people. Fails where glow would panic.
fn identity(egl: &Egl) -> Result<(String, String), String> {
    type GetString = unsafe extern "system" fn(u32) -> *const u8;
    let function = egl
        .get_proc_address("glGetString")
        .ok_or("glGetString is missing")?;
    // SAFETY: the signature that OpenGL gives the function of this name.
    let get_string: GetString = unsafe { std::mem::transmute(function) };
    let text = |name| {
        // SAFETY: a context is current.
        let text = unsafe { get_string(name) };
        if text.is_null() {
            return Err("glGetString gave nothing".to_owned());
        }
        // SAFETY: not null, so GL promises a static string that ends with a zero byte.
        let text = unsafe { CStr::from_ptr(text.cast()) };
        text.to_str()
            .map(str::to_owned)
            .map_err(|_| "glGetString gave no UTF-8".to_owned())
    };
    let version = text(glow::VERSION)?;
    let number = version.strip_prefix("OpenGL ES ").unwrap_or(&version);
    let mut parts = number.split([' ', '.']).take(2);
    if !parts.all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())) {
        return Err(format!("strange GL version \"{version}\""));
    }
    let named = if version.starts_with("OpenGL") {
        version
    } else {
        format!("OpenGL {version}")
    };
    Ok((named, text(glow::RENDERER)?))
}
