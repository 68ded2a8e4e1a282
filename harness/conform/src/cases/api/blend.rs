//! All pairs of blend factors, on the back buffer and on textures.

use context3d::Profile;

use crate::calls::Calls as _;
use crate::case::{Cases, Feature};
use crate::drawing::{COLORS, by_cell, byte, cells, color, show};
use crate::expected;
use crate::scene_builder::{Done, PASS, SIDE, SceneBuilder, VARYING};
use crate::tolerance::Tolerance;
use molehill_replay::image::Image;

const SOURCE: &str = "[context3d.blend.equation] [context3d.blend.off] [context3d.blend.destination_alpha] \
                      [context3d.raster.color_space]; capture blend";
/// Factors may be products of rounded numbers, which are rounded again.
const TOLERANCE: Tolerance =
    Tolerance::channel(2, "the destination and the result are rounded to eight bits");

/// Destinations by column, sources by row.
fn blended(s: &mut SceneBuilder, source: &str, destination: &str) -> Done {
    s.program(PASS, VARYING)?;
    s.set_blend_factors("one", "zero")?;
    let pick = |number: u16| COLORS.get(usize::from(number)).copied().map_or([0.0; 4], color);
    s.quads(&cells(|_, _| 0.5, |column, _| pick(column)))?;
    s.set_blend_factors(source, destination)?;
    s.quads(&cells(|_, _| 0.5, |_, row| pick(row)))?;
    s.set_blend_factors("one", "zero")
}

/// Flash's equation, each channel by itself: source * factor + destination * factor, within 0 to 1.
fn formula(source: &str, destination: &str) -> Vec<Image> {
    let picture = by_cell(|column, row| {
        let pick = |number: u16| COLORS.get(usize::from(number)).copied().map_or([0.0; 4], color);
        let (s, d) = (pick(row), pick(column));
        let factor = |name: &str, channel: usize| match name {
            "one" => 1.0,
            "sourceColor" => s[channel],
            "oneMinusSourceColor" => 1.0 - s[channel],
            "sourceAlpha" => s[3],
            "oneMinusSourceAlpha" => 1.0 - s[3],
            "destinationColor" => d[channel],
            "oneMinusDestinationColor" => 1.0 - d[channel],
            "destinationAlpha" => d[3],
            "oneMinusDestinationAlpha" => 1.0 - d[3],
            _ => 0.0,
        };
        [0, 1, 2, 3].map(|n| s[n] * factor(source, n) + d[n] * factor(destination, n)).map(byte)
    });
    vec![picture]
}

pub(super) fn add(cases: &mut Cases) {
    let factors = || expected::names("BlendFactor");
    for source in factors() {
        for destination in factors() {
            let pair = format!("{source}.{destination}");
            let on_back_buffer =
                cases.within(TOLERANCE).scene(format!("api.blend.{pair}"), SOURCE, move |s| {
                    blended(s, source, destination)
                });
            on_back_buffer.expects_pictures(move || formula(source, destination));
            let on_texture =
                cases.within(TOLERANCE).scene(format!("rtt.blend.{pair}"), SOURCE, move |s| {
                    let side = SIDE.cast_signed();
                    let texture = s.texture(side, side, "bgra")?;
                    s.target(texture, (SIDE, SIDE), false, 0)?;
                    s.clear([0.0; 4])?;
                    blended(s, source, destination)?;
                    show(s, texture)
                });
            on_texture.expects_pictures(move || formula(source, destination));
        }
    }
    for (source, destination) in
        [("one", "one"), ("sourceAlpha", "oneMinusSourceAlpha"), ("destinationColor", "zero")]
    {
        let name = format!("rtt.blend.half_float.{source}.{destination}");
        cases
            .within(TOLERANCE)
            .scene(name, SOURCE, move |s| {
                let side = SIDE.cast_signed();
                let texture = s.texture(side, side, "rgbaHalfFloat")?;
                s.target(texture, (SIDE, SIDE), false, 0)?;
                s.clear([0.0; 4])?;
                blended(s, source, destination)?;
                show(s, texture)
            })
            .profile(Profile::StandardConstrained)
            .needs(Feature::HalfFloatTargets)
            .expects_pictures(move || formula(source, destination));
    }
}
