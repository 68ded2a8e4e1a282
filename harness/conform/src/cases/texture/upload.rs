//! Uploads.

use context3d::enums::TextureFormat;

use super::sampled;
use crate::calls::{Calls as _, bitmap};
use crate::case::Cases;
use crate::scene_builder::{FULL, PASS, Quad, SIDE};
use crate::texels::{texel, texels};
use crate::tolerance::Tolerance;
use molehill_replay::image::Image;

const UPLOADS: &str = "[context3d.upload.smaller_bitmap] [context3d.upload.larger_bitmap] [context3d.upload.bytes]; captures bitmap, texture_bytearray";

pub(super) fn add(cases: &mut Cases) {
    let whole = [Quad::textured(FULL, [0.0, 0.0, 1.0, 1.0])];
    bitmaps(cases);
    opaque(cases);
    for offset in [0u32, 1, 3, 64] {
        cases.scene(format!("texture.upload.byte_offset_{offset}"), UPLOADS, move |s| {
            let texture = s.texture(8, 8, "bgra")?;
            let mut bytes = vec![0xEE; offset as usize];
            bytes.extend(texels(TextureFormat::Bgra, (8, 8), 0, texel));
            s.texture_upload_from_byte_array(texture, bytes, offset, None, Some(0))?;
            sampled(s, texture, "2d,nearest,clamp,mipnone", &whole)
        });
    }
    replaced(cases);
    // All 256 values are unchanged in every channel.
    cases.within(Tolerance::EXACT).scene("texture.upload.every_byte", UPLOADS, |s| {
        let texture = s.texture(32, 32, "bgra")?;
        let bytes = (0..1024u32).flat_map(|n| {
            let byte = |value: u32| u8::try_from(value % 256).unwrap_or(0);
            [byte(n), byte(n + n / 256 * 64), byte(255 - n % 256), byte(n * 7)]
        });
        s.upload(texture, bytes.collect(), 0)?;
        sampled(
            s,
            texture,
            "2d,nearest,clamp,mipnone",
            &[Quad::textured(FULL, [0.0, 0.0, 1.0, 1.0])],
        )
    });
}

fn replaced(cases: &mut Cases) {
    cases.scene("texture.upload.replaced_between_draws", UPLOADS, |s| {
        let texture = s.texture(8, 8, "bgra")?;
        s.program(PASS, "tex oc, v0, fs0 <2d,nearest,clamp,mipnone>")?;
        s.set_texture_at(0, texture)?;
        for n in 0..4u8 {
            s.upload(texture, vec![40 + n * 50; 256], 0)?;
            let x = f32::from(n) * 8.0;
            s.quads(&[Quad::textured([x, 0.0, x + 8.0, 32.0], [0.0, 0.0, 1.0, 1.0])])?;
        }
        Ok(())
    });
}

fn bitmaps(cases: &mut Cases) {
    let whole = [Quad::textured(FULL, [0.0, 0.0, 1.0, 1.0])];
    // "A smaller bitmap fills the upper left corner, the rest reads as black"; "a larger one is cropped".
    for (width, height) in [(8u32, 8u32), (5, 3), (1, 1), (8, 2), (12, 8), (9, 20)] {
        for transparent in [true, false] {
            let word = if transparent { "transparent" } else { "opaque" };
            let tolerance = if width < 8 || height < 8 {
                Tolerance::channel(1, "rounding")
            } else {
                Tolerance::ROUNDING
            };
            let name = format!("texture.upload.bitmap.{width}x{height}.{word}");
            cases.within(tolerance).scene(name, UPLOADS, move |s| {
                let texture = s.texture(8, 8, "bgra")?;
                let mut bytes = texels(TextureFormat::Bgra, (width, height), 0, texel);
                for pixel in bytes.chunks_exact_mut(4) {
                    let alpha = if transparent { pixel[3] } else { 255 };
                    // Premultiplied: no channel exceeds alpha.
                    pixel[..3].iter_mut().for_each(|byte| *byte = (*byte).min(alpha));
                    pixel[3] = alpha;
                }
                s.texture_upload_from_bitmap_data(
                    texture,
                    bitmap(width, height, transparent, bytes),
                    None,
                    Some(0),
                )?;
                sampled(s, texture, "2d,nearest,clamp,mipnone", &whole)
            });
        }
    }
}

/// An opaque bitmap's alpha is always 1.
fn opaque(cases: &mut Cases) {
    let case = cases.scene("texture.upload.bitmap.opaque", UPLOADS, |s| {
        let texture = s.texture(8, 8, "bgra")?;
        let bytes = [30, 20, 10, 0].repeat(64);
        s.texture_upload_from_bitmap_data(texture, bitmap(8, 8, false, bytes), None, Some(0))?;
        let whole = [Quad::textured(FULL, [0.0, 0.0, 1.0, 1.0])];
        sampled(s, texture, "2d,nearest,clamp,mipnone", &whole)
    });
    case.expects_pictures(|| vec![Image::filled(SIDE, SIDE, [10, 20, 30, 255])]);
}
