//! Textures: formats, filters, wrapping, mip levels, bias, cubes, rectangles, uploads, sampler state.

mod anisotropy;
mod atf;
mod bias;
mod cube;
mod filter;
mod format;
mod mip;
mod mip_half;
mod rectangle;
mod sampler_state;
mod unit;
mod upload;
mod vertex;
mod wrap;

use context3d::Profile;
use context3d::enums::{FlashName, MipFilter, TextureFilter, TextureFormat};

use crate::calls::Calls as _;
use crate::case::Cases;
use crate::scene_builder::{Done, PASS, Quad, SceneBuilder};
use crate::tolerance::Tolerance;
use molehill_capture::objects::TextureId;
use molehill_replay::record::RecordError;

const SAMPLERS: &str = "context3d.md section 6, setSamplerStateAt; capture sampler";
const FORMATS: &str = "textures-and-atf.md section 1";

/// A texel of a level: a pattern without symmetry, with a different shade for each level.
fn texel(x: u32, y: u32, level: u32) -> [u8; 4] {
    let byte = |value: u32| u8::try_from(value % 256).unwrap_or(0);
    let checker = (x + y) % 2;
    [
        byte(40 + x * 13 + level * 37),
        byte(20 + y * 17 + level * 11),
        byte(checker * 90 + level * 29),
        byte(255u32.saturating_sub(x * 7 + y * 5)),
    ]
}

/// As [`texel`], with small differences between neighbours, so that a small error of the level of detail changes
/// little.
fn smooth_texel(x: u32, y: u32, level: u32) -> [u8; 4] {
    let byte = |value: u32| u8::try_from(value.min(255)).unwrap_or(255);
    [byte(100 + x * 4 + level * 10), byte(60 + y * 5 + level * 12), byte(30 + level * 14), 255]
}

type Pattern = fn(u32, u32, u32) -> [u8; 4];

/// The nearest half float above 0 and up to 1, by its bits.
fn half(byte: u8) -> u16 {
    if byte == 0 {
        return 0;
    }
    let value = f32::from(byte) / 255.0;
    let bits = value.to_bits();
    let exponent = (bits >> 23) & 0xFF;
    // 112 is the difference of the biases; all values are normal halves.
    u16::try_from(((exponent - 112) << 10) | ((bits >> 13) & 0x3FF)).unwrap_or(0)
}

/// Texels of a level in a format's layout.
fn texels(
    format: TextureFormat,
    (width, height): (u32, u32),
    level: u32,
    pattern: Pattern,
) -> Vec<u8> {
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    places
        .flat_map(|(x, y)| {
            let [red, green, blue, alpha] = pattern(x, y, level);
            let packed = |bits: [u16; 4], [r, g, b, a]: [u16; 4]| {
                let part = |byte: u8, count: u16| u16::from(byte) >> (8 - count.min(8));
                let value = |byte, count, shift: u16| {
                    if count == 0 { 0 } else { part(byte, count) << shift }
                };
                value(red, bits[0], r)
                    | value(green, bits[1], g)
                    | value(blue, bits[2], b)
                    | value(alpha, bits[3], a)
            };
            match format {
                TextureFormat::BgrPacked565 => {
                    packed([5, 6, 5, 0], [11, 5, 0, 0]).to_le_bytes().to_vec()
                }
                TextureFormat::BgraPacked4444 => {
                    packed([4, 4, 4, 4], [8, 4, 0, 12]).to_le_bytes().to_vec()
                }
                TextureFormat::RgbaHalfFloat => [red, green, blue, alpha]
                    .into_iter()
                    .flat_map(|byte| half(byte).to_le_bytes())
                    .collect(),
                _ => vec![blue, green, red, alpha],
            }
        })
        .collect()
}

fn textured(
    s: &mut SceneBuilder,
    format: TextureFormat,
    (width, height): (u32, u32),
    pattern: Pattern,
) -> Result<TextureId, RecordError> {
    let texture = s.texture(width.cast_signed(), height.cast_signed(), format.name())?;
    let levels = width.max(height).ilog2();
    for level in 0..=levels {
        let size = ((width >> level).max(1), (height >> level).max(1));
        s.upload(texture, texels(format, size, level, pattern), level)?;
    }
    Ok(texture)
}

/// The AGAL option for a format.
fn read_mode(format: TextureFormat) -> &'static str {
    match format {
        TextureFormat::Compressed => ",dxt1",
        TextureFormat::CompressedAlpha => ",dxt5",
        _ => "",
    }
}

fn profile(format: TextureFormat) -> Profile {
    match format {
        TextureFormat::RgbaHalfFloat => Profile::StandardConstrained,
        _ => Profile::Baseline,
    }
}

/// Draws with a program with these sampler options.
fn sampled(s: &mut SceneBuilder, texture: TextureId, options: &str, quads: &[Quad]) -> Done {
    s.program(PASS, &format!("tex oc, v0, fs0 <{options}>"))?;
    s.set_texture_at(0, texture)?;
    s.quads(quads)
}

/// A magnified half, and one minified by a factor between powers of two; both extend past the texture's edges.
fn halves() -> [Quad; 2] {
    [
        Quad::textured([0.0, 0.0, 32.0, 16.0], [-0.3, -0.3, 1.45, 1.2]),
        Quad::textured([0.0, 16.0, 32.0, 32.0], [-2.1, -1.2, 3.9, 1.8]),
    ]
}

fn tolerance_of(filter: TextureFilter, mip: MipFilter) -> Tolerance {
    match (filter, mip) {
        (TextureFilter::Nearest, MipFilter::None) => {
            Tolerance::edges(1, 160, "a texel's edge may lie a pixel further")
        }
        (TextureFilter::Nearest, _) => Tolerance {
            channel: 12,
            moved: 160,
            outliers: 16,
            reason: "levels of detail have few bits, and a texel's edge may lie a pixel further",
        },
        (TextureFilter::Linear, MipFilter::None) => {
            Tolerance::channel(4, "weights of a linear filter may have eight bits")
        }
        (TextureFilter::Linear, _) => Tolerance::channel(10, "levels of detail have few bits"),
        _ => Tolerance {
            channel: 40,
            moved: 64,
            outliers: 16,
            reason: "how many reads an anisotropic filter makes, and where, is the driver's choice",
        },
    }
}

pub(super) fn add(cases: &mut Cases) {
    format::add(cases);
    filter::add(cases);
    wrap::add(cases);
    bias::add(cases);
    mip::add(cases);
    anisotropy::add(cases);
    atf::add(cases);
    cube::add(cases);
    rectangle::add(cases);
    upload::add(cases);
    unit::add(cases);
    sampler_state::add(cases);
    mip_half::add(cases);
    vertex::add(cases);
}
