//! Errors of render targets.

use context3d::Profile;

use super::{DrawSetup, ErrorCase, Unchecked, add_all, texture};
use crate::case::Cases;
use crate::scene_builder::{Done, SceneBuilder};

pub(super) fn add(cases: &mut Cases) {
    add_all(cases, calls());
    add_all(cases, sets());
}

fn calls() -> Vec<ErrorCase> {
    error_cases! {
        3712 "setRenderToTexture" [] |s| {
            let texture = s.streaming_texture(16, 16, "bgra", 2)?;
        } => s.output(Some(texture), false, 0, 0, 0);
        3746 "setRenderToTexture.compressed" [] |s| {
            let texture = s.texture(4, 4, "compressed")?;
        } => s.output(Some(texture), false, 0, 0, 0);
        3746 "setRenderToTexture.compressedAlpha" [] |s| {
            let texture = s.texture(4, 4, "compressedAlpha")?;
        } => s.output(Some(texture), false, 0, 0, 0);
        3770 "setRenderToTexture.4" [] |s| {
            let texture = texture(s)?;
        } => s.output(Some(texture), false, 0, 0, 4);
        3770 "setRenderToTexture.negative" [] |s| {
            let texture = texture(s)?;
        } => s.output(Some(texture), false, 0, 0, -1);
        3779 "setRenderToTexture.colorOutputIndex_1" [] .only(Profile::StandardConstrained) |s| {
            let texture = texture(s)?;
        } => s.output(Some(texture), false, 0, 0, 1);
        3771 "setRenderToTexture.1" [] |s| {
            let texture = texture(s)?;
        } => s.output(Some(texture), false, 0, 1, 0);
        3772 "setRenderToTexture.6" [] |s| {
            let cube = s.cube(4, "bgra")?;
        } => s.output(Some(cube), false, 0, 6, 0);
        3772 "setRenderToTexture.negative" [] |s| {
            let cube = s.cube(4, "bgra")?;
        } => s.output(Some(cube), false, 0, -1, 0);
        3773 "setRenderToTexture.1" [] |s| {
            let rectangle = s.rectangle(4, 4, "bgra")?;
        } => s.output(Some(rectangle), false, 0, 1, 0);
    }
}

/// Two targets; the second has another size, format or depth buffer.
fn targets(s: &mut SceneBuilder, side: i32, format: &str, depth: bool) -> Done {
    let (first, second) = (s.texture(8, 8, "bgra")?, s.texture(side, side, format)?);
    s.output(Some(first), true, 0, 0, 0)?;
    s.output(Some(second), depth, 0, 0, 1)
}

/// A draw to them.
fn two(s: &mut SceneBuilder, side: i32, format: &str, depth: bool) -> Done {
    let setup = DrawSetup::new(s)?;
    targets(s, side, format, depth)?;
    s.expect();
    setup.draw(s)
}

fn sets() -> Vec<ErrorCase> {
    let all = error_cases! {
        3728 "drawTriangles.slot_1_alone" [] |s| {
            let (setup, texture) = (DrawSetup::new(s)?, texture(s)?);
            s.output(Some(texture), false, 0, 0, 1)?;
        } => setup.draw(s);
        3728 "clear.slot_1_alone" [] .unchecked(Unchecked::Succeeds) |s| {
            let texture = texture(s)?;
            s.output(Some(texture), false, 0, 0, 1)?;
        } => s.clear([0.0; 4]);
        3729 "drawTriangles.size" [] |s| { two(s, 16, "bgra", true) };
        3729 "drawTriangles.depth" [] |s| { two(s, 8, "bgra", false) };
        3761 "drawTriangles" [] |s| { two(s, 8, "bgrPacked565", true) };
        3729 "clear.size" [] .unchecked(Unchecked::Succeeds) |s| {
            targets(s, 16, "bgra", true)?;
        } => s.clear([0.0; 4]);
        3761 "clear" [] .unchecked(Unchecked::Succeeds) |s| {
            targets(s, 8, "bgrPacked565", true)?;
        } => s.clear([0.0; 4]);
        3730 "clear" [] .unchecked(Unchecked::Succeeds) |s| {
            let texture = texture(s)?;
            s.output(Some(texture), false, 0, 0, 0)?;
            s.output(Some(texture), false, 0, 0, 1)?;
        } => s.clear([0.0; 4]);
        3730 "drawTriangles" [] |s| {
            let (setup, texture) = (DrawSetup::new(s)?, texture(s)?);
            s.output(Some(texture), false, 0, 0, 0)?;
            s.output(Some(texture), false, 0, 0, 1)?;
        } => setup.draw(s);
    };
    let all = all.into_iter();
    all.map(|case| case.profile(Profile::Standard)).collect()
}
