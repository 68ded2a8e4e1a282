//! Errors of render targets.

use context3d::enums::TextureFormat;
use context3d::keys::TextureKey;
use context3d::{ErrorCode, Invocation, ObjectHandle, Profile};

use crate::common::{Rig, legal};
use crate::{Case, Outcome, case};

fn output(
    rig: &mut Rig,
    texture: ObjectHandle<TextureKey>,
    depth: bool,
    color_output_index: i32,
) -> Outcome {
    rig.context.execute(&Invocation::SetRenderToTexture {
        texture: Some(texture),
        enable_depth_and_stencil: depth,
        anti_alias: 0,
        surface_selector: 0,
        color_output_index,
    })
}

fn selector(rig: &mut Rig, texture: ObjectHandle<TextureKey>, selector: i32) -> Outcome {
    crate::done(rig.context.set_render_to_texture(Some(texture), false, 0, selector, 0))
}

/// Draws to two targets with these sizes and formats, the second with or without depth.
fn two(rig: &mut Rig, second: (i32, TextureFormat, bool)) -> Outcome {
    let (side, format, depth) = second;
    let targets = [rig.target(8, TextureFormat::Bgra), rig.target(side, format)];
    legal(output(rig, targets[0], true, 0));
    legal(output(rig, targets[1], depth, 1));
    rig.draw()
}

/// Clears incompatible targets. Without error checking, the clear has no effect.
fn clear(rig: &mut Rig) -> Outcome {
    crate::done(rig.context.clear(0.0, 0.0, 0.0, 0.0, 1.0, 0, u32::MAX))
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = calls();
    cases.extend(sets());
    cases
}

fn calls() -> Vec<Case> {
    use ErrorCode::*;
    use TextureFormat::{Bgra, Compressed, RgbaHalfFloat};
    vec![
        case(StreamingTarget, "a streaming texture", |rig| {
            let texture = crate::drawing::streaming(rig);
            selector(rig, texture, 0)
        }),
        case(CompressedTarget, "a compressed texture", |rig| {
            let texture = rig.target(4, Compressed);
            selector(rig, texture, 0)
        }),
        case(Disposed, "a draw into a disposed texture", |rig| {
            let texture = rig.texture();
            legal(selector(rig, texture, 0));
            legal(rig.context.texture_dispose(texture));
            rig.draw()
        }),
        case(Disposed, "a clear of a disposed texture", |rig| {
            let texture = rig.texture();
            legal(selector(rig, texture, 0));
            legal(rig.context.texture_dispose(texture));
            clear(rig)
        }),
        case(OutputIndex, "4", |rig| {
            let texture = rig.texture();
            output(rig, texture, false, 4)
        }),
        case(OutputIndex, "-1", |rig| {
            let texture = rig.texture();
            output(rig, texture, false, -1)
        }),
        case(NeedsStandard, "1 in standardConstrained", |rig| {
            let texture = rig.texture();
            output(rig, texture, false, 1)
        })
        .profile(Profile::StandardConstrained),
        case(Selector2d, "1", |rig| {
            let texture = rig.texture();
            selector(rig, texture, 1)
        }),
        case(SelectorCube, "6", |rig| {
            let cube = legal(rig.context.create_cube_texture(4, Bgra, false, 0));
            selector(rig, cube, 6)
        }),
        case(SelectorRectangle, "-1", |rig| {
            let rectangle = legal(rig.context.create_rectangle_texture(4, 4, Bgra, false));
            selector(rig, rectangle, -1)
        }),
        case(FeatureUnavailable, "half floats the device can't render to", |rig| {
            *rig = Rig::with_caps(Profile::Standard, |caps| caps.half_float_targets = false);
            let texture = rig.target(4, RgbaHalfFloat);
            selector(rig, texture, 0)
        }),
        case(FeatureUnavailable, "larger than the device can render to", |rig| {
            *rig = Rig::with_caps(Profile::Standard, |caps| caps.max_target_size = 1024);
            let texture = rig.target(2048, Bgra);
            selector(rig, texture, 0)
        }),
    ]
}

fn sets() -> Vec<Case> {
    use ErrorCode::*;
    use TextureFormat::{BgrPacked565, Bgra};
    let all = vec![
        case(TargetSlots, "slot 1 alone", |rig| {
            let texture = rig.texture();
            legal(output(rig, texture, false, 1));
            rig.draw()
        }),
        case(TargetSlots, "clearing slot 1 alone", |rig| {
            let texture = rig.texture();
            legal(output(rig, texture, false, 1));
            clear(rig)
        })
        .unchecked(crate::Unchecked::Done),
        case(TargetsDiffer, "another size", |rig| two(rig, (16, Bgra, true))),
        case(TargetsDiffer, "no depth", |rig| two(rig, (8, Bgra, false))),
        case(TargetBitDepth, "16 bits", |rig| two(rig, (8, BgrPacked565, true))),
        case(TargetTwice, "the same texture", |rig| {
            let texture = rig.texture();
            legal(output(rig, texture, false, 0));
            legal(output(rig, texture, false, 1));
            rig.draw()
        }),
    ];
    all.into_iter().map(|case| case.profile(Profile::Standard)).collect()
}
