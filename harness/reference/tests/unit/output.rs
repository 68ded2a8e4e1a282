//! Tests blending, depth and stencil of `output.rs`.

use context3d::enums::{
    BlendFactor, CompareMode, FillMode, FlashName as _, StencilAction, TriangleFace,
};
use context3d::packets::{Raster, StencilFace};

use super::*;
use crate::texel::{Rgba8, RgbaHalf};

const KEEP: StencilFace = StencilFace {
    compare: CompareMode::Always,
    both_pass: StencilAction::Keep,
    depth_fail: StencilAction::Keep,
    stencil_fail: StencilAction::Keep,
};

const PLAIN: Raster = Raster {
    cull: TriangleFace::None,
    blend: (BlendFactor::One, BlendFactor::Zero),
    color_mask: [true; 4],
    depth_write: true,
    depth_compare: CompareMode::Less,
    stencil_front: KEEP,
    stencil_back: KEEP,
    stencil_reference: 0,
    stencil_read_mask: 255,
    stencil_write_mask: 255,
    fill: FillMode::Solid,
};

#[test]
fn comparisons_are_incoming_with_stored() {
    let passes = |mode| [(1, 2), (2, 2), (3, 2)].map(|(a, b)| compare(mode, a, b));
    let table = CompareMode::NAMES.iter().map(|(mode, _)| passes(*mode));
    let t = true;
    assert_eq!(
        table.collect::<Vec<_>>(),
        [
            [t, t, t],
            [!t, t, !t],
            [!t, !t, t],
            [!t, t, t],
            [t, !t, !t],
            [t, t, !t],
            [!t, !t, !t],
            [t, !t, t]
        ],
        "always, equal, greater, greaterEqual, less, lessEqual, never, notEqual"
    );
}

#[test]
fn stencil_actions() {
    let results = |action| [0u8, 7, 255].map(|stored| act(action, stored, 9));
    let table = StencilAction::NAMES.iter().map(|(action, _)| results(*action));
    assert_eq!(
        table.collect::<Vec<_>>(),
        [
            [0, 7, 255],
            [0, 0, 0],
            [9, 9, 9],
            [255, 248, 0],
            [1, 8, 255],
            [0, 6, 254],
            [1, 8, 0],
            [255, 6, 254]
        ],
        "keep, zero, set, invert, the saturating, the wrapping"
    );
}

/// Tests the choice of the stencil action, the effect of masks, and depth writes.
#[test]
fn the_stencil_comes_before_the_depth() {
    let face = StencilFace {
        compare: CompareMode::Equal,
        both_pass: StencilAction::IncrementWrap,
        depth_fail: StencilAction::Zero,
        stencil_fail: StencilAction::Set,
    };
    let raster = Raster {
        stencil_back: face,
        stencil_reference: 0xA5,
        stencil_read_mask: 0x0F,
        stencil_write_mask: 0xF7,
        ..PLAIN
    };
    let back = DepthStencilState::new(&raster, false);
    let (near, far, stored) = (10, 30, 20 << 8);
    assert_eq!(back.test(stored | 0x35, near), (10 << 8 | 0x36, true));
    assert_eq!(back.test(stored | 0x35, far), (stored, false));
    assert_eq!(back.test(stored | 0x3D, far), (stored | 0xAD, false), "bit 3 is kept");
    assert!(!back.fails_silently());
    let front = DepthStencilState::new(&raster, true);
    assert_eq!(front.test(stored | 0x3D, near), (10 << 8 | 0x3D, true));
    assert!(front.fails_silently());
    let read_only = Raster { depth_write: false, ..PLAIN };
    let test = DepthStencilState::new(&read_only, true).test(stored, near);
    assert_eq!(test, (stored, true));
}

/// Blends into the last of four pixels and returns the result.
fn over<T: TexelFloats>(blend: &Blend, color: [f32; 4], texel: T) -> T {
    let mut colors = LaneRegister::default();
    colors.set_lane(3, color);
    let [.., blended] = blend.over(&colors, [T::default(), T::default(), T::default(), texel]);
    blended
}

/// [agal.float.stored_nan] NaN becomes 0 before blending.
#[test]
fn nan_is_zero_before_it_is_blended() {
    let raster =
        Raster { blend: (BlendFactor::SourceAlpha, BlendFactor::OneMinusSourceAlpha), ..PLAIN };
    let destination = [40, 80, 160, 200];
    let source = [f32::INFINITY, 1.0, f32::NEG_INFINITY, f32::NAN];
    assert_eq!(over(&Blend::new(&raster), source, Rgba8(destination)), Rgba8(destination));
    let source = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1.0];
    assert_eq!(over(&Blend::new(&raster), source, Rgba8(destination)), Rgba8([0, 255, 0, 255]));
    let RgbaHalf(halves) = over(&Blend::new(&PLAIN), source, RgbaHalf::default());
    assert!(half::f16::from_bits(halves[0]).is_nan());
    assert_eq!(halves[1..], [0x7c00, 0xfc00, 0x3c00]);
}

/// Compares with the formula of [context3d.blend.equation], written out for each channel.
#[test]
fn every_pair_of_factors() {
    let (source, destination) = ([0.9f32, 0.5, 0.1, 0.6], Rgba8([40, 80, 160, 200]));
    let stored = destination.load();
    let value = |factor, c: usize| match factor {
        BlendFactor::Zero => 0.0,
        BlendFactor::One => 1.0,
        BlendFactor::SourceColor => source[c],
        BlendFactor::OneMinusSourceColor => 1.0 - source[c],
        BlendFactor::SourceAlpha => source[3],
        BlendFactor::OneMinusSourceAlpha => 1.0 - source[3],
        BlendFactor::DestinationAlpha => stored[3],
        BlendFactor::OneMinusDestinationAlpha => 1.0 - stored[3],
        BlendFactor::DestinationColor => stored[c],
        BlendFactor::OneMinusDestinationColor => 1.0 - stored[c],
    };
    for (s, _) in BlendFactor::NAMES {
        for (d, _) in BlendFactor::NAMES {
            let raster = Raster { blend: (*s, *d), ..PLAIN };
            let Rgba8(result) = over(&Blend::new(&raster), source, destination);
            for c in 0..4 {
                let exact = source[c] * value(*s, c) + stored[c] * value(*d, c);
                let wanted = exact.clamp(0.0, 1.0) * 255.0;
                let off = (f32::from(result[c]) - wanted).abs();
                assert!(off <= 0.501, "{s:?}, {d:?}, channel {c}: {} and {wanted}", result[c]);
            }
        }
    }
}

#[test]
fn masks_and_ranges() {
    let masked = Raster { color_mask: [true, false, false, true], ..PLAIN };
    let blend = Blend::new(&masked);
    let Rgba8(result) = over(&blend, [7.0, 7.0, 7.0, -7.0], Rgba8([1, 2, 3, 4]));
    assert_eq!(result, [255, 2, 3, 0]);
    let color = [7.0, -0.5, f32::INFINITY, 1.0];
    let half = over(&Blend::new(&PLAIN), color, RgbaHalf::default());
    assert_eq!(half.load(), [7.0, -0.5, f32::INFINITY, 1.0]);
    let shut = Raster { color_mask: [false; 4], ..PLAIN };
    assert!(Blend::new(&shut).is_closed() && !blend.is_closed());
}
