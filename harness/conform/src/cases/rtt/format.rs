//! Formats of targets.

use context3d::Profile;

use crate::case::{Cases, Feature};
use crate::drawing::{cells, pick, show};
use crate::scene_builder::{PASS, SIDE, VARYING};
use crate::tolerance::Tolerance;

const SOURCE: &str = "context3d.md section 7";
/// Formats of targets: profile, and tolerance for rounding.
pub(super) const FORMATS: [(&str, Profile, Tolerance); 4] = [
    ("bgra", Profile::Baseline, Tolerance::ROUNDING),
    (
        "bgrPacked565",
        Profile::Baseline,
        Tolerance::channel(9, "five bits may be rounded either way"),
    ),
    (
        "bgraPacked4444",
        Profile::Baseline,
        Tolerance::channel(18, "four bits may be rounded either way"),
    ),
    ("rgbaHalfFloat", Profile::StandardConstrained, Tolerance::ROUNDING),
];

pub(super) fn add(cases: &mut Cases) {
    for (format, profile, tolerance) in FORMATS {
        for rectangle in [false, true] {
            let kind = if rectangle { "rectangle" } else { "texture" };
            let name = format!("rtt.format.{format}.{kind}");
            let case = cases.within(tolerance).scene(name, SOURCE, move |s| {
                let side = SIDE.cast_signed();
                let texture = if rectangle {
                    s.rectangle(side, side, format)?
                } else {
                    s.texture(side, side, format)?
                };
                s.target(texture, (SIDE, SIDE), false, 0)?;
                s.clear([0.2, 0.4, 0.6, 0.8])?;
                s.program(PASS, VARYING)?;
                let quads = cells(|_, _| 0.5, |column, row| pick(column + row)).into_iter();
                s.quads(&quads.step_by(3).collect::<Vec<_>>())?;
                show(s, texture)
            });
            case.profile(profile);
            if format == "rgbaHalfFloat" {
                case.needs(Feature::HalfFloatTargets);
            }
        }
    }
}
