//! The device of the page's cases: the module's single WebGPU device, or the WebGL device of a canvas.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};

use backend_gl::{DeviceOptions, GlDevice};
use backend_wgpu::WgpuBackend;
use backend_wgpu::wgpu::{BufferDescriptor, BufferUsages};
use context3d::backend::{AnyBackend, BackendError, BackendFactory};
use molehill_webgpu::BrowserDevice;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::WebGl2RenderingContext;

thread_local! {
    static OPENED: RefCell<Option<BrowserDevice>> = const { RefCell::new(None) };
}

/// The WebGPU errors that the page has not fetched yet.
static ERRORS: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn opened() -> Option<BrowserDevice> {
    OPENED.with_borrow(Option::clone)
}

/// Opens the module's WebGPU device, or replaces a lost device. Returns the adapter's name. Returns an error if the
/// browser has no WebGPU device whose pixels can be read.
#[wasm_bindgen]
pub async fn open_webgpu() -> Result<String, String> {
    let hear = |error| ERRORS.lock().unwrap_or_else(PoisonError::into_inner).push(error);
    let opened = molehill_webgpu::open(hear).await?;
    molehill_conform::device::set_wgpu(opened.device.clone());
    let name = opened.name.clone();
    let first = OPENED.replace(Some(opened.clone())).is_none();
    // A deliberate error checks that errors are reported; otherwise a run without errors would prove nothing.
    if first {
        let usage = BufferUsages::MAP_READ | BufferUsages::VERTEX;
        let size = 16;
        let invalid = BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
        drop(opened.device.device().create_buffer(&invalid));
        if webgpu_errors().await.is_empty() {
            return Err("WebGPU accepts an invalid buffer, or doesn't report errors".to_owned());
        }
    }
    Ok(name)
}

/// Returns the errors of WebGPU commands since the last call. The browser reports WebGPU errors asynchronously.
#[wasm_bindgen]
pub async fn webgpu_errors() -> Vec<String> {
    if let Some(opened) = opened() {
        opened.settle().await;
    }
    std::mem::take(&mut *ERRORS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The device on which scenes play, which can be lost.
#[derive(Clone)]
pub(crate) enum ScenePlace {
    WebGpu,
    /// A canvas with its context and current device. Each loss of the context leads to a new device.
    Canvas(WebGl2RenderingContext, Rc<RefCell<Option<GlDevice>>>),
}

impl ScenePlace {
    /// Selects the device on which scenes play: that of the canvas context or, without `context`, the WebGPU device.
    pub(crate) fn new(context: Option<WebGl2RenderingContext>) -> Self {
        context.map_or(ScenePlace::WebGpu, |context| ScenePlace::Canvas(context, Rc::default()))
    }

    /// Marks the device of a lost context as lost, or destroys WebGPU's device.
    pub(crate) fn lose(&self) {
        match self {
            ScenePlace::WebGpu => {
                if let Some(opened) = opened() {
                    opened.device.device().destroy();
                }
            }
            ScenePlace::Canvas(_, device) => {
                if let Some(device) = device.take() {
                    device.abandon();
                }
            }
        }
    }
}

impl BackendFactory for ScenePlace {
    type Backend = AnyBackend;

    fn create(&mut self) -> Result<AnyBackend, BackendError> {
        match self {
            ScenePlace::WebGpu => match opened() {
                Some(opened) => Ok(Box::new(WgpuBackend::new(&opened.device)?)),
                None => Err(BackendError::Unsupported("no WebGPU device is open".to_owned())),
            },
            ScenePlace::Canvas(context, shared) => {
                let mut device = shared.borrow_mut();
                let device = match &mut *device {
                    Some(device) => device,
                    none => none
                        .insert(GlDevice::from_webgl2(context.clone(), &DeviceOptions::default())?),
                };
                Ok(Box::new(device.backend()?))
            }
        }
    }
}
