//! Textures: formats, filters, wrapping, mip levels, bias, cubes, rectangles, uploads, sampler state.

mod atf;
mod kinds;
mod units;

use context3d::{FlashName, MipFilter, Profile, TextureFilter, TextureFormat, WrapMode};

use crate::case::Cases;
use crate::scene_builder::{Done, FULL, PASS, Quad, SIDE, SceneBuilder};
use crate::tolerance::Tolerance;
use molehill_capture::TextureId;
use molehill_replay::record::RecordError;

const SAMPLERS: &str = "context3d.md section 6, setSamplerStateAt; capture sampler";
const FORMATS: &str = "textures-and-atf.md section 1";

pub(super) fn add(cases: &mut Cases) {
    formats(cases);
    samplers(cases);
    biases(cases);
    levels(cases);
    anisotropy(cases);
    atf::add(cases);
    kinds::add(cases);
    units::add(cases);
}

/// A texel of a level: a pattern without symmetry, with a shade of the level's own.
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

/// The same with little between neighbours, so that a level of detail that is a little off changes little.
fn gentle(x: u32, y: u32, level: u32) -> [u8; 4] {
    let byte = |value: u32| u8::try_from(value.min(255)).unwrap_or(255);
    [
        byte(100 + x * 4 + level * 10),
        byte(60 + y * 5 + level * 12),
        byte(30 + level * 14),
        255,
    ]
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
    // 112 is the difference of the biases; nothing here is below the smallest normal half.
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
                    if count == 0 {
                        0
                    } else {
                        part(byte, count) << shift
                    }
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

/// A texture with all its levels.
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

/// What AGAL must say of a format.
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

/// Draws with a program that samples in a way of its own.
fn sampled(s: &mut SceneBuilder, texture: TextureId, options: &str, quads: &[Quad]) -> Done {
    s.program(PASS, &format!("tex oc, v0, fs0 <{options}>"))?;
    s.bind(0, Some(texture))?;
    s.quads(quads)
}

fn formats(cases: &mut Cases) {
    for (format, name) in TextureFormat::NAMES {
        for (width, height) in [(8u32, 8u32), (4, 16), (32, 4)] {
            for filter in ["nearest", "linear"] {
                let tolerance = match filter {
                    "nearest" => Tolerance::ROUNDING,
                    _ => Tolerance::channel(3, "weights of a linear filter may have eight bits"),
                };
                let case = cases.scene(
                    format!("texture.format.{name}.{width}x{height}.{filter}"),
                    FORMATS,
                    tolerance,
                    move |s| {
                        let texture = textured(s, *format, (width, height), texel)?;
                        // Texels are centred between pixels, so that none is on an edge.
                        let options = format!("2d,{filter},clamp,mipnone{}", read_mode(*format));
                        sampled(
                            s,
                            texture,
                            &options,
                            &[Quad::textured(FULL, [0.0, 0.0, 1.0, 1.0])],
                        )
                    },
                );
                case.profile(profile(*format));
            }
        }
    }
    for value in [0x3C00u16, 0x4400, 0x0001, 0x03FF, 0x7BFF, 0xBC00, 0x3555] {
        cases
            .scene(format!("texture.format.half.bits_{value:04x}"), FORMATS, Tolerance::channel(2, "eleven bits, scaled"), move |s| {
                let texture = s.texture(1, 1, "rgbaHalfFloat")?;
                let bytes = [value, value, 0x3C00, 0x3C00].iter().flat_map(|half| half.to_le_bytes()).collect();
                s.upload(texture, bytes, 0)?;
                let size = half_value(value);
                s.program(PASS, "tex ft0, v0, fs0 <2d,nearest,clamp,mipnone>\nmul ft0.xy, ft0.xy, fc0.xy\nabs oc, ft0")?;
                // In two steps, so that neither factor is beyond a float.
                s.constants("fragment", 0, &[[0.8 / size, 0.4 / size, 0.0, 0.0]])?;
                s.bind(0, Some(texture))?;
                s.quads(&[Quad::textured(FULL, [0.0, 0.0, 1.0, 1.0])])
            })
            .profile(Profile::StandardConstrained);
    }
}

/// What the bits of a half float mean, without sign.
fn half_value(bits: u16) -> f64 {
    let (exponent, fraction) = ((bits >> 10) & 0x1F, f64::from(bits & 0x3FF) / 1024.0);
    match exponent {
        0 => fraction * 2f64.powi(-14),
        exponent => (1.0 + fraction) * 2f64.powi(i32::from(exponent) - 15),
    }
}

/// A magnified half, and one that is made smaller by a factor between powers of two, both beyond the edges.
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

fn samplers(cases: &mut Cases) {
    for (wrap, wrap_name) in WrapMode::NAMES {
        for (filter, filter_name) in TextureFilter::NAMES {
            for (mip, mip_name) in MipFilter::NAMES {
                for by in ["program", "state"] {
                    let area = match by {
                        "program" => "filter",
                        _ => "wrap",
                    };
                    let name =
                        format!("texture.{area}.{filter_name}.{mip_name}.{wrap_name}.by_{by}");
                    let tolerance = tolerance_of(*filter, *mip);
                    cases.scene(name, SAMPLERS, tolerance, move |s| {
                        let texture = textured(s, TextureFormat::Bgra, (16, 16), gentle)?;
                        if by == "program" {
                            let options = format!("2d,{filter_name},{wrap_name},{mip_name}");
                            return sampled(s, texture, &options, &halves());
                        }
                        s.program(PASS, "tex oc, v0, fs0 <2d,ignoresampler>")?;
                        s.sampler(0, wrap.name(), filter_name, mip_name)?;
                        s.bind(0, Some(texture))?;
                        s.quads(&halves())
                    });
                }
            }
        }
    }
    // Hard edges show what wrapping does to the last texel.
    for (_, wrap) in WrapMode::NAMES {
        for filter in ["nearest", "linear"] {
            for (width, height) in [(2u32, 2u32), (1, 4), (4, 1), (1, 1)] {
                let tolerance = match filter {
                    "nearest" => Tolerance::edges(1, 64, "a texel's edge may lie a pixel further"),
                    _ => Tolerance::channel(4, "weights of a linear filter may have eight bits"),
                };
                cases.scene(
                    format!("texture.wrap.small.{width}x{height}.{wrap}.{filter}"),
                    SAMPLERS,
                    tolerance,
                    move |s| {
                        let texture = textured(s, TextureFormat::Bgra, (width, height), texel)?;
                        let options = format!("2d,{filter},{wrap},mipnone");
                        sampled(
                            s,
                            texture,
                            &options,
                            &[Quad::textured(FULL, [-1.3, -0.8, 2.2, 2.7])],
                        )
                    },
                );
            }
        }
    }
}

fn biases(cases: &mut Cases) {
    for filter in ["nearest", "linear"] {
        for mip in ["mipnone", "mipnearest", "miplinear"] {
            for (word, bias) in [
                ("minus_16", "-16"),
                ("minus_2", "-2"),
                ("minus_half", "-0.5"),
                ("plus_eighth", "0.125"),
                ("plus_1", "1"),
                ("plus_2", "2"),
                ("plus_15", "15"),
            ] {
                let tolerance = match mip {
                    "mipnone" => tolerance_of(TextureFilter::Linear, MipFilter::None),
                    _ => Tolerance {
                        channel: 12,
                        moved: 64,
                        outliers: 0,
                        reason: "levels of detail have few bits, and a texel's edge may lie a pixel further",
                    },
                };
                cases.scene(
                    format!("texture.bias.{filter}.{mip}.{word}"),
                    "agal.md section 2.3, LOD bias",
                    tolerance,
                    move |s| {
                        let texture = textured(s, TextureFormat::Bgra, (32, 32), gentle)?;
                        let options = format!("2d,{filter},repeat,{mip},{bias}");
                        // A scale of 2^1.3: no bias here comes near the middle between two levels.
                        sampled(
                            s,
                            texture,
                            &options,
                            &[Quad::textured(FULL, [0.01, 0.02, 2.47, 2.48])],
                        )
                    },
                );
            }
        }
    }
}

/// Which level is read, one by one.
/// Each level has a colour of its own.
fn by_level(_: u32, _: u32, level: u32) -> [u8; 4] {
    let byte = |factor: u32| u8::try_from((level + 1) * factor % 256).unwrap_or(0);
    [byte(90), byte(55), byte(200), 255]
}

/// A texel a pixel across and eight down, and the other way round: how much of that the filter makes up for is seen by the
/// level that it reads.
fn anisotropy(cases: &mut Cases) {
    let side = SIDE * 8;
    let filters = TextureFilter::NAMES.iter();
    for (_, filter) in filters.filter(|(filter, _)| *filter != TextureFilter::Nearest) {
        for (name, corner) in [("across", [0.125, 1.0]), ("down", [1.0, 0.125])] {
            cases.scene(
                format!("texture.anisotropy.{filter}.{name}"),
                SAMPLERS,
                Tolerance::ROUNDING,
                move |s| {
                    let texture = textured(s, TextureFormat::Bgra, (side, side), by_level)?;
                    let options = format!("2d,{filter},repeat,mipnearest");
                    let [u, v] = corner;
                    sampled(
                        s,
                        texture,
                        &options,
                        &[Quad::textured(FULL, [0.0, 0.0, u, v])],
                    )
                },
            );
        }
    }
}

fn levels(cases: &mut Cases) {
    for side in [8u32, 64] {
        for level in 0..=side.ilog2() {
            for mip in ["mipnearest", "miplinear"] {
                cases.scene(
                    format!("texture.mip.{side}.level_{level}.{mip}"),
                    SAMPLERS,
                    Tolerance::channel(3, "levels of detail have few bits"),
                    move |s| {
                        let texture =
                            textured(s, TextureFormat::Bgra, (side, side), |_, _, level| {
                                let byte = |step: u32| {
                                    u8::try_from((level * step + 20) % 256).unwrap_or(0)
                                };
                                [byte(35), byte(20), byte(5), 255]
                            })?;
                        #[expect(clippy::cast_precision_loss, reason = "sizes are small")]
                        let scale = (SIDE as f32 / side as f32) * (1u32 << level) as f32;
                        // A third of a level more: from where on the nearest level is another one, drivers round as they like.
                        let scale = if mip == "mipnearest" {
                            scale * 1.25
                        } else {
                            scale
                        };
                        sampled(
                            s,
                            texture,
                            &format!("2d,nearest,repeat,{mip}"),
                            &[Quad::textured(FULL, [0.0, 0.0, scale, scale])],
                        )
                    },
                );
            }
        }
    }
    levels_by_hand(cases);
}

fn levels_by_hand(cases: &mut Cases) {
    for streaming in 1..=3i32 {
        cases.scene(
            format!("texture.mip.streaming.{streaming}"),
            "textures-and-atf.md section 1, streamingLevels",
            tolerance_of(TextureFilter::Linear, MipFilter::Linear),
            move |s| {
                let texture = s.streaming_texture(16, 16, "bgra", streaming)?;
                for level in streaming.unsigned_abs()..=4 {
                    let size = (16 >> level).max(1);
                    s.upload(
                        texture,
                        texels(TextureFormat::Bgra, (size, size), level, gentle),
                        level,
                    )?;
                }
                sampled(s, texture, "2d,linear,repeat,miplinear", &halves())
            },
        );
    }
    cases.scene(
        "texture.mip.uploaded_backwards",
        FORMATS,
        tolerance_of(TextureFilter::Linear, MipFilter::Linear),
        |s| {
            let texture = s.texture(16, 8, "bgra")?;
            for level in (0..=4u32).rev() {
                let size = ((16 >> level).max(1), (8 >> level).max(1));
                s.upload(
                    texture,
                    texels(TextureFormat::Bgra, size, level, gentle),
                    level,
                )?;
            }
            sampled(s, texture, "2d,linear,repeat,miplinear", &halves())
        },
    );
    cases.scene(
        "texture.mip.level_replaced",
        FORMATS,
        tolerance_of(TextureFilter::Linear, MipFilter::Linear),
        |s| {
            let texture = textured(s, TextureFormat::Bgra, (16, 16), gentle)?;
            sampled(s, texture, "2d,linear,repeat,miplinear", &halves())?;
            s.upload(texture, vec![200; 8 * 8 * 4], 1)?;
            s.quads(&halves())
        },
    );
}
