//! Uploads, sampler registers, and who has the last word on their state.

use context3d::{Profile, TextureFormat};

use super::{SAMPLERS, gentle, sampled, texel, texels, textured};
use crate::case::Cases;
use crate::scene_builder::{Done, FULL, PASS, Quad, SceneBuilder, VARYING, bitmap};
use crate::tolerance::Tolerance;

const UPLOADS: &str = "textures-and-atf.md section 1, uploads; captures bitmap, texture_bytearray";

pub(super) fn add(cases: &mut Cases) {
    uploads(cases);
    units(cases);
    precedence(cases);
}

fn uploads(cases: &mut Cases) {
    let whole = [Quad::textured(FULL, [0.0, 0.0, 1.0, 1.0])];
    bitmaps(cases);
    for offset in [0u32, 1, 3, 64] {
        cases.scene(
            format!("texture.upload.byte_offset_{offset}"),
            UPLOADS,
            Tolerance::ROUNDING,
            move |s| {
                let texture = s.texture(8, 8, "bgra")?;
                let mut bytes = vec![0xEE; offset as usize];
                bytes.extend(texels(TextureFormat::Bgra, (8, 8), 0, texel));
                s.on(
                    texture.0,
                    molehill_capture::Call::TextureUploadFromByteArray {
                        data: bytes.into(),
                        byte_array_offset: offset,
                        side: molehill_capture::NoParameter,
                        miplevel: 0,
                    },
                )?;
                sampled(s, texture, "2d,nearest,clamp,mipnone", &whole)
            },
        );
    }
    replaced(cases);
    // Values come out as they went in: all 256, in every channel.
    cases.scene(
        "texture.upload.every_byte",
        UPLOADS,
        Tolerance::EXACT,
        |s| {
            let texture = s.texture(32, 32, "bgra")?;
            let bytes = (0..1024u32).flat_map(|n| {
                let byte = |value: u32| u8::try_from(value % 256).unwrap_or(0);
                [
                    byte(n),
                    byte(n + n / 256 * 64),
                    byte(255 - n % 256),
                    byte(n * 7),
                ]
            });
            s.upload(texture, bytes.collect(), 0)?;
            sampled(
                s,
                texture,
                "2d,nearest,clamp,mipnone",
                &[Quad::textured(FULL, [0.0, 0.0, 1.0, 1.0])],
            )
        },
    );
}

fn replaced(cases: &mut Cases) {
    cases.scene(
        "texture.upload.replaced_between_draws",
        UPLOADS,
        Tolerance::ROUNDING,
        |s| {
            let texture = s.texture(8, 8, "bgra")?;
            s.program(PASS, "tex oc, v0, fs0 <2d,nearest,clamp,mipnone>")?;
            s.bind(0, Some(texture))?;
            for n in 0..4u8 {
                s.upload(texture, vec![40 + n * 50; 256], 0)?;
                let x = f32::from(n) * 8.0;
                s.quads(&[Quad::textured(
                    [x, 0.0, x + 8.0, 32.0],
                    [0.0, 0.0, 1.0, 1.0],
                )])?;
            }
            Ok(())
        },
    );
}

fn bitmaps(cases: &mut Cases) {
    let whole = [Quad::textured(FULL, [0.0, 0.0, 1.0, 1.0])];
    // "A smaller bitmap fills the upper left corner, the rest reads as black"; "a larger one is cropped".
    for (width, height) in [(8u32, 8u32), (5, 3), (1, 1), (8, 2), (12, 8), (9, 20)] {
        for transparent in [true, false] {
            let word = if transparent { "transparent" } else { "opaque" };
            let tolerance = match width < 8 || height < 8 {
                true => Tolerance::channel(1, "rounding"),
                false => Tolerance::ROUNDING,
            };
            cases.scene(
                format!("texture.upload.bitmap.{width}x{height}.{word}"),
                UPLOADS,
                tolerance,
                move |s| {
                    let texture = s.texture(8, 8, "bgra")?;
                    let mut bytes = texels(TextureFormat::Bgra, (width, height), 0, texel);
                    for pixel in bytes.chunks_exact_mut(4) {
                        let alpha = if transparent { pixel[3] } else { 255 };
                        // Premultiplied: nothing is larger than alpha.
                        pixel[..3]
                            .iter_mut()
                            .for_each(|byte| *byte = (*byte).min(alpha));
                        pixel[3] = alpha;
                    }
                    s.upload_bitmap(texture, Some(bitmap(width, height, transparent, bytes)), 0)?;
                    sampled(s, texture, "2d,nearest,clamp,mipnone", &whole)
                },
            );
        }
    }
}

/// Every sampler register.
fn units(cases: &mut Cases) {
    for unit in 0..16i32 {
        let case = cases.scene(format!("texture.unit.{unit}"), "profiles.md, shader limits", Tolerance::ROUNDING, move |s| {
            let other = textured(s, TextureFormat::Bgra, (2, 2), texel)?;
            let texture = textured(s, TextureFormat::Bgra, (8, 8), texel)?;
            let version = if unit < 8 { 1 } else { 2 };
            let around = (unit + 1) % if unit < 8 { 8 } else { 16 };
            s.program_of(
                version,
                PASS,
                &format!("tex ft0, v0, fs{unit} <2d,nearest,clamp,mipnone>\ntex ft1, v0, fs{around} <2d,nearest,clamp,mipnone>\n\
                    mul ft1, ft1, fc0\nadd oc, ft0, ft1"),
            )?;
            s.constants("fragment", 0, &[[0.0; 4]])?;
            s.bind(unit, Some(texture))?;
            s.bind(around, Some(other))?;
            s.quads(&[Quad::textured(FULL, [0.0, 0.0, 1.0, 1.0])])
        });
        case.profile(if unit < 8 {
            Profile::Baseline
        } else {
            Profile::Standard
        });
    }
    cases.scene("texture.unit.all_eight", "profiles.md, shader limits", Tolerance::channel(2, "a sum of rounded numbers"), |s| {
        let reads: String = (1..8).map(|n| format!("tex ft1, v0, fs{n} <2d,nearest,clamp,mipnone>\nmul ft1, ft1, fc0\nadd ft0, ft0, ft1\n")).collect();
        s.program(PASS, &format!("tex ft0, v0, fs0 <2d,nearest,clamp,mipnone>\nmul ft0, ft0, fc0\n{reads}mov oc, ft0"))?;
        s.constants("fragment", 0, &[[0.125; 4]])?;
        for unit in 0..8u8 {
            let side = 1 << (unit % 4);
            let texture = textured(s, TextureFormat::Bgra, (side, side), texel)?;
            s.bind(unit.into(), Some(texture))?;
        }
        s.quads(&[Quad::textured(FULL, [0.0, 0.0, 1.0, 1.0])])
    });
    cases.scene("texture.unit.one_texture_twice", SAMPLERS, Tolerance::channel(3, "weights of a linear filter"), |s| {
        let texture = textured(s, TextureFormat::Bgra, (8, 8), gentle)?;
        s.program(PASS, "tex ft0, v0, fs0 <2d,linear,repeat,mipnone>\ntex ft1, v0.yx, fs3 <2d,linear,repeat,mipnone>\n\
            mul ft0, ft0, ft1\nmov oc, ft0")?;
        s.bind(0, Some(texture))?;
        s.bind(3, Some(texture))?;
        s.quads(&[Quad::textured(FULL, [0.0, 0.0, 2.0, 1.0])])
    });
}

/// Who has the last word on a sampler (context3d.md section 6, "Precedence = time order").
fn precedence(cases: &mut Cases) {
    let tolerance = Tolerance::edges(4, 64, "a texel's edge may lie a pixel further");
    const REPEAT: &str = "tex oc, v0, fs0 <2d,nearest,repeat,mipnone>";
    const IGNORE: &str = "tex oc, v0, fs0 <2d,linear,clamp,mipnone,ignoresampler>";
    type Steps = fn(&mut SceneBuilder) -> Done;
    let orders: [(&str, Steps); 6] = [
        ("state_after_program", |s| {
            s.program(PASS, REPEAT)?;
            s.sampler(0, "clamp", "linear", "mipnone")
        }),
        ("program_after_state", |s| {
            s.sampler(0, "clamp", "linear", "mipnone")?;
            s.program(PASS, REPEAT).map(drop)
        }),
        ("program_set_again", |s| {
            let program = s.program(PASS, REPEAT)?;
            s.sampler(0, "clamp", "linear", "mipnone")?;
            s.bind_program(Some(program))
        }),
        ("ignored_flags_keep_state", |s| {
            s.sampler(0, "repeat_u_clamp_v", "nearest", "mipnone")?;
            s.program(PASS, IGNORE).map(drop)
        }),
        ("ignored_flags_keep_the_last_program", |s| {
            s.program(PASS, REPEAT)?;
            s.program(PASS, IGNORE).map(drop)
        }),
        ("another_unit", |s| {
            s.program(PASS, REPEAT)?;
            s.sampler(1, "clamp", "linear", "mipnone")
        }),
    ];
    for (name, steps) in orders {
        cases.scene(
            format!("texture.sampler_state.{name}"),
            SAMPLERS,
            tolerance,
            move |s| {
                let texture = textured(s, TextureFormat::Bgra, (4, 4), texel)?;
                s.bind(0, Some(texture))?;
                steps(s)?;
                s.quads(&[Quad::textured(FULL, [-0.6, -0.7, 1.9, 1.6])])?;
                s.bind(0, None)?;
                s.program(PASS, VARYING)?;
                s.quads(&[Quad::flat([0.0, 0.0, 1.0, 1.0], 0.5, [1.0; 4])])
            },
        );
    }
}
