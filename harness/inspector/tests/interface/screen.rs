//! An offscreen OpenGL context into which egui's shapes are painted.
#![allow(unsafe_code, reason = "a test's own OpenGL calls")]

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use backend_gl::offscreen::{Api, Offscreen};
use eframe::egui::{Context, FullOutput, TextureId, TexturesDelta};
use eframe::egui_glow::Painter;
use eframe::glow::{self, HasContext as _};
use egui_kittest::TestRenderer;
use molehill_inspector::gl::EguiGl;
use molehill_replay::image::{RgbaImage, compare, difference, read_png, write_png};

/// Tolerance per channel, and the fraction of pixels that may exceed it: drivers round differently, and triangle edges
/// shift.
const TOLERANCE: (u8, f64) = (24, 0.01);

/// The offscreen OpenGL context and egui's painter.
pub(crate) struct Screen {
    gl: EguiGl,
    functions: Arc<glow::Context>,
    painter: Rc<RefCell<Painter>>,
    offscreen: Rc<Offscreen>,
}

impl Screen {
    pub(crate) fn open() -> Screen {
        let offscreen = Offscreen::open(Api::OpenGl).expect("OpenGL");
        let device = offscreen.device().expect("a device");
        offscreen.make_current().expect("current");
        // SAFETY: EGL returns the functions of the current context.
        let functions = unsafe {
            let egl =
                khronos_egl::DynamicInstance::<khronos_egl::EGL1_4>::load_required().expect("EGL");
            glow::Context::from_loader_function(|name| {
                egl.get_proc_address(name).map_or(std::ptr::null(), |function| function as *const _)
            })
        };
        #[allow(clippy::arc_with_non_send_sync, reason = "as egui has it")]
        let functions = Arc::new(functions);
        let painter =
            Painter::new(Arc::clone(&functions), "", None, false).expect("egui's painter");
        Screen {
            gl: EguiGl::on(Arc::clone(&functions), device).expect("the device"),
            functions,
            painter: Rc::new(RefCell::new(painter)),
            offscreen: Rc::new(offscreen),
        }
    }

    pub(crate) fn make_current(&self) {
        self.offscreen.make_current().expect("current");
    }

    pub(crate) fn gl(&self) -> EguiGl {
        self.gl.clone()
    }

    /// Returns a function that registers textures of this context with egui.
    pub(crate) fn register(&self) -> impl Fn(glow::Texture) -> TextureId + 'static {
        let painter = Rc::clone(&self.painter);
        move |texture| painter.borrow_mut().register_native_texture(texture)
    }

    /// Returns a renderer for egui_kittest that uploads egui's textures.
    pub(crate) fn renderer(&self) -> Textures {
        Textures {
            painter: Rc::clone(&self.painter),
            offscreen: Rc::clone(&self.offscreen),
            free: Vec::new(),
        }
    }

    pub(crate) fn save(&self, context: &Context, output: &FullOutput, path: &Path) {
        write_png(path, &self.paint(context, output)).expect("written");
    }

    /// Paints the window, and compares it at half size with the image `name` in `tests/pictures`.
    pub(crate) fn check(&self, context: &Context, output: &FullOutput, name: &str) {
        let actual = half(&self.paint(context, output));
        let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pictures"));
        let path = folder.join(format!("{name}.png"));
        if std::env::var_os("MOLEHILL_BLESS").is_some() {
            return write_png(&path, &coarse(&actual)).expect("written");
        }
        let expected = read_png(&path).expect("the picture");
        let (tolerance, share) = TOLERANCE;
        let compared = compare(&actual, &expected, tolerance);
        let pixels = f64::from(actual.width()) * f64::from(actual.height());
        if !compared.same_size() || compared.differing as f64 > pixels * share {
            let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png"));
            write_png(&out, &difference(&actual, &expected, tolerance)).expect("written");
            panic!("{name}: {} pixels differ, see {}", compared.differing, out.display());
        }
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a window's size")]
    pub(crate) fn paint(&self, context: &Context, output: &FullOutput) -> RgbaImage {
        let scale = output.pixels_per_point;
        let size = context.content_rect().size() * scale;
        let [width, height] = [size.x as u32, size.y as u32];
        let shapes = context.tessellate(output.shapes.clone(), scale);
        self.offscreen.make_current().expect("current");
        let gl = &self.functions;
        let mut rgba = vec![0; width as usize * height as usize * 4];
        // SAFETY: the context is current, and the buffer has space for all pixels.
        unsafe {
            let texture = gl.create_texture().expect("a texture");
            gl.bind_texture(glow::TEXTURE_2D, Some(texture));
            gl.tex_storage_2d(glow::TEXTURE_2D, 1, glow::RGBA8, width as i32, height as i32);
            let framebuffer = gl.create_framebuffer().expect("a framebuffer");
            gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
            gl.framebuffer_texture_2d(
                glow::FRAMEBUFFER,
                glow::COLOR_ATTACHMENT0,
                glow::TEXTURE_2D,
                Some(texture),
                0,
            );
            let mut painter = self.painter.borrow_mut();
            painter.clear([width, height], [0.0, 0.0, 0.0, 1.0]);
            painter.paint_primitives([width, height], scale, &shapes);
            gl.pixel_store_i32(glow::PACK_ALIGNMENT, 1);
            let pixels = glow::PixelPackData::Slice(Some(&mut rgba));
            gl.read_pixels(
                0,
                0,
                width as i32,
                height as i32,
                glow::RGBA,
                glow::UNSIGNED_BYTE,
                pixels,
            );
            gl.bind_framebuffer(glow::FRAMEBUFFER, None);
            gl.delete_framebuffer(framebuffer);
            gl.delete_texture(texture);
        }
        self.gl.device.reset_to_gl_defaults().expect("the device");
        rgba.iter_mut().skip(3).step_by(4).for_each(|alpha| *alpha = 255);
        let rows: Vec<&[u8]> = rgba.chunks_exact(width as usize * 4).rev().collect();
        RgbaImage::from_rgba(width, height, rows.concat()).expect("all pixels")
    }
}

/// Halves the width and height. The half size suffices to check the layout, and reduces the file size to a third.
fn half(image: &RgbaImage) -> RgbaImage {
    let (width, height) = (image.width() / 2, image.height() / 2);
    let stride = image.width() as usize * 4;
    let mut rgba = vec![0; width as usize * height as usize * 4];
    for (y, row) in rgba.chunks_exact_mut(width as usize * 4).enumerate() {
        let [above, below] = [2 * y, 2 * y + 1].map(|y| &image.rgba()[y * stride..][..stride]);
        for (at, byte) in row.iter_mut().enumerate() {
            let left = at / 4 * 8 + at % 4;
            let four = [above[left], above[left + 4], below[left], below[left + 4]];
            let sum = four.into_iter().map(u16::from).sum::<u16>();
            *byte = u8::try_from(sum / 4).expect("a mean");
        }
    }
    RgbaImage::from_rgba(width, height, rgba).expect("all pixels")
}

/// Reduces each channel to five bits, to halve the file size. The error is within the tolerance.
fn coarse(image: &RgbaImage) -> RgbaImage {
    let bytes = image.rgba().iter().map(|byte| byte & 0xf8 | byte >> 5);
    let image = RgbaImage::from_rgba(image.width(), image.height(), bytes.collect());
    image.expect("all pixels")
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.offscreen.make_current().expect("current");
        self.painter.borrow_mut().destroy();
    }
}

/// Uploads egui's textures to the painter.
pub(crate) struct Textures {
    painter: Rc<RefCell<Painter>>,
    offscreen: Rc<Offscreen>,
    /// Textures to delete after the painting of the last UI frame, which freed them.
    free: Vec<TextureId>,
}

impl TestRenderer for Textures {
    fn handle_delta(&mut self, delta: &mut TexturesDelta) {
        self.offscreen.make_current().expect("current");
        let mut painter = self.painter.borrow_mut();
        for id in self.free.drain(..) {
            painter.free_texture(id);
        }
        for (id, images) in delta.set.drain() {
            for image in images {
                painter.set_texture(id, &image);
            }
        }
        self.free.extend(delta.free.drain());
    }
}
