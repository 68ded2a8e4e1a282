//! Formats.

use context3d::Profile;
use context3d::enums::{FlashName, TextureFormat};

use super::{FORMATS, profile, read_mode, sampled, texel, textured};
use crate::calls::Calls as _;
use crate::case::Cases;
use crate::scene_builder::{FULL, PASS, Quad};
use crate::tolerance::Tolerance;

pub(super) fn add(cases: &mut Cases) {
    for (format, name) in TextureFormat::NAMES {
        for (width, height) in [(8u32, 8u32), (4, 16), (32, 4)] {
            for filter in ["nearest", "linear"] {
                let tolerance = match filter {
                    "nearest" => Tolerance::ROUNDING,
                    _ => Tolerance::channel(3, "weights of a linear filter may have eight bits"),
                };
                let name = format!("texture.format.{name}.{width}x{height}.{filter}");
                let case = cases.within(tolerance).scene(name, FORMATS, move |s| {
                    let texture = textured(s, *format, (width, height), texel)?;
                    // Texel centres are between pixels, so that none is on an edge.
                    let options = format!("2d,{filter},clamp,mipnone{}", read_mode(*format));
                    sampled(s, texture, &options, &[Quad::textured(FULL, [0.0, 0.0, 1.0, 1.0])])
                });
                case.profile(profile(*format));
            }
        }
    }
    for value in [0x3C00u16, 0x4400, 0x0001, 0x03FF, 0x7BFF, 0xBC00, 0x3555] {
        cases.within(Tolerance::channel(2, "eleven bits, scaled")).scene(format!("texture.format.half.bits_{value:04x}"), FORMATS, move |s| {
                let texture = s.texture(1, 1, "rgbaHalfFloat")?;
                let bytes = [value, value, 0x3C00, 0x3C00].iter().flat_map(|half| half.to_le_bytes()).collect();
                s.upload(texture, bytes, 0)?;
                let size = half_value(value);
                s.program(PASS, "tex ft0, v0, fs0 <2d,nearest,clamp,mipnone>\nmul ft0.xy, ft0.xy, fc0.xy\nabs oc, ft0")?;
                // In two steps, because the product of the factors exceeds a float.
                s.constants("fragment", 0, &[[0.8 / size, 0.4 / size, 0.0, 0.0]])?;
                s.set_texture_at(0, texture)?;
                s.quads(&[Quad::textured(FULL, [0.0, 0.0, 1.0, 1.0])])
            })
            .profile(Profile::StandardConstrained);
    }
}

/// The value of a half float's bits, without sign.
fn half_value(bits: u16) -> f64 {
    let (exponent, fraction) = ((bits >> 10) & 0x1F, f64::from(bits & 0x3FF) / 1024.0);
    match exponent {
        0 => fraction * 2f64.powi(-14),
        exponent => (1.0 + fraction) * 2f64.powi(i32::from(exponent) - 15),
    }
}
