//! Contexts of the system's OpenGL: their functions, and the current context of a thread.
//!
//! WGL is used through glutin. EGL is called directly, because glutin opens neither Mesa's surfaceless platform nor a
//! context on the display of a host ([`Share`](super::Share)), and changes the thread's API with every query of the
//! current context. CGL is called directly, too, because glutin's implementation waits for the main thread's event
//! loop, which tools and tests don't have.

#[cfg(target_os = "macos")]
mod cgl;
mod egl;
#[cfg(windows)]
mod wgl;

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::rc::Rc;

use context3d::backend::BackendError;

use super::{Api, Interpose, OffscreenOptions, Route};
use crate::device::MakeCurrent;
use crate::gl::{GlFunctions, HostGl};
use crate::open;

/// The handles of a current context; null for missing ones.
#[derive(Clone, Copy)]
struct Handles {
    /// An EGL display, or a device context of Windows.
    display: *mut c_void,
    draw: *mut c_void,
    read: *mut c_void,
    context: *mut c_void,
}

impl Handles {
    /// Creates handles without surfaces, as for surfaceless contexts.
    fn new(display: *mut c_void, context: *mut c_void) -> Self {
        Self { display, draw: null_mut(), read: null_mut(), context }
    }
}

/// A context of a window system, which is destroyed when it is dropped.
trait System {
    /// Returns the handles that make this context current.
    fn own(&self) -> Handles;
    /// Returns the thread's current context, or null.
    fn current_context(&self) -> *mut c_void;
    /// Returns the thread's current handles.
    fn current(&self) -> Handles;
    /// Makes the context of these handles current on the thread. A null context unsets the current context.
    fn set(&self, handles: Handles) -> Result<(), String>;
    /// Returns the address of the GL function with this name, or null.
    fn find(&self, name: &str) -> *const c_void;
}

/// The result of [`open`]: the context, its functions, and its driver.
type NativeDisplay = (PlatformContext, HostGl, String);

thread_local! {
    /// The context that this module last made current on the thread; null if there is none.
    static CURRENT: Cell<*mut c_void> = const { Cell::new(null_mut()) };
}

/// A context with the rules for making it current.
pub(super) struct PlatformContext {
    system: Box<dyn System>,
    own: Handles,
    /// The option [`OffscreenOptions::restore`].
    restore: bool,
    /// The option [`OffscreenOptions::exclusive`].
    exclusive: bool,
    /// The handles that were current before; [`MakeCurrent::release`] restores them.
    previous: Cell<Option<Handles>>,
}

impl PlatformContext {
    /// Makes the context current until [`MakeCurrent::release`].
    fn enter(&self) -> Result<(), String> {
        if self.is_current() {
            return Ok(());
        }
        if self.restore {
            self.previous.set(Some(self.system.current()));
        }
        self.set(self.own)
    }

    fn set(&self, handles: Handles) -> Result<(), String> {
        let made = self.system.set(handles);
        CURRENT.set(if made.is_ok() { handles.context } else { null_mut() });
        made
    }
}

impl MakeCurrent for PlatformContext {
    fn make_current(&self) -> Result<(), BackendError> {
        self.enter().map_err(|why| {
            log::error!("the context can't be made current: {why}");
            BackendError::Lost
        })
    }

    /// Queries the window system for the current context, unless [`OffscreenOptions::exclusive`] is set.
    fn is_current(&self) -> bool {
        let asked = || self.system.current_context() == self.own.context;
        if !self.exclusive {
            return asked();
        }
        let is_last = CURRENT.get() == self.own.context;
        debug_assert!(!is_last || asked(), "other code changed the thread's context");
        is_last
    }

    fn release(&self) {
        if let Some(Err(why)) = self.previous.take().map(|previous| self.set(previous)) {
            log::warn!("the thread's context can't be made current again: {why}");
        }
    }
}

impl Drop for PlatformContext {
    fn drop(&mut self) {
        if self.is_current()
            && let Err(why) = self.set(Handles::new(self.own.display, null_mut()))
        {
            log::warn!("destroying a context: {why}");
        }
        self.release();
    }
}

/// Returns whether only EGL is tried, because its library was chosen or the shared context belongs to EGL.
pub(super) fn only_egl(options: &OffscreenOptions) -> bool {
    options.share.map_or_else(|| egl::folder().is_some(), |share| !share.display.is_null())
}

/// Opens a context on a platform (`route`), and makes the context current unless [`OffscreenOptions::restore`] is set.
pub(super) fn open(route: Route, options: &OffscreenOptions) -> Result<NativeDisplay, String> {
    match route {
        Route::Surfaceless | Route::Device | Route::Default => egl::open(route, options),
        #[cfg(windows)]
        Route::Wgl => wgl::open(options),
        #[cfg(target_os = "macos")]
        Route::Cgl => cgl::open(options),
        #[cfg(not(windows))]
        Route::Wgl => Err("only Windows has it".to_owned()),
        #[cfg(not(target_os = "macos"))]
        Route::Cgl => Err("only macOS has it".to_owned()),
        Route::Canvas => Err("only browsers have it".to_owned()),
    }
}

/// Loads the functions of a new context.
fn start(
    system: impl System + 'static,
    options: &OffscreenOptions,
) -> Result<NativeDisplay, String> {
    let (restore, exclusive, previous) = (options.restore, options.exclusive, Cell::new(None));
    let own = system.own();
    let context = PlatformContext { system: Box::new(system), own, restore, exclusive, previous };
    context.enter()?;
    // SAFETY: the context is current. `find` and `Interpose` return null or the function with that name.
    let loaded = unsafe { open::load(&|name| find(&context, options.interpose, name)) }?;
    context.release();
    let driver = format!("{}, {}", loaded.version, loaded.renderer);
    Ok((context, Rc::new(loaded.functions), driver))
}

fn find(context: &PlatformContext, interpose: Option<Interpose>, name: &str) -> *const c_void {
    let address = context.system.find(name);
    interpose.map_or(address, |Interpose(interpose)| interpose(name, address))
}

/// Loads the functions that backends need of the context.
pub(super) fn load(
    context: &PlatformContext,
    functions: &HostGl,
    options: &OffscreenOptions,
) -> Result<GlFunctions, BackendError> {
    // SAFETY: `functions` was loaded from this context, which is current; the caller makes it current before every
    // later use. `find` and `Interpose` return null or the address of the GL function with that name.
    open::loading(Some(context), || unsafe {
        GlFunctions::new(Rc::clone(functions), &|name| find(context, options.interpose, name))
    })
}

/// The attributes of a requested context.
struct ContextRequirements {
    version: (u8, u8),
    debug: bool,
    /// Reports resets of the device.
    robust: bool,
}

/// The requested versions, best first. Version 4.6 is missing: Mesa 22 rejects 4.6, and its features are not used.
const OPENGL_VERSIONS: &[(u8, u8)] = &[(4, 5), (4, 3), (3, 3)];
const GLES_VERSIONS: &[(u8, u8)] = &[(3, 2), (3, 0)];

/// Creates a context of the newest supported version, with as many of the optional attributes as possible.
fn best<T>(
    options: &OffscreenOptions,
    mut create: impl FnMut(&ContextRequirements) -> Result<T, String>,
) -> Result<T, String> {
    let versions = match options.api {
        Api::OpenGl => OPENGL_VERSIONS,
        Api::Gles => GLES_VERSIONS,
    };
    let mut wishes = vec![(true, true), (true, false), (false, true), (false, false)];
    wishes.retain(|(debug, _)| options.debug || !debug);
    let mut reasons = Vec::new();
    for &version in versions {
        let mut last = String::new();
        for &(debug, robust) in &wishes {
            match create(&ContextRequirements { version, debug, robust }) {
                Ok(context) => return Ok(context),
                Err(why) => last = why,
            }
        }
        reasons.push(format!("{} {}.{}: {last}", options.api, version.0, version.1));
    }
    Err(reasons.join(", "))
}
