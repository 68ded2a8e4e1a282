//! Multisampling.

use crate::calls::Calls as _;
use crate::case::{Cases, Feature};
use crate::cases::drawing::{cells, pick, show};
use crate::scene_builder::{Done, FULL, PASS, Quad, SIDE, SceneBuilder, VARYING};
use crate::tolerance::Tolerance;

const ANTIALIAS: &str = "context3d.md section 5, configureBackBuffer";

pub(super) fn add(cases: &mut Cases) {
    let tolerance = Tolerance {
        channel: 70,
        moved: 200,
        outliers: 8,
        reason: "the places of samples, and how many there are, is the driver's choice: an edge's shade may be one sample off",
    };
    scissors(cases);
    for samples in [0, 1, 2, 4, 16] {
        let edges = Tolerance::edges(1, 48, "vertices are snapped to a grid of the driver's own");
        let name = format!("api.antialias.edges.{samples}");
        let case = cases.within(if samples < 2 { edges } else { tolerance }).scene(
            name,
            ANTIALIAS,
            move |s| {
                s.configure(SIDE, SIDE, samples, true)?;
                s.clear([0.0, 0.0, 0.0, 1.0])?;
                triangle(s)
            },
        );
        if samples > 1 {
            case.needs(Feature::Multisampling);
        }
        let name = format!("rtt.antialias.edges.{samples}");
        let case = cases.within(if samples < 2 { edges } else { tolerance }).scene(
            name,
            ANTIALIAS,
            move |s| {
                let side = SIDE.cast_signed();
                let texture = s.texture(side, side, "bgra")?;
                s.target(texture, (SIDE, SIDE), true, samples)?;
                s.clear([0.0, 0.0, 0.0, 1.0])?;
                triangle(s)?;
                show(s, texture)
            },
        );
        if samples > 1 {
            case.needs(Feature::Multisampling);
        }
        insides(cases, samples);
    }
}

fn insides(cases: &mut Cases, samples: i32) {
    // Content without edges inside pixels looks the same without samples.
    cases.scene(format!("api.antialias.inside.{samples}"), ANTIALIAS, move |s| {
        s.configure(SIDE, SIDE, samples, true)?;
        s.clear([0.0, 0.0, 0.0, 1.0])?;
        s.program(PASS, VARYING)?;
        s.quads(&cells(|_, _| 0.5, |column, row| pick(column * 5 + row)))
    });
    // An edge from black to white within half a pixel gives a shade that requires samples.
    let shade =
        Tolerance::channel(66, "half a pixel is half the samples, give or take one of four");
    let case =
        cases.within(shade).scene(format!("api.antialias.shade.{samples}"), ANTIALIAS, move |s| {
            s.configure(SIDE, SIDE, samples, true)?;
            s.clear([0.0, 0.0, 0.0, 1.0])?;
            s.program(PASS, VARYING)?;
            s.quads(&[Quad::flat([8.5, 0.0, 23.5, 32.0], 0.5, [1.0; 4])])
        });
    if samples > 1 {
        case.needs(Feature::Multisampling);
    }
}

/// A scissor rectangle clips whole pixels, for any number of samples.
fn scissors(cases: &mut Cases) {
    const SOURCE: &str = "context3d.md section 6, setScissorRectangle";
    fn draw(s: &mut SceneBuilder) -> Done {
        s.set_scissor_rectangle(Some([9.0, 6.0, 14.0, 19.0]))?;
        s.program(PASS, VARYING)?;
        s.quads(&[Quad::flat(FULL, 0.5, pick(5))])?;
        s.set_scissor_rectangle(None)
    }
    for samples in [2, 4, 16] {
        cases
            .scene(format!("api.antialias.scissor.{samples}"), SOURCE, move |s| {
                s.configure(SIDE, SIDE, samples, true)?;
                s.clear([0.0, 0.0, 0.0, 1.0])?;
                draw(s)
            })
            .needs(Feature::Multisampling);
        cases
            .scene(format!("rtt.antialias.scissor.{samples}"), SOURCE, move |s| {
                let side = SIDE.cast_signed();
                let texture = s.texture(side, side, "bgra")?;
                s.target(texture, (SIDE, SIDE), true, samples)?;
                s.clear([0.0, 0.0, 0.0, 1.0])?;
                draw(s)?;
                show(s, texture)
            })
            .needs(Feature::Multisampling);
    }
}

/// A white triangle whose edges cross pixels.
fn triangle(s: &mut SceneBuilder) -> Done {
    s.program("mov op, va0\nmov v0, va1", VARYING)?;
    let floats = [
        -0.9, -0.8, 0.5, 1.0, 1.0, 1.0, 1.0, -0.1, 0.95, 0.5, 1.0, 1.0, 1.0, 1.0, 0.9, -0.6, 0.5,
        1.0, 1.0, 1.0, 1.0,
    ];
    let (vertices, indices) = (s.vertices(&floats, 7)?, s.indices(&[0, 1, 2])?);
    s.set_vertex_buffer_at(0, vertices, 0, "float3")?;
    s.set_vertex_buffer_at(1, vertices, 3, "float4")?;
    s.draw_triangles(indices, 0, -1)
}
