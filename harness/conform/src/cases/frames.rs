//! Clears, frames, and state that stays across them.

use super::grid::{cells, color, corners};
use super::raster::pick;
use crate::case::Cases;
use crate::scene_builder::{PASS, Quad, SIDE, SceneBuilder, VARYING};
use crate::tolerance::Tolerance;

const CLEAR: &str = "context3d.md section 5, clear";
const STATE: &str = "context3d.md section 4: state is kept across present(), setRenderToTexture and program changes";

pub(super) fn add(cases: &mut Cases) {
    colors(cases);
    masks(cases);
    kept(cases);
    sizes(cases);
}

fn colors(cases: &mut Cases) {
    // "Values outside 0..1 are clamped silently"; 0.3 is 76 or 77.
    for (word, color) in [
        ("third", [0.3, 0.6, 0.9, 0.3]),
        ("half", [0.5, 0.5, 0.5, 0.5]),
        ("transparent", [1.0, 0.5, 0.0, 0.0]),
        ("above", [2.0, 1e9, f64::INFINITY, 7.0]),
        ("below", [-1.0, -0.001, f64::NEG_INFINITY, -3.0]),
        ("small", [0.001, 0.002, 0.0039, 0.004]),
        ("mixed", [0.0, 1.0, 0.25, 0.75]),
    ] {
        cases.scene(
            format!("api.clear.color.{word}"),
            CLEAR,
            Tolerance::ROUNDING,
            move |s| s.clear(color),
        );
    }
}

fn masks(cases: &mut Cases) {
    for mask in 0..8u32 {
        for high in [0u32, 0xFFFF_FFF8] {
            let word = if high == 0 {
                "alone"
            } else {
                "with_other_bits"
            };
            cases.scene(
                format!("api.clear.mask_{mask}.{word}"),
                CLEAR,
                Tolerance::ROUNDING,
                move |s| {
                    s.program(PASS, VARYING)?;
                    // Something in each buffer first.
                    s.depth(true, "always")?;
                    s.stencil("frontAndBack", "always", ["set", "keep", "keep"])?;
                    s.reference(3, 255, 255)?;
                    s.quads(&[Quad::flat(
                        [0.0, 0.0, 16.0, 32.0],
                        0.25,
                        color([255, 0, 0, 255]),
                    )])?;
                    s.clear_to([0.2, 0.4, 0.6, 1.0], 0.75, 3, mask | high)?;
                    // Where depth is what the clear left.
                    s.stencil("frontAndBack", "always", ["keep"; 3])?;
                    s.depth(false, "less")?;
                    s.quads(&[Quad::flat(
                        [4.0, 4.0, 28.0, 10.0],
                        0.5,
                        color([0, 255, 0, 255]),
                    )])?;
                    // Where the stencil is.
                    s.depth(false, "always")?;
                    s.stencil("frontAndBack", "equal", ["keep"; 3])?;
                    s.quads(&[Quad::flat(
                        [4.0, 20.0, 28.0, 26.0],
                        0.5,
                        color([0, 0, 255, 255]),
                    )])?;
                    s.stencil("frontAndBack", "always", ["keep"; 3])
                },
            );
        }
    }
    masks_ignored(cases);
}

fn masks_ignored(cases: &mut Cases) {
    for (word, depth_mask, write) in [("depth_mask", false, 255), ("stencil_write_mask", true, 0)] {
        cases.scene(
            format!("api.clear.ignores.{word}"),
            CLEAR,
            Tolerance::ROUNDING,
            move |s| {
                s.program(PASS, VARYING)?;
                s.depth(depth_mask, "always")?;
                s.reference(9, 255, write)?;
                s.clear_to([0.0, 0.0, 0.0, 1.0], 0.5, 9, 7)?;
                s.depth(false, "less")?;
                s.stencil("frontAndBack", "equal", ["keep"; 3])?;
                s.quads(&cells(
                    |column, _| f32::from(column) / 8.0,
                    |column, _| pick(column),
                ))?;
                s.stencil("frontAndBack", "always", ["keep"; 3])
            },
        );
    }
}

/// Sets a piece of state.
type Set = fn(&mut SceneBuilder) -> crate::scene_builder::Done;

fn kept(cases: &mut Cases) {
    let states: [(&str, Set); 7] = [
        ("blend", |s| s.blend("one", "one")),
        ("color_mask", |s| s.color_mask([true, false, true, false])),
        ("culling", |s| s.cull("back")),
        ("depth", |s| s.depth(true, "greater")),
        ("scissor", |s| s.scissor(Some([4.0, 4.0, 20.0, 10.0]))),
        ("stencil", |s| {
            s.reference(1, 255, 255)?;
            s.stencil("frontAndBack", "equal", ["keep"; 3])
        }),
        ("program", |s| {
            s.program(PASS, "mov ft0, v0\nsub oc, fc0, ft0").map(drop)
        }),
    ];
    for (name, set) in states {
        cases.scene(
            format!("api.state.across_present.{name}"),
            STATE,
            Tolerance::ROUNDING,
            move |s| {
                s.constants("fragment", 0, &[[1.0, 1.0, 1.0, 2.0]])?;
                s.program(PASS, VARYING)?;
                set(s)?;
                for frame in 0..2u16 {
                    s.clear_to([0.2, 0.2, 0.2, 1.0], 0.25, u32::from(frame), 7)?;
                    let quads = cells(|_, _| 0.5, |column, row| pick(column + row + frame))
                        .into_iter()
                        .enumerate();
                    s.quads(
                        &quads
                            .map(|(n, quad)| if n % 4 == 0 { quad.behind() } else { quad })
                            .collect::<Vec<_>>(),
                    )?;
                    s.present()?;
                }
                s.clear([0.0; 4])
            },
        );
        across_targets(cases, name, set);
        cases.scene(
            format!("api.state.across_configure.{name}"),
            STATE,
            Tolerance::ROUNDING,
            move |s| {
                s.constants("fragment", 0, &[[1.0, 1.0, 1.0, 2.0]])?;
                s.program(PASS, VARYING)?;
                set(s)?;
                s.configure(SIDE, SIDE, 0, true)?;
                s.clear_to([0.2, 0.2, 0.2, 1.0], 0.25, 1, 7)?;
                s.quads(&cells(|_, _| 0.5, |column, row| pick(column + row)))
            },
        );
    }
}

fn across_targets(cases: &mut Cases, name: &str, set: Set) {
    cases.scene(
        format!("api.state.across_targets.{name}"),
        STATE,
        Tolerance::ROUNDING,
        move |s| {
            s.constants("fragment", 0, &[[1.0, 1.0, 1.0, 2.0]])?;
            s.program(PASS, VARYING)?;
            set(s)?;
            let side = SIDE.cast_signed();
            let texture = s.texture(side, side, "bgra")?;
            s.target(texture, (SIDE, SIDE), true, 0)?;
            s.clear_to([0.2, 0.2, 0.2, 1.0], 0.25, 1, 7)?;
            s.quads(&cells(|_, _| 0.5, |column, row| pick(column + row)))?;
            s.to_back_buffer()?;
            s.clear_to([0.4, 0.0, 0.4, 1.0], 0.25, 1, 7)?;
            s.quads(&cells(|_, _| 0.5, |column, row| pick(column * 2 + row)))
        },
    );
}

fn sizes(cases: &mut Cases) {
    for (width, height) in [(32u32, 32u32), (50, 37), (33, 64), (100, 32), (128, 96)] {
        cases.scene(
            format!("api.back_buffer.{width}x{height}"),
            "context3d.md section 5, configureBackBuffer",
            Tolerance::ROUNDING,
            move |s| {
                s.configure(width, height, 0, true)?;
                s.clear([0.2, 0.4, 0.6, 1.0])?;
                s.program(PASS, VARYING)?;
                s.quads(&[
                    Quad::flat(corners(0, 0), 0.5, pick(3)),
                    Quad::flat([20.0, 9.0, 31.0, 30.0], 0.5, pick(5)),
                ])
            },
        );
        cases.scene(
            format!("api.back_buffer.from_32x32_to_{width}x{height}"),
            "context3d.md section 5, configureBackBuffer",
            Tolerance::ROUNDING,
            move |s| {
                s.program(PASS, VARYING)?;
                s.quads(&[Quad::flat(corners(1, 1), 0.5, pick(3))])?;
                s.present()?;
                s.configure(width, height, 0, true)?;
                s.clear([0.6, 0.4, 0.2, 1.0])?;
                s.quads(&[Quad::flat(corners(1, 1), 0.5, pick(5))])
            },
        );
    }
    cases.scene(
        "api.frames.three",
        "context3d.md section 5, present",
        Tolerance::ROUNDING,
        |s| {
            s.program(PASS, VARYING)?;
            for frame in 0..3u16 {
                s.clear([f64::from(frame) / 5.0, 0.2, 0.4, 1.0])?;
                s.quads(&[Quad::flat(corners(frame, frame), 0.5, pick(frame + 2))])?;
                s.present()?;
            }
            s.clear([0.0, 1.0, 0.0, 1.0])
        },
    );
}
