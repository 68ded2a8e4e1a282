//! The host's side of the shared OpenGL context: Molehill's device in it, and textures that egui shows.
#![allow(unsafe_code, reason = "the host's own OpenGL calls")]

use std::sync::Arc;

use backend_gl::present::{Destination, Placement, TextureName};
use backend_gl::{GlBackend, GlDevice};
use context3d::backend::BackendError;
use eframe::egui::epaint::textures::TextureManager;
use eframe::egui::mutex::{Mutex, RwLock};
use eframe::egui::{
    Color32, ColorImage, PaintCallback, PaintCallbackInfo, TextureFilter, TextureId,
    TextureOptions, Ui,
};
use eframe::egui_glow::{CallbackFn, Painter};
use eframe::glow::{self, HasContext as _};

/// Makes egui show a texture of the context.
pub type Register<'r> = &'r mut dyn FnMut(glow::Texture) -> TextureId;

/// egui's context with Molehill's device in it.
#[derive(Clone)]
pub struct Gl {
    functions: Arc<glow::Context>,
    device: GlDevice,
    /// Where egui can't show textures but its own.
    own: Option<Own>,
}

/// egui's own textures, and what they are to get while it paints.
#[derive(Clone)]
struct Own {
    textures: Arc<RwLock<TextureManager>>,
    copies: Arc<Mutex<Vec<Copy>>>,
}

/// A part of a texture that egui's own is to get.
struct Copy {
    from: glow::Texture,
    to: TextureId,
    part: (i32, i32, i32, i32),
}

impl Gl {
    /// Opens the device in the context of the window.
    ///
    /// # Errors
    /// The driver's.
    ///
    /// # Safety
    /// The context is current on this thread, and stays so at every use of what is made here.
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

    /// A device that was opened in the context of these functions.
    ///
    /// # Errors
    /// [`BackendError::Lost`]
    pub fn on(functions: Arc<glow::Context>, device: GlDevice) -> Result<Gl, BackendError> {
        device.reset_to_gl_defaults()?;
        Ok(Gl {
            functions,
            device,
            own: None,
        })
    }

    /// For an egui that shows no textures but its own, as on a page: it gets copies while it paints, see [`Gl::copy`].
    #[must_use]
    pub fn with_textures(mut self, textures: Arc<RwLock<TextureManager>>) -> Gl {
        self.own = Some(Own {
            textures,
            copies: Arc::default(),
        });
        self
    }

    /// To be called before what shows a canvas: has egui's own textures get what is to be shown, when this is painted.
    pub fn copy(&self, ui: &Ui) {
        let Some(Own { copies, .. }) = &self.own else {
            return;
        };
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

    /// The device.
    pub fn device(&self) -> &GlDevice {
        &self.device
    }

    /// To be called before the device is used: egui has drawn since.
    pub fn begin(&self) {
        self.device.invalidate_state();
    }

    /// To be called after the device was used: egui relies on a context as it begins.
    ///
    /// # Errors
    /// [`BackendError::Lost`]
    pub fn end(&self) -> Result<(), BackendError> {
        self.device.reset_to_gl_defaults()
    }
}

/// Without the processor, from one texture of the context to another. egui sets its state anew afterwards, and Molehill too:
/// see [`Gl::begin`].
fn copy(painter: &Painter, copies: &Mutex<Vec<Copy>>) {
    let functions = painter.gl();
    let mut copies = copies.lock();
    // SAFETY: the context is current while egui paints in it, and both textures are of it.
    unsafe {
        let (Ok(source), Ok(target)) = (
            functions.create_framebuffer(),
            functions.create_framebuffer(),
        ) else {
            return;
        };
        functions.bind_framebuffer(glow::READ_FRAMEBUFFER, Some(source));
        functions.bind_framebuffer(glow::DRAW_FRAMEBUFFER, Some(target));
        functions.disable(glow::SCISSOR_TEST);
        for Copy { from, to, part } in copies.drain(..) {
            let Some(to) = painter.texture(to) else {
                continue;
            };
            let (left, top, right, bottom) = (part.0, part.1, part.0 + part.2, part.1 + part.3);
            for (place, texture) in [(glow::READ_FRAMEBUFFER, from), (glow::DRAW_FRAMEBUFFER, to)] {
                let output = glow::COLOR_ATTACHMENT0;
                functions.framebuffer_texture_2d(place, output, glow::TEXTURE_2D, Some(texture), 0);
            }
            functions.blit_framebuffer(
                left,
                top,
                right,
                bottom,
                left,
                top,
                right,
                bottom,
                glow::COLOR_BUFFER_BIT,
                glow::NEAREST,
            );
        }
        functions.bind_framebuffer(glow::FRAMEBUFFER, painter.intermediate_fbo());
        functions.delete_framebuffer(source);
        functions.delete_framebuffer(target);
    }
}

/// As the texture's own filters.
const OPTIONS: TextureOptions = TextureOptions {
    minification: TextureFilter::Linear,
    ..TextureOptions::NEAREST
};

/// A texture of the host without alpha, so that a stage covers what is behind it.
pub struct Canvas {
    gl: Gl,
    texture: glow::Texture,
    id: TextureId,
    size: (u32, u32),
}

impl Canvas {
    /// Of so many pixels.
    ///
    /// # Errors
    /// The driver's.
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
            id: match &gl.own {
                Some(own) => {
                    let [width, height] = [size.0 as usize, size.1 as usize];
                    let black = ColorImage::filled([width, height], Color32::BLACK);
                    let mut textures = own.textures.write();
                    textures.alloc("canvas".to_owned(), black.into(), OPTIONS)
                }
                None => register(texture),
            },
            size,
        })
    }

    /// As egui knows it.
    pub fn id(&self) -> TextureId {
        self.id
    }

    /// Pixels.
    pub fn size(&self) -> (u32, u32) {
        self.size
    }

    /// Fills a part with a colour, beside the device: [`Gl::begin`] is not needed afterwards.
    pub fn fill(&self, [red, green, blue]: [u8; 3], (x, y, width, height): (i32, i32, i32, i32)) {
        let [red, green, blue] = [red, green, blue].map(|byte| f32::from(byte) / 255.0);
        let functions = &self.gl.functions;
        // SAFETY: the context is current, as `Gl::new` was promised.
        unsafe {
            let Ok(framebuffer) = functions.create_framebuffer() else {
                return;
            };
            functions.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
            let output = glow::COLOR_ATTACHMENT0;
            functions.framebuffer_texture_2d(
                glow::FRAMEBUFFER,
                output,
                glow::TEXTURE_2D,
                Some(self.texture),
                0,
            );
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

    /// To be called when a part has its picture, so that egui shows it.
    pub fn finish(&self, part: (i32, i32, i32, i32)) {
        if let Some(own) = &self.gl.own {
            let copy = Copy {
                from: self.texture,
                to: self.id,
                part,
            };
            own.copies.lock().push(copy);
        }
    }

    /// Puts what a backend shows into a part.
    ///
    /// # Errors
    /// The driver's.
    pub fn put(
        &self,
        backend: &mut GlBackend,
        (x, y): (i32, i32),
        (width, height): (u32, u32),
        smooth: bool,
    ) -> Result<(), BackendError> {
        let place = Placement {
            x,
            y,
            width,
            height,
            bottom_up: false,
            smooth,
        };
        backend
            .present_into(Destination::Texture(self.name()), &place)
            .map(drop)
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn name(&self) -> TextureName {
        self.texture.0
    }

    #[cfg(target_arch = "wasm32")]
    fn name(&self) -> TextureName {
        self.texture
    }
}

impl Drop for Canvas {
    fn drop(&mut self) {
        // SAFETY: the context is current, as `Gl::new` was promised.
        unsafe { self.gl.functions.delete_texture(self.texture) };
        if let Some(own) = &self.gl.own {
            own.copies.lock().retain(|copy| copy.to != self.id);
            own.textures.write().free(self.id);
        }
    }
}
