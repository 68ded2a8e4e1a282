//! The state that a context starts with, and that a call that fails leaves as it was. The pictures are known.

use crate::calls::Calls as _;
use crate::case::Cases;
use crate::cases::drawing::{by_cell, byte};
use crate::scene_builder::{Done, FULL, PASS, Quad, SceneBuilder, VARYING};

const DEFAULTS: &str = "context3d.md section 6: the state of a new context";
const FAILED: &str = "context3d.md section 9: a call that raises an error changes nothing";
const RED: [f32; 4] = [1.0, 0.0, 0.0, 0.4];
const GREEN: [f32; 4] = [0.0, 1.0, 0.2, 1.0];

/// Draws a scene, whose picture has one colour.
struct Row {
    name: &'static str,
    draw: fn(&mut SceneBuilder) -> Done,
    color: [f32; 4],
}

fn add_all(cases: &mut Cases, prefix: &str, source: &str, rows: &[Row]) {
    for Row { name, draw, color } in rows {
        let (draw, color) = (*draw, *color);
        let case = cases.scene(format!("api.{prefix}.{name}"), source, draw);
        case.expects_pictures(move || vec![by_cell(|_, _| color.map(byte))]);
    }
}

/// A quad over the whole target.
fn full(s: &mut SceneBuilder, z: f32, color: [f32; 4]) -> Done {
    s.quads(&[Quad::flat(FULL, z, color)])
}

/// The colour of `va1` on a new context.
fn fresh(s: &mut SceneBuilder) -> Done {
    s.renew()?;
    s.program(PASS, VARYING).map(drop)
}

/// The colour of a texture, twice across and down.
fn tiled(s: &mut SceneBuilder) -> Done {
    s.program(PASS, "tex oc, v0, fs0 <2d,nearest,clamp,mipnone>")?;
    let texture = s.texture(2, 2, "bgra")?;
    s.upload(texture, [[0, 0, 255, 255], [0, 255, 0, 255]].concat().repeat(2), 0)?;
    s.set_texture_at(0, texture)
}

pub(super) fn add(cases: &mut Cases) {
    add_all(
        cases,
        "defaults",
        DEFAULTS,
        &[
            // One and zero: the second draw replaces the first.
            Row {
                name: "blend",
                color: RED,
                draw: |s| {
                    fresh(s)?;
                    full(s, 0.5, GREEN)?;
                    full(s, 0.4, RED)
                },
            },
            Row {
                name: "color_mask",
                color: GREEN,
                draw: |s| {
                    fresh(s)?;
                    full(s, 0.5, GREEN)
                },
            },
            // No face is dropped: one triangle faces front, the other back.
            Row {
                name: "culling",
                color: GREEN,
                draw: |s| {
                    fresh(s)?;
                    full(s, 0.5, RED)?;
                    s.quads(&[Quad::flat(FULL, 0.4, GREEN).behind()])?;
                    full(s, 0.3, GREEN)
                },
            },
            Row {
                name: "culling_of_back_faces",
                color: GREEN,
                draw: |s| {
                    fresh(s)?;
                    s.quads(&[Quad::flat(FULL, 0.4, GREEN).behind()])
                },
            },
            // Less, and depth is written.
            Row {
                name: "depth",
                color: RED,
                draw: |s| {
                    fresh(s)?;
                    full(s, 0.3, RED)?;
                    full(s, 0.6, GREEN)
                },
            },
            Row {
                name: "scissor_and_stencil",
                color: GREEN,
                draw: |s| {
                    fresh(s)?;
                    full(s, 0.5, GREEN)
                },
            },
            Row {
                name: "constants",
                color: [0.0; 4],
                draw: |s| {
                    s.renew()?;
                    s.program(PASS, "mov ft0, v0\nmov oc, fc0")?;
                    full(s, 0.5, GREEN)
                },
            },
        ],
    );
    after_errors(cases);
}

fn after_errors(cases: &mut Cases) {
    const UNKNOWN: &str = "nonsense";
    add_all(
        cases,
        "after_error",
        FAILED,
        &[
            Row {
                name: "setBlendFactors",
                color: [1.0, 1.0, 0.2, 1.0],
                draw: |s| {
                    s.program(PASS, VARYING)?;
                    s.set_blend_factors("one", "one")?;
                    s.fails(2008, |s| s.set_blend_factors("zero", UNKNOWN))?;
                    full(s, 0.5, GREEN)?;
                    full(s, 0.5, RED)
                },
            },
            Row {
                name: "setCulling",
                color: GREEN,
                draw: |s| {
                    s.program(PASS, VARYING)?;
                    s.set_culling("none")?;
                    s.fails(2008, |s| s.set_culling(UNKNOWN))?;
                    full(s, 0.5, GREEN)
                },
            },
            Row {
                name: "setDepthTest",
                color: RED,
                draw: |s| {
                    s.program(PASS, VARYING)?;
                    s.set_depth_test(true, "less")?;
                    s.fails(2008, |s| s.set_depth_test(false, UNKNOWN))?;
                    full(s, 0.3, RED)?;
                    full(s, 0.6, GREEN)
                },
            },
            Row {
                name: "setStencilActions",
                color: GREEN,
                draw: |s| {
                    s.program(PASS, VARYING)?;
                    s.fails(2008, |s| {
                        s.stencil("frontAndBack", "never", [UNKNOWN, "keep", "keep"])
                    })?;
                    full(s, 0.5, GREEN)
                },
            },
            // One column of the texture is red, and the other green: between them repeats nothing but red.
            Row {
                name: "setSamplerStateAt",
                color: [1.0, 0.0, 0.0, 1.0],
                draw: |s| {
                    tiled(s)?;
                    s.set_sampler_state_at(0, "repeat", "nearest", "mipnone")?;
                    s.fails(2008, |s| s.set_sampler_state_at(0, "clamp", "nearest", UNKNOWN))?;
                    s.quads(&[Quad::textured(FULL, [1.1, 0.0, 1.4, 1.0])])
                },
            },
            Row {
                name: "setProgramConstantsFromVector",
                color: GREEN,
                draw: |s| {
                    s.program("mov op, va0\nmov vt0, va1\nmov v0, vc0", VARYING)?;
                    s.constants("vertex", 0, &[GREEN.map(f64::from)])?;
                    s.fails(2008, |s| s.constants(UNKNOWN, 0, &[RED.map(f64::from)]))?;
                    full(s, 0.5, RED)
                },
            },
        ],
    );
}
