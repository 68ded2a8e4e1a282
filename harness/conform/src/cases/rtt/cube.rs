//! Faces of cubes as targets.

use context3d::agal::cube;

use crate::calls::Calls as _;
use crate::case::Cases;
use crate::drawing::{corners, pick};
use crate::scene_builder::{Done, PASS, Quad, SIDE, SceneBuilder, VARYING};
use crate::tolerance::Tolerance;
use molehill_capture::objects::TextureId;

fn face(s: &mut SceneBuilder, cube: TextureId, side: i32) -> Done {
    s.set_render_to_texture(cube, true, 0, side, 0)?;
    let shade = f64::from(side + 1) / 10.0;
    s.clear([shade, 1.0 - shade, 0.2, 1.0])?;
    s.program(PASS, VARYING)?;
    s.quads(&[Quad::flat(corners(1, 2), 0.5, pick(u16::try_from(side).unwrap_or(0) + 1))])
}

/// The direction of a position on a side, from -1, -1 at the top left to 1, 1.
pub(in crate::cases) fn direction(side: u8, a: f32, b: f32) -> [f32; 4] {
    let [x, y, z] = cube::unproject(side, [a, b]);
    [x, y, z, 0.0]
}

/// Shows a cube's six faces, in two rows.
pub(in crate::cases) fn show_cube(s: &mut SceneBuilder, cube: TextureId, options: &str) -> Done {
    s.to_back_buffer()?;
    s.clear([0.0, 0.0, 0.0, 1.0])?;
    s.program(PASS, &format!("tex oc, v0, fs0 <cube,{options}>"))?;
    s.set_texture_at(0, cube)?;
    const ALMOST: f32 = 0.96;
    let quads: Vec<Quad> = (0..cube::FACES)
        .map(|side| {
            let (x, y) = (f32::from(side % 3) * 10.0, f32::from(side / 3) * 16.0);
            let at = |a, b| direction(side, a * ALMOST, b * ALMOST);
            Quad::of(
                [x, y, x + 10.0, y + 16.0],
                [at(-1.0, -1.0), at(1.0, -1.0), at(-1.0, 1.0), at(1.0, 1.0)],
            )
        })
        .collect();
    s.quads(&quads)
}

pub(super) fn add(cases: &mut Cases) {
    let tolerance = Tolerance::edges(1, 60, "texels lie between pixels");
    for side in 0..6 {
        let name = format!("rtt.cube.face_{side}");
        const SOURCE: &str = "[context3d.target.set] [context3d.cube.sides]";
        cases.within(tolerance).scene(name, SOURCE, move |s| {
            let cube = s.cube(SIDE.cast_signed(), "bgra")?;
            for side in 0..6 {
                s.upload_cube(cube, vec![60; (SIDE * SIDE * 4) as usize], side, 0)?;
            }
            face(s, cube, side)?;
            show_cube(s, cube, "nearest,clamp,mipnone")
        });
    }
    cases.within(tolerance).scene("rtt.cube.all_faces", "[context3d.target.set]", |s| {
        let cube = s.cube(SIDE.cast_signed(), "bgra")?;
        (0..6).try_for_each(|side| face(s, cube, side))?;
        show_cube(s, cube, "nearest,clamp,mipnone")
    });
}
