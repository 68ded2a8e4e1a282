//! EGL, loaded at run time: displays, configs, context attributes.

use std::ffi::{OsString, c_void};
use std::path::Path;
use std::ptr::null_mut;
use std::sync::OnceLock;

use khronos_egl as egl;

use super::{ContextRequirements, Handles, NativeDisplay, System, best, start};
use crate::offscreen::{Api, EGL_VARIABLE, OffscreenOptions, Route};

type Egl = egl::DynamicInstance<egl::EGL1_4>;

/// `EGL_PLATFORM_SURFACELESS_MESA`
const PLATFORM_SURFACELESS: egl::Enum = 0x31DD;
/// `EGL_PLATFORM_DEVICE_EXT`
const PLATFORM_DEVICE: egl::Enum = 0x313F;
const TRUE: egl::Int = 1;
/// Maximum number of devices that are queried.
const MAX_DEVICES: egl::Int = 16;

/// File names of the EGL library, the most common first.
const LIBRARIES: &[&str] = if cfg!(windows) {
    &["libEGL.dll"]
} else if cfg!(target_os = "macos") {
    &["libEGL.dylib"]
} else {
    &["libEGL.so.1", "libEGL.so"]
};

/// A context of EGL.
struct EglContext {
    egl: &'static Egl,
    display: egl::Display,
    context: egl::Context,
    surface: Option<egl::Surface>,
}

impl System for EglContext {
    fn own(&self) -> Handles {
        let surface = pointer(self.surface);
        let (display, context) = (self.display.as_ptr(), self.context.as_ptr());
        Handles { draw: surface, read: surface, ..Handles::new(display, context) }
    }

    fn current_context(&self) -> *mut c_void {
        self.egl.get_current_context().map_or(null_mut(), |context| context.as_ptr())
    }

    fn current(&self) -> Handles {
        let display = self.egl.get_current_display().unwrap_or(self.display);
        let surface = |which| pointer(self.egl.get_current_surface(which));
        let (draw, read) = (surface(egl::DRAW), surface(egl::READ));
        Handles { draw, read, ..Handles::new(display.as_ptr(), self.current_context()) }
    }

    fn set(&self, Handles { display, draw, read, context }: Handles) -> Result<(), String> {
        // SAFETY: the handles are this context's own, or were EGL's current handles.
        let made = unsafe {
            let surface =
                |handle: *mut c_void| (!handle.is_null()).then(|| egl::Surface::from_ptr(handle));
            let context = (!context.is_null()).then(|| egl::Context::from_ptr(context));
            let display = egl::Display::from_ptr(display);
            self.egl.make_current(display, surface(draw), surface(read), context)
        };
        made.map_err(failed("eglMakeCurrent"))
    }

    fn find(&self, name: &str) -> *const c_void {
        if name.contains('\0') {
            return std::ptr::null(); // khronos-egl would panic
        }
        let function = self.egl.get_proc_address(name);
        function.map_or(std::ptr::null(), |function| function as *const c_void)
    }
}

impl Drop for EglContext {
    fn drop(&mut self) {
        let context = self.egl.destroy_context(self.display, self.context);
        let surface = self.surface.map(|surface| self.egl.destroy_surface(self.display, surface));
        for error in [Some(context), surface].into_iter().flatten().filter_map(Result::err) {
            log::warn!("destroying a context: {error}");
        }
    }
}

fn pointer(surface: Option<egl::Surface>) -> *mut c_void {
    surface.map_or(null_mut(), |surface| surface.as_ptr())
}

fn failed(what: &'static str) -> impl Fn(egl::Error) -> String {
    move |error| format!("{what}: {error}")
}

/// Returns the folder of the EGL library, if the environment variable `EGL_VARIABLE` is set.
pub(super) fn folder() -> Option<OsString> {
    std::env::var_os(EGL_VARIABLE).filter(|folder| !folder.is_empty())
}

/// Returns the library, which is loaded once and never unloaded, because drivers don't support unloading.
fn library() -> Result<&'static Egl, String> {
    static LIBRARY: OnceLock<Result<Egl, String>> = OnceLock::new();
    let library = LIBRARY.get_or_init(|| {
        let folder = folder().unwrap_or_default();
        let mut opened = LIBRARIES.iter().map(|name| {
            // SAFETY: the library implements EGL's interface; its version is checked while loading.
            unsafe { Egl::load_required_from_filename(Path::new(&folder).join(name)) }
                .map_err(|error| format!("EGL can't be loaded: {error}"))
        });
        let first = opened.next().unwrap_or_else(|| Err("no library".to_owned()));
        first.or_else(|why| opened.find(Result::is_ok).unwrap_or(Err(why)))
    });
    library.as_ref().map_err(Clone::clone)
}

/// Opens a context on the first suitable EGL display of an EGL platform (`route`).
pub(super) fn open(route: Route, options: &OffscreenOptions) -> Result<NativeDisplay, String> {
    let egl = library()?;
    let mut reasons = Vec::new();
    let displays = match options.share {
        // SAFETY: `Share::new` guarantees that the handle is a display.
        Some(share) => vec![unsafe { egl::Display::from_ptr(share.display) }],
        None => displays(egl, route)?,
    };
    for display in displays {
        match open_display(egl, display, options).and_then(|system| start(system, options)) {
            Ok(opened) => return Ok(opened),
            Err(why) => reasons.push(why),
        }
    }
    if reasons.is_empty() {
        reasons.push("no display".to_owned());
    }
    Err(reasons.join(", then "))
}

/// Returns the EGL displays of an EGL platform (`route`).
fn displays(egl: &Egl, route: Route) -> Result<Vec<egl::Display>, String> {
    let client = egl.query_string(None, egl::EXTENSIONS);
    let client = client.map(|list| list.to_string_lossy()).unwrap_or_default();
    let need = |names: &[&str]| match names.iter().find(|name| !lists(&client, name)) {
        None => Ok(()),
        Some(name) => Err(format!("{name} is missing")),
    };
    let (platform, natives) = match route {
        Route::Surfaceless => {
            need(&["EGL_MESA_platform_surfaceless"])?;
            (PLATFORM_SURFACELESS, vec![null_mut()])
        }
        Route::Device => {
            need(&["EGL_EXT_platform_device"])?;
            need(&["EGL_EXT_device_base"]).or_else(|_| need(&["EGL_EXT_device_enumeration"]))?;
            (PLATFORM_DEVICE, devices(egl)?)
        }
        _ => {
            // SAFETY: the default display is named by a constant, not by a pointer.
            let display = unsafe { egl.get_display(egl::DEFAULT_DISPLAY) };
            return Ok(display.into_iter().collect());
        }
    };
    let newer = egl.upcast::<egl::EGL1_5>().ok_or("EGL is older than 1.5")?;
    // SAFETY: a native display is null or a device, as the platform's specification requires.
    let display =
        |native| unsafe { newer.get_platform_display(platform, native, &[egl::ATTRIB_NONE]) }.ok();
    Ok(natives.into_iter().filter_map(display).collect())
}

/// Returns whether a space-separated list contains an extension.
fn lists(extensions: &str, name: &str) -> bool {
    extensions.split(' ').any(|extension| extension == name)
}

/// Calls `eglQueryDevicesEXT`. The caller has checked that the extension for device enumeration exists.
fn devices(egl: &Egl) -> Result<Vec<*mut c_void>, String> {
    type QueryDevices =
        unsafe extern "system" fn(egl::Int, *mut *mut c_void, *mut egl::Int) -> egl::Boolean;
    let function =
        egl.get_proc_address("eglQueryDevicesEXT").ok_or("eglQueryDevicesEXT is missing")?;
    let mut devices = [null_mut(); MAX_DEVICES as usize];
    let mut count = 0;
    // SAFETY: the type is the function's signature in EGL_EXT_device_enumeration. EGL writes at most as many handles as
    // the array has, and one count.
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
    options: &OffscreenOptions,
) -> Result<EglContext, String> {
    let version = egl.initialize(display).map_err(failed("eglInitialize"))?;
    let extensions = egl.query_string(Some(display), egl::EXTENSIONS);
    let extensions = extensions.map_err(failed("eglQueryString"))?.to_string_lossy();
    let (bind, renderable) = match options.api {
        Api::OpenGl => (egl::OPENGL_API, egl::OPENGL_BIT),
        Api::Gles => (egl::OPENGL_ES_API, egl::OPENGL_ES3_BIT),
    };
    let surfaceless = lists(&extensions, "EGL_KHR_surfaceless_context");
    let config = choose_config(egl, display, renderable, surfaceless)?;
    // The thread's API only matters when a context is created (EGL 1.4, section 3.7). The previous API is restored.
    let before = egl.query_api();
    egl.bind_api(bind).map_err(failed("eglBindAPI"))?;
    // SAFETY: `Share::new` guarantees that the handle is a context.
    let share = options.share.map(|share| unsafe { egl::Context::from_ptr(share.context) });
    let created = best(options, |wanted| {
        let attributes = attributes(wanted, options, version >= (1, 5));
        egl.create_context(display, config, share, &attributes).map_err(|error| error.to_string())
    });
    if let Err(error) = egl.bind_api(before) {
        log::debug!("eglBindAPI({before:#x}): {error}");
    }
    let mut context = EglContext { egl, display, context: created?, surface: None };
    if !surfaceless {
        let size = [egl::WIDTH, 1, egl::HEIGHT, 1, egl::NONE];
        let surface = egl.create_pbuffer_surface(display, config, &size);
        context.surface = Some(surface.map_err(failed("eglCreatePbufferSurface"))?);
    }
    Ok(context)
}

fn choose_config(
    egl: &Egl,
    display: egl::Display,
    renderable: egl::Int,
    surfaceless: bool,
) -> Result<egl::Config, String> {
    // The surface type is requested explicitly, because the default is window surfaces, which these platforms don't
    // have.
    let kinds: &[egl::Int] = if surfaceless { &[egl::PBUFFER_BIT, 0] } else { &[egl::PBUFFER_BIT] };
    for kind in kinds {
        let wanted = [egl::SURFACE_TYPE, *kind, egl::RENDERABLE_TYPE, renderable, egl::NONE];
        let found = egl.choose_first_config(display, &wanted);
        if let Some(config) = found.map_err(failed("eglChooseConfig"))? {
            return Ok(config);
        }
    }
    Err("no matching EGL config".to_owned())
}

/// Returns the attributes of a context. Displays before EGL 1.5 receive no optional attributes.
fn attributes(
    wanted: &ContextRequirements,
    options: &OffscreenOptions,
    optional: bool,
) -> Vec<egl::Int> {
    let profile = if options.compatibility {
        egl::CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT
    } else {
        egl::CONTEXT_OPENGL_CORE_PROFILE_BIT
    };
    let (major, minor) = wanted.version;
    let (debug, robust) = (optional && wanted.debug, optional && wanted.robust);
    let rows = [
        (true, [egl::CONTEXT_MAJOR_VERSION, major.into()]),
        (true, [egl::CONTEXT_MINOR_VERSION, minor.into()]),
        (options.api == Api::OpenGl, [egl::CONTEXT_OPENGL_PROFILE_MASK, profile]),
        (debug, [egl::CONTEXT_OPENGL_DEBUG, TRUE]),
        (robust, [egl::CONTEXT_OPENGL_ROBUST_ACCESS, TRUE]),
        (robust, [egl::CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY, egl::LOSE_CONTEXT_ON_RESET]),
    ];
    let rows = rows.into_iter().filter_map(|(has, row)| has.then_some(row));
    rows.flatten().chain([egl::NONE]).collect()
}
