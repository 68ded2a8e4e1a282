//! Copies the presented frame into textures and framebuffers of the host.
#![allow(unsafe_code, reason = "the host's own GL calls")]

use crate::common::scene::{BLUE, FLAT, GREEN, PASS, RED, Scene, WHITE};
use crate::common::{APIS, open, open_with};
use backend_gl::glow::{self, HasContext as _};
use backend_gl::offscreen::{Api, Offscreen};
use backend_gl::present::{FrameDestination, PresentRect};
use context3d::Invocation;
use context3d::backend::BackendError;

const CLEAR: [u8; 4] = [0; 4];
/// The colours of the image's quarters: top left, top right, bottom left, bottom right.
const QUARTERS: [[u8; 4]; 4] = [RED, GREEN, BLUE, WHITE];

fn quarters(scene: &mut Scene) {
    scene.clear([0.0; 4]);
    for (corners, [red, green, blue, alpha]) in
        [[-1.0, 1.0, 0.0, 0.0], [0.0, 1.0, 1.0, 0.0], [-1.0, 0.0, 0.0, -1.0], [0.0, 0.0, 1.0, -1.0]]
            .into_iter()
            .zip(QUARTERS)
    {
        scene.color([red, green, blue, alpha].map(|byte| f64::from(byte) / 255.0));
        scene.quad(corners, 0.5, [0.0; 4]);
    }
    scene.call(Invocation::Present {});
}

fn scene(api: Api, offscreen: &Offscreen, samples: i32) -> Scene {
    let backend = offscreen.backend().expect("a backend");
    let mut scene = Scene::over(api, backend, (64, 64), samples);
    scene.program(PASS, FLAT);
    scene
}

/// Creates a zero-filled 48×48 texture of the host, and a framebuffer with it.
fn host_texture(gl: &glow::Context, internal: u32) -> (glow::Texture, glow::Framebuffer) {
    // SAFETY: the context is current; the slice has the texture's size.
    unsafe {
        let texture = gl.create_texture().expect("a texture");
        gl.bind_texture(glow::TEXTURE_2D, Some(texture));
        gl.pixel_store_i32(glow::UNPACK_ALIGNMENT, 1);
        gl.tex_image_2d(
            glow::TEXTURE_2D,
            0,
            internal.cast_signed(),
            48,
            48,
            0,
            glow::RGBA,
            glow::UNSIGNED_BYTE,
            glow::PixelUnpackData::Slice(Some(&[0; 48 * 48 * 4])),
        );
        let framebuffer = gl.create_framebuffer().expect("a framebuffer");
        gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
        let (target, point) = (glow::FRAMEBUFFER, glow::COLOR_ATTACHMENT0);
        gl.framebuffer_texture_2d(target, point, glow::TEXTURE_2D, Some(texture), 0);
        gl.bind_framebuffer(glow::FRAMEBUFFER, None);
        (texture, framebuffer)
    }
}

/// Reads a pixel; rows count from the bottom, as in GL.
fn pixel(gl: &glow::Context, framebuffer: glow::Framebuffer, x: i32, y: i32) -> [u8; 4] {
    let mut pixel = [9; 4];
    let into = glow::PixelPackData::Slice(Some(&mut pixel));
    // SAFETY: the context is current; one pixel is read.
    unsafe {
        gl.bind_framebuffer(glow::READ_FRAMEBUFFER, Some(framebuffer));
        gl.bind_buffer(glow::PIXEL_PACK_BUFFER, None);
        gl.read_pixels(x, y, 1, 1, glow::RGBA, glow::UNSIGNED_BYTE, into);
    }
    pixel
}

#[test]
fn the_front_has_names() {
    for api in APIS {
        for samples in [0, 4] {
            let offscreen = open(api);
            let mut scene = scene(api, &offscreen, samples);
            assert_eq!(scene.context.backend().front(), None);
            quarters(&mut scene);
            let gl = offscreen.functions();
            let front = scene.context.backend().front().expect("a front");
            assert_eq!((front.width, front.height), (64, 64));
            let framebuffer = glow::NativeFramebuffer(front.framebuffer);
            // SAFETY: the context is current.
            let attached = unsafe {
                gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
                gl.get_framebuffer_attachment_parameter_i32(
                    glow::READ_FRAMEBUFFER,
                    glow::COLOR_ATTACHMENT0,
                    glow::FRAMEBUFFER_ATTACHMENT_OBJECT_NAME,
                )
            };
            assert_eq!(Ok(front.texture.get()), u32::try_from(attached));
            for ((x, y), color) in [(9, 9), (50, 9), (9, 50), (50, 50)].into_iter().zip(QUARTERS) {
                assert_eq!(pixel(gl, framebuffer, x, y), color, "{api}");
            }
            // The copy doesn't change while the next frame is drawn.
            scene.context.backend().invalidate_state();
            scene.clear([0.0; 4]);
            assert_eq!(scene.context.backend().front(), Some(front));
            assert_eq!(pixel(gl, framebuffer, 9, 9), RED, "{api}");
            scene.context.backend().invalidate_state();
            quarters(&mut scene);
            let next = scene.context.backend().front().expect("a front");
            assert_eq!(next.presents, front.presents + 1);
        }
    }
}

#[test]
fn it_goes_where_the_host_wants_it() {
    for api in APIS {
        for (samples, bottom_up, internal) in [
            (0, false, glow::RGBA8),
            (0, true, glow::RGBA8),
            (4, false, glow::RGBA8),
            (4, true, glow::RGBA8),
            (4, false, glow::SRGB8_ALPHA8),
            (4, true, glow::SRGB8_ALPHA8),
        ] {
            let forced = "decode-srgb-in-shader=on".parse().expect("a row");
            let offscreen = open_with(api, forced);
            let mut scene = scene(api, &offscreen, samples);
            let gl = offscreen.functions();
            let (texture, framebuffer) = host_texture(gl, internal);
            scene.context.backend().invalidate_state();
            let place = PresentRect { x: 4, y: 8, width: 32, height: 16, bottom_up, smooth: false };
            let nothing = scene
                .context
                .backend_mut()
                .present_into(FrameDestination::Texture(texture.0), &place);
            assert_eq!(nothing, Ok(false));
            for destination in [
                FrameDestination::Texture(texture.0),
                FrameDestination::Framebuffer(Some(framebuffer.0)),
            ] {
                scene.scissor(Some([1.0, 1.0, 2.0, 2.0]));
                scene.scissor(None);
                quarters(&mut scene);
                let backend = scene.context.backend_mut();
                assert_eq!(backend.present_into(destination, &place), Ok(true));
                let rows = if bottom_up { [20, 10] } else { [10, 20] };
                let places = rows.map(|y| [(6, y), (30, y)]).concat();
                for ((x, y), color) in places.into_iter().zip(QUARTERS) {
                    assert_eq!(pixel(gl, framebuffer, x, y), color, "{api}, {destination:?}");
                }
                for (x, y) in [(3, 10), (36, 10), (6, 7), (6, 24)] {
                    assert_eq!(pixel(gl, framebuffer, x, y), CLEAR, "{api}");
                }
                // SAFETY: the context is current.
                unsafe {
                    gl.bind_framebuffer(glow::DRAW_FRAMEBUFFER, Some(framebuffer));
                    gl.clear_buffer_f32_slice(glow::COLOR, 0, &[0.0; 4]);
                }
                scene.context.backend().invalidate_state();
            }
            // SAFETY: the context is current.
            let empty = unsafe {
                let empty = gl.create_texture().expect("a texture");
                gl.bind_texture(glow::TEXTURE_2D, Some(empty));
                empty
            };
            scene.context.backend().invalidate_state();
            let backend = scene.context.backend_mut();
            let refused = backend.present_into(FrameDestination::Texture(empty.0), &place);
            assert!(matches!(refused, Err(BackendError::Driver(_))), "{api}");
            quarters(&mut scene);
        }
    }
}
