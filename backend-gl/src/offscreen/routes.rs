//! Opens a context by a route: displays, configs, context attributes.

use std::cell::{Cell, OnceCell};
use std::ffi::c_void;
use std::rc::Rc;
use std::sync::OnceLock;

use khronos_egl as egl;

use crate::device::MakeCurrent as _;
use crate::gl::load;

use super::{Api, Context, Interpose, Offscreen, OffscreenError, Options, Route};

pub(super) type Egl = egl::DynamicInstance<egl::EGL1_4>;

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
/// Maximum number of devices that are queried.
const MAX_DEVICES: usize = 16;

/// Requested versions, best first. 4.6 isn't among them: Mesa 22 rejects it, and none of its features is used.
const OPENGL_VERSIONS: &[(egl::Int, egl::Int)] = &[(4, 5), (4, 3), (3, 3)];
const GLES_VERSIONS: &[(egl::Int, egl::Int)] = &[(3, 2), (3, 0)];

/// EGL, loaded once and never unloaded, because drivers don't survive that.
pub(super) fn library() -> Result<&'static Egl, OffscreenError> {
    static LIBRARY: OnceLock<Result<Egl, String>> = OnceLock::new();
    let library = LIBRARY.get_or_init(|| {
        // SAFETY: the system's EGL library implements EGL's interface; its version is checked while loading.
        unsafe { Egl::load_required() }.map_err(|error| error.to_string())
    });
    library.as_ref().map_err(|why| OffscreenError::NoLibrary(why.clone()))
}

pub(super) fn find(egl: &Egl, interpose: Option<Interpose>, name: &str) -> *const c_void {
    if name.contains('\0') {
        return std::ptr::null(); // khronos-egl would panic
    }
    let function = egl.get_proc_address(name);
    let address = function.map_or(std::ptr::null(), |function| function as *const c_void);
    interpose.map_or(address, |Interpose(interpose)| interpose(name, address))
}

/// Whether a space-separated list contains an extension.
fn lists(extensions: &str, name: &str) -> bool {
    extensions.split(' ').any(|extension| extension == name)
}

pub(super) fn open_route(
    egl: &'static Egl,
    route: Route,
    options: &Options,
) -> Result<Offscreen, String> {
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
            return Ok(platform_display(egl, PLATFORM_SURFACELESS, std::ptr::null_mut())
                .into_iter()
                .collect());
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

/// `eglGetPlatformDisplayEXT`; `native` is null or a handle from EGL. The caller has checked the extension.
fn platform_display(egl: &Egl, platform: egl::Enum, native: *mut c_void) -> Option<egl::Display> {
    type GetPlatformDisplay =
        unsafe extern "system" fn(egl::Enum, *mut c_void, *const egl::Int) -> egl::EGLDisplay;
    let function = egl.get_proc_address("eglGetPlatformDisplayEXT")?;
    // SAFETY: the signature of the function with this name in EGL_EXT_platform_base.
    let function: GetPlatformDisplay = unsafe { std::mem::transmute(function) };
    // SAFETY: `native` is what the platform's specification requires; there are no attributes.
    let display = unsafe { function(platform, native, std::ptr::null()) };
    if display == egl::NO_DISPLAY {
        return None;
    }
    // SAFETY: EGL returned this display.
    Some(unsafe { egl::Display::from_ptr(display) })
}

/// `eglQueryDevicesEXT`. The caller has checked the extension.
fn devices(egl: &Egl) -> Result<Vec<*mut c_void>, String> {
    type QueryDevices =
        unsafe extern "system" fn(egl::Int, *mut *mut c_void, *mut egl::Int) -> egl::Boolean;
    let function =
        egl.get_proc_address("eglQueryDevicesEXT").ok_or("eglQueryDevicesEXT is missing")?;
    // SAFETY: the signature of the function with this name in EGL_EXT_device_enumeration.
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
    let version = egl.initialize(display).map_err(|error| format!("eglInitialize: {error}"))?;
    let extensions = egl
        .query_string(Some(display), egl::EXTENSIONS)
        .map_err(|error| format!("no display extensions ({error})"))?
        .to_string_lossy();
    let (bind, renderable) = match options.api {
        Api::OpenGl => (egl::OPENGL_API, egl::OPENGL_BIT),
        Api::Gles => (egl::OPENGL_ES_API, ES3_BIT),
    };
    let surfaceless = lists(&extensions, "EGL_KHR_surfaceless_context");
    let config = choose_config(egl, display, renderable, surfaceless)?;
    // The thread's API only matters when a context is created (EGL 1.4, section 3.7), so other code finds its own.
    let before = egl.query_api();
    egl.bind_api(bind).map_err(|error| format!("eglBindAPI({}): {error}", options.api))?;
    let created = create_context(egl, display, config, version, options);
    if let Err(error) = egl.bind_api(before) {
        log::debug!("eglBindAPI({before:#x}): {error}");
    }
    let context = created?;
    let mut context = Context {
        egl,
        display,
        context,
        surface: None,
        restore: options.restore,
        previous: Cell::new(None),
    };
    if !surfaceless {
        let size = [egl::WIDTH, 1, egl::HEIGHT, 1, egl::NONE];
        let surface = egl.create_pbuffer_surface(display, config, &size);
        context.surface = Some(surface.map_err(|error| format!("pbuffer: {error}"))?);
    }
    context.enter().map_err(|error| format!("eglMakeCurrent: {error}"))?;
    // SAFETY: the context is current, and EGL returns null or the function with that name.
    let gl = unsafe { load(&|name| find(egl, options.interpose, name)) }?;
    context.release();
    Ok(Offscreen {
        context: Rc::new(context),
        gl: Rc::new(gl.functions),
        description: format!("{}, {}, {route}", gl.version, gl.renderer),
        options: options.device,
        interpose: options.interpose,
        device: OnceCell::new(),
    })
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
    egl_version: (egl::Int, egl::Int),
    options: &Options,
) -> Result<egl::Context, String> {
    let (versions, profile) = match options.api {
        Api::OpenGl if options.compatibility => {
            (OPENGL_VERSIONS, Some(egl::CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT))
        }
        Api::OpenGl => (OPENGL_VERSIONS, Some(egl::CONTEXT_OPENGL_CORE_PROFILE_BIT)),
        Api::Gles => (GLES_VERSIONS, None),
    };
    let mut wishes = vec![(options.debug, options.robust), (options.debug, false)];
    wishes.extend([(false, options.robust), (false, false)]);
    wishes.dedup();
    let mut reasons = Vec::new();
    for &(major, minor) in versions {
        let mut last = String::new();
        for &(debug, robust) in &wishes {
            let mut attributes =
                vec![egl::CONTEXT_MAJOR_VERSION, major, egl::CONTEXT_MINOR_VERSION, minor];
            if let Some(profile) = profile {
                attributes.extend([egl::CONTEXT_OPENGL_PROFILE_MASK, profile]);
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

/// Context attributes for a debug and a robust context, in the form of the display's EGL version.
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
        attributes.extend([egl::CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY, LOSE_CONTEXT_ON_RESET]);
    }
    attributes
}
