//! All pairs of blend factors, on the back buffer and on textures.

use context3d::Profile;
use context3d::enums::{BlendFactor, FlashName};

use crate::case::{Cases, Feature};
use crate::cases::drawing::{COLORS, cells, color, show};
use crate::scene_builder::{Done, PASS, SIDE, SceneBuilder, VARYING};
use crate::tolerance::Tolerance;

const SOURCE: &str = "context3d.md section 6, blend; capture blend";
/// Factors may be products of rounded numbers, which are rounded again.
const TOLERANCE: Tolerance =
    Tolerance::channel(2, "the destination and the result are rounded to eight bits");

/// Destinations by column, sources by row.
fn blended(s: &mut SceneBuilder, source: &str, destination: &str) -> Done {
    s.program(PASS, VARYING)?;
    s.blend("one", "zero")?;
    let pick = |number: u16| COLORS.get(usize::from(number)).copied().map_or([0.0; 4], color);
    s.quads(&cells(|_, _| 0.5, |column, _| pick(column)))?;
    s.blend(source, destination)?;
    s.quads(&cells(|_, _| 0.5, |_, row| pick(row)))?;
    s.blend("one", "zero")
}

pub(super) fn add(cases: &mut Cases) {
    for (source, source_name) in BlendFactor::NAMES {
        for (destination, destination_name) in BlendFactor::NAMES {
            let pair = format!("{source_name}.{destination_name}");
            cases.scene_within(format!("api.blend.{pair}"), SOURCE, TOLERANCE, |s| {
                blended(s, source.name(), destination.name())
            });
            cases.scene_within(format!("rtt.blend.{pair}"), SOURCE, TOLERANCE, |s| {
                let side = SIDE.cast_signed();
                let texture = s.texture(side, side, "bgra")?;
                s.target(texture, (SIDE, SIDE), false, 0)?;
                s.clear([0.0; 4])?;
                blended(s, source.name(), destination.name())?;
                show(s, texture)
            });
        }
    }
    for (source, destination) in
        [("one", "one"), ("sourceAlpha", "oneMinusSourceAlpha"), ("destinationColor", "zero")]
    {
        let name = format!("rtt.blend.half_float.{source}.{destination}");
        cases
            .scene_within(name, SOURCE, TOLERANCE, move |s| {
                let side = SIDE.cast_signed();
                let texture = s.texture(side, side, "rgbaHalfFloat")?;
                s.target(texture, (SIDE, SIDE), false, 0)?;
                s.clear([0.0; 4])?;
                blended(s, source, destination)?;
                show(s, texture)
            })
            .profile(Profile::StandardConstrained)
            .needs(Feature::HalfFloatTargets);
    }
}
