//! Tests that an offscreen backend works while other code on the thread makes its own EGL context current.
#![allow(unsafe_code, reason = "the tests' own EGL")]

use crate::common::scene::{BLACK, FLAT, GREEN, PASS, RED, Scene, TEXTURED};
use crate::common::{APIS, open, undebugged};
use crate::egl::Stranger;
use backend_gl::offscreen::OffscreenOptions;
use context3d::Invocation;
use context3d::backend::ReadSurface;
use context3d::enums::TextureFormat;

const LEFT: [f32; 4] = [-1.0, 1.0, 0.0, -1.0];

/// Draws a frame with a target, an upload and a readback, and calls `intrude` before each packet.
fn frame(scene: &mut Scene, intrude: impl Fn()) {
    intrude();
    let texture = scene.texture(2, TextureFormat::Bgra);
    intrude();
    scene.texels(texture, None, 0, &[0, 255, 0, 255].repeat(4));
    intrude();
    scene.clear([0.0, 0.0, 0.0, 1.0]);
    scene.program(PASS, TEXTURED);
    scene.bind_texture(0, Some(texture));
    scene.picture_quad(LEFT);
    scene.bind_texture(0, None);
    let target = scene.texture(8, TextureFormat::Bgra);
    intrude();
    scene.target(target, 4);
    scene.clear([1.0, 0.0, 0.0, 1.0]);
    intrude();
    assert_eq!(scene.read_texture(target).at(4, 4), RED);
    intrude();
    scene.back_buffer();
    intrude();
    scene.program(PASS, FLAT);
    scene.color([1.0, 0.0, 0.0, 1.0]);
    scene.quad([0.5, 1.0, 1.0, -1.0], 0.5, [0.0; 4]);
    intrude();
    let picture = scene.picture();
    for (x, color) in [(8, GREEN), (40, BLACK), (56, RED)] {
        picture.expect((x, 32), color, "the back buffer");
    }
    intrude();
    scene.call(Invocation::Present {});
    intrude();
    let front = scene.read(ReadSurface::Front);
    front.expect((8, 32), GREEN, "what was presented");
}

/// Another user of EGL makes its context current before each call, even on the fast path of draws, and doesn't change
/// the image.
#[test]
fn another_context_may_become_current_between_any_two_calls() {
    for api in APIS {
        let draw = |intrude: &dyn Fn(&Stranger)| {
            let offscreen = undebugged(&OffscreenOptions::new(api));
            let stranger = Stranger::beside(&offscreen);
            let backend = offscreen.backend().expect("a backend");
            let mut scene = Scene::over(api, backend, (64, 64), 0);
            scene.program(PASS, FLAT);
            scene.color([0.0, 1.0, 0.0, 1.0]);
            scene.quad(LEFT, 0.5, [0.0; 4]);
            let indices = scene.indices(&[0, 1, 2, 0, 2, 3]);
            for frame in 0..2 {
                intrude(&stranger);
                scene.clear([0.0, 0.0, 1.0, 1.0]);
                intrude(&stranger);
                scene.color([1.0, 0.0, f64::from(frame), 1.0]);
                scene.draw(indices);
                intrude(&stranger);
                scene.draw(indices);
                intrude(&stranger);
                scene.call(Invocation::Present {});
            }
            scene.read(ReadSurface::Front).rgba
        };
        let alone = draw(&|_| {});
        assert!(draw(&Stranger::intrude) == alone, "{api}: a stranger's");
        assert!(draw(&Stranger::release) == alone, "{api}: none");
    }
}

#[test]
fn a_backend_finds_its_context_again() {
    for api in APIS {
        let offscreen = open(api);
        let stranger = Stranger::beside(&offscreen);
        let backend = offscreen.backend().expect("a backend");
        let mut scene = Scene::over(api, backend, (64, 64), 4);
        frame(&mut scene, || stranger.intrude());
        frame(&mut scene, || stranger.release());
        stranger.intrude();
        let other = open(api);
        let second = other.backend().expect("a backend");
        let mut second = Scene::over(api, second, (64, 64), 0);
        stranger.intrude();
        for scene in [&mut scene, &mut second] {
            frame(scene, || {});
        }
        // The deletion of dropped objects doesn't affect the other context.
        drop((second, other));
        stranger.intrude();
        drop(offscreen);
        assert!(stranger.is_current());
    }
}
