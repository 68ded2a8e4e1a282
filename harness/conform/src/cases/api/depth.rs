//! Depth: comparisons, masks, clearing, clipping, and programs that write depth.

use context3d::Profile;
use context3d::enums::{CompareMode, FlashName};

use crate::calls::Calls as _;
use crate::case::Cases;
use crate::drawing::{cells, color, column, pick, row, show};
use crate::scene_builder::{Done, FULL, PASS, Quad, SIDE, SceneBuilder, VARYING};

const SOURCE: &str = "[context3d.depth.test] [context3d.depth.no_buffer]; capture stencil";

/// Depth in eighths; the second draw uses them by row.
fn eighths(number: u16) -> f32 {
    f32::from(number) / 8.0
}

/// Draws depths by column, then by row with the test, then once more to show which were written.
fn compared(s: &mut SceneBuilder, mode: &str, mask: bool) -> Done {
    s.program(PASS, VARYING)?;
    s.set_depth_test(true, "always")?;
    let first: Vec<Quad> =
        (0..8).map(|n| column(n, eighths(n), color([51, 51, 51, 255]))).collect();
    s.quads(&first)?;
    s.set_depth_test(mask, mode)?;
    s.quads(&cells(|_, row| eighths(row), |_, row| pick(row)))?;
    // Adds red where the stored depth is behind the middle.
    s.set_depth_test(false, "less")?;
    s.set_blend_factors("one", "one")?;
    s.quads(&[Quad::flat(FULL, 0.4375, color([102, 0, 0, 0]))])?;
    s.set_blend_factors("one", "zero")?;
    s.set_depth_test(false, "always")
}

fn clears(cases: &mut Cases) {
    for eighth in 0..=8u8 {
        let value = f64::from(eighth) / 8.0;
        let name = format!("api.depth.clear.{eighth}_eighths");
        cases.scene(name, "[context3d.clear.values]", move |s| {
            s.clear_to([0.0, 0.0, 0.0, 1.0], value, 0, 7)?;
            s.program(PASS, VARYING)?;
            s.set_depth_test(false, "lessEqual")?;
            let rows: Vec<Quad> = (0..8).map(|n| row(n, eighths(n), pick(n))).collect();
            s.quads(&rows)
        });
    }
    // "Values outside 0..1 are clamped silently".
    for (word, value) in [("below", -3.0), ("above", 7.5)] {
        cases.scene(format!("api.depth.clear.{word}"), "[context3d.clear.range]", move |s| {
            s.clear_to([0.0, 0.0, 0.0, 1.0], value, 0, 7)?;
            s.program(PASS, VARYING)?;
            s.set_depth_test(false, "less")?;
            let rows: Vec<Quad> = (0..8).map(|n| row(n, eighths(n), pick(n))).collect();
            s.quads(&rows)
        });
    }
}

fn outputs(cases: &mut Cases) {
    for eighth in 0..=8u8 {
        let name = format!("api.depth.output.{eighth}_eighths");
        cases
            .scene(name, "[agal.depth.output]", move |s| {
                s.program(PASS, VARYING)?;
                s.set_depth_test(true, "always")?;
                let rows: Vec<Quad> = (0..8).map(|n| row(n, eighths(n), pick(n))).collect();
                s.quads(&rows)?;
                s.set_depth_test(true, "lessEqual")?;
                s.program_of(2, PASS, "mov oc, v0\nmov od.x, fc0.x")?;
                s.constants("fragment", 0, &[[f64::from(eighth) / 8.0, 0.0, 0.0, 0.0]])?;
                s.quads(&[Quad::flat([4.0, 0.0, 28.0, 32.0], 0.99, color([255, 0, 255, 255]))])
            })
            .profile(Profile::Standard);
    }
}

pub(super) fn add(cases: &mut Cases) {
    comparisons(cases);
    clears(cases);
    outputs(cases);
    initial(cases);
}

/// Less, written: what is equally far does not pass, and neither does what is farther than what was drawn before it.
fn initial(cases: &mut Cases) {
    let source = "[context3d.state.depth]";
    cases.scene("api.depth.initial", source, |s| {
        s.renew()?;
        s.program(PASS, VARYING)?;
        let first: Vec<Quad> =
            (0..8).map(|n| column(n, eighths(n), color([51, 51, 51, 255]))).collect();
        s.quads(&first)?;
        s.quads(&cells(|_, row| eighths(row), |_, row| pick(row)))
    });
}

fn comparisons(cases: &mut Cases) {
    for (mode, name) in CompareMode::NAMES {
        for mask in [true, false] {
            let word = if mask { "written" } else { "kept" };
            cases.scene(format!("api.depth.{name}.{word}"), SOURCE, move |s| {
                compared(s, mode.name(), mask)
            });
            cases.scene(format!("rtt.depth.{name}.{word}"), SOURCE, move |s| {
                let side = SIDE.cast_signed();
                let texture = s.texture(side, side, "bgra")?;
                s.target(texture, (SIDE, SIDE), true, 0)?;
                s.clear([0.0; 4])?;
                compared(s, mode.name(), mask)?;
                show(s, texture)
            });
            cases.scene(format!("api.depth.without_buffer.{name}.{word}"), SOURCE, move |s| {
                s.configure(SIDE, SIDE, 0, false)?;
                s.clear([0.0; 4])?;
                compared(s, mode.name(), mask)
            });
        }
    }
}
