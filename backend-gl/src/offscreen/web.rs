//! WebGL 2 of an `OffscreenCanvas`, in a page or a worker.

use std::cell::RefCell;
use std::sync::Arc;

use context3d::backend::BackendError;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{OffscreenCanvas, WebGl2RenderingContext};

use super::{Api, OffscreenOptions, Route};
use crate::device::MakeCurrent;
use crate::gl::{GlFunctions, HostGl};

pub(super) type PlatformContext = WebGl2RenderingContext;

thread_local! {
    /// The context that all backends of this thread share.
    static SHARED: RefCell<Option<(PlatformContext, HostGl)>> = const { RefCell::new(None) };
}

/// Returns false, because browsers have no EGL.
pub(super) fn only_egl(_: &OffscreenOptions) -> bool {
    false
}

/// Returns the thread's context, its functions, and its driver.
pub(super) fn open(
    _: Route,
    options: &OffscreenOptions,
) -> Result<(PlatformContext, HostGl, String), String> {
    if options.api != Api::Gles {
        return Err(format!("browsers have no {}", options.api));
    }
    let (context, functions) = SHARED.with(|shared| {
        let mut shared = shared.try_borrow_mut().map_err(|error| error.to_string())?;
        match &*shared {
            Some(there) if !there.0.is_context_lost() => Ok(there.clone()),
            _ => new().map(|new| shared.insert(new).clone()),
        }
    })?;
    let gl = load(&context, &functions, options).map_err(|error| error.to_string())?;
    let driver = [glow::VERSION, glow::RENDERER].map(|name| gl.string(name)).join(", ");
    Ok((context, functions, driver))
}

fn new() -> Result<(PlatformContext, HostGl), String> {
    let failed = |why: JsValue| format!("{why:?}");
    let canvas = OffscreenCanvas::new(1, 1).map_err(failed)?;
    let context = canvas.get_context("webgl2").map_err(failed)?;
    let context: Option<PlatformContext> = context.and_then(|context| context.dyn_into().ok());
    // glow would panic for a lost context.
    let context = context.filter(|context| !context.is_context_lost());
    let context = context.ok_or("the browser created no WebGL 2 context")?;
    #[allow(clippy::arc_with_non_send_sync, reason = "as hosts on the web have it")]
    let functions = Arc::new(glow::Context::from_webgl2_context(context.clone()));
    Ok((context, functions))
}

/// Loads the functions that backends need of the context.
pub(super) fn load(
    context: &PlatformContext,
    functions: &HostGl,
    _: &OffscreenOptions,
) -> Result<GlFunctions, BackendError> {
    GlFunctions::new(Arc::clone(functions), context.clone())
}

/// The context is always current, until it is lost.
impl MakeCurrent for PlatformContext {
    fn make_current(&self) -> Result<(), BackendError> {
        if self.is_context_lost() { Err(BackendError::Lost) } else { Ok(()) }
    }

    fn is_current(&self) -> bool {
        true
    }
}
