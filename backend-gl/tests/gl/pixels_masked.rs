//! Pixel tests, like `pixels.rs`, for masks and tests: stencil, scissor, colour mask, depth mask.

use crate::common::APIS;
use crate::common::scene::{BLACK, BLUE, Corners, FULL, GREEN, PASS, RED, Scene, VARYING, WHITE};
use context3d::Invocation;
use context3d::enums::{CompareMode, StencilAction, TextureFormat, TriangleFace};

/// The quarters of the screen, each with a pixel in its middle.
const TOP_LEFT: (Corners, (u32, u32)) = ([-1.0, 1.0, 0.0, 0.0], (16, 16));
const TOP_RIGHT: (Corners, (u32, u32)) = ([0.0, 1.0, 1.0, 0.0], (48, 16));
const BOTTOM_LEFT: (Corners, (u32, u32)) = ([-1.0, 0.0, 0.0, -1.0], (16, 48));

const R: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const G: [f32; 4] = [0.0, 1.0, 0.0, 1.0];
const B: [f32; 4] = [0.0, 0.0, 1.0, 1.0];

/// Stencil tests, actions, references and masks can differ between front and back faces.
#[test]
fn stencil_tells_the_faces_apart() {
    use StencilAction::{DecrementSaturate, IncrementSaturate, Keep, Set};
    for api in APIS {
        let mut scene = Scene::new(api);
        let keep = [Keep; 3];
        scene.program(PASS, VARYING);
        scene.clear_with([0.0, 0.0, 0.0, 1.0], 1.0, 5);
        // Front faces increment the stencil, back faces decrement it.
        let up = [IncrementSaturate, Keep, Keep];
        let down = [DecrementSaturate, Keep, Keep];
        scene.stencil(TriangleFace::Front, CompareMode::Always, up);
        scene.stencil(TriangleFace::Back, CompareMode::Always, down);
        let ([left, top, right, bottom], _) = TOP_RIGHT;
        scene.quad(TOP_LEFT.0, 0.5, B);
        scene.quad([right, top, left, bottom], 0.5, B);
        // Draw where the stencil is 6, then where it is 4.
        for (reference, color) in [(6, R), (4, G)] {
            scene.stencil(TriangleFace::FrontAndBack, CompareMode::Equal, keep);
            scene.stencil_reference(reference, 255, 255);
            scene.quad(FULL, 0.5, color);
        }
        let picture = scene.picture();
        picture.expect(TOP_LEFT.1, RED, "front faces");
        picture.expect(TOP_RIGHT.1, GREEN, "back faces");
        picture.expect(BOTTOM_LEFT.1, BLACK, "untouched, 5");

        // Stencil masks restrict writes and reads to the low four bits.
        scene.clear_with([0.0, 0.0, 0.0, 1.0], 1.0, 0xA0);
        scene.stencil(TriangleFace::FrontAndBack, CompareMode::Always, [Set, Keep, Keep]);
        scene.stencil_reference(0xFF, 0xFF, 0x0F);
        scene.quad(TOP_LEFT.0, 0.5, B);
        scene.stencil(TriangleFace::FrontAndBack, CompareMode::Equal, keep);
        scene.stencil_reference(0xAF, 0xFF, 0xFF);
        scene.quad(TOP_LEFT.0, 0.5, R);
        scene.stencil_reference(0x5F, 0x0F, 0xFF);
        scene.quad([-1.0, 1.0, -0.5, 0.0], 0.5, G);
        let picture = scene.picture();
        picture.expect((8, 16), GREEN, "read mask");
        picture.expect((24, 16), RED, "write mask");
    }
}

/// Depth fail and stencil fail have their own actions, and the stencil clear ignores the write mask.
#[test]
fn stencil_actions_by_outcome() {
    use StencilAction::{Invert, Keep, Set, Zero};
    for api in APIS {
        let mut scene = Scene::new(api);
        scene.program(PASS, VARYING);
        scene.stencil_reference(1, 255, 0);
        scene.clear_with([0.0, 0.0, 0.0, 1.0], 0.5, 3);
        scene.stencil_reference(3, 255, 255);
        scene.depth(false, CompareMode::Less);
        // Stencil: 3 at the top left (pass), 0 at the top right (depth fails), !3 at the bottom left (stencil fails).
        let actions = [Set, Zero, Invert];
        scene.stencil(TriangleFace::FrontAndBack, CompareMode::Equal, actions);
        scene.quad(TOP_LEFT.0, 0.2, B);
        scene.quad(TOP_RIGHT.0, 0.8, B);
        scene.stencil_reference(7, 255, 255);
        scene.quad(BOTTOM_LEFT.0, 0.2, B);
        scene.depth(false, CompareMode::Always);
        scene.stencil(TriangleFace::FrontAndBack, CompareMode::Equal, [Keep; 3]);
        for (reference, (corners, at)) in [(3, TOP_LEFT), (0, TOP_RIGHT), (0xFC, BOTTOM_LEFT)] {
            scene.stencil_reference(reference, 255, 255);
            scene.quad(corners, 0.5, R);
            scene.picture().expect(at, RED, "the expected stencil value");
        }
    }
}

/// Draws affect only the scissor rectangle, which counts from the top left; clears ignore it [context3d.clear.scissor].
#[test]
fn scissor_counts_from_the_top_left() {
    for api in APIS {
        let mut scene = Scene::new(api);
        scene.program(PASS, VARYING);
        scene.scissor(Some([4.0, 8.0, 10.0, 20.0]));
        scene.quad(FULL, 0.5, R);
        let picture = scene.picture();
        for inside in [(4, 8), (13, 27)] {
            picture.expect(inside, RED, "inside");
        }
        for outside in [(3, 8), (4, 7), (14, 27), (13, 28), (4, 40)] {
            picture.expect(outside, BLACK, "outside");
        }
        scene.clear([0.0, 1.0, 0.0, 1.0]);
        scene.picture().expect((60, 60), GREEN, "clear");
        // In a render texture, the scissor rectangle also counts from the top left.
        let texture = scene.texture(64, TextureFormat::Bgra);
        scene.target(texture, 0);
        scene.quad(FULL, 0.5, R);
        let picture = scene.read_texture(texture);
        picture.expect((4, 8), RED, "inside, texture");
        picture.expect((4, 40), [0; 4], "outside, texture");
        scene.back_buffer();
        scene.scissor(None);
        scene.quad(FULL, 0.5, B);
        scene.picture().expect((60, 60), BLUE, "off again");
    }
}

/// The colour mask affects draws but not clears [context3d.clear.color_mask].
#[test]
fn color_mask() {
    for api in APIS {
        let mut scene = Scene::new(api);
        scene.program(PASS, VARYING);
        scene.call(Invocation::SetColorMask { red: true, green: false, blue: true, alpha: false });
        scene.quad(TOP_LEFT.0, 0.5, [1.0, 1.0, 0.5, 0.0]);
        scene.picture().expect(TOP_LEFT.1, [255, 0, 128, 255], "draw");
        scene.clear([1.0, 1.0, 1.0, 1.0]);
        scene.picture().expect(TOP_LEFT.1, WHITE, "clear");
    }
}

/// The depth mask of earlier draws doesn't affect a clear.
#[test]
fn clear_ignores_the_depth_mask() {
    for api in APIS {
        let mut scene = Scene::new(api);
        scene.program(PASS, VARYING);
        scene.depth(false, CompareMode::Less);
        scene.quad(FULL, 0.5, R);
        scene.clear_with([0.0, 0.0, 0.0, 1.0], 0.25, 0);
        scene.quad(FULL, 0.5, G);
        scene.picture().expect((5, 5), BLACK, "behind the cleared depth");
    }
}
