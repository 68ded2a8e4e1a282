//! Small scenes for render targets and texture filters: cube faces, rectangles, streaming levels, missing clears. Each
//! scene runs with OpenGL and OpenGL ES.

use crate::common::APIS;
use crate::common::scene::{BLACK, BLUE, FLAT, FULL, GREEN, PASS, RED, SIZE, Scene, WHITE};
use context3d::arguments::{BitmapTarget, Rectangle};
use context3d::enums::{CompareMode, EnumArg, TextureFormat};
use context3d::keys::TextureKey;
use context3d::{Invocation, ObjectHandle, Reply};

const BGRA_RED: [u8; 4] = [0, 0, 255, 255];
const BGRA_GREEN: [u8; 4] = [0, 255, 0, 255];
const BGRA_BLUE: [u8; 4] = [255, 0, 0, 255];
const MIDDLE: (u32, u32) = (32, 32);

#[track_caller]
fn texture_of(scene: &mut Scene, command: Invocation<'_>) -> ObjectHandle<TextureKey> {
    match scene.call(command) {
        Reply::Texture(texture) => texture,
        other => panic!("no texture: {other:?}"),
    }
}

fn cube(scene: &mut Scene, size: i32) -> ObjectHandle<TextureKey> {
    let command = Invocation::CreateCubeTexture {
        size,
        format: EnumArg::Is(TextureFormat::Bgra),
        optimize_for_render_to_texture: true,
        streaming_levels: 0,
    };
    texture_of(scene, command)
}

/// `surfaceSelector` selects a face as the target; the top of the rendering is the top of the face when sampled.
#[test]
fn faces_of_a_cube_are_drawn_to_and_read() {
    for (api, anti_alias) in APIS.into_iter().flat_map(|api| [(api, 0), (api, 2)]) {
        let mut scene = Scene::new(api);
        let cube = cube(&mut scene, 16);
        scene.program(PASS, FLAT);
        let shade = |side: u32| f64::from(side + 1) / 8.0;
        for side in 0..6 {
            scene.call(Invocation::SetRenderToTexture {
                texture: Some(cube),
                enable_depth_and_stencil: false,
                anti_alias,
                surface_selector: side,
                color_output_index: 0,
            });
            scene.clear([0.0, 0.0, 1.0, 1.0]);
            scene.color([shade(side.cast_unsigned()), 0.0, 0.0, 1.0]);
            scene.quad([-1.0, 1.0, 1.0, 0.0], 0.5, [0.0; 4]);
        }
        scene.back_buffer();
        scene.clear([0.0, 0.0, 0.0, 1.0]);
        scene.program(PASS, "tex ft0, v0, fs0 <cube,nearest,clamp,nomip>\nmov oc, ft0");
        scene.bind_texture(0, Some(cube));
        // For each side: a direction near the face's top, and one near its bottom. Up is +Y except for the Y faces.
        let up: [[f32; 3]; 6] = [
            [1.0, 0.4, 0.0],
            [-1.0, 0.4, 0.0],
            [0.0, 1.0, -0.4],
            [0.0, -1.0, 0.4],
            [0.0, 0.4, 1.0],
            [0.0, 0.4, -1.0],
        ];
        for (side, [x, y, z]) in (0u32..).zip(up) {
            let down = up[side as usize].map(|c| if c.abs() < 1.0 { -c } else { c });
            scene.quad([-1.0, 1.0, 0.0, -1.0], 0.5, [x, y, z, 0.0]);
            scene.quad([0.0, 1.0, 1.0, -1.0], 0.5, [down[0], down[1], down[2], 0.0]);
            let picture = scene.picture();
            let what = format!("{api}, antialias {anti_alias}, side {side}");
            let level = (side + 1) * 255 / 8;
            let level = u8::try_from(level).expect("below 255");
            picture.expect((16, 32), [level, 0, 0, 255], &what);
            picture.expect((48, 32), BLUE, &what);
        }
    }
}

/// Rectangle textures may have any width and height, but no mip levels.
#[test]
fn rectangles_have_any_size() {
    for api in APIS {
        let mut scene = Scene::new(api);
        let rectangle = texture_of(
            &mut scene,
            Invocation::CreateRectangleTexture {
                width: 3,
                height: 5,
                format: EnumArg::Is(TextureFormat::Bgra),
                optimize_for_render_to_texture: false,
            },
        );
        let texels: Vec<u8> = (0..15u8).flat_map(|texel| [texel * 16, 0, 0, 255]).collect();
        scene.texels(rectangle, None, 0, &texels);
        scene.bind_texture(0, Some(rectangle));
        scene.program(PASS, "tex ft0, v0, fs0 <2d,nearest,clamp,nomip>\nmov oc, ft0");
        scene.picture_quad(FULL);
        let picture = scene.picture();
        for texel in 0..15u8 {
            let (column, row) = (u32::from(texel % 3), u32::from(texel / 3));
            let place = ((column * 2 + 1) * SIZE / 6, (row * 2 + 1) * SIZE / 10);
            picture.expect(place, [0, 0, texel * 16, 255], "rectangle");
        }
    }
}

/// Linear filters blend neighbouring texels; an anisotropic filter blends only along the minified axis.
#[test]
fn linear_and_anisotropic_filters() {
    for api in APIS {
        let mut scene = Scene::new(api);
        let texture = scene.texture(2, TextureFormat::Bgra);
        let texels = [BGRA_RED, BGRA_GREEN, BGRA_RED, BGRA_GREEN];
        scene.texels(texture, None, 0, texels.as_flattened());
        scene.texels(texture, None, 1, &BGRA_BLUE);
        scene.bind_texture(0, Some(texture));
        for (filter, at, expected) in [
            ("nearest", 0.45, RED),
            ("linear", 0.25, RED),
            ("linear", 0.5, [128, 128, 0, 255]),
            ("linear", 0.375, [191, 64, 0, 255]),
            ("linear", 0.9, GREEN),
        ] {
            let fragment = format!("tex ft0, v0, fs0 <2d,{filter},clamp,nomip>\nmov oc, ft0");
            scene.program(PASS, &fragment);
            scene.quad(FULL, 0.5, [at, 0.5, 0.0, 0.0]);
            let what = format!("{api}, {filter} at {at}");
            scene.picture().expect(MIDDLE, expected, &what);
        }
        // 64 columns at one texel per pixel, and 512 rows on 64 pixels: level 3 without anisotropy.
        let texture = scene.texture(512, TextureFormat::Bgra);
        for level in 0..10u32 {
            let side = 512usize >> level;
            let color = if level == 0 { BGRA_RED } else { BGRA_BLUE };
            scene.texels(texture, None, level, &color.repeat(side * side));
        }
        scene.bind_texture(0, Some(texture));
        for (filter, expected) in [("linear", BLUE), ("anisotropic16x", RED)] {
            let fragment = format!("tex ft0, v0, fs0 <2d,{filter},repeat,mipnearest>\nmov oc, ft0");
            scene.program(PASS, &fragment);
            let corner = |u: f32, v: f32| [u * 0.125, v, 0.0, 0.0];
            let corners = [corner(0.0, 0.0), corner(1.0, 0.0), corner(1.0, 1.0), corner(0.0, 1.0)];
            scene.quads(&[(FULL, 0.5, corners)]);
            let what = format!("{api}, {filter}");
            scene.picture().expect(MIDDLE, expected, &what);
        }
    }
}

/// With `streamingLevels`, a texture can be sampled before its largest levels are uploaded.
#[test]
fn levels_stream_in_from_the_smallest() {
    for api in APIS {
        let mut scene = Scene::new(api);
        let texture = texture_of(
            &mut scene,
            Invocation::CreateTexture {
                width: 8,
                height: 8,
                format: EnumArg::Is(TextureFormat::Bgra),
                optimize_for_render_to_texture: false,
                streaming_levels: 2,
            },
        );
        scene.bind_texture(0, Some(texture));
        scene.program(PASS, "tex ft0, v0, fs0 <2d,nearest,clamp,mipnearest>\nmov oc, ft0");
        let colors = [BGRA_RED, BGRA_GREEN, BGRA_BLUE, [255; 4]];
        for (level, seen) in [(3, None), (2, Some(BLUE)), (1, Some(GREEN)), (0, Some(RED))] {
            let side = 8usize >> level;
            scene.texels(texture, None, level, &colors[level as usize].repeat(side * side));
            if let Some(color) = seen {
                scene.picture_quad(FULL);
                let what = format!("{api}, level {level}");
                scene.picture().expect(MIDDLE, color, &what);
            }
        }
    }
}

/// Without a clear, each frame starts with a pattern [context3d.present.pattern].
#[test]
fn forgotten_clears_show() {
    for api in APIS {
        let mut scene = Scene::new(api);
        scene.call(Invocation::SetErrorChecking { value: false });
        scene.program(PASS, FLAT);
        scene.color([1.0, 0.0, 0.0, 1.0]);
        scene.call(Invocation::Present {});
        let mut seen = Vec::new();
        for _ in 0..3 {
            scene.depth(false, CompareMode::Always);
            scene.quad([-1.0, 1.0, 0.0, -1.0], 0.5, [0.0; 4]);
            let picture = scene.picture();
            picture.expect((16, 32), RED, "the draw");
            seen.push(picture.at(48, 32));
            scene.call(Invocation::Present {});
        }
        let (yellow, green) = ([255, 255, 0, 255], GREEN);
        assert!(
            seen == [yellow, green, yellow] || seen == [green, yellow, green],
            "{api}: {seen:?}"
        );
    }
}

/// Tests `clear` with each mask, and `drawToBitmapData` before `present`.
#[test]
fn clears_by_mask_and_bitmaps() {
    for api in APIS {
        let mut scene = Scene::new(api);
        scene.program(PASS, FLAT);
        let clear = |scene: &mut Scene, depth, mask| {
            scene.call(Invocation::Clear {
                red: 0.0,
                green: 1.0,
                blue: 0.0,
                alpha: 1.0,
                depth,
                stencil: 0,
                mask,
            });
        };
        // A depth clear keeps the colour, and hides later draws behind that depth.
        clear(&mut scene, 0.25, 2);
        scene.picture().expect(MIDDLE, BLACK, "depth alone");
        scene.depth(true, CompareMode::Less);
        scene.color([1.0, 0.0, 0.0, 1.0]);
        scene.quad(FULL, 0.5, [0.0; 4]);
        scene.picture().expect(MIDDLE, BLACK, "behind the cleared depth");
        // A colour clear keeps the depth.
        clear(&mut scene, 1.0, 1);
        scene.quad(FULL, 0.5, [0.0; 4]);
        scene.picture().expect(MIDDLE, GREEN, "colour alone");
        clear(&mut scene, 1.0, 7);
        scene.quad([-1.0, 1.0, 0.0, 0.0], 0.5, [0.0; 4]);
        let reply = scene.call(Invocation::DrawToBitmapData {
            destination: Some(BitmapTarget { width: 8, height: 4, transparent: true }),
            source_rect: Some(Rectangle { x: 28.0, y: 30.0, width: 8.0, height: 4.0 }),
            dest_point: None,
        });
        let Reply::Bitmap(patch) = reply else {
            panic!("no bitmap");
        };
        let pixel = |x: usize, y: usize| patch.bgra[(y * 8 + x) * 4..][..4].to_vec();
        assert_eq!(pixel(3, 1), BGRA_RED, "{api}");
        for (x, y) in [(4, 1), (3, 2), (7, 3)] {
            assert_eq!(pixel(x, y), BGRA_GREEN, "{api}: {x}, {y}");
        }
        scene.color([1.0; 4]);
        scene.call(Invocation::Present {});
        scene.clear([1.0; 4]);
        scene.picture().expect(MIDDLE, WHITE, "next frame");
    }
}
