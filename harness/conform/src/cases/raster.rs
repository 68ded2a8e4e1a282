//! Triangles of all shapes: coverage, interpolation, and edges with samples.

use crate::calls::Calls as _;
use crate::case::Cases;
use crate::drawing::{CELLS, by_cell, corners, pick};
use crate::scene_builder::{FULL, PASS, Quad, VARYING};
use crate::tolerance::Tolerance;

const RASTER: &str = "context3d.md section 2, raster conventions";

/// Zero is not below zero: `kil` keeps such pixels.
fn discard(cases: &mut Cases) {
    let at_zero = cases.scene("raster.discard.at_zero", "agal.md section 4, kil", |s| {
        s.program(PASS, "kil v0.x\nmov oc, v0")?;
        s.quads(&[Quad::flat(FULL, 0.5, [0.0, 1.0, 0.2, 1.0])])
    });
    at_zero.expects_pictures(|| vec![by_cell(|_, _| [0, 255, 51, 255])]);
}

/// Triangles whose edges cross pixels in all directions: each pixel is drawn exactly once.
fn triangles(cases: &mut Cases) {
    let tolerance = Tolerance::edges(1, 48, "vertices are snapped to a grid of the driver's own");
    for fan in [3u8, 5, 7, 12, 17] {
        cases.within(tolerance).scene(format!("raster.fan.{fan}"), RASTER, move |s| {
            s.program("mov op, va0\nmov v0, va1", VARYING)?;
            s.set_blend_factors("one", "one")?;
            let mut floats = vec![0.0, 0.0, 0.5, 0.4, 0.2, 0.6, 1.0];
            let mut indices = Vec::new();
            for corner in 0..fan {
                let angle = f32::from(corner) / f32::from(fan) * std::f32::consts::TAU + 0.1;
                floats.extend([angle.sin() * 0.93, angle.cos() * 0.93, 0.5, 0.4, 0.2, 0.6, 1.0]);
                let next = (corner + 1) % fan + 1;
                indices.extend([0, u16::from(corner) + 1, u16::from(next)]);
            }
            let (vertices, indices) = (s.vertices(&floats, 7)?, s.indices(&indices)?);
            s.draw_mesh(vertices, indices)?;
            s.set_blend_factors("one", "zero")
        });
    }
    centers(cases);
    for (word, shape) in [
        ("no_area", [[-0.5, -0.5], [0.5, 0.5], [0.0, 0.0]]),
        ("a_point", [[0.1, 0.1], [0.1, 0.1], [0.1, 0.1]]),
        ("beyond_the_edge", [[-3.0, -3.0], [-3.0, 5.0], [5.0, -3.0]]),
        ("sliver", [[-1.0, -1.0], [-0.97, 1.0], [-0.94, -1.0]]),
    ] {
        cases.within(tolerance).scene(format!("raster.triangle.{word}"), RASTER, move |s| {
            s.program("mov op, va0\nmov v0, va1", VARYING)?;
            let floats: Vec<f32> =
                shape.iter().flat_map(|[x, y]| [*x, *y, 0.5, 1.0, 0.6, 0.2, 1.0]).collect();
            let (vertices, indices) = (s.vertices(&floats, 7)?, s.indices(&[0, 1, 2])?);
            s.draw_mesh(vertices, indices)
        });
    }
}

fn centers(cases: &mut Cases) {
    // The centre of a pixel decides; on an edge, the top left rule.
    for (word, offset) in
        [("before_center", 0.45), ("behind_center", 0.55), ("quarter", 0.25), ("whole", 1.0)]
    {
        cases.scene(format!("raster.center.{word}"), RASTER, move |s| {
            s.program(PASS, VARYING)?;
            let shifted = |column: u16, row: u16| corners(column, row).map(|edge| edge + offset);
            let quads: Vec<Quad> =
                (0..CELLS - 1).map(|n| Quad::flat(shifted(n, n), 0.5, pick(n + 1))).collect();
            s.quads(&quads)
        });
    }
}

/// Varyings on quads whose corners have different w.
fn perspective(cases: &mut Cases) {
    const SOURCE: &str = "agal.md section 3.2: interpolation is perspective-correct";
    let tolerance = Tolerance::edges(3, 24, "steep varyings; an edge may lie a pixel further");
    for (word, left, right) in
        [("equal", 1.0, 1.0), ("double", 1.0, 2.0), ("eightfold", 0.5, 4.0), ("behind", -0.5, 3.0)]
    {
        for stripes in [false, true] {
            let kind = if stripes { "stripes" } else { "smooth" };
            cases.within(tolerance).scene(format!("raster.perspective.{word}.{kind}"), SOURCE, move |s| {
                let fragment = match stripes {
                    false => "mov oc, v0",
                    true => "mul ft0, v0, fc0.x\nfrc ft0, ft0\nsge ft0, ft0, fc0.y\nmov oc, ft0",
                };
                // w is in va1.w, and the position is multiplied by it.
                s.program("mov vt0, va0\nmul vt0.xyz, vt0.xyz, va1.w\nmov vt0.w, va1.w\nmov op, vt0\nmov v0, va1.xyzy", fragment)?;
                s.constants("fragment", 0, &[[4.0, 0.5, 0.0, 0.0]])?;
                s.quads(&[Quad::of([1.0, 1.0, 31.0, 31.0], [[0.0, 0.0, 0.98, left], [1.0, 0.0, 0.07, right], [0.0, 1.0, 0.07, left], [1.0, 1.0, 0.43, right]])])
            });
        }
    }
    varyings(cases);
}

fn varyings(cases: &mut Cases) {
    const SOURCE: &str = "agal.md section 3.2: interpolation is perspective-correct";
    for registers in [1u8, 2, 4, 8] {
        let name = format!("raster.varyings.{registers}");
        cases.within(Tolerance::channel(2, "a sum of rounded numbers")).scene(
            name,
            SOURCE,
            move |s| {
                let writes: String =
                    (0..registers).map(|n| format!("mul v{n}, va1, vc{n}\n")).collect();
                let reads: String =
                    (1..registers).map(|n| format!("add ft0, ft0, v{n}\n")).collect();
                s.program(
                    &format!("mov op, va0\n{writes}"),
                    &format!("mov ft0, v0\n{reads}mov oc, ft0"),
                )?;
                for n in 0..registers {
                    let part = 1.0 / f64::from(registers);
                    let shape =
                        [part, part * f64::from(n % 2), part * f64::from(n % 3) / 2.0, part];
                    s.constants("vertex", n.into(), &[shape])?;
                }
                s.quads(&[Quad::of(
                    FULL,
                    [
                        [0.0, 0.0, 1.0, 1.0],
                        [1.0, 0.0, 0.5, 1.0],
                        [0.0, 1.0, 0.5, 1.0],
                        [1.0, 1.0, 0.0, 0.0],
                    ],
                )])
            },
        );
    }
}

pub(super) fn add(cases: &mut Cases) {
    triangles(cases);
    discard(cases);
    perspective(cases);
}
