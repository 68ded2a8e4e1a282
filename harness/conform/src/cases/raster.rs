//! Cases for the coverage and interpolation of triangles.

use crate::calls::Calls as _;
use crate::case::Cases;
use crate::scene_builder::VARYING;
use crate::tolerance::Tolerance;

const RASTER: &str = "[context3d.raster.top_left]";

/// Adds triangle fans whose edges cross pixels in all directions. Each pixel must be covered by exactly one triangle.
pub(super) fn add(cases: &mut Cases) {
    let tolerance = Tolerance::edges(1, 48, "vertices are snapped to a grid of the driver's own");
    for fan in [3u8, 5, 7, 12, 17] {
        cases.scene(format!("raster.fan.{fan}"), RASTER, tolerance, move |s| {
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
}
