//! Cube textures.

use context3d::enums::{FlashName, TextureFormat};

use super::{profile, read_mode};
use crate::calls::Calls as _;
use crate::case::Cases;
use crate::cases::rtt::cube::show_cube;
use crate::scene_builder::{FULL, PASS, Quad, SceneBuilder};
use crate::texels::{Pattern, texel, texels};
use crate::tolerance::Tolerance;
use molehill_capture::objects::TextureId;
use molehill_replay::record::RecordError;

/// A cube with all its levels; each face has its own pattern and shade.
fn cube(s: &mut SceneBuilder, side: u32, format: TextureFormat) -> Result<TextureId, RecordError> {
    let cube = s.cube(side.cast_signed(), format.name())?;
    for face in 0..6u32 {
        for level in 0..=side.ilog2() {
            let size = (side >> level).max(1);
            let patterns: [Pattern; 6] = [
                |x, y, level| texel(x, y, level),
                |x, y, level| texel(x + 3, y, level),
                |x, y, level| texel(x, y + 5, level),
                |x, y, level| texel(x + 7, y + 2, level),
                |x, y, level| texel(x + 11, y, level),
                |x, y, level| texel(x, y + 9, level),
            ];
            if let Some(pattern) = patterns.get(face as usize) {
                s.upload_cube(cube, texels(format, (size, size), level, *pattern), face, level)?;
            }
        }
    }
    Ok(cube)
}

pub(super) fn add(cases: &mut Cases) {
    const SOURCE: &str = "[context3d.cube.rows] [context3d.sampling.cube_edges]; capture demo_away3dtut_materials-basic-skybox-Basic-SkyBox";
    for side in [1u32, 4, 8] {
        for filter in ["nearest", "linear"] {
            for mip in ["mipnone", "mipnearest", "miplinear"] {
                let tolerance = Tolerance {
                    channel: if filter == "nearest" { 1 } else { 6 },
                    moved: 120,
                    outliers: if mip == "mipnone" { 8 } else { 40 },
                    reason: "a texel's edge may lie a pixel further, and OpenGL lets a cube's level of detail be approximate at edges of faces",
                };
                let name = format!("texture.cube.{side}.{filter}.{mip}");
                cases.within(tolerance).scene(name, SOURCE, move |s| {
                    let cube = cube(s, side, TextureFormat::Bgra)?;
                    show_cube(s, cube, &format!("{filter},clamp,{mip}"))
                });
            }
        }
    }
    for (format, name) in TextureFormat::NAMES {
        let tolerance = Tolerance::edges(2, 120, "a texel's edge may lie a pixel further");
        let name = format!("texture.cube.format.{name}");
        let case = cases.within(tolerance).scene(name, SOURCE, move |s| {
            let cube = cube(s, 4, *format)?;
            show_cube(s, cube, &format!("nearest,clamp,mipnone{}", read_mode(*format)))
        });
        case.profile(profile(*format));
    }
    // The length of a direction has no effect.
    for (word, scale) in [("short", 0.001f32), ("long", 1000.0)] {
        let name = format!("texture.cube.direction.{word}");
        cases.within(Tolerance::edges(1, 80, "a texel's edge may lie a pixel further")).scene(
            name,
            SOURCE,
            move |s| {
                let cube = cube(s, 4, TextureFormat::Bgra)?;
                let at = |x: f32, y: f32| [x * scale, y * scale, 0.9 * scale, 0.0];
                s.program(PASS, "tex oc, v0, fs0 <cube,nearest,clamp,mipnone>")?;
                s.set_texture_at(0, cube)?;
                s.quads(&[Quad::of(
                    FULL,
                    [at(-2.0, 1.7), at(2.0, 1.7), at(-2.0, -1.7), at(2.0, -1.7)],
                )])
            },
        );
    }
}
