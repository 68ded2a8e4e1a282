//! `drawToBitmapData`: copies of pixels. The expected pixels are computed here, without a renderer.

use context3d::Profile;

use crate::calls::Calls as _;
use crate::case::{Cases, Feature};
use crate::drawing::{CELLS, cells, color, corners};
use crate::scene_builder::{Done, FULL, PASS, Quad, SIDE, SceneBuilder, VARYING};
use molehill_capture::data::BitmapTarget;
use molehill_replay::image::Image;

const SOURCE: &str = "[context3d.bitmap.copy] [context3d.bitmap.part] [context3d.bitmap.alpha]";
const STATE: &str = "[context3d.bitmap.state]";

/// Source rectangle: x, y, width, height.
type Part = Option<[u16; 4]>;

/// Destination point.
type Place = Option<[u16; 2]>;

/// Copies: name, source, destination, size of the bitmap.
const COPIES: [(&str, Part, Place, [u32; 2]); 15] = [
    ("whole", None, None, [SIDE, SIDE]),
    ("larger", None, None, [40, 50]),
    ("smaller", None, None, [10, 7]),
    ("one_pixel", None, None, [1, 1]),
    ("source", Some([5, 7, 11, 9]), None, [SIDE, SIDE]),
    ("source.column", Some([31, 0, 1, 32]), None, [SIDE, SIDE]),
    ("source.row", Some([0, 31, 32, 1]), None, [SIDE, SIDE]),
    ("source.beyond", Some([20, 25, 100, 100]), None, [SIDE, SIDE]),
    ("source.empty", Some([3, 3, 0, 5]), None, [8, 8]),
    ("source.at_the_edge", Some([32, 32, 4, 4]), None, [8, 8]),
    ("point", None, Some([6, 3]), [SIDE, SIDE]),
    ("point.beyond", None, Some([30, 29]), [SIDE, SIDE]),
    ("point.at_the_edge", None, Some([12, 9]), [12, 9]),
    ("both", Some([9, 2, 13, 17]), Some([4, 11]), [SIDE, SIDE]),
    ("both.clipped", Some([9, 2, 13, 17]), Some([8, 5]), [16, 12]),
];

pub(super) fn add(cases: &mut Cases) {
    for copy in COPIES {
        for transparent in [true, false] {
            copied(cases, copy, transparent);
        }
    }
    frames(cases);
    unaffected(cases);
}

/// A cell's colour.
fn cell(column: u16, row: u16) -> [u8; 4] {
    let byte = |value: u16| u8::try_from(value).unwrap_or(u8::MAX);
    [
        byte(column * 36),
        byte(row * 36),
        byte((column ^ row) * 30 + 20),
        byte(255 - row * 20 - column * 9),
    ]
}

fn paint(s: &mut SceneBuilder) -> Done {
    s.program(PASS, VARYING)?;
    s.quads(&cells(|_, _| 0.5, |column, row| color(cell(column, row))))
}

/// The picture of [`paint`].
fn painted() -> Image {
    let mut picture = Image::filled(SIDE, SIDE, [0; 4]);
    for (column, row) in (0..CELLS).flat_map(|row| (0..CELLS).map(move |column| (column, row))) {
        let [x, y, ..] = [column, row].map(|at| i64::from(at) * 4);
        picture.paste(&Image::filled(4, 4, cell(column, row)), x, y, false);
    }
    picture
}

fn shape([width, height]: [u32; 2], transparent: bool) -> BitmapTarget {
    BitmapTarget { width, height, transparent, disposed: false }
}

/// A bitmap after part of a picture was copied to it.
fn bitmap(shape: &BitmapTarget, picture: &Image, part: Part, place: Place) -> Image {
    let [left, top, width, height] = part.map_or([0, 0, SIDE, SIDE], |part| part.map(u32::from));
    let [to_x, to_y] = place.map_or([0, 0], |place| place.map(u32::from));
    let pixel = |x: u32, y: u32| {
        let (column, row) = (x.checked_sub(to_x)?, y.checked_sub(to_y)?);
        let inside = column < width && row < height;
        inside.then(|| picture.pixel(left + column, top + row)).flatten()
    };
    let places = (0..shape.height).flat_map(|y| (0..shape.width).map(move |x| (x, y)));
    let rgba = places.flat_map(|(x, y)| {
        let [r, g, b, a] = pixel(x, y).unwrap_or([0; 4]);
        [r, g, b, if shape.transparent { a } else { 255 }]
    });
    Image::from_rgba(shape.width, shape.height, rgba.collect())
        .unwrap_or_else(|| Image::filled(0, 0, [0; 4]))
}

fn copied(
    cases: &mut Cases,
    (name, part, place, size): (&str, Part, Place, [u32; 2]),
    transparent: bool,
) {
    let kind = if transparent { "transparent" } else { "opaque" };
    let shape = shape(size, transparent);
    let case = cases.scene(format!("api.drawToBitmapData.{name}.{kind}"), SOURCE, move |s| {
        paint(s)?;
        s.draw_to_bitmap_data(
            shape,
            part.map(|part| part.map(f64::from)),
            place.map(|place| place.map(f64::from)),
        )
    });
    case.expects_pictures(move || {
        let picture = painted();
        vec![bitmap(&shape, &picture, part, place), picture]
    });
}

/// Copies at different times in a frame: after a clear without draws, and several in one frame.
fn frames(cases: &mut Cases) {
    let whole = || shape([SIDE, SIDE], true);
    cases
        .scene("api.drawToBitmapData.frame.cleared", SOURCE, move |s| {
            s.clear([0.2, 0.4, 0.6, 0.8])?;
            s.draw_to_bitmap_data(whole(), None, None)
        })
        .expects_pictures(|| vec![Image::filled(SIDE, SIDE, [51, 102, 153, 204]); 2]);
    cases
        .scene("api.drawToBitmapData.frame.between_draws", SOURCE, move |s| {
            s.draw_to_bitmap_data(whole(), None, None)?;
            paint(s)?;
            s.draw_to_bitmap_data(whole(), None, None)?;
            s.quads(&[Quad::flat(corners(2, 3), 0.5, color([255, 0, 102, 51]))])?;
            s.draw_to_bitmap_data(whole(), None, None)
        })
        .expects_pictures(|| {
            let mut last = painted();
            last.paste(&Image::filled(4, 4, [255, 0, 102, 51]), 8, 12, false);
            let black = Image::filled(SIDE, SIDE, [0, 0, 0, 255]);
            vec![black, painted(), last.clone(), last]
        });
    cases
        .scene("api.drawToBitmapData.frame.second", SOURCE, move |s| {
            s.clear([1.0, 0.0, 0.0, 1.0])?;
            s.present()?;
            s.clear([0.0, 0.0, 1.0, 1.0])?;
            paint(s)?;
            s.draw_to_bitmap_data(whole(), None, None)
        })
        .expects_pictures(|| {
            let red = Image::filled(SIDE, SIDE, [255, 0, 0, 255]);
            vec![red, painted(), painted()]
        });
}

/// State of draw calls that doesn't affect the copy.
fn unaffected(cases: &mut Cases) {
    let part = Some([3.0, 5.0, 20.0, 21.0]);
    let mut state = |name: &str, set: fn(&mut SceneBuilder) -> Done| {
        cases
            .scene(format!("api.drawToBitmapData.state.{name}"), STATE, move |s| {
                paint(s)?;
                set(s)?;
                s.draw_to_bitmap_data(shape([SIDE, SIDE], true), part, None)
            })
            .expects_pictures(|| {
                let picture = painted();
                let shape = shape([SIDE, SIDE], true);
                vec![bitmap(&shape, &picture, Some([3, 5, 20, 21]), None), picture]
            });
    };
    state("scissor", |s| s.set_scissor_rectangle(Some([8.0, 8.0, 4.0, 4.0])));
    state("color_mask", |s| s.color_mask([false, true, false, false]));
    state("blend", |s| s.set_blend_factors("zero", "zero"));
    state("stencil", |s| s.stencil("frontAndBack", "never", ["keep", "keep", "keep"]));
    cases
        .scene("api.drawToBitmapData.antialiased", STATE, move |s| {
            s.configure(SIDE, SIDE, 4, true)?;
            s.clear([0.0, 0.0, 0.0, 1.0])?;
            paint(s)?;
            s.draw_to_bitmap_data(shape([SIDE, SIDE], true), part, None)?;
            // Drawing continues after a resolve.
            s.quads(&[Quad::flat(FULL, 0.5, color([0, 153, 204, 204]))])
        })
        .needs(Feature::Multisampling)
        .expects_pictures(|| {
            let shape = shape([SIDE, SIDE], true);
            let read = bitmap(&shape, &painted(), Some([3, 5, 20, 21]), None);
            vec![read, Image::filled(SIDE, SIDE, [0, 153, 204, 204])]
        });
    // The constrained profile's bitmaps are always opaque [context3d.bitmap.alpha].
    cases
        .scene("api.drawToBitmapData.constrained", SOURCE, move |s| {
            paint(s)?;
            s.draw_to_bitmap_data(shape([SIDE, SIDE], true), None, None)
        })
        .exactly(Profile::BaselineConstrained)
        .expects_pictures(|| {
            let opaque = shape([SIDE, SIDE], false);
            vec![bitmap(&opaque, &painted(), None, None), painted()]
        });
}
