//! The constructors, which are unsafe because the host must guarantee a current context.
#![allow(unsafe_code, reason = "the host guarantees a current context")]

use std::borrow::Borrow;
use std::ffi::{CStr, c_void};
use std::rc::Rc;
use std::sync::Arc;

use context3d::backend::BackendError;
use glow::HasContext as _;

use crate::device::{DeviceOptions, GlDevice, MakeCurrent, ProgramCache};
use crate::gl::{self, GlFunctions};
use crate::target::present::{FrontExchange, FrontReader, GlTexture, PictureSource};

impl GlDevice {
    /// Creates a device on the host's context. `loader` returns GL functions by name, including those that glow lacks
    /// (clip control, reset status, debug log); it is used only during this call.
    ///
    /// The device assumes that no other code changes the context's state, except before [`GlDevice::invalidate_state`].
    ///
    /// # Errors
    /// [`BackendError::Driver`] if the context is older than OpenGL 3.3 or OpenGL ES 3.0, or lacks a required function;
    /// [`BackendError::OutOfMemory`] if the first objects can't be created.
    ///
    /// # Safety
    /// `gl` was loaded from a context that is current on this thread now, and whenever a method of the device or of one
    /// of its backends is called or one of them is dropped. For a function's name, `loader` returns null or the address
    /// of this function in the context of `gl`.
    ///
    /// After other code has changed GL's state, the host calls [`GlDevice::invalidate_state`] before the next call of
    /// the device or a backend. Otherwise, uploads could read beyond client memory, because `GL_UNPACK_ROW_LENGTH`,
    /// `GL_UNPACK_SKIP_PIXELS`, `GL_UNPACK_SKIP_ROWS`, `GL_UNPACK_ALIGNMENT` or `GL_PIXEL_UNPACK_BUFFER` changed. Draws
    /// could read buffers that the device didn't bind. Other code does not modify or delete the device's objects.
    pub unsafe fn new(
        gl: Rc<glow::Context>,
        loader: &dyn Fn(&str) -> *const c_void,
    ) -> Result<Self, BackendError> {
        // SAFETY: the caller guarantees the conditions for `gl` and `loader`.
        unsafe { Self::with_options(gl, loader, &DeviceOptions::default(), None) }
    }

    /// Like [`GlDevice::new`], but with options, and with `current`, which makes the context current whenever the
    /// device needs it.
    ///
    /// # Errors
    /// The errors of [`GlDevice::new`].
    ///
    /// # Safety
    /// The conditions of [`GlDevice::new`]. With `current`, the hook instead of the host makes the context current or
    /// returns an error, and [`MakeCurrent::is_current`] returns true only if the context is current.
    pub unsafe fn with_options(
        gl: Rc<glow::Context>,
        loader: &dyn Fn(&str) -> *const c_void,
        options: &DeviceOptions,
        current: Option<Rc<dyn MakeCurrent>>,
    ) -> Result<Self, BackendError> {
        let gl = loading(current.as_deref(), || {
            gl::check_functions(loader, gl.version().is_embedded).map_err(BackendError::Driver)?;
            // SAFETY: the caller guarantees the conditions for `gl` and `loader`.
            unsafe { GlFunctions::new(gl, loader) }
        })?;
        Self::with_gl(Rc::new(gl), current, options)
    }

    /// Like [`GlDevice::with_options`], but for a host without glow: all functions come from `loader`, and object names
    /// are numbers.
    ///
    /// # Errors
    /// The errors of [`GlDevice::new`]; [`BackendError::Driver`] also if GL doesn't return its version.
    ///
    /// # Safety
    /// The conditions of [`GlDevice::with_options`].
    pub unsafe fn from_loader(
        loader: &dyn Fn(&str) -> *const c_void,
        options: &DeviceOptions,
        current: Option<Rc<dyn MakeCurrent>>,
    ) -> Result<Self, BackendError> {
        // SAFETY: the caller guarantees the conditions for `loader`.
        let gl = loading(current.as_deref(), || unsafe { functions(loader) })?;
        Self::with_gl(Rc::new(gl), current, options)
    }

    /// Sets the host's cache of program binaries. The cache is unused if the driver doesn't support program binaries.
    ///
    /// # Safety
    /// The cache loads only data that this or an earlier process has stored under the same name, because drivers run
    /// binaries without validation. A file that another user can write is not safe.
    pub unsafe fn set_program_cache(&self, cache: Arc<dyn ProgramCache>) {
        self.use_program_cache(cache);
    }
}

impl FrontReader {
    /// Creates a reader with the functions of the thread's context.
    ///
    /// # Errors
    /// [`BackendError::Driver`] if no context is current, or if the context lacks a function.
    ///
    /// # Safety
    /// A context of the exchange's share group is current on this thread, now and at every call of the reader. For a
    /// function's name, `loader` returns null or the address of this function in the context.
    pub unsafe fn from_loader(
        loader: &dyn Fn(&str) -> *const c_void,
        exchange: &FrontExchange,
    ) -> Result<Self, BackendError> {
        // SAFETY: the caller guarantees the conditions for `loader`.
        let gl = unsafe { functions(loader) }?;
        Ok(Self { gl, exchange: exchange.clone() })
    }
}

impl Borrow<FrontExchange> for PictureSource {
    fn borrow(&self) -> &FrontExchange {
        &self.exchange
    }
}

impl PictureSource {
    /// Returns the newest frame as a texture, like [`FrontReader::acquire`]. Returns `None` also if the renderer's
    /// context lacks a function.
    ///
    /// # Safety
    /// The conditions of [`FrontReader::from_loader`], with the renderer's context.
    pub unsafe fn texture(&mut self, loader: &dyn Fn(&str) -> *const c_void) -> Option<GlTexture> {
        if self.reader.is_none() {
            // SAFETY: the caller guarantees the conditions for `loader`.
            self.reader = unsafe { FrontReader::from_loader(loader, &self.exchange) }.ok();
        }
        self.reader.as_mut()?.acquire()
    }
}

/// Loads the functions that this crate calls.
///
/// # Safety
/// The conditions of [`load`] and [`GlFunctions::new`].
pub(crate) unsafe fn functions(
    loader: &dyn Fn(&str) -> *const c_void,
) -> Result<GlFunctions, BackendError> {
    let used =
        |name: &str| if gl::is_function_used(name) { loader(name) } else { std::ptr::null() };
    // SAFETY: the caller guarantees the conditions for `loader`.
    unsafe {
        let loaded = load(&used).map_err(BackendError::Driver)?;
        GlFunctions::new(Rc::new(loaded.functions), loader)
    }
}

/// Runs `load` with the context current.
pub(crate) fn loading<T>(
    current: Option<&dyn MakeCurrent>,
    load: impl FnOnce() -> Result<T, BackendError>,
) -> Result<T, BackendError> {
    let Some(current) = current else {
        return load();
    };
    let loaded = current.make_current().and_then(|()| load());
    loaded.inspect_err(|_| current.release())
}

/// The GL functions of a context, with its description.
pub(crate) struct LoadedContext {
    pub(crate) functions: glow::Context,
    /// The version, such as `OpenGL 4.5 ...` or `OpenGL ES 3.2 ...`.
    #[cfg_attr(not(feature = "offscreen"), allow(dead_code, reason = "for its description"))]
    pub(crate) version: String,
    /// `GL_RENDERER`
    #[cfg_attr(not(feature = "offscreen"), allow(dead_code, reason = "for its description"))]
    pub(crate) renderer: String,
}

/// Loads glow's table of functions. Returns an error in all cases in which glow would panic, now or later.
///
/// # Safety
/// A context is current, and `loader` returns null or the address of its function with that name.
pub(crate) unsafe fn load(loader: &dyn Fn(&str) -> *const c_void) -> Result<LoadedContext, String> {
    type GetString = unsafe extern "system" fn(u32) -> *const u8;
    let address = loader("glGetString");
    if address.is_null() {
        return Err("glGetString is missing".to_owned());
    }
    // SAFETY: the pointer isn't null, and the type is the signature of the OpenGL function with this name.
    let get_string = unsafe { std::mem::transmute::<*const c_void, GetString>(address) };
    let text = |name| {
        // SAFETY: a context is current.
        let text = unsafe { get_string(name) };
        if text.is_null() {
            return Err("no GL context is current on this thread".to_owned());
        }
        // SAFETY: the pointer isn't null, so GL guarantees a static string that ends with a zero byte.
        let text = unsafe { CStr::from_ptr(text.cast()) };
        text.to_str()
            .map(str::to_owned)
            .map_err(|_| "glGetString returned invalid UTF-8".to_owned())
    };
    let version = text(glow::VERSION)?;
    let number = version.strip_prefix("OpenGL ES ").unwrap_or(&version);
    let mut parts = number.split([' ', '.']).take(2);
    if !parts.all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())) {
        return Err(format!("GL_VERSION has an unknown format: \"{version}\""));
    }
    gl::check_functions(loader, version.starts_with("OpenGL ES"))?;
    let named = if version.starts_with("OpenGL") { version } else { format!("OpenGL {version}") };
    Ok(LoadedContext {
        renderer: text(glow::RENDERER)?,
        version: named,
        // SAFETY: the caller guarantees the conditions for `loader`, and glow can parse the version.
        functions: unsafe { glow::Context::from_loader_function(|name| loader(name)) },
    })
}
