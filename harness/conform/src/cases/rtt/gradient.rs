//! Rounding of intermediate values in a target.

use super::format::FORMATS;
use crate::case::{Cases, Feature};
use crate::cases::drawing::show;
use crate::scene_builder::{FULL, PASS, Quad, SIDE, VARYING};

const SOURCE: &str = "context3d.md section 7";

pub(super) fn add(cases: &mut Cases) {
    for (format, profile, tolerance) in FORMATS {
        let case =
            cases.within(tolerance).scene(format!("rtt.gradient.{format}"), SOURCE, move |s| {
                let side = SIDE.cast_signed();
                let texture = s.texture(side, side, format)?;
                s.target(texture, (SIDE, SIDE), false, 0)?;
                s.clear([0.0; 4])?;
                s.program(PASS, VARYING)?;
                s.quads(&[Quad {
                    corners: FULL,
                    z: 0.5,
                    values: [
                        [0.0, 0.0, 1.0, 1.0],
                        [1.0, 0.0, 0.5, 0.5],
                        [0.0, 1.0, 0.5, 0.5],
                        [1.0, 1.0, 0.0, 0.0],
                    ],
                    back: false,
                }])?;
                show(s, texture)
            });
        case.profile(profile);
        if format == "rgbaHalfFloat" {
            case.needs(Feature::HalfFloatTargets);
        }
    }
}
