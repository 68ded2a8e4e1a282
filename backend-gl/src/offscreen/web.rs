//! A WebGL 2 context that is not on the page: that of an `OffscreenCanvas`, in a page or a worker.
//!
//! Browsers limit the number of contexts (Chromium: 16), and lose the oldest beyond it. So everything that is opened on
//! a thread shares one context, as backends of different devices can; a new one is opened when it is lost.

mod api;
mod factory;

use std::cell::{OnceCell, RefCell};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use context3d::backend::BackendError;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{OffscreenCanvas, WebGl2RenderingContext};

use crate::device::MakeCurrent;
use crate::gl::Gl;
use crate::{DeviceOptions, GlBackend, GlDevice};
pub use api::Api;
pub use factory::GlFactory;

/// Options for opening a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Must be OpenGL ES in browsers.
    pub api: Api,
    /// Has no effect in OpenGL ES.
    pub compatibility: bool,
    /// Options of its device.
    pub device: DeviceOptions,
}

impl Options {
    /// Default options.
    pub fn new(api: Api) -> Self {
        Self { api, compatibility: false, device: DeviceOptions::default() }
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
    /// Browsers have no desktop OpenGL.
    NoApi(Api),
    /// The browser has no WebGL 2.
    NoContext(String),
}

impl fmt::Display for OffscreenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OffscreenError::NoApi(api) => write!(f, "browsers have no {api}"),
            OffscreenError::NoContext(why) => write!(f, "no WebGL 2: {why}"),
        }
    }
}

impl std::error::Error for OffscreenError {}

/// The context that the thread shares.
#[derive(Clone)]
struct Shared {
    context: WebGl2RenderingContext,
    functions: Arc<glow::Context>,
}

thread_local! {
    static SHARED: RefCell<Option<Shared>> = const { RefCell::new(None) };
}

impl Shared {
    fn get() -> Result<Self, OffscreenError> {
        SHARED.with(|shared| {
            let mut shared = shared
                .try_borrow_mut()
                .map_err(|error| OffscreenError::NoContext(error.to_string()))?;
            match &*shared {
                Some(there) if !there.context.is_context_lost() => Ok(there.clone()),
                _ => Ok(shared.insert(Self::open()?).clone()),
            }
        })
    }

    fn open() -> Result<Self, OffscreenError> {
        let failed = |why: JsValue| OffscreenError::NoContext(format!("{why:?}"));
        let canvas = OffscreenCanvas::new(1, 1).map_err(failed)?;
        let context = canvas.get_context("webgl2").map_err(failed)?;
        let context = context.and_then(|context| context.dyn_into().ok());
        let none = || OffscreenError::NoContext("the browser refuses it".to_owned());
        let context: WebGl2RenderingContext = context.ok_or_else(none)?;
        if context.is_context_lost() {
            return Err(none()); // glow would panic
        }
        #[allow(clippy::arc_with_non_send_sync, reason = "as hosts on the web have it")]
        let functions = Arc::new(glow::Context::from_webgl2_context(context.clone()));
        Ok(Self { context, functions })
    }
}

/// The context is always current, until it is lost.
impl MakeCurrent for WebGl2RenderingContext {
    fn make_current(&self) -> Result<(), BackendError> {
        match self.is_context_lost() {
            true => Err(BackendError::Lost),
            false => Ok(()),
        }
    }

    fn is_current(&self) -> bool {
        true
    }
}

/// A WebGL 2 context that is not on the page.
pub struct Offscreen {
    shared: Shared,
    description: String,
    options: DeviceOptions,
    device: OnceCell<GlDevice>,
}

impl fmt::Debug for Offscreen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Offscreen").field("description", &self.description).finish_non_exhaustive()
    }
}

impl Offscreen {
    /// Opens a context with [`Options::new`].
    ///
    /// # Errors
    /// [`OffscreenError`] if there is no such context.
    pub fn open(api: Api) -> Result<Self, OffscreenError> {
        Self::open_with(&Options::new(api))
    }

    /// Opens a context with these options.
    ///
    /// # Errors
    /// [`OffscreenError`] if there is no such context.
    pub fn open_with(options: &Options) -> Result<Self, OffscreenError> {
        if options.api != Api::Gles {
            return Err(OffscreenError::NoApi(options.api));
        }
        let mut offscreen = Self {
            shared: Shared::get()?,
            description: String::new(),
            options: options.device,
            device: OnceCell::new(),
        };
        let (gl, _) =
            offscreen.gl().map_err(|error| OffscreenError::NoContext(error.to_string()))?;
        offscreen.description =
            [glow::VERSION, glow::RENDERER].map(|name| gl.string(name)).join(", ");
        Ok(offscreen)
    }

    /// Checks that the context, which is always current, isn't lost.
    ///
    /// # Errors
    /// [`OffscreenError::NoContext`] if it is.
    pub fn make_current(&self) -> Result<(), OffscreenError> {
        match self.shared.context.is_context_lost() {
            true => Err(OffscreenError::NoContext("the context is lost".to_owned())),
            false => Ok(()),
        }
    }

    /// The context's functions, and its [`MakeCurrent`].
    pub(crate) fn gl(&self) -> Result<(Rc<Gl>, Rc<dyn MakeCurrent>), BackendError> {
        let Shared { context, functions } = &self.shared;
        let gl = Gl::new(Arc::clone(functions), context.clone())?;
        Ok((Rc::new(gl), Rc::new(context.clone())))
    }

    /// The device on this context, shared by all backends.
    ///
    /// # Errors
    /// As [`GlDevice::from_webgl2`].
    pub fn device(&self) -> Result<GlDevice, BackendError> {
        if let Some(device) = self.device.get() {
            return Ok(device.clone());
        }
        let (gl, current) = self.gl()?;
        let device = GlDevice::with_gl(gl, Some(current), &self.options)?;
        Ok(self.device.get_or_init(|| device).clone())
    }

    /// A backend on this context. Several can be used in turn.
    ///
    /// # Errors
    /// As [`Offscreen::device`].
    pub fn backend(&self) -> Result<GlBackend, BackendError> {
        self.device()?.backend()
    }

    /// The context's functions, for code that draws with it too: call [`GlDevice::invalidate_state`] afterwards.
    pub fn functions(&self) -> &Arc<glow::Context> {
        &self.shared.functions
    }

    /// A description for messages: version and renderer.
    pub fn description(&self) -> &str {
        &self.description
    }
}
