//! Small scenes with known pixels: positions, orientation and changed bits. Each scene runs with OpenGL and OpenGL ES.
//! A GL error or a high-severity driver message fails the test (see `Scene`'s drop).

use crate::common::APIS;
use crate::common::scene::{
    BLACK, BLUE, Corners, FLAT, FULL, GREEN, PASS, Picture, RED, SIZE, Scene, TEXTURED, VARYING,
    WHITE, byte,
};
use context3d::Invocation;
use context3d::backend::ReadSurface;
use context3d::enums::{
    BlendFactor, CompareMode, EnumArg, FillMode, ProgramType, StencilAction, TextureFormat,
    TriangleFace,
};

/// The quarters of the screen, each with a pixel in its middle.
const TOP_LEFT: (Corners, (u32, u32)) = ([-1.0, 1.0, 0.0, 0.0], (16, 16));
const TOP_RIGHT: (Corners, (u32, u32)) = ([0.0, 1.0, 1.0, 0.0], (48, 16));
const BOTTOM_LEFT: (Corners, (u32, u32)) = ([-1.0, 0.0, 0.0, -1.0], (16, 48));
const BOTTOM_RIGHT: (Corners, (u32, u32)) = ([0.0, 0.0, 1.0, -1.0], (48, 48));

const R: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const G: [f32; 4] = [0.0, 1.0, 0.0, 1.0];
const B: [f32; 4] = [0.0, 0.0, 1.0, 1.0];
const W: [f32; 4] = [1.0; 4];

/// 2×2 texels in B, G, R, A: red, green; blue, white.
const FOUR_TEXELS: [u8; 16] = [
    0, 0, 255, 255, 0, 255, 0, 255, // red, green
    255, 0, 0, 255, 255, 255, 255, 255, // blue, white
];

#[track_caller]
fn expect_four(picture: &Picture, what: &str) {
    picture.expect(TOP_LEFT.1, RED, what);
    picture.expect(TOP_RIGHT.1, GREEN, what);
    picture.expect(BOTTOM_LEFT.1, BLUE, what);
    picture.expect(BOTTOM_RIGHT.1, WHITE, what);
}

/// [context3d.clip.corner] NDC (-1, 1) is the top-left pixel corner.
#[test]
fn up_is_up() {
    for api in APIS {
        let mut scene = Scene::new(api);
        scene.program(PASS, VARYING);
        scene.quads(&[
            (TOP_LEFT.0, 0.5, [R; 4]),
            (TOP_RIGHT.0, 0.5, [G; 4]),
            (BOTTOM_LEFT.0, 0.5, [B; 4]),
            (BOTTOM_RIGHT.0, 0.5, [W; 4]),
        ]);
        let picture = scene.picture();
        assert_eq!((picture.width, picture.height), (SIZE, SIZE));
        expect_four(&picture, "back buffer");
        for corner in [(0, 0), (31, 31)] {
            picture.expect(corner, RED, "the quarter's own corners");
        }
        scene.call(Invocation::Present {});
        expect_four(&scene.read(ReadSurface::Front), "front");
    }
}

/// [context3d.clip.texture_rows] [context3d.clip.target_rows] v = 0 is the top row of an upload, and the row drawn at
/// the top of a render target.
#[test]
fn textures_and_render_targets_are_upright() {
    for api in APIS {
        for anti_alias in [0, 4] {
            let mut scene = Scene::new(api);
            let uploaded = scene.texture(2, TextureFormat::Bgra);
            scene.texels(uploaded, None, 0, &FOUR_TEXELS);
            scene.bind_texture(0, Some(uploaded));
            let textured = scene.program(PASS, TEXTURED);
            scene.picture_quad(FULL);
            expect_four(&scene.picture(), "uploaded");

            let rendered = scene.texture(64, TextureFormat::Bgra);
            scene.target(rendered, anti_alias);
            scene.bind(textured);
            scene.picture_quad(FULL);
            expect_four(&scene.read_texture(rendered), "rendered, read");
            scene.back_buffer();
            scene.clear([0.0, 0.0, 0.0, 1.0]);
            scene.bind_texture(0, Some(rendered));
            scene.picture_quad(FULL);
            expect_four(&scene.picture(), "rendered, sampled");
        }
    }
}

/// A render target keeps its content between two passes [context3d.target.content].
#[test]
fn a_render_target_keeps_its_colour_between_visits() {
    for api in APIS {
        for anti_alias in [0, 4] {
            let mut scene = Scene::new(api);
            scene.program(PASS, VARYING);
            let texture = scene.texture(64, TextureFormat::Bgra);
            for (corners, color) in [(TOP_LEFT.0, R), (BOTTOM_RIGHT.0, G)] {
                scene.target(texture, anti_alias);
                scene.quad(corners, 0.5, color);
                scene.back_buffer();
                scene.clear([0.0; 4]);
            }
            let picture = scene.read_texture(texture);
            picture.expect(TOP_LEFT.1, RED, "first visit");
            picture.expect(BOTTOM_RIGHT.1, GREEN, "second visit");
            picture.expect(TOP_RIGHT.1, [0; 4], "never drawn");
        }
    }
}

/// [context3d.clip.volume] z is visible from 0 to w inclusive, as in Direct3D.
#[test]
fn depth_range_is_zero_to_one() {
    for api in APIS {
        let mut scene = Scene::new(api);
        scene.program(PASS, VARYING);
        scene.depth(false, CompareMode::Always);
        scene.quad(TOP_LEFT.0, 0.0, R);
        scene.quad(TOP_RIGHT.0, 1.0, R);
        scene.quad(BOTTOM_LEFT.0, -0.01, R);
        scene.quad(BOTTOM_RIGHT.0, 1.01, R);
        let picture = scene.picture();
        picture.expect(TOP_LEFT.1, RED, "z = 0");
        picture.expect(TOP_RIGHT.1, RED, "z = 1");
        picture.expect(BOTTOM_LEFT.1, BLACK, "z < 0");
        picture.expect(BOTTOM_RIGHT.1, BLACK, "z > w");

        // The depth buffer stores z / w: a clear to 0.5 lies between 0.45 and 0.55.
        scene.clear_with([0.0, 0.0, 0.0, 1.0], 0.5, 0);
        scene.depth(true, CompareMode::Less);
        scene.quad(TOP_LEFT.0, 0.45, G);
        scene.quad(TOP_RIGHT.0, 0.55, G);
        scene.depth(true, CompareMode::LessEqual);
        scene.quad(TOP_LEFT.0, 0.47, B);
        scene.quad(BOTTOM_LEFT.0, 0.5, B);
        let picture = scene.picture();
        picture.expect(TOP_LEFT.1, GREEN, "nearer, written, and in front of the next");
        picture.expect(TOP_RIGHT.1, BLACK, "farther");
        picture.expect(BOTTOM_LEFT.1, BLUE, "equal");
    }
}

/// An enabled depth test has no effect on a target without a depth buffer [context3d.depth.no_buffer].
#[test]
fn a_missing_depth_buffer_has_no_effect() {
    for api in APIS {
        let mut scene = Scene::new(api);
        scene.program(PASS, VARYING);
        let texture = scene.texture(64, TextureFormat::Bgra);
        scene.call(Invocation::SetRenderToTexture {
            texture: Some(texture),
            enable_depth_and_stencil: false,
            anti_alias: 0,
            surface_selector: 0,
            color_output_index: 0,
        });
        scene.depth(true, CompareMode::Less);
        // A stencil test without a stencil buffer has no effect [context3d.stencil.no_buffer].
        scene.stencil(TriangleFace::FrontAndBack, CompareMode::Never, [StencilAction::Keep; 3]);
        scene.quad(FULL, 0.2, R);
        scene.quad(FULL, 0.8, G);
        let picture = scene.read_texture(texture);
        picture.expect((3, 3), GREEN, "the last one drawn");
    }
}

/// [context3d.clip.front] front is clockwise on the screen, in the back buffer and in textures.
#[test]
fn culling_drops_the_right_side() {
    let clockwise = TOP_LEFT;
    // Swapping left and right reverses the winding.
    let ([left, top, right, bottom], at) = BOTTOM_RIGHT;
    let counter = ([right, top, left, bottom], at);
    for api in APIS {
        let mut scene = Scene::new(api);
        scene.program(PASS, VARYING);
        let texture = scene.texture(64, TextureFormat::Bgra);
        for to_texture in [false, true] {
            for (face, front_seen, back_seen) in [
                (TriangleFace::None, true, true),
                (TriangleFace::Back, true, false),
                (TriangleFace::Front, false, true),
                (TriangleFace::FrontAndBack, false, false),
            ] {
                if to_texture {
                    scene.target(texture, 0);
                }
                scene.clear([0.0, 0.0, 0.0, 1.0]);
                scene.cull(face);
                scene.quad(clockwise.0, 0.5, R);
                scene.quad(counter.0, 0.5, R);
                let picture =
                    if to_texture { scene.read_texture(texture) } else { scene.picture() };
                let what = format!("{api}, cull {face:?}, texture {to_texture}");
                let seen = |yes| if yes { RED } else { BLACK };
                picture.expect(clockwise.1, seen(front_seen), &what);
                picture.expect(counter.1, seen(back_seen), &what);
                scene.back_buffer();
            }
        }
    }
}

/// [context3d.blend.equation] The result is source * sf + destination * df, also for alpha.
#[test]
fn blend_factors() {
    let source = [0.8, 0.4, 0.2, 0.6];
    let below = [0.2, 0.6, 0.4, 0.8];
    let factor = |factor, channel: usize| match factor {
        BlendFactor::Zero => 0.0,
        BlendFactor::One => 1.0,
        BlendFactor::SourceColor => source[channel],
        BlendFactor::OneMinusSourceColor => 1.0 - source[channel],
        BlendFactor::SourceAlpha => source[3],
        BlendFactor::OneMinusSourceAlpha => 1.0 - source[3],
        BlendFactor::DestinationAlpha => below[3],
        BlendFactor::OneMinusDestinationAlpha => 1.0 - below[3],
        BlendFactor::DestinationColor => below[channel],
        BlendFactor::OneMinusDestinationColor => 1.0 - below[channel],
    };
    // Test every factor as source and destination; (one, zero) disables blending.
    use BlendFactor as F;
    let pairs = [
        (F::One, F::Zero),
        (F::Zero, F::SourceColor),
        (F::SourceAlpha, F::OneMinusSourceAlpha),
        (F::One, F::One),
        (F::DestinationColor, F::DestinationAlpha),
        (F::OneMinusDestinationColor, F::OneMinusSourceColor),
        (F::OneMinusSourceColor, F::SourceAlpha),
        (F::DestinationAlpha, F::OneMinusDestinationAlpha),
        (F::OneMinusDestinationAlpha, F::DestinationColor),
        (F::SourceColor, F::OneMinusDestinationColor),
        (F::OneMinusSourceAlpha, F::Zero),
    ];
    for api in APIS {
        let mut scene = Scene::new(api);
        scene.program(PASS, FLAT);
        scene.color(source);
        for (sf, df) in pairs {
            scene.clear(below);
            scene.blend(sf, df);
            scene.quad(FULL, 0.5, W);
            let expected: [u8; 4] = std::array::from_fn(|c| {
                let sum = source[c] * factor(sf, c) + below[c] * factor(df, c);
                byte(sum)
            });
            let what = format!("{api}, {sf:?}, {df:?}");
            scene.picture().expect((5, 5), expected, &what);
        }
    }
}

/// A write mask doesn't swizzle: `mov ft0.y, v0` writes v0.y ([agal.dest.mask]).
#[test]
fn masks_and_swizzles() {
    let cases = [
        ("mov ft0, fc0\nmov ft0.y, v0\nmov oc, ft0", [0.1, 0.6, 0.3, 1.0]),
        ("mov ft0, fc0\nmov ft0.yzw, v0.xyzz\nmov oc, ft0", [0.1, 0.6, 0.7, 0.7]),
        ("mov ft0, fc0\nmov ft0.xz, v0.wzyx\nmov oc, ft0", [0.8, 0.2, 0.6, 1.0]),
        ("mov ft0, fc0\nadd ft0.w, ft0.x, v0.y\nmov oc, ft0", [0.1, 0.2, 0.3, 0.7]),
        ("mov ft0, fc0\ndp3 ft0.yz, v0, fc1\nmov oc, ft0", [0.1, 0.9, 0.9, 1.0]),
        ("mov ft0, fc0\nmov ft0.xy, ft0.yx\nmov oc, ft0", [0.2, 0.1, 0.3, 1.0]),
    ];
    for api in APIS {
        let mut scene = Scene::new(api);
        for (fragment, expected) in cases {
            scene.program(PASS, fragment);
            scene.color([0.1, 0.2, 0.3, 1.0]);
            scene.constants(ProgramType::Fragment, 1, &[1.0, 1.0, -0.4 / 0.7, 0.0]);
            scene.quad(FULL, 0.5, [0.7, 0.6, 0.7, 0.8]);
            let expected = expected.map(byte);
            scene.picture().expect((5, 5), expected, fragment);
        }
    }
}

/// [agal.constant.banks] A constant keeps its value across programs and draws; a change affects existing programs.
#[test]
fn constants_are_shared_by_programs() {
    let sum = "add ft0, v0, fc0\nadd ft0, ft0, fc2\nmov oc, ft0";
    for api in APIS {
        let mut scene = Scene::new(api);
        let first = scene.program(PASS, FLAT);
        scene.color([1.0, 0.0, 0.0, 1.0]);
        scene.quad(TOP_LEFT.0, 0.5, W);
        let second = scene.program(PASS, sum);
        scene.quad(TOP_RIGHT.0, 0.5, [0.0; 4]);
        scene.constants(ProgramType::Fragment, 2, &[0.0, 0.0, 1.0, 0.0]);
        scene.quad(BOTTOM_LEFT.0, 0.5, [0.0; 4]);
        let picture = scene.picture();
        picture.expect(TOP_LEFT.1, RED, "first program");
        picture.expect(TOP_RIGHT.1, RED, "second program, same constant");
        picture.expect(BOTTOM_LEFT.1, [255, 0, 255, 255], "one register more");
        scene.color([0.0, 1.0, 0.0, 1.0]);
        scene.bind(first);
        scene.quad(TOP_LEFT.0, 0.5, W);
        scene.bind(second);
        scene.quad(TOP_RIGHT.0, 0.5, [0.0; 4]);
        let picture = scene.picture();
        picture.expect(TOP_LEFT.1, GREEN, "changed, first program");
        picture.expect(TOP_RIGHT.1, [0, 255, 255, 255], "changed, second program");
    }
}

/// Triangles with a shared edge cover each pixel on it once. A pixel centre on an edge belongs to the triangle below or
/// to the right (Direct3D's top-left rule).
#[test]
fn shared_edges_are_drawn_once() {
    // Offset of half a pixel in clip space, so that an edge runs through pixel centres.
    let half = 1.0 / SIZE as f32;
    for api in APIS {
        let mut scene = Scene::new(api);
        scene.program(PASS, VARYING);
        scene.blend(BlendFactor::One, BlendFactor::One);
        let part = |level: u8| [f32::from(level) / 255.0; 4];
        // Four quads of different brightness share edges; the two triangles of a quad share a diagonal.
        scene.quad([-1.0, 1.0, half, -half], 0.5, part(10));
        scene.quad([half, 1.0, 1.0, -half], 0.5, part(20));
        scene.quad([-1.0, -half, half, -1.0], 0.5, part(40));
        scene.quad([half, -half, 1.0, -1.0], 0.5, part(80));
        let picture = scene.picture();
        let caps = context3d::backend::Backend::caps(scene.context.backend());
        // GL lets the driver choose the rule for edges; llvmpipe and GPUs use the top-left rule, softpipe doesn't.
        let ruled = !caps.driver_info.contains("softpipe");
        for y in 0..SIZE {
            for x in 0..SIZE {
                let level = picture.at(x, y)[0];
                assert!([10, 20, 40, 80].contains(&level), "{api}: ({x}, {y}) is {level}");
                let expected = match (x < 32, y < 32) {
                    (true, true) => 10,
                    (false, true) => 20,
                    (true, false) => 40,
                    (false, false) => 80,
                };
                if ruled {
                    assert_eq!(level, expected, "{api}: ({x}, {y})");
                }
            }
        }
    }
}

/// Multisampled edges are blended, and resolved for reads and presents.
#[test]
fn antialiased_edges() {
    for api in APIS {
        let mut scene = Scene::with_samples(api, 4);
        scene.program(PASS, VARYING);
        let edge = 0.5 / SIZE as f32;
        scene.quad([-1.0, 1.0, edge, -1.0], 0.5, R);
        let picture = scene.picture();
        picture.expect((31, 9), RED, "inside");
        picture.expect((33, 9), BLACK, "outside");
        let between = picture.at(32, 9)[0];
        let caps = context3d::backend::Backend::caps(scene.context.backend());
        if caps.max_samples > 1 {
            assert!((1..255).contains(&between), "{api}: {between}");
        }
        scene.call(Invocation::Present {});
        assert_eq!(scene.read(ReadSurface::Front).at(32, 9)[0], between);
    }
}

/// Wireframe draws don't fill triangles; without driver support, the call is rejected.
#[test]
fn wireframe() {
    for api in APIS {
        let mut scene = Scene::new(api);
        let fill = |fill_mode| Invocation::SetFillMode { fill_mode: EnumArg::Is(fill_mode) };
        scene.program(PASS, VARYING);
        let middle = [-0.5, 0.5, 0.5, -0.5];
        let inside = (40, 20);
        if !context3d::backend::Backend::caps(scene.context.backend()).wireframe {
            let refused = scene.context.execute(&fill(FillMode::Wireframe));
            assert!(refused.is_err(), "{api}");
            continue;
        }
        scene.call(fill(FillMode::Wireframe));
        scene.quad(middle, 0.5, R);
        let picture = scene.picture();
        picture.expect(inside, BLACK, "inside of the upper triangle");
        // The quad's top edge lies between pixel rows 15 and 16.
        let rows = [15, 16].map(|row| picture.at(32, row));
        assert!(rows.contains(&RED), "{api}: its top edge is {rows:?}");
        scene.call(fill(FillMode::Solid));
        scene.quad(middle, 0.5, G);
        scene.picture().expect(inside, GREEN, "solid again");
    }
}
