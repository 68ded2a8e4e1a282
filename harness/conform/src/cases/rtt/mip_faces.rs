//! Mip levels of rendered textures: which are generated, and from what. Every level has its own colour, so the expected
//! picture is known without a renderer.

use crate::calls::Calls as _;
use crate::case::Cases;
use crate::cases::rtt::cube::direction;
use crate::scene_builder::{Done, PASS, Quad, SIDE, SceneBuilder};
use crate::tolerance::Tolerance;
use molehill_replay::image::Image;

/// The reference says that levels are made, not when; which uploads win is open.
const SOURCE: &str =
    "[context3d.target.mips_when] [context3d.target.mips_uploads] [context3d.target.mips_faces]";

const SMALL: u32 = 8;

const RED: [u8; 4] = [255, 0, 0, 255];
const GREEN: [u8; 4] = [0, 255, 0, 255];
const BLUE: [u8; 4] = [0, 0, 255, 255];
const BLACK: [u8; 4] = [0, 0, 0, 255];

/// The bytes of a level of one colour.
fn level_of([r, g, b, a]: [u8; 4], level: u32) -> Vec<u8> {
    [b, g, r, a].repeat(1 << (2 * (SMALL.ilog2() - level)))
}

fn clear(s: &mut SceneBuilder, color: [u8; 4]) -> Done {
    s.clear(color.map(|byte| f64::from(byte) / 255.0))
}

/// Reads level 1 with a bias, in squares from left to right with their surroundings.
fn shown(colors: &[[u8; 4]]) -> Image {
    let mut picture = Image::filled(SIDE, SIDE, BLACK);
    for (index, color) in (0i64..).zip(colors) {
        let square = Image::filled(SMALL, SMALL, *color);
        picture.paste(&square, index * i64::from(SMALL), 0, false);
    }
    picture
}

#[expect(clippy::cast_precision_loss, reason = "8")]
const SQUARE: f32 = SMALL as f32;

fn show_flat(s: &mut SceneBuilder, texture: molehill_capture::objects::TextureId) -> Done {
    s.to_back_buffer()?;
    clear(s, BLACK)?;
    s.program(PASS, "tex oc, v0, fs0 <2d,nearest,clamp,mipnearest,1.25>")?;
    s.set_texture_at(0, texture)?;
    let corners = [0.0, 0.0, SQUARE, SQUARE];
    s.quads(&[Quad::textured(corners, [0.0, 0.0, 1.0, 1.0])])
}

pub(super) fn add(cases: &mut Cases) {
    let side = SMALL.cast_signed();
    let mut flat = |name: &str, color: [u8; 4], recipe: fn(&mut SceneBuilder, _) -> Done| {
        cases
            .within(Tolerance::ROUNDING)
            .scene(format!("rtt.mips.{name}"), SOURCE, move |s| {
                let texture = s.texture(side, side, "bgra")?;
                s.target(texture, (SMALL, SMALL), false, 0)?;
                recipe(s, texture)?;
                show_flat(s, texture)
            })
            .expects_pictures(move || vec![shown(&[color])]);
    };
    flat("made", RED, |s, _| clear(s, RED));
    flat("uploaded_into_target", GREEN, |s, texture| {
        clear(s, RED)?;
        s.upload(texture, level_of(GREEN, 1), 1)
    });
    flat("uploaded_before_drawing", GREEN, |s, texture| {
        s.upload(texture, level_of(GREEN, 1), 1)?;
        clear(s, RED)
    });
    flat("target_anew", BLUE, |s, texture| {
        clear(s, RED)?;
        s.upload(texture, level_of(GREEN, 1), 1)?;
        s.to_back_buffer()?;
        s.target(texture, (SMALL, SMALL), false, 0)?;
        clear(s, BLUE)
    });
    cases
        .within(Tolerance::ROUNDING)
        .scene("rtt.mips.other_faces", SOURCE, move |s| {
            let cube = s.cube(side, "bgra")?;
            for face in 0..6 {
                s.upload_cube(cube, level_of(BLUE, 0), face, 0)?;
                for level in 1..=SMALL.ilog2() {
                    s.upload_cube(cube, level_of(GREEN, level), face, level)?;
                }
            }
            s.set_render_to_texture(cube, false, 0, 3, 0)?;
            clear(s, RED)?;
            s.to_back_buffer()?;
            clear(s, BLACK)?;
            s.program(PASS, "tex oc, v0, fs0 <cube,nearest,clamp,mipnearest,1.25>")?;
            s.set_texture_at(0, cube)?;
            let quads = [(0.0, 2), (1.0, 3), (2.0, 5)].map(|(column, face)| {
                let at = |a, b| direction(face, a, b);
                Quad::of(
                    [column * SQUARE, 0.0, (column + 1.0) * SQUARE, SQUARE],
                    [at(-1.0, -1.0), at(1.0, -1.0), at(-1.0, 1.0), at(1.0, 1.0)],
                )
            });
            s.quads(&quads)
        })
        .expects_pictures(|| vec![shown(&[GREEN, RED, GREEN])]);
}
