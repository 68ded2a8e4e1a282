//! Bringing what was presented to where the host wants it.
#![allow(unsafe_code, reason = "the host's own GL calls")]

use crate::common::scene::{BLUE, FLAT, GREEN, PASS, RED, Scene, WHITE};
use crate::common::{APIS, open, open_with};
use backend_gl::glow::{self, HasContext as _};
use backend_gl::offscreen::{Api, Offscreen};
use backend_gl::present::{Destination, Layout, Placement, ReadError};
use context3d::Invocation;
use context3d::arguments::ByteOrder;
use context3d::backend::{BackendError, Region};

const CLEAR: [u8; 4] = [0; 4];
/// The colours of the picture's quarters: top left, top right, bottom left, bottom right.
const QUARTERS: [[u8; 4]; 4] = [RED, GREEN, BLUE, WHITE];

const TIGHT: Layout = Layout { order: ByteOrder::Rgba, stride: 64 * 4, bottom_up: false };

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

/// A texture of the host, 48 texels a side, zero, and a framebuffer with it.
fn host_texture(gl: &glow::Context, internal: u32) -> (glow::Texture, glow::Framebuffer) {
    // SAFETY: the context is current; the slice holds the texture.
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

/// A pixel as GL counts rows.
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
            // It stays while the next frame is drawn.
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
            let place = Placement { x: 4, y: 8, width: 32, height: 16, bottom_up, smooth: false };
            let nothing =
                scene.context.backend_mut().present_into(Destination::Texture(texture.0), &place);
            assert_eq!(nothing, Ok(false));
            for destination in
                [Destination::Texture(texture.0), Destination::Framebuffer(Some(framebuffer.0))]
            {
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
            let refused = backend.present_into(Destination::Texture(empty.0), &place);
            assert!(matches!(refused, Err(BackendError::Driver(_))), "{api}");
            quarters(&mut scene);
        }
    }
}

/// What `read_front` should give for the quarters.
fn expected(region: Region, layout: &Layout, bytes: usize) -> Vec<u8> {
    let mut out = vec![7; bytes];
    for y in 0..region.height {
        for x in 0..region.width {
            let (column, row) = (region.x + x, region.y + y);
            let color = QUARTERS[usize::from(row >= 32) * 2 + usize::from(column >= 32)];
            let row = if layout.bottom_up { region.height - 1 - y } else { y };
            let at = usize::try_from(row).expect("small") * layout.stride;
            let at = at + usize::try_from(x).expect("small") * 4;
            let [red, green, blue, alpha] = color;
            out[at..at + 4].copy_from_slice(&match layout.order {
                ByteOrder::Rgba => [red, green, blue, alpha],
                ByteOrder::Bgra => [blue, green, red, alpha],
            });
        }
    }
    out
}

#[test]
fn it_is_read_as_the_host_lays_it_out() {
    for api in APIS {
        let offscreen = open(api);
        let mut scene = scene(api, &offscreen, 4);
        let region = Region { x: 30, y: 20, width: 20, height: 14 };
        for order in [ByteOrder::Rgba, ByteOrder::Bgra] {
            for bottom_up in [false, true] {
                quarters(&mut scene);
                let layout = Layout { order, stride: 87, bottom_up };
                let mut out = vec![7; 87 * 14];
                let backend = scene.context.backend_mut();
                let read = backend.read_front(region, &layout, &mut out);
                assert_eq!(read, Ok(Some((20, 14))));
                assert!(out == expected(region, &layout, out.len()), "{api}, {layout:?}");
                let small = backend.read_front(region, &layout, &mut [0; 9]);
                let needed = 87 * 13 + 80;
                assert_eq!(small, Err(ReadError::Memory { needed }));
            }
        }
    }
}

/// Each picture once, without its alpha.
#[test]
fn it_is_taken_once_and_opaque() {
    for api in APIS {
        let offscreen = open(api);
        let mut scene = scene(api, &offscreen, 4);
        let mut rgba = Vec::new();
        let mut take = |scene: &mut Scene| {
            let taken = scene.context.backend_mut().take_front(&mut rgba);
            taken.expect("it is read").map(|size| (size, rgba.clone()))
        };
        assert_eq!(take(&mut scene), None, "{api}: nothing is presented");
        for color in [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]] {
            scene.clear(color);
            scene.call(Invocation::Present {});
            let opaque = color.map(crate::common::scene::byte);
            let opaque = [opaque[0], opaque[1], opaque[2], 255].repeat(64 * 64);
            assert_eq!(take(&mut scene), Some(((64, 64), opaque)), "{api}");
            assert_eq!(take(&mut scene), None, "{api}: it was taken");
        }
        // A new back buffer has no picture until it is presented.
        scene.call(Invocation::ConfigureBackBuffer {
            width: 32,
            height: 32,
            anti_alias: 0,
            enable_depth_and_stencil: false,
            wants_best_resolution: false,
            wants_best_resolution_on_browser_zoom: false,
        });
        assert_eq!(take(&mut scene), None, "{api}: another size");
        scene.clear([0.0, 1.0, 0.0, 1.0]);
        scene.call(Invocation::Present {});
        let green = [0, 255, 0, 255].repeat(32 * 32);
        assert_eq!(take(&mut scene), Some(((32, 32), green)), "{api}");
    }
}

/// Each call gives the frame before, whatever its size, and drawing goes on.
#[test]
fn delayed_reads_are_a_frame_late() {
    for api in APIS {
        let offscreen = open(api);
        let mut scene = scene(api, &offscreen, 0);
        let mut out = vec![7; 64 * 64 * 4];
        let read = |scene: &mut Scene, out: &mut [u8]| {
            let backend = scene.context.backend_mut();
            backend.read_front_delayed(Region::ALL, &TIGHT, out)
        };
        assert_eq!(read(&mut scene, &mut out), Ok(None), "nothing is presented");
        let shades = [0.0, 0.2, 0.4, 0.6, 0.8];
        for (n, shade) in shades.into_iter().enumerate() {
            scene.clear([shade, 0.0, 0.0, 1.0]);
            scene.call(Invocation::Present {});
            let before = n.checked_sub(1).map(|n| crate::common::scene::byte(shades[n]));
            let size = before.map(|_| (64, 64));
            assert_eq!(read(&mut scene, &mut out), Ok(size));
            if let Some(red) = before {
                let all = out.chunks(4).all(|pixel| pixel == [red, 0, 0, 255]);
                assert!(all, "{api}: frame {n}: {:?}", &out[..4]);
            }
        }
        let size = 50;
        scene.call(Invocation::ConfigureBackBuffer {
            width: size,
            height: size,
            anti_alias: 0,
            enable_depth_and_stencil: false,
            wants_best_resolution: false,
            wants_best_resolution_on_browser_zoom: false,
        });
        scene.clear([0.0, 1.0, 0.0, 1.0]);
        scene.call(Invocation::Present {});
        assert_eq!(read(&mut scene, &mut out), Ok(Some((64, 64))));
        assert_eq!(out[..4], [crate::common::scene::byte(0.8), 0, 0, 255]);
        quarters(&mut scene);
        assert_eq!(read(&mut scene, &mut out), Ok(Some((50, 50))));
        assert_eq!(out[..4], GREEN);
        let small = read(&mut scene, &mut []);
        let needed = 49 * 64 * 4 + 50 * 4;
        assert_eq!(small, Err(ReadError::Memory { needed }));
    }
}

#[test]
fn rows_lie_as_the_layout_says() {
    let rgba = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
    let layout = |order, stride, bottom_up| Layout { order, stride, bottom_up };
    let mut out = [0; 18];
    let turned = layout(ByteOrder::Bgra, 10, true);
    assert_eq!(turned.arrange(&rgba, (2, 2), &mut out), Ok(()));
    let expected = [11, 10, 9, 12, 15, 14, 13, 16, 0, 0, 3, 2, 1, 4, 7, 6, 5, 8];
    assert_eq!(out, expected);
    let plain = layout(ByteOrder::Rgba, 8, false);
    for plain in [plain, layout(ByteOrder::Rgba, 0, false)] {
        out.fill(7);
        assert_eq!(plain.arrange(&rgba, (2, 2), &mut out[..16]), Ok(()));
        assert_eq!(out[..16], rgba);
    }
    for (layout, bytes, needed) in [
        (turned, 17, 18),
        (layout(ByteOrder::Rgba, 7, false), 18, 16),
        (layout(ByteOrder::Rgba, usize::MAX, false), 18, usize::MAX),
    ] {
        let result = layout.arrange(&rgba, (2, 2), &mut out[..bytes]);
        assert_eq!(result, Err(ReadError::Memory { needed }));
    }
    assert_eq!(plain.arrange(&[], (0, 5), &mut []), Ok(()));
}
