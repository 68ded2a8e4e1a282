//! Molehill's device in egui's OpenGL context, and the textures that egui shows.
#![allow(unsafe_code, reason = "the host's own OpenGL calls")]

use std::rc::Rc;
use std::sync::Arc;

use backend_gl::present::{FrameDestination, PresentRect};
use backend_gl::{GlBackend, GlDevice};
use context3d::backend::{Backend, BackendError, FrameSource, ReadSurface};
use eframe::egui::epaint::textures::TextureManager;
use eframe::egui::mutex::{Mutex, RwLock};
use eframe::egui::{
    Color32, ColorImage, PaintCallback, PaintCallbackInfo, TextureFilter, TextureId,
    TextureOptions, Ui,
};
use eframe::egui_glow::{CallbackFn, Painter};
use eframe::glow::{self, HasContext as _};
use molehill_capture::Sharpness;

pub type CanvasRegister<'r> = &'r mut dyn FnMut(glow::Texture) -> TextureId;

/// A backend for replays, whose presented frames are drawn on a canvas.
pub trait CanvasBackend: Backend {
    /// Returns the size of the front buffer, or `None` if no frame was presented.
    fn front_size(&self) -> Option<(u32, u32)>;

    /// Draws the front buffer into a region of the canvas, scaled to that region. `smooth` selects linear filtering.
    ///
    /// # Errors
    /// The errors of [`Backend::execute`].
    fn put(
        &mut self,
        canvas: &CanvasTexture,
        at: (i32, i32),
        size: (u32, u32),
        smooth: bool,
    ) -> Result<(), BackendError>;
}

impl CanvasBackend for GlBackend {
    fn front_size(&self) -> Option<(u32, u32)> {
        self.front().map(|front| (front.width, front.height))
    }

    fn put(
        &mut self,
        canvas: &CanvasTexture,
        (x, y): (i32, i32),
        (width, height): (u32, u32),
        smooth: bool,
    ) -> Result<(), BackendError> {
        let placement = PresentRect { x, y, width, height, bottom_up: false, smooth };
        #[cfg(not(target_arch = "wasm32"))]
        let name = canvas.texture.0;
        #[cfg(target_arch = "wasm32")]
        let name = canvas.texture;
        self.present_into(FrameDestination::Texture(name), &placement).map(drop)
    }
}

/// A backend for an API other than OpenGL. The backend's frames are copied to the canvas through CPU memory.
pub struct CopyBackend<B>(pub B);

impl<B: Backend> Backend for CopyBackend<B> {
    context3d::forward_backend!(self => self.0; caps execute read_region read_texels);
}

impl<B: Backend + FrameSource> CanvasBackend for CopyBackend<B> {
    fn front_size(&self) -> Option<(u32, u32)> {
        self.0.frame().map(|frame| (frame.width, frame.height))
    }

    fn put(
        &mut self,
        canvas: &CanvasTexture,
        at: (i32, i32),
        size: (u32, u32),
        smooth: bool,
    ) -> Result<(), BackendError> {
        let mut pixels = Vec::new();
        let full = self.0.read_pixels(ReadSurface::Front, &mut pixels)?;
        canvas.put_pixels((&pixels, full), at, size, smooth)
    }
}

/// A function that creates a backend for a context of a replay.
type ReplayOpener = Rc<dyn Fn() -> Result<Box<dyn CanvasBackend>, BackendError>>;

/// egui's OpenGL context, with Molehill's device.
#[derive(Clone)]
pub struct EguiGl {
    functions: Arc<glow::Context>,
    pub device: GlDevice,
    open: ReplayOpener,
    /// The options for rendering at a higher resolution than Flash.
    pub sharpness: Sharpness,
    /// The canvases with new content that egui has not painted yet.
    finished: Arc<Mutex<Vec<FinishedFrame>>>,
    /// egui's texture manager, if egui can show only its own textures, as on a web page.
    egui_textures: Option<Arc<RwLock<TextureManager>>>,
}

/// A region (x, y, width, height) with new content in a canvas's texture, and the texture that egui shows.
struct FinishedFrame {
    from: glow::Texture,
    to: TextureId,
    part: (i32, i32, i32, i32),
}

impl EguiGl {
    /// Opens a device in the window's context.
    ///
    /// # Safety
    /// The context must be current on this thread, now and whenever the result or objects created from it are used.
    #[cfg(not(target_arch = "wasm32"))]
    pub unsafe fn new(
        functions: Arc<glow::Context>,
        loader: &dyn Fn(&str) -> *const std::ffi::c_void,
    ) -> Result<EguiGl, BackendError> {
        // SAFETY: the caller guarantees that the context is current.
        let device =
            unsafe { GlDevice::from_loader(loader, &backend_gl::DeviceOptions::default(), None) }?;
        EguiGl::on(functions, device)
    }

    /// Creates the state for a device that was opened in the context of `functions`.
    pub fn on(functions: Arc<glow::Context>, device: GlDevice) -> Result<EguiGl, BackendError> {
        device.reset_to_gl_defaults()?;
        let shared = device.clone();
        let open: ReplayOpener = Rc::new(move || Ok(Box::new(shared.backend()?)));
        let sharpness = Sharpness::from_env();
        let finished = Arc::default();
        Ok(EguiGl { functions, device, open, sharpness, finished, egui_textures: None })
    }

    /// Makes replays use the backends that `open` creates, instead of backends in the OpenGL context.
    #[must_use]
    pub fn replaying_with<B: Backend + FrameSource + 'static>(
        self,
        open: impl Fn() -> Result<B, BackendError> + 'static,
    ) -> EguiGl {
        EguiGl { open: Rc::new(move || Ok(Box::new(CopyBackend(open()?)))), ..self }
    }

    /// Creates a backend for a context of a replay.
    ///
    /// # Errors
    /// The errors of [`Backend::execute`].
    pub fn backend(&self) -> Result<Box<dyn CanvasBackend>, BackendError> {
        (self.open)()
    }

    /// Prepares for an egui that shows only its own textures, as on a web page: [`EguiGl::prepare`] copies canvases to
    /// these textures.
    #[must_use]
    pub fn with_textures(self, textures: Arc<RwLock<TextureManager>>) -> EguiGl {
        EguiGl { egui_textures: Some(textures), ..self }
    }

    /// Adds a paint callback that generates the mip levels of changed canvases, for filtered minification. The callback
    /// also copies canvases to egui's textures, if needed. Call this in each UI frame, before adding widgets that show
    /// a canvas.
    pub fn prepare(&self, ui: &Ui) {
        if self.finished.lock().is_empty() {
            return;
        }
        let finished = Arc::clone(&self.finished);
        let callback = move |_: PaintCallbackInfo, painter: &Painter| prepare(painter, &finished);
        ui.painter().add(PaintCallback {
            rect: ui.max_rect(),
            callback: Arc::new(CallbackFn::new(callback)),
        });
    }

    /// Invalidates the device's state cache, because egui has changed OpenGL state. Call this before using the device.
    pub fn begin(&self) {
        self.device.invalidate_state();
    }

    /// Restores OpenGL's default state, on which egui relies. Call this after using the device.
    pub fn end(&self) -> Result<(), BackendError> {
        self.device.reset_to_gl_defaults()
    }
}

/// Copies changed canvases to egui's textures on the GPU, and generates their mip levels. Changes OpenGL state that
/// egui and Molehill set again afterwards: see [`EguiGl::begin`].
fn prepare(painter: &Painter, finished: &Mutex<Vec<FinishedFrame>>) {
    let functions = painter.gl();
    let mut changed = Vec::new();
    // SAFETY: the context is current while egui paints, and both textures belong to it.
    unsafe {
        // On web pages, egui paints on the HTML canvas itself, and glow can't query its framebuffer binding.
        let painted = if cfg!(target_arch = "wasm32") {
            painter.intermediate_fbo()
        } else {
            functions.get_parameter_framebuffer(glow::DRAW_FRAMEBUFFER_BINDING)
        };
        functions.disable(glow::SCISSOR_TEST);
        for FinishedFrame { from, to, part } in finished.lock().drain(..) {
            let Some(to) = painter.texture(to) else { continue };
            if to != from {
                let part = (part.0, part.1, part.0 + part.2, part.1 + part.3);
                // If no framebuffer can be created, the old image remains visible.
                let _ = blit(functions, (from, 0, part), (to, 0, part), glow::NEAREST).is_ok();
            }
            if !changed.contains(&to) {
                changed.push(to);
            }
        }
        functions.bind_framebuffer(glow::FRAMEBUFFER, painted);
        for texture in changed {
            generate_mipmap(functions, texture);
        }
    }
}

/// Generates all mip levels of a texture. Unbinds the texture afterwards.
///
/// # Safety
/// The context must be current, and the texture must belong to it.
unsafe fn generate_mipmap(functions: &glow::Context, texture: glow::Texture) {
    // SAFETY: the caller guarantees that the context is current and owns the texture.
    unsafe {
        functions.bind_texture(glow::TEXTURE_2D, Some(texture));
        functions.generate_mipmap(glow::TEXTURE_2D);
        functions.bind_texture(glow::TEXTURE_2D, None);
    }
}

/// A region of a texture: the texture, a mip level, and the left, top, right and bottom edges.
type TextureRegion = (glow::Texture, i32, (i32, i32, i32, i32));

/// Blits a region of a texture to a region of another texture. Changes the framebuffer bindings.
///
/// # Safety
/// The context must be current, and both textures must belong to it.
unsafe fn blit(
    functions: &glow::Context,
    (from, level, (left, top, right, bottom)): TextureRegion,
    (to, of, (x, y, end, down)): TextureRegion,
    filter: u32,
) -> Result<(), String> {
    // SAFETY: the caller guarantees that the context is current and owns both textures.
    unsafe {
        let (source, target) = (functions.create_framebuffer()?, functions.create_framebuffer()?);
        functions.bind_framebuffer(glow::READ_FRAMEBUFFER, Some(source));
        functions.bind_framebuffer(glow::DRAW_FRAMEBUFFER, Some(target));
        attach(functions, glow::READ_FRAMEBUFFER, from, level);
        attach(functions, glow::DRAW_FRAMEBUFFER, to, of);
        let mask = glow::COLOR_BUFFER_BIT;
        functions.blit_framebuffer(left, top, right, bottom, x, y, end, down, mask, filter);
        functions.delete_framebuffer(source);
        functions.delete_framebuffer(target);
    }
    Ok(())
}

/// Attaches a mip level of a texture as the colour attachment of the bound framebuffer.
///
/// # Safety
/// The context must be current.
unsafe fn attach(functions: &glow::Context, target: u32, texture: glow::Texture, level: i32) {
    let (output, kind) = (glow::COLOR_ATTACHMENT0, glow::TEXTURE_2D);
    // SAFETY: the caller guarantees that the context is current.
    unsafe { functions.framebuffer_texture_2d(target, output, kind, Some(texture), level) };
}

/// The filters of displayed images: nearest for magnification, and trilinear for minification.
pub(crate) const FILTERS: TextureOptions = TextureOptions {
    minification: TextureFilter::Linear,
    mipmap_mode: Some(TextureFilter::Linear),
    ..TextureOptions::NEAREST
};

/// An RGB texture that egui shows. The texture has no alpha channel, so the stage is opaque.
pub struct CanvasTexture {
    gl: EguiGl,
    texture: glow::Texture,
    pub id: TextureId,
    pub size: (u32, u32),
}

impl CanvasTexture {
    pub fn new(
        gl: &EguiGl,
        size: (u32, u32),
        register: CanvasRegister<'_>,
    ) -> Result<CanvasTexture, BackendError> {
        let driver = |text: String| BackendError::Driver(text);
        let [width, height] = [size.0, size.1].map(|side| i32::try_from(side).unwrap_or(i32::MAX));
        let functions = &gl.functions;
        // SAFETY: the caller of `EguiGl::new` guarantees that the context is current.
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
                (glow::TEXTURE_MIN_FILTER, glow::LINEAR_MIPMAP_LINEAR),
                (glow::TEXTURE_MAG_FILTER, glow::NEAREST),
                (glow::TEXTURE_WRAP_S, glow::CLAMP_TO_EDGE),
                (glow::TEXTURE_WRAP_T, glow::CLAMP_TO_EDGE),
            ] {
                functions.tex_parameter_i32(glow::TEXTURE_2D, name, value.cast_signed());
            }
            // Generates the mip levels now, because an incomplete texture is sampled as black.
            generate_mipmap(functions, texture);
            texture
        };
        gl.device.invalidate_state();
        Ok(CanvasTexture {
            gl: gl.clone(),
            texture,
            id: match &gl.egui_textures {
                Some(textures) => {
                    let [width, height] = [size.0 as usize, size.1 as usize];
                    let black = ColorImage::filled([width, height], Color32::BLACK);
                    textures.write().alloc("canvas".to_owned(), black.into(), FILTERS)
                }
                None => register(texture),
            },
            size,
        })
    }

    /// Fills a region (x, y, width, height) with a colour, using OpenGL directly. The function invalidates the device's
    /// state cache, so the caller needn't call [`EguiGl::begin`] afterwards.
    pub fn fill(&self, [red, green, blue]: [u8; 3], (x, y, width, height): (i32, i32, i32, i32)) {
        let [red, green, blue] = [red, green, blue].map(|byte| f32::from(byte) / 255.0);
        let functions = &self.gl.functions;
        // SAFETY: the caller of `EguiGl::new` guarantees that the context is current.
        unsafe {
            let Ok(framebuffer) = functions.create_framebuffer() else { return };
            functions.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
            attach(functions, glow::FRAMEBUFFER, self.texture, 0);
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

    /// Marks a region (x, y, width, height) as changed, so that egui shows its new content.
    pub fn finish(&self, part: (i32, i32, i32, i32)) {
        self.gl.finished.lock().push(FinishedFrame { from: self.texture, to: self.id, part });
    }

    /// Draws a larger canvas, scaled down by averaging, into a region of this canvas, using OpenGL directly. The
    /// function invalidates the device's state cache.
    ///
    /// # Errors
    /// [`BackendError::Driver`] if no framebuffer can be created.
    pub fn shrink(
        &self,
        from: &CanvasTexture,
        (x, y): (i32, i32),
        (width, height): (u32, u32),
    ) -> Result<(), BackendError> {
        let functions = &self.gl.functions;
        // Reads from the smallest mip level that is at least as large as the destination.
        let side = |side: u32, least: u32| (side / least.max(1)).max(1).ilog2();
        let level = side(from.size.0, width).min(side(from.size.1, height));
        let [right, bottom] = [from.size.0, from.size.1].map(|side| (side >> level).cast_signed());
        let part = (x, y, x + width.cast_signed(), y + height.cast_signed());
        let source = (from.texture, level.cast_signed(), (0, 0, right, bottom));
        // SAFETY: the caller of `EguiGl::new` guarantees that the context is current.
        let drawn = unsafe {
            generate_mipmap(functions, from.texture);
            functions.disable(glow::SCISSOR_TEST);
            let drawn = blit(functions, source, (self.texture, 0, part), glow::LINEAR);
            functions.bind_framebuffer(glow::FRAMEBUFFER, None);
            drawn
        };
        self.gl.device.invalidate_state();
        drawn.map_err(BackendError::Driver)
    }

    /// Draws RGBA pixels into a region of the canvas, scaled to that region, using OpenGL directly. `smooth` selects
    /// linear filtering. The function invalidates the device's state cache.
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
        // SAFETY: the caller of `EguiGl::new` guarantees that the context is current.
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
                let from = (texture, 0, (0, 0, full.0, full.1));
                let drawn = blit(functions, from, (self.texture, 0, to), filter);
                functions.bind_framebuffer(glow::FRAMEBUFFER, None);
                functions.delete_texture(texture);
                drawn
            })
        };
        self.gl.device.invalidate_state();
        drawn.map_err(BackendError::Driver)
    }
}

impl Drop for CanvasTexture {
    fn drop(&mut self) {
        // SAFETY: the caller of `EguiGl::new` guarantees that the context is current.
        unsafe { self.gl.functions.delete_texture(self.texture) };
        self.gl.finished.lock().retain(|finished| finished.from != self.texture);
        if let Some(textures) = &self.gl.egui_textures {
            textures.write().free(self.id);
        }
    }
}
