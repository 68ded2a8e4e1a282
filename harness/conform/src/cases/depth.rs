//! Depth: comparisons, masks, clearing, clipping, and programs that write it.

use context3d::{CompareMode, FlashName, Profile};

use super::blend::show;
use super::grid::{COLORS, cells, color, column, row};
use crate::case::Cases;
use crate::scene_builder::{Done, FULL, PASS, Quad, SIDE, SceneBuilder, VARYING};
use crate::tolerance::Tolerance;

const SOURCE: &str = "context3d.md sections 2 and 6, setDepthTest; capture stencil";

/// Depths by row of what comes second, eighths.
fn eighths(number: u16) -> f32 {
    f32::from(number) / 8.0
}

fn pick(number: u16) -> [f32; 4] {
    COLORS
        .get(usize::from(number))
        .copied()
        .map_or([1.0; 4], color)
}

/// Depths by column first, then by row under test, then once more to see which were written.
fn compared(s: &mut SceneBuilder, mode: &str, mask: bool) -> Done {
    s.program(PASS, VARYING)?;
    s.depth(true, "always")?;
    let first: Vec<Quad> = (0..8)
        .map(|n| column(n, eighths(n), color([51, 51, 51, 255])))
        .collect();
    s.quads(&first)?;
    s.depth(mask, mode)?;
    s.quads(&cells(|_, row| eighths(row), |_, row| pick(row)))?;
    // Adds red where what is stored is behind the middle.
    s.depth(false, "less")?;
    s.blend("one", "one")?;
    s.quads(&[Quad::flat(FULL, 0.4375, color([102, 0, 0, 0]))])?;
    s.blend("one", "zero")?;
    s.depth(false, "always")
}

pub(super) fn add(cases: &mut Cases) {
    for (mode, name) in CompareMode::NAMES {
        for mask in [true, false] {
            let word = if mask { "written" } else { "kept" };
            cases.scene(
                format!("api.depth.{name}.{word}"),
                SOURCE,
                Tolerance::ROUNDING,
                move |s| compared(s, mode.name(), mask),
            );
            cases.scene(
                format!("rtt.depth.{name}.{word}"),
                SOURCE,
                Tolerance::ROUNDING,
                move |s| {
                    let side = SIDE.cast_signed();
                    let texture = s.texture(side, side, "bgra")?;
                    s.target(texture, (SIDE, SIDE), true, 0)?;
                    s.clear([0.0; 4])?;
                    compared(s, mode.name(), mask)?;
                    show(s, texture)
                },
            );
            cases.scene(
                format!("api.depth.without_buffer.{name}.{word}"),
                SOURCE,
                Tolerance::ROUNDING,
                move |s| {
                    s.configure(SIDE, SIDE, 0, false)?;
                    s.clear([0.0; 4])?;
                    compared(s, mode.name(), mask)
                },
            );
        }
    }
    clears(cases);
    clips(cases);
    outputs(cases);
    slopes(cases);
}

fn clears(cases: &mut Cases) {
    for eighth in 0..=8u8 {
        let value = f64::from(eighth) / 8.0;
        let name = format!("api.depth.clear.{eighth}_eighths");
        cases.scene(
            name,
            "context3d.md section 5, clear",
            Tolerance::ROUNDING,
            move |s| {
                s.clear_to([0.0, 0.0, 0.0, 1.0], value, 0, 7)?;
                s.program(PASS, VARYING)?;
                s.depth(false, "lessEqual")?;
                let rows: Vec<Quad> = (0..8).map(|n| row(n, eighths(n), pick(n))).collect();
                s.quads(&rows)
            },
        );
    }
    // "Values outside 0..1 are clamped silently".
    for (word, value) in [("below", -3.0), ("above", 7.5)] {
        cases.scene(
            format!("api.depth.clear.{word}"),
            "context3d.md section 5, clear",
            Tolerance::ROUNDING,
            move |s| {
                s.clear_to([0.0, 0.0, 0.0, 1.0], value, 0, 7)?;
                s.program(PASS, VARYING)?;
                s.depth(false, "less")?;
                let rows: Vec<Quad> = (0..8).map(|n| row(n, eighths(n), pick(n))).collect();
                s.quads(&rows)
            },
        );
    }
}

/// z in 0..w is seen, anything else is not (context3d.md section 2).
fn clips(cases: &mut Cases) {
    for (word, depths) in [
        ("near", [-1.0, -0.5, -0.25, -0.0625, 0.0, 0.0625, 0.25, 0.5]),
        ("far", [0.5, 0.75, 0.9375, 1.0, 1.0625, 1.25, 2.0, 8.0]),
    ] {
        cases.scene(
            format!("api.clip.{word}"),
            "context3d.md section 2, clip space",
            Tolerance::ROUNDING,
            move |s| {
                s.program(PASS, VARYING)?;
                let rows: Vec<Quad> = depths
                    .iter()
                    .zip(0..)
                    .map(|(z, n)| row(n, *z, pick(n)))
                    .collect();
                s.quads(&rows)
            },
        );
    }
    for (word, from, to) in [
        ("through_near", -1.0, 1.0),
        ("through_far", 0.0, 2.0),
        ("through_both", -1.0, 2.0),
    ] {
        let tolerance = Tolerance::edges(2, 32, "a cut edge may lie a pixel further");
        cases.scene(
            format!("api.clip.{word}"),
            "context3d.md section 2, clip space",
            tolerance,
            move |s| {
                s.program(
                    "mov vt0, va0\nmov vt0.z, va1.x\nmov op, vt0\nmov v0, va1",
                    "mov oc, v0.yzww",
                )?;
                let value = |z: f32| [z, 0.4, 0.8, 1.0];
                s.quads(&[Quad {
                    corners: FULL,
                    z: 0.0,
                    values: [value(from), value(to), value(from), value(to)],
                    back: false,
                }])
            },
        );
    }
}

fn outputs(cases: &mut Cases) {
    for eighth in 0..=8u8 {
        let name = format!("api.depth.output.{eighth}_eighths");
        cases
            .scene(
                name,
                "agal.md section 3.2, depth output",
                Tolerance::ROUNDING,
                move |s| {
                    s.program(PASS, VARYING)?;
                    s.depth(true, "always")?;
                    let rows: Vec<Quad> = (0..8).map(|n| row(n, eighths(n), pick(n))).collect();
                    s.quads(&rows)?;
                    s.depth(true, "lessEqual")?;
                    s.program_of(2, PASS, "mov oc, v0\nmov od.x, fc0.x")?;
                    s.constants("fragment", 0, &[[f64::from(eighth) / 8.0, 0.0, 0.0, 0.0]])?;
                    s.quads(&[Quad::flat(
                        [4.0, 0.0, 28.0, 32.0],
                        0.99,
                        color([255, 0, 255, 255]),
                    )])
                },
            )
            .profile(Profile::Standard);
    }
}

/// Two planes that cut each other: the line between them shows how depth is interpolated.
fn slopes(cases: &mut Cases) {
    for (word, near, far) in [
        ("gentle", 0.25, 0.75),
        ("steep", 0.0, 1.0),
        ("level", 0.49, 0.51),
    ] {
        let tolerance =
            Tolerance::edges(1, 40, "the line where planes meet may lie a pixel further");
        cases.scene(
            format!("api.depth.slope.{word}"),
            SOURCE,
            tolerance,
            move |s| {
                s.depth(true, "less")?;
                s.program(
                    "mov vt0, va0\nmov vt0.z, va1.x\nmov op, vt0\nmov v0, va1",
                    "mov oc, v0.yzww",
                )?;
                let quad = |left: f32, right: f32, red: f32| Quad {
                    corners: FULL,
                    z: 0.0,
                    values: [
                        [left, red, 0.2, 1.0],
                        [right, red, 0.2, 1.0],
                        [left, red, 0.2, 1.0],
                        [right, red, 0.2, 1.0],
                    ],
                    back: false,
                };
                s.quads(&[quad(near, far, 1.0)])?;
                s.quads(&[quad(far, near, 0.2)])
            },
        );
    }
}
