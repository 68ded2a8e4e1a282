//! What was presented, in another context: an EGLImage carries it, and where there is none the error says so.
#![allow(unsafe_code, reason = "the other context's GL and EGL calls")]

use std::ffi::c_void;

use crate::common::scene::{BLUE, FLAT, GREEN, PASS, Scene};
use crate::common::{APIS, open};
use backend_gl::egl_image::{EglExport, ExportError};
use backend_gl::glow::{self, HasContext as _};
use backend_gl::offscreen::{Api, Offscreen};
use context3d::Command;

/// Blue with a green upper left quarter, presented.
fn scene(api: Api, offscreen: &Offscreen) -> Scene {
    let backend = offscreen.backend().expect("a backend");
    let mut scene = Scene::over(api, backend, (64, 32), 4);
    scene.program(PASS, FLAT);
    scene
}

fn present(scene: &mut Scene) {
    scene.clear([0.0, 0.0, 1.0, 1.0]);
    scene.color([0.0, 1.0, 0.0, 1.0]);
    scene.quad([-1.0, 1.0, 0.0, 0.0], 0.5, [0.0; 4]);
    scene.call(Command::Present {});
}

/// The pixels of an image in an OpenGL ES context, which is current.
fn import(other: &Offscreen, image: *mut c_void, (width, height): (i32, i32)) -> Vec<u8> {
    type ImageTarget = unsafe extern "system" fn(u32, *mut c_void);
    let address = crate::egl::load().get_proc_address("glEGLImageTargetTexture2DOES");
    let gl = other.functions();
    let has = gl.supported_extensions().contains("GL_OES_EGL_image");
    assert!(has, "without it this would test nothing");
    let mut pixels = vec![0; 64 * 32 * 4];
    // SAFETY: the signature that GL_OES_EGL_image gives the function of this name; the context is current, the image is
    // alive, and the memory holds all pixels.
    unsafe {
        let image_target: ImageTarget = std::mem::transmute(address.expect("the extension's"));
        let texture = gl.create_texture().expect("a texture");
        gl.bind_texture(glow::TEXTURE_2D, Some(texture));
        image_target(glow::TEXTURE_2D, image);
        let framebuffer = gl.create_framebuffer().expect("a framebuffer");
        gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
        let (target, point) = (glow::FRAMEBUFFER, glow::COLOR_ATTACHMENT0);
        gl.framebuffer_texture_2d(target, point, glow::TEXTURE_2D, Some(texture), 0);
        let into = glow::PixelPackData::Slice(Some(&mut pixels));
        gl.read_pixels(0, 0, width, height, glow::RGBA, glow::UNSIGNED_BYTE, into);
        assert_eq!(gl.get_error(), glow::NO_ERROR);
        gl.delete_framebuffer(framebuffer);
        gl.delete_texture(texture);
    }
    pixels
}

fn expect(pixels: &[u8], what: &str) {
    for (number, pixel) in pixels.chunks(4).enumerate() {
        let (x, y) = (number % 64, number / 64);
        let expected = if x < 32 && y < 16 { GREEN } else { BLUE };
        assert_eq!(pixel, expected, "{what}: {x}, {y}");
    }
}

#[test]
fn another_context_sees_the_picture() {
    for api in APIS {
        let offscreen = open(api);
        let mut scene = scene(api, &offscreen);
        let export = offscreen.egl_export().expect("Mesa has the extension");
        let nothing = export.front(scene.context.backend_mut());
        assert!(matches!(nothing, Ok(None)), "{api}: {nothing:?}");
        present(&mut scene);
        let image = export.front(scene.context.backend_mut());
        let image = image.expect("an image").expect("a front");
        assert_eq!(image.size(), (64, 32));
        // Mesa's software renderers have no dma-bufs; a driver that has them hands over at least one.
        match image.dma_buf() {
            Err(error) => {
                assert_eq!(error, ExportError::NotSupported("EGL_MESA_image_dma_buf_export"))
            }
            Ok(buffer) => {
                assert_eq!(buffer.fourcc, u32::from_le_bytes(*b"AB24"));
                assert!(buffer.planes.first().is_some_and(|plane| plane.fd.is_some()));
            }
        }
        let other = open(Api::Gles);
        expect(&import(&other, image.as_ptr(), (64, 32)), "beside it");
        // Drawing goes on, and the image outlives what it was made of.
        scene.clear([1.0, 0.0, 0.0, 1.0]);
        assert_eq!(scene.context.backend_mut().debug_errors(), 0);
        drop((scene, export, offscreen));
        other.make_current().expect("it can be made current");
        expect(&import(&other, image.as_ptr(), (64, 32)), "after it");
    }
}

#[test]
fn refusals_are_told() {
    let (offscreen, other) = (open(Api::OpenGl), open(Api::OpenGl));
    let mut scene = scene(Api::OpenGl, &offscreen);
    present(&mut scene);
    let export = other.egl_export().expect("Mesa has the extension");
    let refused = export.front(scene.context.backend_mut());
    assert!(matches!(refused, Err(ExportError::OtherContext)), "{refused:?}");
    let null = std::ptr::null_mut();
    // SAFETY: nothing is found, so nothing is called.
    let nothing = unsafe { EglExport::new(&|_| std::ptr::null(), null, null) };
    let error = nothing.expect_err("there is no EGL");
    assert_eq!(error, ExportError::NotSupported("eglQueryString"));
    let egl = crate::egl::load();
    let loader = |name: &str| {
        let found = egl.get_proc_address(name);
        found.map_or(std::ptr::null(), |function| function as *const c_void)
    };
    // SAFETY: EGL says that no display isn't one, or lists its client extensions: no image among them.
    let nothing = unsafe { EglExport::new(&loader, null, null) };
    let error = nothing.expect_err("there is no display");
    assert_eq!(error, ExportError::NotSupported("EGL_KHR_gl_texture_2D_image"));
}
