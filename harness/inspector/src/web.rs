//! The inspector as a web page, and its API for the page's script.

use std::sync::Arc;

use backend_gl::{DeviceOptions, GlDevice};
use backend_wgpu::{WgpuBackend, WgpuDevice};
use context3d_layers::Enhancements;
use eframe::wasm_bindgen::JsCast as _;
use eframe::{CreationContext, WebRunner};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{HtmlCanvasElement, WebGl2RenderingContext};

use crate::app::{App, Remote, RemoteRequest};
use crate::gl::EguiGl;
use crate::link::Link;
use crate::source::CaptureSource;
use crate::worker::QuestionRole;

#[wasm_bindgen]
pub struct InspectorPage {
    remote: Remote,
    runner: WebRunner,
}

#[wasm_bindgen]
impl InspectorPage {
    #[wasm_bindgen(constructor)]
    pub fn new() -> InspectorPage {
        InspectorPage { remote: Remote::default(), runner: WebRunner::new() }
    }

    /// Starts the app on an HTML canvas. `backend` is `webgpu` or `webgl`; by default, the app uses WebGPU if the
    /// browser supports it. `variable` returns the value of a setting such as `MOLEHILL_SCALE`, or `undefined`. Returns
    /// the API, and the name of the adapter.
    pub async fn start(
        &self,
        canvas: HtmlCanvasElement,
        backend: Option<String>,
        variable: js_sys::Function,
    ) -> Result<String, JsValue> {
        let sharper = Enhancements::from_variables(|name| {
            variable.call1(&JsValue::NULL, &name.into()).ok()?.as_string()
        })?;
        let (device, text) = self.choose(backend.as_deref()).await?;
        let remote = self.remote.clone();
        let of_app = canvas.clone();
        let create: eframe::AppCreator<'static> = Box::new(move |creation| {
            remote.set_context(creation.egui_ctx.clone());
            let gl = open_gl(creation, &of_app).map(|mut gl| {
                gl.sharpness.options = sharper;
                match device {
                    Some(device) => gl.replaying_with(move || WgpuBackend::new(&device)),
                    None => gl,
                }
            });
            Ok(Box::new(App::new(&creation.egui_ctx, gl, remote)))
        });
        let options = eframe::WebOptions {
            // Dithering would change the colours of the displayed stage.
            dithering: false,
            ..eframe::WebOptions::default()
        };
        self.runner.start(canvas, options, create).await.map(|()| text)
    }

    /// Opens the WebGPU device, if replays use WebGPU. Returns the device, and the name of the graphics API and
    /// adapter.
    async fn choose(&self, backend: Option<&str>) -> Result<(Option<WgpuDevice>, String), String> {
        if !matches!(backend, None | Some("webgpu" | "webgl")) {
            let found = backend.unwrap_or_default();
            return Err(format!("?backend={found}: expected webgpu or webgl"));
        }
        if backend == Some("webgl") {
            return Ok((None, "WebGL 2".to_owned()));
        }
        let remote = self.remote.clone();
        let fail =
            move |error: String| remote.send(RemoteRequest::Fail(format!("WebGPU: {error}")));
        match molehill_webgpu::open(fail).await {
            Ok(opened) => Ok((Some(opened.device), format!("WebGPU ({})", opened.name))),
            Err(reason) if backend.is_some() => Err(reason),
            Err(reason) => Ok((None, format!("WebGL 2: {reason}"))),
        }
    }

    pub fn open(&self, name: String, bytes: Vec<u8>) {
        let bytes = Arc::from(bytes);
        self.remote
            .send(RemoteRequest::Open(QuestionRole::Main, CaptureSource::Bytes { name, bytes }));
    }

    pub fn compare(&self, name: String, bytes: Vec<u8>) {
        let bytes = Arc::from(bytes);
        self.remote.send(RemoteRequest::Open(
            QuestionRole::Baseline,
            CaptureSource::Bytes { name, bytes },
        ));
    }

    pub fn follow(&self, address: &str) -> Result<(), String> {
        self.remote.send(RemoteRequest::Follow(Link::parse(address)?));
        Ok(())
    }

    pub fn fail(&self, text: String) {
        self.remote.send(RemoteRequest::Fail(text));
    }

    /// Returns the [`Status`](crate::app::RemoteStatus) as a JavaScript object.
    pub fn status(&self) -> Result<JsValue, JsValue> {
        let status = serde_json::to_string(&self.remote.status());
        js_sys::JSON::parse(&status.unwrap_or_default())
    }
}

/// Creates Molehill's device in the WebGL context of the canvas, which egui also uses.
fn open_gl(creation: &CreationContext<'_>, canvas: &HtmlCanvasElement) -> Result<EguiGl, String> {
    let functions = creation.gl.clone().ok_or("the page has no WebGL")?;
    // An HTML canvas has only one context, so this returns the context of `functions`.
    let context =
        canvas.get_context("webgl2").ok().flatten().ok_or("the browser has no WebGL 2")?;
    let context: WebGl2RenderingContext =
        context.dyn_into().map_err(|_| "not a WebGL 2 context")?;
    let device = GlDevice::from_glow(Arc::clone(&functions), context, &DeviceOptions::default());
    let device = device.map_err(|error| error.to_string())?;
    let gl = EguiGl::on(functions, device).map_err(|error| error.to_string())?;
    Ok(gl.with_textures(creation.egui_ctx.tex_manager()))
}
