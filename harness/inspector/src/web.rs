//! The inspector as a page: what its script calls.

use std::sync::Arc;

use backend_gl::{DeviceOptions, GlDevice};
use eframe::WebRunner;
use eframe::wasm_bindgen::JsCast as _;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{HtmlCanvasElement, WebGl2RenderingContext};

use crate::app::{App, Letter, Remote};
use crate::gl::Gl;
use crate::link::Link;
use crate::source::Source;
use crate::worker::Role;

/// The app on a page's canvas.
#[wasm_bindgen]
pub struct Page {
    remote: Remote,
    runner: WebRunner,
}

#[wasm_bindgen]
impl Page {
    /// Not on a canvas yet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Page {
        Page {
            remote: Remote::default(),
            runner: WebRunner::new(),
        }
    }

    /// Begins to draw on a canvas.
    ///
    /// # Errors
    /// There is no WebGL.
    pub async fn start(&self, canvas: HtmlCanvasElement) -> Result<(), JsValue> {
        let remote = self.remote.clone();
        let of_app = canvas.clone();
        let create: eframe::AppCreator<'static> = Box::new(move |creation| {
            remote.set_context(creation.egui_ctx.clone());
            let gl = open_gl(creation, &of_app);
            Ok(Box::new(App::new(&creation.egui_ctx, gl, remote)))
        });
        let options = eframe::WebOptions {
            // A recording's colours, as they are.
            dithering: false,
            ..eframe::WebOptions::default()
        };
        self.runner.start(canvas, options, create).await
    }

    /// Opens a capture.
    pub fn open(&self, name: String, bytes: Vec<u8>) {
        let bytes = Arc::from(bytes);
        self.remote
            .put(Letter::Open(Role::Main, Source::Bytes { name, bytes }));
    }

    /// Opens a capture or a picture to compare with.
    pub fn compare(&self, name: String, bytes: Vec<u8>) {
        let bytes = Arc::from(bytes);
        self.remote
            .put(Letter::Open(Role::Beside, Source::Bytes { name, bytes }));
    }

    /// Selects what an address says, from its `?` on.
    ///
    /// # Errors
    /// What is wrong with a value.
    pub fn follow(&self, address: &str) -> Result<(), String> {
        self.remote.put(Letter::Follow(Link::parse(address)?));
        Ok(())
    }

    /// Shows that something could not be had.
    pub fn fail(&self, text: String) {
        self.remote.put(Letter::Fail(text));
    }

    /// The part of an address that selects what is selected now, from `#` on.
    pub fn fragment(&self) -> String {
        self.remote.status().fragment
    }

    /// Whether a capture is open and everything that was asked for is there.
    pub fn ready(&self) -> bool {
        let status = self.remote.status();
        status.open && status.idle
    }

    /// Whether all that is shown of the selection is there; counts of the whole frame may be on their way.
    pub fn shown(&self) -> bool {
        let status = self.remote.status();
        status.open && status.shown
    }

    /// Which capture is open: they are counted from 1.
    pub fn opened(&self) -> u32 {
        u32::try_from(self.remote.status().number).unwrap_or(u32::MAX)
    }

    /// The share of the capture that was read, while one is opened.
    pub fn opening(&self) -> Option<f32> {
        self.remote.status().opening
    }

    /// Events of the pixel's history that is shown.
    pub fn events(&self) -> usize {
        self.remote.status().events
    }

    /// How the pictures of a comparison differ, while they are shown.
    pub fn compared(&self) -> Option<String> {
        self.remote.status().compared
    }

    /// The message that is shown, if there is one.
    pub fn error(&self) -> Option<String> {
        self.remote.status().error
    }
}

/// Molehill's device on the canvas's context, which egui draws with.
fn open_gl(
    creation: &eframe::CreationContext<'_>,
    canvas: &HtmlCanvasElement,
) -> Result<Gl, String> {
    let functions = creation.gl.clone().ok_or("the page has no WebGL")?;
    // A canvas has one context: this is the one that `functions` was made of.
    let context = canvas
        .get_context("webgl2")
        .ok()
        .flatten()
        .ok_or("the browser has no WebGL 2")?;
    let context: WebGl2RenderingContext =
        context.dyn_into().map_err(|_| "not a WebGL 2 context")?;
    let device = GlDevice::from_glow(Arc::clone(&functions), context, &DeviceOptions::default());
    let device = device.map_err(|error| error.to_string())?;
    let gl = Gl::on(functions, device).map_err(|error| error.to_string())?;
    Ok(gl.with_textures(creation.egui_ctx.tex_manager()))
}
