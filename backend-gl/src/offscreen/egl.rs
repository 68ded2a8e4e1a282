//! Opens a context through EGL by a route: displays, configs, context attributes.

use std::cell::Cell;
use std::ffi::c_void;
use std::rc::Rc;
use std::sync::OnceLock;

use context3d::backend::BackendError;
use khronos_egl as egl;

use super::{Api, Interpose, Options, Route};
use crate::device::MakeCurrent;
use crate::gl::{Gl, Host};
use crate::open;

type Egl = egl::DynamicInstance<egl::EGL1_4>;
/// Major and minor.
type Version = (egl::Int, egl::Int);

/// `EGL_PLATFORM_SURFACELESS_MESA`
const PLATFORM_SURFACELESS: egl::Enum = 0x31DD;
/// `EGL_PLATFORM_DEVICE_EXT`
const PLATFORM_DEVICE: egl::Enum = 0x313F;
/// `EGL_OPENGL_ES3_BIT`
const ES3_BIT: egl::Int = 0x40;
/// `EGL_CONTEXT_FLAGS_KHR`, and its bits for debug and robust access: EGL 1.4's counterpart of 1.5's attributes.
const CONTEXT_FLAGS: egl::Int = 0x30FC;
const FLAG_DEBUG: egl::Int = 1;
const FLAG_ROBUST: egl::Int = 4;
/// `EGL_LOSE_CONTEXT_ON_RESET`
const LOSE_CONTEXT_ON_RESET: egl::Int = 0x31BF;
const TRUE: egl::Int = 1;
/// Maximum number of devices that are queried.
const MAX_DEVICES: egl::Int = 16;

/// Requested versions, best first. 4.6 isn't among them: Mesa 22 rejects it, and none of its features is used.
const OPENGL_VERSIONS: &[Version] = &[(4, 5), (4, 3), (3, 3)];
const GLES_VERSIONS: &[Version] = &[(3, 2), (3, 0)];

/// The context that is current on a thread: display, draw and read surface, context.
type Current = (egl::Display, Option<egl::Surface>, Option<egl::Surface>, Option<egl::Context>);

thread_local! {
    /// The context that this module made current last on the thread; null if it made none current.
    static CURRENT: Cell<egl::EGLContext> = const { Cell::new(egl::NO_CONTEXT) };
}

/// The EGL objects of a context.
pub(super) struct Context {
    egl: &'static Egl,
    display: egl::Display,
    context: egl::Context,
    surface: Option<egl::Surface>,
    /// See [`Options::restore`].
    restore: bool,
    /// See [`Options::exclusive`].
    exclusive: bool,
    /// What was current before, until [`MakeCurrent::release`].
    previous: Cell<Option<Current>>,
}

impl Context {
    /// Makes the context current if it isn't, until [`MakeCurrent::release`].
    fn enter(&self) -> Result<(), String> {
        if self.is_current() {
            return Ok(());
        }
        if self.restore {
            let (egl, surface) = (self.egl, |which| self.egl.get_current_surface(which));
            let display = egl.get_current_display().unwrap_or(self.display);
            let (draw, read) = (surface(egl::DRAW), surface(egl::READ));
            self.previous.set(Some((display, draw, read, egl.get_current_context())));
        }
        self.set((self.display, self.surface, self.surface, Some(self.context)))
    }

    fn set(&self, (display, draw, read, context): Current) -> Result<(), String> {
        let made = self.egl.make_current(display, draw, read, context);
        CURRENT.set(
            context.filter(|_| made.is_ok()).map_or(egl::NO_CONTEXT, |context| context.as_ptr()),
        );
        made.map_err(|error| format!("eglMakeCurrent: {error}"))
    }
}

impl MakeCurrent for Context {
    fn make_current(&self) -> Result<(), BackendError> {
        self.enter().map_err(|why| {
            log::error!("the context can't be made current: {why}");
            BackendError::Lost
        })
    }

    /// Asks EGL, unless no other code on this thread uses it.
    fn is_current(&self) -> bool {
        let asked = || self.egl.get_current_context() == Some(self.context);
        if !self.exclusive {
            return asked();
        }
        let is_last = CURRENT.get() == self.context.as_ptr();
        debug_assert!(!is_last || asked(), "other code changed the thread's context");
        is_last
    }

    fn release(&self) {
        if let Some(Err(why)) = self.previous.take().map(|previous| self.set(previous)) {
            log::warn!("the thread's context can't be made current again: {why}");
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let (egl, display) = (self.egl, self.display);
        let released =
            if self.is_current() { self.set((display, None, None, None)) } else { Ok(()) };
        let mut ended = vec![egl.destroy_context(display, self.context)];
        self.release();
        ended.extend(self.surface.map(|surface| egl.destroy_surface(display, surface)));
        let errors = ended.into_iter().filter_map(Result::err).map(|error| error.to_string());
        for error in errors.chain(released.err()) {
            log::warn!("destroying a context: {error}");
        }
    }
}

/// EGL, loaded once and never unloaded, because drivers don't survive that.
fn library() -> Result<&'static Egl, String> {
    static LIBRARY: OnceLock<Result<Egl, String>> = OnceLock::new();
    let library = LIBRARY.get_or_init(|| {
        // SAFETY: the system's EGL library implements EGL's interface; its version is checked while loading.
        unsafe { Egl::load_required() }.map_err(|error| format!("EGL can't be loaded: {error}"))
    });
    library.as_ref().map_err(Clone::clone)
}

fn find(egl: &Egl, interpose: Option<Interpose>, name: &str) -> *const c_void {
    if name.contains('\0') {
        return std::ptr::null(); // khronos-egl would panic
    }
    let function = egl.get_proc_address(name);
    let address = function.map_or(std::ptr::null(), |function| function as *const c_void);
    interpose.map_or(address, |Interpose(interpose)| interpose(name, address))
}

/// What backends need of the context.
pub(super) fn load(
    context: &Context,
    functions: &Host,
    options: &Options,
) -> Result<Gl, BackendError> {
    let (egl, interpose) = (context.egl, options.interpose);
    // SAFETY: `functions` was loaded from this context, which is current; the caller makes it current before every later
    // use. EGL returns null or the address of the GL function with that name, and so does `Interpose`.
    open::loading(Some(context), || unsafe {
        Gl::new(Rc::clone(functions), &|name| find(egl, interpose, name))
    })
}

/// A context, its functions, and its driver. It is current, unless [`Options::restore`] is set.
pub(super) fn open(route: Route, options: &Options) -> Result<(Context, Host, String), String> {
    let egl = library()?;
    let mut reasons = Vec::new();
    let displays = match options.share {
        // SAFETY: `Share::new` has the promise that it is a display.
        Some(share) => vec![unsafe { egl::Display::from_ptr(share.display) }],
        None => displays(egl, route)?,
    };
    for display in displays {
        match open_display(egl, display, options) {
            Ok(opened) => return Ok(opened),
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
    let client = egl.query_string(None, egl::EXTENSIONS);
    let client = client.map(|list| list.to_string_lossy()).unwrap_or_default();
    let need = |names: &[&str]| match names.iter().find(|name| !lists(&client, name)) {
        None => Ok(()),
        Some(name) => Err(format!("{name} is missing")),
    };
    let (platform, natives) = match route {
        Route::Surfaceless => {
            need(&["EGL_EXT_platform_base", "EGL_MESA_platform_surfaceless"])?;
            (PLATFORM_SURFACELESS, vec![std::ptr::null_mut()])
        }
        Route::Device => {
            need(&["EGL_EXT_platform_base", "EGL_EXT_platform_device"])?;
            need(&["EGL_EXT_device_base"]).or_else(|_| need(&["EGL_EXT_device_enumeration"]))?;
            (PLATFORM_DEVICE, devices(egl)?)
        }
        Route::Default => {
            // SAFETY: the default display is named by a constant, not by a pointer.
            let display = unsafe { egl.get_display(egl::DEFAULT_DISPLAY) };
            return Ok(display.into_iter().collect());
        }
        Route::Canvas => return Err("only browsers have it".to_owned()),
    };
    let display = |native| platform_display(egl, platform, native);
    Ok(natives.into_iter().filter_map(display).collect())
}

/// Whether a space-separated list contains an extension.
fn lists(extensions: &str, name: &str) -> bool {
    extensions.split(' ').any(|extension| extension == name)
}

/// `eglGetPlatformDisplayEXT`; `native` is null or a handle from EGL. The caller has checked the extension.
fn platform_display(egl: &Egl, platform: egl::Enum, native: *mut c_void) -> Option<egl::Display> {
    type GetPlatformDisplay =
        unsafe extern "system" fn(egl::Enum, *mut c_void, *const egl::Int) -> egl::EGLDisplay;
    let function = egl.get_proc_address("eglGetPlatformDisplayEXT")?;
    // SAFETY: the signature of the function with this name in EGL_EXT_platform_base. `native` is what the platform's
    // specification requires; there are no attributes. EGL returned the display.
    unsafe {
        let function: GetPlatformDisplay = std::mem::transmute(function);
        let display = function(platform, native, std::ptr::null());
        (display != egl::NO_DISPLAY).then(|| egl::Display::from_ptr(display))
    }
}

/// `eglQueryDevicesEXT`. The caller has checked the extension.
fn devices(egl: &Egl) -> Result<Vec<*mut c_void>, String> {
    type QueryDevices =
        unsafe extern "system" fn(egl::Int, *mut *mut c_void, *mut egl::Int) -> egl::Boolean;
    let function =
        egl.get_proc_address("eglQueryDevicesEXT").ok_or("eglQueryDevicesEXT is missing")?;
    let mut devices = [std::ptr::null_mut(); MAX_DEVICES as usize];
    let mut count = 0;
    // SAFETY: the signature of the function with this name in EGL_EXT_device_enumeration. EGL writes at most as many
    // handles as the array has, and one count.
    let done = unsafe {
        let function: QueryDevices = std::mem::transmute(function);
        function(MAX_DEVICES, devices.as_mut_ptr(), &mut count)
    };
    match done {
        egl::TRUE => Ok(devices.into_iter().take(usize::try_from(count).unwrap_or(0)).collect()),
        _ => Err("eglQueryDevicesEXT failed".to_owned()),
    }
}

fn open_display(
    egl: &'static Egl,
    display: egl::Display,
    options: &Options,
) -> Result<(Context, Host, String), String> {
    let failed = |what: &'static str| move |error| format!("{what}: {error}");
    let version = egl.initialize(display).map_err(failed("eglInitialize"))?;
    let extensions = egl.query_string(Some(display), egl::EXTENSIONS);
    let extensions = extensions.map_err(failed("eglQueryString"))?.to_string_lossy();
    let (bind, renderable) = match options.api {
        Api::OpenGl => (egl::OPENGL_API, egl::OPENGL_BIT),
        Api::Gles => (egl::OPENGL_ES_API, ES3_BIT),
    };
    let surfaceless = lists(&extensions, "EGL_KHR_surfaceless_context");
    let config = choose_config(egl, display, renderable, surfaceless)?;
    // The thread's API only matters when a context is created (EGL 1.4, section 3.7), so other code finds its own.
    let before = egl.query_api();
    egl.bind_api(bind).map_err(failed("eglBindAPI"))?;
    let created = create_context(egl, display, config, version, options);
    if let Err(error) = egl.bind_api(before) {
        log::debug!("eglBindAPI({before:#x}): {error}");
    }
    let (restore, exclusive, previous) = (options.restore, options.exclusive, Cell::new(None));
    let mut context =
        Context { egl, display, context: created?, surface: None, restore, exclusive, previous };
    if !surfaceless {
        let size = [egl::WIDTH, 1, egl::HEIGHT, 1, egl::NONE];
        let surface = egl.create_pbuffer_surface(display, config, &size);
        context.surface = Some(surface.map_err(failed("eglCreatePbufferSurface"))?);
    }
    context.enter()?;
    // SAFETY: the context is current. EGL returns null or the function with that name, and so does `Interpose`.
    let loaded = unsafe { open::load(&|name| find(egl, options.interpose, name)) }?;
    context.release();
    let driver = format!("{}, {}", loaded.version, loaded.renderer);
    Ok((context, Rc::new(loaded.functions), driver))
}

fn choose_config(
    egl: &Egl,
    display: egl::Display,
    renderable: egl::Int,
    surfaceless: bool,
) -> Result<egl::Config, String> {
    // Requested explicitly: the default is window surfaces, which these platforms don't have.
    let kinds: &[egl::Int] = if surfaceless { &[egl::PBUFFER_BIT, 0] } else { &[egl::PBUFFER_BIT] };
    for kind in kinds {
        let wanted = [egl::SURFACE_TYPE, *kind, egl::RENDERABLE_TYPE, renderable, egl::NONE];
        let found = egl.choose_first_config(display, &wanted);
        if let Some(config) = found.map_err(|error| format!("eglChooseConfig: {error}"))? {
            return Ok(config);
        }
    }
    Err("no matching EGL config".to_owned())
}

/// Creates a context of the newest version that the display supports, with as many of the optional attributes as
/// possible.
fn create_context(
    egl: &Egl,
    display: egl::Display,
    config: egl::Config,
    egl_version: Version,
    options: &Options,
) -> Result<egl::Context, String> {
    const CORE: egl::Int = egl::CONTEXT_OPENGL_CORE_PROFILE_BIT;
    const COMPATIBILITY: egl::Int = egl::CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT;
    let (versions, profile) = match options.api {
        Api::OpenGl if options.compatibility => (OPENGL_VERSIONS, Some(COMPATIBILITY)),
        Api::OpenGl => (OPENGL_VERSIONS, Some(CORE)),
        Api::Gles => (GLES_VERSIONS, None),
    };
    // SAFETY: `Share::new` has the promise that it is a context.
    let share = options.share.map(|share| unsafe { egl::Context::from_ptr(share.context) });
    let profile = profile.map(|profile| [egl::CONTEXT_OPENGL_PROFILE_MASK, profile]);
    let mut wishes = vec![(true, true), (true, false), (false, true), (false, false)];
    wishes.retain(|(debug, _)| options.debug || !debug);
    let mut reasons = Vec::new();
    for &(major, minor) in versions {
        let mut last = String::new();
        for &(debug, robust) in &wishes {
            let mut attributes =
                vec![egl::CONTEXT_MAJOR_VERSION, major, egl::CONTEXT_MINOR_VERSION, minor];
            attributes.extend(profile.into_iter().flatten());
            attributes.extend(wish_attributes(egl_version, debug, robust).into_iter().flatten());
            attributes.push(egl::NONE);
            match egl.create_context(display, config, share, &attributes) {
                Ok(context) => return Ok(context),
                Err(error) => last = error.to_string(),
            }
        }
        reasons.push(format!("{} {major}.{minor}: {last}", options.api));
    }
    Err(reasons.join(", "))
}

/// Context attributes for a debug and a robust context, in the form of the display's EGL version.
fn wish_attributes(egl_version: Version, debug: bool, robust: bool) -> Vec<[egl::Int; 2]> {
    let flag = |on, flag| if on { flag } else { 0 };
    let flags = flag(debug, FLAG_DEBUG) | flag(robust, FLAG_ROBUST);
    let rows = if egl_version >= (1, 5) {
        [
            (debug, [egl::CONTEXT_OPENGL_DEBUG, TRUE]),
            (robust, [egl::CONTEXT_OPENGL_ROBUST_ACCESS, TRUE]),
        ]
    } else {
        [(flags != 0, [CONTEXT_FLAGS, flags]), (false, [egl::NONE, 0])]
    };
    let notify = [egl::CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY, LOSE_CONTEXT_ON_RESET];
    let rows = rows.into_iter().chain([(robust, notify)]);
    rows.filter_map(|(wanted, row)| wanted.then_some(row)).collect()
}
