//! Tests canvases that are displayed at reduced size, at original size, and enlarged.

use eframe::egui::{Color32, Pos2, Rect, Vec2};
use egui_kittest::Harness;
use molehill_inspector::gl::{CanvasTexture, EguiGl};
use molehill_replay::image::RgbaImage;

use crate::screen::Screen;

/// Width and height of the canvas. The rows of the canvas are alternately black and white.
const SIDE: u32 = 120;
/// Width and height of the copy into which [`CanvasTexture::shrink`] reduces the canvas.
const SMALL: u32 = 20;
/// The left edge and the size of the reduced canvas in the window.
const SHRUNK: (u32, u32) = (0, SIDE / 3);
/// The left edge and the size of the canvas at its original size, of the enlarged canvas, and of the reduced copy.
const EXACT: (u32, u32) = (50, SIDE);
const LARGER: (u32, u32) = (180, SIDE * 2);
const COPY: (u32, u32) = (430, SMALL);

fn striped(
    gl: &EguiGl,
    register: &dyn Fn(eframe::glow::Texture) -> eframe::egui::TextureId,
) -> [CanvasTexture; 2] {
    let canvas = |side| CanvasTexture::new(gl, (side, side), &mut |texture| register(texture));
    let [canvas, copy] = [SIDE, SMALL].map(|side| canvas(side).expect("a canvas"));
    for y in 0..SIDE.cast_signed() {
        canvas.fill([if y % 2 == 0 { 0 } else { 255 }; 3], (0, y, SIDE.cast_signed(), 1));
    }
    copy.shrink(&canvas, (0, 0), (SMALL, SMALL)).expect("drawn");
    canvas.finish((0, 0, SIDE.cast_signed(), SIDE.cast_signed()));
    copy.finish((0, 0, SMALL.cast_signed(), SMALL.cast_signed()));
    [canvas, copy]
}

/// Returns the red channel of a vertical line through the middle of a canvas. `side` is the width and height.
fn column(picture: &RgbaImage, (left, side): (u32, u32)) -> Vec<u8> {
    (0..side).map(|y| picture.pixel(left + side / 2, y).expect("inside")[0]).collect()
}

fn shown(own_textures: bool) -> RgbaImage {
    let screen = Screen::open();
    let (gl, register, mut canvases) = (screen.gl(), screen.register(), None);
    let size = Vec2::new(460.0, 240.0);
    let mut harness =
        Harness::builder().with_size(size).renderer(screen.renderer()).build_ui(move |ui| {
            let [canvas, copy] = canvases.get_or_insert_with(|| {
                let textures = ui.ctx().tex_manager();
                let gl = if own_textures { gl.clone().with_textures(textures) } else { gl.clone() };
                striped(&gl, &register)
            });
            gl.prepare(ui);
            let all = Rect::from_min_max(Pos2::ZERO, Pos2::new(1.0, 1.0));
            for (canvas, (left, side)) in
                [(&*canvas, SHRUNK), (canvas, EXACT), (canvas, LARGER), (copy, COPY)]
            {
                let place =
                    Rect::from_min_size(Pos2::new(left as f32, 0.0), Vec2::splat(side as f32));
                ui.ctx().debug_painter().image(canvas.id, place, all, Color32::WHITE);
            }
        });
    harness.step();
    let picture = screen.paint(&harness.ctx.clone(), harness.output());
    drop(harness);
    picture
}

#[test]
fn a_smaller_picture_is_a_mean_and_others_are_exact() {
    for own_textures in [false, true] {
        let picture = shown(own_textures);
        let stripe = |y: u32| if y.is_multiple_of(2) { 0 } else { 255 };
        assert_eq!(column(&picture, EXACT), (0..SIDE).map(stripe).collect::<Vec<_>>());
        let doubled = (0..SIDE * 2).map(|y| stripe(y / 2)).collect::<Vec<_>>();
        assert_eq!(column(&picture, LARGER), doubled);
        for place in [SHRUNK, COPY] {
            let column = column(&picture, place);
            assert!(column.iter().all(|red| (120..=136).contains(red)), "{place:?}: {column:?}");
        }
    }
}
