//! Rendering to textures: formats, sizes, faces, several at once, mips, depth, and what stays.

use context3d::Profile;
use context3d::agal::cube;

use super::blend::show;
use super::grid::{CELLS, cells, color, column, corners};
use super::raster::{into_texture, pick};
use crate::case::{Cases, Feature};
use crate::scene_builder::{Done, FULL, PASS, Quad, SIDE, SceneBuilder, VARYING};
use crate::tolerance::Tolerance;
use molehill_capture::TextureId;

const SOURCE: &str = "context3d.md section 7";

/// Formats that can be a target: profile, and what rounding they bring.
pub(super) const FORMATS: [(&str, Profile, Tolerance); 4] = [
    ("bgra", Profile::Baseline, Tolerance::ROUNDING),
    (
        "bgrPacked565",
        Profile::Baseline,
        Tolerance::channel(9, "five bits may be rounded either way"),
    ),
    (
        "bgraPacked4444",
        Profile::Baseline,
        Tolerance::channel(18, "four bits may be rounded either way"),
    ),
    (
        "rgbaHalfFloat",
        Profile::StandardConstrained,
        Tolerance::ROUNDING,
    ),
];

pub(super) fn add(cases: &mut Cases) {
    formats(cases);
    sizes(cases);
    faces(cases);
    super::outputs::add(cases);
    mips(cases);
    contents(cases);
    depth(cases);
}

fn formats(cases: &mut Cases) {
    for (format, profile, tolerance) in FORMATS {
        for rectangle in [false, true] {
            let kind = if rectangle { "rectangle" } else { "texture" };
            let case = cases.scene(
                format!("rtt.format.{format}.{kind}"),
                SOURCE,
                tolerance,
                move |s| {
                    let side = SIDE.cast_signed();
                    let texture = match rectangle {
                        true => s.rectangle(side, side, format)?,
                        false => s.texture(side, side, format)?,
                    };
                    s.target(texture, (SIDE, SIDE), false, 0)?;
                    s.clear([0.2, 0.4, 0.6, 0.8])?;
                    s.program(PASS, VARYING)?;
                    let quads = cells(|_, _| 0.5, |column, row| pick(column + row)).into_iter();
                    s.quads(&quads.step_by(3).collect::<Vec<_>>())?;
                    show(s, texture)
                },
            );
            case.profile(profile);
            if format == "rgbaHalfFloat" {
                case.needs(Feature::HalfFloatTargets);
            }
        }
        // A gradient shows how values between are rounded.
        let case = cases.scene(
            format!("rtt.gradient.{format}"),
            SOURCE,
            tolerance,
            move |s| {
                let side = SIDE.cast_signed();
                let texture = s.texture(side, side, format)?;
                s.target(texture, (SIDE, SIDE), false, 0)?;
                s.clear([0.0; 4])?;
                s.program(PASS, VARYING)?;
                s.quads(&[Quad {
                    corners: FULL,
                    z: 0.5,
                    values: [
                        [0.0, 0.0, 1.0, 1.0],
                        [1.0, 0.0, 0.5, 0.5],
                        [0.0, 1.0, 0.5, 0.5],
                        [1.0, 1.0, 0.0, 0.0],
                    ],
                    back: false,
                }])?;
                show(s, texture)
            },
        );
        case.profile(profile);
        if format == "rgbaHalfFloat" {
            case.needs(Feature::HalfFloatTargets);
        }
    }
    half_floats(cases);
}

fn half_floats(cases: &mut Cases) {
    for (word, value) in [("above_1", 4.0f32), ("below_0", -0.75), ("small", 0.001)] {
        cases
            .scene(format!("rtt.half_float.{word}"), "textures-and-atf.md section 1", Tolerance::channel(2, "half floats have eleven bits"), move |s| {
                let side = SIDE.cast_signed();
                let texture = s.texture(side, side, "rgbaHalfFloat")?;
                s.target(texture, (SIDE, SIDE), false, 0)?;
                s.clear([0.0; 4])?;
                s.program(PASS, VARYING)?;
                s.quads(&[Quad::flat(FULL, 0.5, [value, value * 0.5, value * 0.25, 1.0])])?;
                s.to_back_buffer()?;
                s.clear([0.0; 4])?;
                s.program(PASS, "tex ft0, v0, fs0 <2d,nearest,clamp,mipnone>\nmul ft0, ft0, fc0.x\nabs oc, ft0")?;
                s.constants("fragment", 0, &[[f64::from(0.8 / value), 0.0, 0.0, 0.0]])?;
                s.bind(0, Some(texture))?;
                s.quads(&[Quad::textured(FULL, [0.0, 0.0, 1.0, 1.0])])
            })
            .profile(Profile::StandardConstrained)
            .needs(Feature::HalfFloatTargets);
    }
}

fn sizes(cases: &mut Cases) {
    for (width, height) in [
        (1u32, 1u32),
        (1, 16),
        (16, 1),
        (2, 2),
        (8, 32),
        (64, 16),
        (128, 128),
    ] {
        cases.scene(
            format!("rtt.size.{width}x{height}"),
            SOURCE,
            Tolerance::ROUNDING,
            move |s| {
                let texture = s.texture(width.cast_signed(), height.cast_signed(), "bgra")?;
                s.target(texture, (width, height), true, 0)?;
                s.clear([0.2, 0.4, 0.6, 1.0])?;
                s.program(PASS, VARYING)?;
                #[expect(clippy::cast_precision_loss, reason = "sizes are small")]
                let (right, bottom) = (width as f32, height as f32);
                s.quads(&[Quad::flat(
                    [0.0, 0.0, (right / 2.0).ceil(), (bottom / 2.0).ceil()],
                    0.5,
                    color([255, 102, 0, 255]),
                )])?;
                show(s, texture)
            },
        );
    }
    for (width, height) in [(3u32, 5u32), (31, 17), (33, 64)] {
        cases.scene(
            format!("rtt.rectangle.{width}x{height}"),
            SOURCE,
            Tolerance::edges(1, 70, "texels lie between pixels"),
            move |s| {
                let texture = s.rectangle(width.cast_signed(), height.cast_signed(), "bgra")?;
                s.target(texture, (width, height), true, 0)?;
                s.clear([0.2, 0.4, 0.6, 1.0])?;
                s.program(PASS, VARYING)?;
                s.quads(&[Quad::flat(
                    [0.0, 0.0, 2.0, 3.0],
                    0.5,
                    color([255, 102, 0, 255]),
                )])?;
                show(s, texture)
            },
        );
    }
}

/// Draws a colour and a mark into one face.
fn face(s: &mut SceneBuilder, cube: TextureId, side: i32) -> Done {
    s.output(Some(cube), true, 0, side, 0)?;
    let shade = f64::from(side + 1) / 10.0;
    s.clear([shade, 1.0 - shade, 0.2, 1.0])?;
    s.program(PASS, VARYING)?;
    s.quads(&[Quad::flat(
        corners(1, 2),
        0.5,
        pick(u16::try_from(side).unwrap_or(0) + 1),
    )])
}

/// Where a place on a side lies, from -1, -1 at the left top to 1, 1.
pub(super) fn direction(side: u8, a: f32, b: f32) -> [f32; 4] {
    let [x, y, z] = cube::unproject(side, [a, b]);
    [x, y, z, 0.0]
}

/// Shows a cube's six faces, in two rows.
pub(super) fn show_cube(s: &mut SceneBuilder, cube: TextureId, options: &str) -> Done {
    s.to_back_buffer()?;
    s.clear([0.0, 0.0, 0.0, 1.0])?;
    s.program(PASS, &format!("tex oc, v0, fs0 <cube,{options}>"))?;
    s.bind(0, Some(cube))?;
    const ALMOST: f32 = 0.96;
    let quads: Vec<Quad> = (0..cube::FACES)
        .map(|side| {
            let (x, y) = (f32::from(side % 3) * 10.0, f32::from(side / 3) * 16.0);
            let at = |a, b| direction(side, a * ALMOST, b * ALMOST);
            Quad {
                corners: [x, y, x + 10.0, y + 16.0],
                z: 0.5,
                values: [at(-1.0, -1.0), at(1.0, -1.0), at(-1.0, 1.0), at(1.0, 1.0)],
                back: false,
            }
        })
        .collect();
    s.quads(&quads)
}

fn faces(cases: &mut Cases) {
    let tolerance = Tolerance::edges(1, 60, "texels lie between pixels");
    for side in 0..6 {
        cases.scene(
            format!("rtt.cube.face_{side}"),
            "context3d.md section 7; textures-and-atf.md, cube sides",
            tolerance,
            move |s| {
                let cube = s.cube(SIDE.cast_signed(), "bgra")?;
                for side in 0..6 {
                    s.upload_cube(cube, vec![60; (SIDE * SIDE * 4) as usize], side, 0)?;
                }
                face(s, cube, side)?;
                show_cube(s, cube, "nearest,clamp,mipnone")
            },
        );
    }
    cases.scene(
        "rtt.cube.all_faces",
        "context3d.md section 7",
        tolerance,
        |s| {
            let cube = s.cube(SIDE.cast_signed(), "bgra")?;
            (0..6).try_for_each(|side| face(s, cube, side))?;
            show_cube(s, cube, "nearest,clamp,mipnone")
        },
    );
}

fn mips(cases: &mut Cases) {
    // "Mip levels of the target are generated automatically when the texture was created with mips in use".
    for (side, tolerance) in [
        (
            8u32,
            Tolerance::channel(3, "levels are made by the driver, each rounded"),
        ),
        (
            32,
            Tolerance::channel(5, "levels are made by the driver, each rounded"),
        ),
    ] {
        for level in 1..side.ilog2() {
            cases.scene(
                format!("rtt.mips.{side}.level_{level}"),
                "context3d.md section 7",
                tolerance,
                move |s| {
                    let texture = s.texture(side.cast_signed(), side.cast_signed(), "bgra")?;
                    s.target(texture, (side, side), false, 0)?;
                    s.clear([0.2, 0.4, 0.6, 1.0])?;
                    s.program(PASS, VARYING)?;
                    #[expect(clippy::cast_precision_loss, reason = "sizes are small")]
                    let side = side as f32;
                    s.quads(&[
                        Quad::flat(
                            [0.0, 0.0, side / 2.0, side / 2.0],
                            0.5,
                            color([255, 51, 0, 255]),
                        ),
                        Quad::flat(
                            [side / 2.0, side / 4.0, side, side],
                            0.5,
                            color([0, 255, 153, 102]),
                        ),
                    ])?;
                    s.to_back_buffer()?;
                    s.clear([0.0; 4])?;
                    s.program(
                        PASS,
                        &format!("tex oc, v0, fs0 <2d,nearest,clamp,mipnearest,{level}.25>"),
                    )?;
                    s.bind(0, Some(texture))?;
                    // Texel by pixel at level 0: the bias alone chooses the level.
                    s.quads(&[Quad::textured([0.0, 0.0, side, side], [0.0, 0.0, 1.0, 1.0])])
                },
            );
        }
    }
}

fn contents(cases: &mut Cases) {
    kept(cases);
    back_and_forth(cases);
    chains(cases);
}

fn kept(cases: &mut Cases) {
    // "No clear required: colour content is kept".
    cases.scene(
        "rtt.content.uploaded_is_kept",
        SOURCE,
        Tolerance::ROUNDING,
        |s| {
            let side = SIDE.cast_signed();
            let texture = s.texture(side, side, "bgra")?;
            let bytes = (0..SIDE * SIDE).flat_map(|n| {
                [
                    u8::try_from(n % 32 * 8).unwrap_or(0),
                    u8::try_from(n / 32 * 8).unwrap_or(0),
                    77,
                    255,
                ]
            });
            s.upload(texture, bytes.collect(), 0)?;
            s.target(texture, (SIDE, SIDE), false, 0)?;
            s.program(PASS, VARYING)?;
            s.quads(&[Quad::flat(
                [8.0, 4.0, 20.0, 12.0],
                0.5,
                color([255, 0, 0, 255]),
            )])?;
            show(s, texture)
        },
    );
    cases.scene(
        "rtt.content.drawn_is_kept",
        SOURCE,
        Tolerance::ROUNDING,
        |s| {
            let first = into_texture(s)?;
            s.program(PASS, VARYING)?;
            s.quads(&[Quad::flat(
                [0.0, 0.0, 16.0, 32.0],
                0.5,
                color([255, 0, 0, 255]),
            )])?;
            let second = into_texture(s)?;
            s.quads(&[Quad::flat(
                [0.0, 0.0, 32.0, 16.0],
                0.5,
                color([0, 255, 0, 255]),
            )])?;
            s.target(first, (SIDE, SIDE), true, 0)?;
            s.quads(&[Quad::flat(
                [8.0, 20.0, 28.0, 30.0],
                0.5,
                color([0, 0, 255, 255]),
            )])?;
            super::outputs::show_all(s, &[first, second])
        },
    );
}

fn chains(cases: &mut Cases) {
    cases.scene("rtt.content.chain", SOURCE, Tolerance::ROUNDING, |s| {
        let mut last = into_texture(s)?;
        s.program(PASS, VARYING)?;
        s.quads(&[Quad::flat(
            [2.0, 2.0, 12.0, 8.0],
            0.5,
            color([255, 204, 0, 255]),
        )])?;
        for n in 0..4u8 {
            let next = into_texture(s)?;
            s.program(PASS, "tex oc, v0, fs0 <2d,nearest,repeat,mipnone>")?;
            s.bind(0, Some(last))?;
            let at = f32::from(n + 1) / 8.0;
            s.quads(&[Quad::textured(FULL, [-at, -at, 1.0 - at, 1.0 - at])])?;
            s.bind(0, None)?;
            last = next;
        }
        show(s, last)
    });
    // "present resets the target to the back buffer".
    cases.scene(
        "rtt.content.present_resets_target",
        "context3d.md section 5, present",
        Tolerance::ROUNDING,
        |s| {
            let texture = into_texture(s)?;
            s.present()?;
            s.clear([0.4, 0.0, 0.0, 1.0])?;
            s.program(PASS, VARYING)?;
            s.quads(&[Quad::flat(
                [8.0, 8.0, 24.0, 16.0],
                0.5,
                color([255, 255, 0, 255]),
            )])?;
            s.present()?;
            show(s, texture)
        },
    );
}

fn back_and_forth(cases: &mut Cases) {
    cases.scene(
        "rtt.content.upload_after_drawing",
        SOURCE,
        Tolerance::ROUNDING,
        |s| {
            let texture = into_texture(s)?;
            s.program(PASS, VARYING)?;
            s.quads(&[Quad::flat(FULL, 0.5, color([255, 0, 0, 255]))])?;
            s.to_back_buffer()?;
            s.upload(texture, vec![102; (SIDE * SIDE * 4) as usize], 0)?;
            show(s, texture)
        },
    );
    cases.scene(
        "rtt.content.back_buffer_is_kept",
        SOURCE,
        Tolerance::ROUNDING,
        |s| {
            s.program(PASS, VARYING)?;
            s.quads(&[Quad::flat(
                [0.0, 0.0, 16.0, 32.0],
                0.5,
                color([0, 255, 0, 255]),
            )])?;
            let texture = into_texture(s)?;
            s.quads(&[Quad::flat(FULL, 0.5, color([255, 0, 255, 255]))])?;
            s.to_back_buffer()?;
            s.program(PASS, "tex oc, v0, fs0 <2d,nearest,clamp,mipnone>")?;
            s.bind(0, Some(texture))?;
            s.quads(&[Quad::textured(
                [20.0, 4.0, 28.0, 12.0],
                [0.0, 0.0, 1.0, 1.0],
            )])
        },
    );
}

fn depth(cases: &mut Cases) {
    // "The depth/stencil buffer is private to the target setup"; "cleared by force at the first draw if they were not".
    cases.scene("rtt.depth.private", SOURCE, Tolerance::ROUNDING, |s| {
        s.program(PASS, VARYING)?;
        s.depth(true, "less")?;
        s.quads(&[column(2, 0.3, color([255, 0, 0, 255]))])?;
        let texture = into_texture(s)?;
        s.quads(&[Quad::flat(FULL, 0.6, color([0, 255, 0, 255]))])?;
        s.to_back_buffer()?;
        s.quads(&[Quad::flat(
            [0.0, 8.0, 32.0, 16.0],
            0.5,
            color([0, 0, 255, 255]),
        )])?;
        s.depth(false, "always")?;
        s.program(PASS, "tex oc, v0, fs0 <2d,nearest,clamp,mipnone>")?;
        s.bind(0, Some(texture))?;
        s.quads(&[Quad::textured(
            [0.0, 24.0, 32.0, 32.0],
            [0.0, 0.0, 1.0, 1.0],
        )])
    });
    cases.scene(
        "rtt.depth.without_clear",
        SOURCE,
        Tolerance::ROUNDING,
        |s| {
            let side = SIDE.cast_signed();
            let texture = s.texture(side, side, "bgra")?;
            s.upload(texture, vec![40; (SIDE * SIDE * 4) as usize], 0)?;
            s.target(texture, (SIDE, SIDE), true, 0)?;
            s.program(PASS, VARYING)?;
            s.depth(true, "less")?;
            for n in 0..CELLS {
                s.quads(&[column(n, f32::from(n) / 8.0, pick(n))])?;
            }
            s.depth(false, "always")?;
            show(s, texture)
        },
    );
}
