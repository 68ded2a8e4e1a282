//! The host's side of the shared OpenGL context: Molehill's device in it, and textures that egui shows.
#![allow(unsafe_code, reason = "the host's own OpenGL calls")]

use std::sync::Arc;

use backend_gl::present::{Destination, Placement, TextureName};
use backend_gl::{GlBackend, GlDevice};
use context3d::backend::BackendError;
use eframe::egui::epaint::ImageDelta;
use eframe::egui::epaint::textures::TextureManager;
use eframe::egui::mutex::RwLock;
use eframe::egui::{Color32, ColorImage, TextureFilter, TextureId, TextureOptions};
use eframe::glow::{self, HasContext as _};

/// Makes egui show a texture of the context.
pub type Register<'r> = &'r mut dyn FnMut(glow::Texture) -> TextureId;

/// egui's context with Molehill's device in it.
#[derive(Clone)]
pub struct Gl {
    functions: Arc<glow::Context>,
    device: GlDevice,
    /// egui's own textures, where it can't show others.
    textures: Option<Arc<RwLock<TextureManager>>>,
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
            textures: None,
        })
    }

    /// For an egui that shows no textures but its own, as on a page: pixels are read, and given to it.
    #[must_use]
    pub fn with_textures(mut self, textures: Arc<RwLock<TextureManager>>) -> Gl {
        self.textures = Some(textures);
        self
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
            id: match &gl.textures {
                Some(textures) => {
                    let [width, height] = [size.0 as usize, size.1 as usize];
                    let black = ColorImage::filled([width, height], Color32::BLACK);
                    let mut textures = textures.write();
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
    pub fn finish(&self, (x, y, width, height): (i32, i32, i32, i32)) {
        let Some(textures) = &self.gl.textures else {
            return;
        };
        let [left, top, across, down] =
            [x, y, width, height].map(|side| usize::try_from(side).unwrap_or(0));
        let mut rgba = vec![0; across * down * 4];
        let functions = &self.gl.functions;
        // SAFETY: the context is current, as `Gl::new` was promised, and the memory holds all pixels.
        unsafe {
            let Ok(framebuffer) = functions.create_framebuffer() else {
                return;
            };
            functions.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
            let (output, target) = (glow::COLOR_ATTACHMENT0, glow::TEXTURE_2D);
            functions.framebuffer_texture_2d(
                glow::FRAMEBUFFER,
                output,
                target,
                Some(self.texture),
                0,
            );
            functions.bind_buffer(glow::PIXEL_PACK_BUFFER, None);
            functions.pixel_store_i32(glow::PACK_ALIGNMENT, 1);
            let pixels = glow::PixelPackData::Slice(Some(&mut rgba));
            functions.read_pixels(x, y, width, height, glow::RGBA, glow::UNSIGNED_BYTE, pixels);
            functions.bind_framebuffer(glow::FRAMEBUFFER, None);
            functions.delete_framebuffer(framebuffer);
        }
        self.gl.device.invalidate_state();
        let image = ColorImage::from_rgba_premultiplied([across, down], &rgba);
        let delta = ImageDelta::partial([left, top], image, OPTIONS);
        textures.write().set(self.id, delta);
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
        if let Some(textures) = &self.gl.textures {
            textures.write().free(self.id);
        }
    }
}
