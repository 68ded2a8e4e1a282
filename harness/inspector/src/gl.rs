//! The OpenGL context shared with egui: Molehill's device in it, and textures that egui shows.
#![allow(unsafe_code, reason = "the host's own OpenGL calls")]

use std::rc::Rc;
use std::sync::Arc;

use backend_gl::present::{Destination, Placement};
use backend_gl::{GlBackend, GlDevice};
use context3d::backend::{Backend, BackendError, FrameSource, Surface};
use eframe::egui::epaint::textures::TextureManager;
use eframe::egui::mutex::{Mutex, RwLock};
use eframe::egui::{
    Color32, ColorImage, PaintCallback, PaintCallbackInfo, TextureFilter, TextureId,
    TextureOptions, Ui,
};
use eframe::egui_glow::{CallbackFn, Painter};
use eframe::glow::{self, HasContext as _};
use molehill_capture::Sharpness;

pub type Register<'r> = &'r mut dyn FnMut(glow::Texture) -> TextureId;

/// A backend that replays, and whose frames a canvas shows.
pub trait Shown: Backend {
    /// Returns the size of the front buffer, if there is one.
    fn front_size(&self) -> Option<(u32, u32)>;

    /// Draws the front buffer into a part of the canvas, scaled to its size; `smooth` filters linearly.
    ///
    /// # Errors
    /// As [`Backend::execute`].
    fn put(
        &mut self,
        canvas: &Canvas,
        at: (i32, i32),
        size: (u32, u32),
        smooth: bool,
    ) -> Result<(), BackendError>;
}

impl Shown for GlBackend {
    fn front_size(&self) -> Option<(u32, u32)> {
        self.front().map(|front| (front.width, front.height))
    }

    fn put(
        &mut self,
        canvas: &Canvas,
        (x, y): (i32, i32),
        (width, height): (u32, u32),
        smooth: bool,
    ) -> Result<(), BackendError> {
        let placement = Placement { x, y, width, height, bottom_up: false, smooth };
        #[cfg(not(target_arch = "wasm32"))]
        let name = canvas.texture.0;
        #[cfg(target_arch = "wasm32")]
        let name = canvas.texture;
        self.present_into(Destination::Texture(name), &placement).map(drop)
    }
}

/// A backend of another API. A canvas shows copies of its frames, through memory.
pub struct Copied<B>(pub B);

impl<B: Backend> Backend for Copied<B> {
    context3d::forward_backend!(self => self.0; caps execute read_region read_texels);
}

impl<B: Backend + FrameSource> Shown for Copied<B> {
    fn front_size(&self) -> Option<(u32, u32)> {
        self.0.frame().map(|frame| (frame.width, frame.height))
    }

    fn put(
        &mut self,
        canvas: &Canvas,
        at: (i32, i32),
        size: (u32, u32),
        smooth: bool,
    ) -> Result<(), BackendError> {
        let mut pixels = Vec::new();
        let full = self.0.read_pixels(Surface::Front, &mut pixels)?;
        canvas.put_pixels((&pixels, full), at, size, smooth)
    }
}

/// Makes a backend for each context of a replay.
type Open = Rc<dyn Fn() -> Result<Box<dyn Shown>, BackendError>>;

/// egui's OpenGL context with Molehill's device in it.
#[derive(Clone)]
pub struct Gl {
    functions: Arc<glow::Context>,
    pub device: GlDevice,
    open: Open,
    /// How the stage is drawn.
    pub sharpness: Sharpness,
    /// Set if egui can only show its own textures, as on a web page.
    egui_textures: Option<EguiTextures>,
}

#[derive(Clone)]
struct EguiTextures {
    textures: Arc<RwLock<TextureManager>>,
    copies: Arc<Mutex<Vec<Copy>>>,
}

/// A copy of a part of a texture (x, y, width, height) to the same part of egui's.
struct Copy {
    from: glow::Texture,
    to: TextureId,
    part: (i32, i32, i32, i32),
}

impl Gl {
    /// Opens a device in the window's context.
    ///
    /// # Safety
    /// The context must be current on this thread, now and at each use of the result and of what is made from it.
    #[cfg(not(target_arch = "wasm32"))]
    pub unsafe fn new(
        functions: Arc<glow::Context>,
        loader: &dyn Fn(&str) -> *const std::ffi::c_void,
    ) -> Result<Gl, BackendError> {
        // SAFETY: passed on from the caller.
        let device =
            unsafe { GlDevice::from_loader(loader, &backend_gl::DeviceOptions::default(), None) }?;
        Gl::on(functions, device)
    }

    /// Uses a device that was opened in the context of `functions`.
    pub fn on(functions: Arc<glow::Context>, device: GlDevice) -> Result<Gl, BackendError> {
        device.reset_to_gl_defaults()?;
        let shared = device.clone();
        let open: Open = Rc::new(move || Ok(Box::new(shared.backend()?)));
        Ok(Gl { functions, device, open, sharpness: Sharpness::from_env(), egui_textures: None })
    }

    /// Replays with backends that `open` makes, instead of those of the OpenGL context.
    #[must_use]
    pub fn replaying_with<B: Backend + FrameSource + 'static>(
        self,
        open: impl Fn() -> Result<B, BackendError> + 'static,
    ) -> Gl {
        Gl { open: Rc::new(move || Ok(Box::new(Copied(open()?)))), ..self }
    }

    /// Makes a backend for a context of a replay.
    ///
    /// # Errors
    /// As [`Backend::execute`].
    pub fn backend(&self) -> Result<Box<dyn Shown>, BackendError> {
        (self.open)()
    }

    /// For an egui that only shows its own textures, as on a web page: [`Gl::copy`] copies canvases to them.
    #[must_use]
    pub fn with_textures(mut self, textures: Arc<RwLock<TextureManager>>) -> Gl {
        self.egui_textures = Some(EguiTextures { textures, copies: Arc::default() });
        self
    }

    /// Adds a paint callback that copies finished canvases to egui's own textures, if those are used. Call it in each
    /// UI frame before adding widgets that show a canvas.
    pub fn copy(&self, ui: &Ui) {
        let Some(EguiTextures { copies, .. }) = &self.egui_textures else { return };
        if copies.lock().is_empty() {
            return;
        }
        let copies = Arc::clone(copies);
        let callback = move |_: PaintCallbackInfo, painter: &Painter| copy(painter, &copies);
        ui.painter().add(PaintCallback {
            rect: ui.max_rect(),
            callback: Arc::new(CallbackFn::new(callback)),
        });
    }

    /// Call before using the device: egui has changed GL's state since.
    pub fn begin(&self) {
        self.device.invalidate_state();
    }

    /// Call after using the device: restores GL's default state, on which egui relies.
    pub fn end(&self) -> Result<(), BackendError> {
        self.device.reset_to_gl_defaults()
    }
}

/// Blits between textures of the context, without reading them back. egui sets its state again afterwards; so does
/// Molehill, see [`Gl::begin`].
fn copy(painter: &Painter, copies: &Mutex<Vec<Copy>>) {
    let functions = painter.gl();
    let mut copies = copies.lock();
    // SAFETY: the context is current while egui paints in it, and both textures are of it.
    unsafe {
        // On a web page egui paints on the canvas itself, whose binding glow can't query.
        let painted = if cfg!(target_arch = "wasm32") {
            painter.intermediate_fbo()
        } else {
            functions.get_parameter_framebuffer(glow::DRAW_FRAMEBUFFER_BINDING)
        };
        functions.disable(glow::SCISSOR_TEST);
        for Copy { from, to, part } in copies.drain(..) {
            let Some(to) = painter.texture(to) else { continue };
            let part = (part.0, part.1, part.0 + part.2, part.1 + part.3);
            // Without a framebuffer, the picture stays as it is.
            let _ = blit(functions, (from, part), (to, part), glow::NEAREST).is_ok();
        }
        functions.bind_framebuffer(glow::FRAMEBUFFER, painted);
    }
}

/// A texture, and the left, top, right and bottom edge of a part.
type Part = (glow::Texture, (i32, i32, i32, i32));

/// Blits a part of a texture to a part of another. The bound framebuffers are others afterwards.
///
/// # Safety
/// The context must be current, and both textures of it.
unsafe fn blit(
    functions: &glow::Context,
    (from, (left, top, right, bottom)): Part,
    (to, (x, y, end, down)): Part,
    filter: u32,
) -> Result<(), String> {
    // SAFETY: as the caller promises.
    unsafe {
        let (source, target) = (functions.create_framebuffer()?, functions.create_framebuffer()?);
        functions.bind_framebuffer(glow::READ_FRAMEBUFFER, Some(source));
        functions.bind_framebuffer(glow::DRAW_FRAMEBUFFER, Some(target));
        attach(functions, glow::READ_FRAMEBUFFER, from);
        attach(functions, glow::DRAW_FRAMEBUFFER, to);
        let mask = glow::COLOR_BUFFER_BIT;
        functions.blit_framebuffer(left, top, right, bottom, x, y, end, down, mask, filter);
        functions.delete_framebuffer(source);
        functions.delete_framebuffer(target);
    }
    Ok(())
}

/// Makes a texture the colour of the bound framebuffer.
///
/// # Safety
/// The context must be current.
unsafe fn attach(functions: &glow::Context, target: u32, texture: glow::Texture) {
    let (output, kind) = (glow::COLOR_ATTACHMENT0, glow::TEXTURE_2D);
    // SAFETY: as the caller promises.
    unsafe { functions.framebuffer_texture_2d(target, output, kind, Some(texture), 0) };
}

const OPTIONS: TextureOptions =
    TextureOptions { minification: TextureFilter::Linear, ..TextureOptions::NEAREST };

/// An RGB texture that egui shows; without alpha, so that a stage is opaque.
pub struct Canvas {
    gl: Gl,
    texture: glow::Texture,
    pub id: TextureId,
    pub size: (u32, u32),
}

impl Canvas {
    pub fn new(gl: &Gl, size: (u32, u32), register: Register<'_>) -> Result<Canvas, BackendError> {
        let driver = |text: String| BackendError::Driver(text);
        let [width, height] = [size.0, size.1].map(|side| i32::try_from(side).unwrap_or(i32::MAX));
        let functions = &gl.functions;
        // SAFETY: the context is current, as `Gl::new` was promised.
        let texture = unsafe {
            let texture = functions.create_texture().map_err(driver)?;
            functions.bind_texture(glow::TEXTURE_2D, Some(texture));
            functions.tex_image_2d(
                glow::TEXTURE_2D,
                0,
                glow::RGB8.cast_signed(),
                width,
                height,
                0,
                glow::RGB,
                glow::UNSIGNED_BYTE,
                glow::PixelUnpackData::Slice(None),
            );
            for (name, value) in [
                (glow::TEXTURE_MIN_FILTER, glow::LINEAR),
                (glow::TEXTURE_MAG_FILTER, glow::NEAREST),
                (glow::TEXTURE_WRAP_S, glow::CLAMP_TO_EDGE),
                (glow::TEXTURE_WRAP_T, glow::CLAMP_TO_EDGE),
                (glow::TEXTURE_MAX_LEVEL, 0),
            ] {
                functions.tex_parameter_i32(glow::TEXTURE_2D, name, value.cast_signed());
            }
            functions.bind_texture(glow::TEXTURE_2D, None);
            texture
        };
        gl.device.invalidate_state();
        Ok(Canvas {
            gl: gl.clone(),
            texture,
            id: match &gl.egui_textures {
                Some(egui) => {
                    let [width, height] = [size.0 as usize, size.1 as usize];
                    let black = ColorImage::filled([width, height], Color32::BLACK);
                    let mut textures = egui.textures.write();
                    textures.alloc("canvas".to_owned(), black.into(), OPTIONS)
                }
                None => register(texture),
            },
            size,
        })
    }

    /// Fills a part (x, y, width, height) with a colour by GL calls of its own. Also invalidates the device's state, so
    /// [`Gl::begin`] is not needed afterwards.
    pub fn fill(&self, [red, green, blue]: [u8; 3], (x, y, width, height): (i32, i32, i32, i32)) {
        let [red, green, blue] = [red, green, blue].map(|byte| f32::from(byte) / 255.0);
        let functions = &self.gl.functions;
        // SAFETY: the context is current, as `Gl::new` was promised.
        unsafe {
            let Ok(framebuffer) = functions.create_framebuffer() else { return };
            functions.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
            attach(functions, glow::FRAMEBUFFER, self.texture);
            functions.enable(glow::SCISSOR_TEST);
            functions.scissor(x, y, width, height);
            functions.color_mask(true, true, true, true);
            functions.clear_color(red, green, blue, 1.0);
            functions.clear(glow::COLOR_BUFFER_BIT);
            functions.disable(glow::SCISSOR_TEST);
            functions.bind_framebuffer(glow::FRAMEBUFFER, None);
            functions.delete_framebuffer(framebuffer);
        }
        self.gl.device.invalidate_state();
    }

    /// Call after drawing to a part (x, y, width, height), so that egui shows it.
    pub fn finish(&self, part: (i32, i32, i32, i32)) {
        if let Some(egui) = &self.gl.egui_textures {
            let copy = Copy { from: self.texture, to: self.id, part };
            egui.copies.lock().push(copy);
        }
    }

    /// Draws R, G, B, A pixels into a part of the canvas, scaled to its size, by GL calls of its own; `smooth` filters
    /// linearly. Also invalidates the device's state.
    fn put_pixels(
        &self,
        (pixels, full): (&[u8], (u32, u32)),
        (x, y): (i32, i32),
        size: (u32, u32),
        smooth: bool,
    ) -> Result<(), BackendError> {
        let functions = &self.gl.functions;
        let filter = if smooth { glow::LINEAR } else { glow::NEAREST };
        let [full, size] = [full, size].map(|(w, h)| (w.cast_signed(), h.cast_signed()));
        // SAFETY: the context is current, as `Gl::new` was promised.
        let drawn = unsafe {
            functions.create_texture().and_then(|texture| {
                let data = glow::PixelUnpackData::Slice(Some(pixels));
                let (kind, format) = (glow::TEXTURE_2D, glow::RGBA8.cast_signed());
                functions.bind_texture(kind, Some(texture));
                let (layout, component) = (glow::RGBA, glow::UNSIGNED_BYTE);
                functions.tex_image_2d(kind, 0, format, full.0, full.1, 0, layout, component, data);
                functions.tex_parameter_i32(kind, glow::TEXTURE_MAX_LEVEL, 0);
                functions.bind_texture(kind, None);
                functions.disable(glow::SCISSOR_TEST);
                let to = (x, y, x.saturating_add(size.0), y.saturating_add(size.1));
                let drawn =
                    blit(functions, (texture, (0, 0, full.0, full.1)), (self.texture, to), filter);
                functions.bind_framebuffer(glow::FRAMEBUFFER, None);
                functions.delete_texture(texture);
                drawn
            })
        };
        self.gl.device.invalidate_state();
        drawn.map_err(BackendError::Driver)
    }
}

impl Drop for Canvas {
    fn drop(&mut self) {
        // SAFETY: the context is current, as `Gl::new` was promised.
        unsafe { self.gl.functions.delete_texture(self.texture) };
        if let Some(egui) = &self.gl.egui_textures {
            egui.copies.lock().retain(|copy| copy.to != self.id);
            egui.textures.write().free(self.id);
        }
    }
}
