//! Faces, edges, masks and modes of the rasteriser.

use context3d::{FlashName, TriangleFace};

use super::blend::show;
use super::grid::{COLORS, cells, color};
use crate::case::{Cases, Feature};
use crate::scene_builder::{Done, FULL, PASS, Quad, SIDE, SceneBuilder, VARYING};
use crate::tolerance::Tolerance;
use molehill_capture::TextureId;

pub(super) fn add(cases: &mut Cases) {
    culling(cases);
    scissors(cases);
    color_masks(cases);
    fill(cases);
    super::shapes::add(cases);
}

/// A texture of the back buffer's size as the target, cleared.
pub(super) fn into_texture(
    s: &mut SceneBuilder,
) -> Result<TextureId, molehill_replay::record::RecordError> {
    let side = SIDE.cast_signed();
    let texture = s.texture(side, side, "bgra")?;
    s.target(texture, (SIDE, SIDE), true, 0)?;
    s.clear([0.0, 0.0, 0.0, 1.0])?;
    Ok(texture)
}

pub(super) fn pick(number: u16) -> [f32; 4] {
    let colors = COLORS.iter().cycle();
    colors
        .skip(usize::from(number))
        .copied()
        .next()
        .map_or([1.0; 4], color)
}

fn culling(cases: &mut Cases) {
    const SOURCE: &str = "context3d.md section 2, front face; section 6, setCulling";
    fn draw(s: &mut SceneBuilder, face: &str) -> Done {
        s.cull(face)?;
        s.program(PASS, VARYING)?;
        let quads = cells(|_, _| 0.5, |column, _| pick(column))
            .into_iter()
            .enumerate();
        let quads: Vec<Quad> = quads
            .map(|(n, quad)| if n % 3 == 0 { quad.behind() } else { quad })
            .collect();
        s.quads(&quads)
    }
    for (_, face) in TriangleFace::NAMES {
        cases.scene(
            format!("api.culling.{face}"),
            SOURCE,
            Tolerance::ROUNDING,
            move |s| draw(s, face),
        );
        cases.scene(
            format!("rtt.culling.{face}"),
            SOURCE,
            Tolerance::ROUNDING,
            move |s| {
                let texture = into_texture(s)?;
                draw(s, face)?;
                s.cull("none")?;
                show(s, texture)
            },
        );
        // A negative w turns no face around that can be seen, and mirrored coordinates do.
        cases.scene(
            format!("api.culling.mirrored.{face}"),
            SOURCE,
            Tolerance::ROUNDING,
            move |s| {
                s.cull(face)?;
                s.program("mul op, va0, vc0\nmov v0, va1", VARYING)?;
                s.constants("vertex", 0, &[[-1.0, 1.0, 1.0, 1.0]])?;
                let quads = cells(|_, _| 0.5, |column, _| pick(column))
                    .into_iter()
                    .enumerate();
                let quads: Vec<Quad> = quads
                    .map(|(n, quad)| if n % 3 == 0 { quad.behind() } else { quad })
                    .collect();
                s.quads(&quads)
            },
        );
    }
}

/// Rectangles in a target of 32 by 32: inside, over each edge, empty, with fractions, outside.
const SCISSORS: [(&str, [f64; 4]); 18] = [
    ("all", [0.0, 0.0, 32.0, 32.0]),
    ("middle", [8.0, 4.0, 12.0, 20.0]),
    ("pixel", [5.0, 9.0, 1.0, 1.0]),
    ("left_column", [0.0, 0.0, 1.0, 32.0]),
    ("last_row", [0.0, 31.0, 32.0, 1.0]),
    ("over_left", [-5.0, 3.0, 10.0, 10.0]),
    ("over_top", [3.0, -5.0, 10.0, 10.0]),
    ("over_right", [27.0, 3.0, 10.0, 10.0]),
    ("over_bottom", [3.0, 27.0, 10.0, 10.0]),
    ("over_all", [-100.0, -100.0, 1000.0, 1000.0]),
    ("no_width", [8.0, 8.0, 0.0, 10.0]),
    ("no_height", [8.0, 8.0, 10.0, 0.0]),
    ("fractions", [4.6, 7.4, 9.9, 12.1]),
    ("negative_fractions", [-0.5, -0.9, 10.7, 10.2]),
    ("right_of_it", [32.0, 0.0, 8.0, 8.0]),
    ("above_it", [0.0, -8.0, 8.0, 8.0]),
    ("huge", [1e9, 1e9, 1e9, 1e9]),
    ("largest", [0.0, 0.0, 1e18, 1e18]),
];

fn scissors(cases: &mut Cases) {
    const SOURCE: &str = "context3d.md section 6, setScissorRectangle; capture scissor_rectangle";
    fn draw(s: &mut SceneBuilder, rectangle: [f64; 4]) -> Done {
        s.program(PASS, VARYING)?;
        s.scissor(Some(rectangle))?;
        s.quads(&cells(|_, _| 0.5, |column, row| pick(column + row)))?;
        s.scissor(None)
    }
    for (name, rectangle) in SCISSORS {
        cases.scene(
            format!("api.scissor.{name}"),
            SOURCE,
            Tolerance::ROUNDING,
            move |s| {
                draw(s, rectangle)?;
                // Something is drawn in any case.
                s.quads(&[Quad::flat(
                    [30.0, 14.0, 32.0, 18.0],
                    0.5,
                    color([255, 0, 0, 255]),
                )])
            },
        );
        cases.scene(
            format!("rtt.scissor.{name}"),
            SOURCE,
            Tolerance::ROUNDING,
            move |s| {
                let texture = into_texture(s)?;
                draw(s, rectangle)?;
                show(s, texture)
            },
        );
        cases.scene(
            format!("api.scissor.clear.{name}"),
            SOURCE,
            Tolerance::ROUNDING,
            move |s| {
                s.scissor(Some(rectangle))?;
                s.clear([0.2, 0.4, 0.6, 0.8])?;
                s.scissor(None)?;
                s.program(PASS, VARYING)?;
                s.quads(&[Quad::flat(
                    [6.0, 6.0, 26.0, 26.0],
                    0.5,
                    color([255, 102, 0, 255]),
                )])
            },
        );
    }
    cases.scene(
        "api.scissor.kept_across_targets",
        SOURCE,
        Tolerance::ROUNDING,
        |s| {
            s.program(PASS, VARYING)?;
            s.scissor(Some([4.0, 8.0, 9.0, 10.0]))?;
            let texture = into_texture(s)?;
            s.quads(&[Quad::flat(FULL, 0.5, color([0, 255, 0, 255]))])?;
            s.scissor(None)?;
            show(s, texture)?;
            s.scissor(Some([16.0, 2.0, 3.0, 3.0]))?;
            s.program(PASS, VARYING)?;
            s.bind(0, None)?;
            s.quads(&[Quad::flat(FULL, 0.5, color([255, 0, 0, 255]))])?;
            s.scissor(None)
        },
    );
}

fn color_masks(cases: &mut Cases) {
    const SOURCE: &str = "context3d.md section 6, setColorMask: affects draws, not clear";
    fn draw(s: &mut SceneBuilder, mask: [bool; 4]) -> Done {
        s.program(PASS, VARYING)?;
        s.quads(&cells(|_, _| 0.5, |column, _| pick(column)))?;
        s.color_mask(mask)?;
        s.quads(&cells(|_, _| 0.5, |_, row| pick(row + 3)))
    }
    for bits in 0..16u8 {
        let mask = [0, 1, 2, 3].map(|n| bits >> n & 1 != 0);
        let letters: String = ['r', 'g', 'b', 'a']
            .into_iter()
            .zip(mask)
            .filter_map(|(l, on)| on.then_some(l))
            .collect();
        let word = if letters.is_empty() { "none" } else { &letters };
        cases.scene(
            format!("api.color_mask.{word}"),
            SOURCE,
            Tolerance::ROUNDING,
            move |s| {
                draw(s, mask)?;
                s.color_mask([true; 4])
            },
        );
        cases.scene(
            format!("rtt.color_mask.{word}"),
            SOURCE,
            Tolerance::ROUNDING,
            move |s| {
                let texture = into_texture(s)?;
                draw(s, mask)?;
                s.color_mask([true; 4])?;
                show(s, texture)
            },
        );
        cases.scene(
            format!("api.color_mask.clear.{word}"),
            SOURCE,
            Tolerance::ROUNDING,
            move |s| {
                draw(s, mask)?;
                s.clear([0.2, 0.4, 0.6, 0.8])?;
                s.quads(&[Quad::flat(
                    [6.0, 6.0, 26.0, 26.0],
                    0.5,
                    color([255, 102, 0, 0]),
                )])?;
                s.color_mask([true; 4])
            },
        );
    }
}

fn fill(cases: &mut Cases) {
    let tolerance = Tolerance {
        channel: 1,
        moved: 220,
        outliers: 40,
        reason: "Direct3D and OpenGL choose the pixels of lines by different rules",
    };
    for (name, corners) in [
        ("large", [2.5, 2.5, 29.5, 29.5]),
        ("flat", [2.5, 12.5, 29.5, 17.5]),
    ] {
        cases
            .scene(
                format!("api.fill_mode.wireframe.{name}"),
                "context3d.md section 6, setFillMode",
                tolerance,
                move |s| {
                    s.fill("wireframe")?;
                    s.program(PASS, VARYING)?;
                    s.quads(&[Quad::flat(corners, 0.5, color([255, 204, 0, 255]))])?;
                    s.fill("solid")
                },
            )
            .needs(Feature::Wireframe);
    }
    sliver(cases);
    cases
        .scene(
            "api.fill_mode.wireframe.stencil_by_face",
            "context3d.md section 6, setFillMode and setStencilActions",
            tolerance,
            |s| {
                s.stencil("front", "never", ["keep"; 3])?;
                s.stencil("back", "always", ["keep"; 3])?;
                s.fill("wireframe")?;
                s.program(PASS, VARYING)?;
                s.quads(&[
                    Quad::flat([2.5, 2.5, 29.5, 13.5], 0.5, color([255, 204, 0, 255])),
                    Quad::flat([2.5, 18.5, 29.5, 29.5], 0.5, color([0, 204, 255, 255])).behind(),
                ])?;
                s.fill("solid")?;
                s.stencil("frontAndBack", "always", ["keep"; 3])
            },
        )
        .needs(Feature::Wireframe);
    cases
        .scene(
            "api.fill_mode.solid_again",
            "context3d.md section 6, setFillMode",
            Tolerance::ROUNDING,
            |s| {
                s.fill("wireframe")?;
                s.fill("solid")?;
                s.program(PASS, VARYING)?;
                s.quads(&cells(|_, _| 0.5, |column, row| pick(column * 3 + row)))
            },
        )
        .needs(Feature::Wireframe);
}

/// The wireframe of a triangle so thin that what is interpolated on its lines can't be had from its area.
fn sliver(cases: &mut Cases) {
    let tolerance = Tolerance {
        channel: 14,
        moved: 48,
        outliers: 8,
        reason: "Direct3D and OpenGL choose the pixels of lines by different rules, and any of the three may come last",
    };
    cases
        .scene(
            "api.fill_mode.wireframe.sliver",
            "context3d.md section 6, setFillMode",
            tolerance,
            |s| {
                s.program("mov op, va0\nmov v0, va1", VARYING)?;
                // Red to green on one side; the third corner, a little bluer, lies a hundredth of a pixel beside its middle.
                let floats = [
                    [-0.9, -0.31, 0.5, 1.0, 0.0, 0.0, 1.0],
                    [0.9, 0.33, 0.5, 0.0, 1.0, 0.0, 1.0],
                    [0.0, 0.0106, 0.5, 0.5, 0.5, 0.04, 1.0],
                ];
                let (vertices, indices) = (
                    s.vertices(floats.as_flattened(), 7)?,
                    s.indices(&[0, 1, 2])?,
                );
                s.stream(0, Some(vertices), 0, "float3")?;
                s.stream(1, Some(vertices), 3, "float4")?;
                s.fill("wireframe")?;
                s.draw(indices, 0, -1)?;
                s.fill("solid")
            },
        )
        .needs(Feature::Wireframe);
}
