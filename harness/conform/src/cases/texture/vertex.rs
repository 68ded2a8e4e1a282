//! Textures in vertex programs (`tld`, AGAL 4).

use context3d::Profile;
use context3d::enums::TextureFormat;
use context3d::packets::FIRST_VERTEX_SAMPLER;

use super::read_mode;
use crate::calls::Calls as _;
use crate::case::Cases;
use crate::scene_builder::{Done, FULL, Quad, SceneBuilder, VARYING};
use crate::texels::{texel, textured};
use crate::tolerance::Tolerance;
use molehill_capture::objects::TextureId;
use molehill_replay::record::RecordError;

const SOURCE: &str =
    "[agal.tld.1] [agal.tld.coordinates] [agal.tld.level] [agal.register.counts_4]";
const ROUNDED: Tolerance = Tolerance::channel(2, "a colour is rounded, and varies between corners");
const BLENDED: Tolerance = Tolerance::channel(4, "weights of a linear filter may have eight bits");

/// The slot of `setTextureAt` that a vertex sampler reads.
fn slot(sampler: i32) -> i32 {
    i32::try_from(FIRST_VERTEX_SAMPLER).map_or(sampler, |first| first + sampler)
}

/// Draws with colours that the vertex program reads from the texture.
fn colored(s: &mut SceneBuilder, sampler: i32, options: &str, texture: TextureId) -> Done {
    let vertex = format!("tld v0, va1, vs{sampler} <{options}>\nmov op, va0");
    s.program_of(4, &vertex, VARYING)?;
    s.set_texture_at(slot(sampler), texture)?;
    draw(s)
}

/// Corners with different texels, none on an edge, and some outside the texture.
fn draw(s: &mut SceneBuilder) -> Done {
    s.quads(&[
        Quad::textured([0.0, 0.0, 32.0, 16.0], [0.1, 0.1, 0.9, 0.9]),
        Quad::textured([0.0, 16.0, 32.0, 32.0], [-0.65, 0.4, 1.3, 1.7]),
    ])
}

fn small(s: &mut SceneBuilder) -> Result<TextureId, RecordError> {
    textured(s, TextureFormat::Bgra, (8, 4), texel)
}

pub(super) fn add(cases: &mut Cases) {
    let mut scene =
        |name: String, tolerance, recipe: Box<dyn Fn(&mut SceneBuilder) -> Done + Send + Sync>| {
            let case =
                cases.within(tolerance).scene(format!("texture.vertex.{name}"), SOURCE, recipe);
            case.profile(Profile::Enhanced);
        };
    for sampler in 0..4 {
        scene(
            format!("sampler_{sampler}"),
            ROUNDED,
            Box::new(move |s| {
                let texture = small(s)?;
                colored(s, sampler, "2d,nearest,clamp,mipnone", texture)
            }),
        );
    }
    for (filter, tolerance) in [("nearest", ROUNDED), ("linear", BLENDED)] {
        for wrap in ["clamp", "repeat", "clamp_u_repeat_v", "repeat_u_clamp_v"] {
            for mip in ["mipnone", "mipnearest", "miplinear"] {
                let options = format!("2d,{filter},{wrap},{mip}");
                scene(
                    format!("{filter}.{wrap}.{mip}.by_program"),
                    tolerance,
                    Box::new(move |s| {
                        let texture = small(s)?;
                        colored(s, 0, &options, texture)
                    }),
                );
                scene(
                    format!("{filter}.{wrap}.{mip}.by_state"),
                    tolerance,
                    Box::new(move |s| {
                        let texture = small(s)?;
                        s.set_sampler_state_at(slot(1), wrap, filter, mip)?;
                        colored(s, 1, "2d,ignoresampler", texture)
                    }),
                );
            }
        }
    }
    for format in [
        TextureFormat::BgrPacked565,
        TextureFormat::BgraPacked4444,
        TextureFormat::Compressed,
        TextureFormat::CompressedAlpha,
        TextureFormat::RgbaHalfFloat,
    ] {
        scene(
            format!("format.{}", context3d::enums::FlashName::name(format)),
            ROUNDED,
            Box::new(move |s| {
                let texture = textured(s, format, (8, 4), texel)?;
                let options = format!("2d,nearest,clamp,mipnone{}", read_mode(format));
                colored(s, 0, &options, texture)
            }),
        );
    }
    scene("moves_vertices".to_owned(), ROUNDED, Box::new(moved));
    scene("beside_the_fragment_programs".to_owned(), ROUNDED, Box::new(beside));
    scene("shared_with_the_fragment_program".to_owned(), ROUNDED, Box::new(shared));
    scene("of_a_cube".to_owned(), ROUNDED, Box::new(cube));
    scene("that_was_drawn".to_owned(), ROUNDED, Box::new(drawn));
}

/// Draws a height field: the texture moves the vertices.
fn moved(s: &mut SceneBuilder) -> Done {
    let texture = small(s)?;
    s.program_of(
        4,
        "tld vt0, va1, vs0 <2d,nearest,clamp,mipnone>\nmul vt0, vt0, vc0\nadd op, va0, vt0\nmov v0, va1",
        "mov oc, fc0",
    )?;
    s.constants("vertex", 0, &[[0.5, -0.25, 0.0, 0.0]])?;
    s.constants("fragment", 0, &[[0.2, 0.6, 0.8, 1.0]])?;
    s.set_texture_at(slot(0), texture)?;
    s.quads(&[Quad::textured([4.0, 3.0, 17.0, 23.0], [0.1, 0.1, 0.9, 0.9])])
}

/// Draws with two textures in two slots.
fn beside(s: &mut SceneBuilder) -> Done {
    let (own, other) = (small(s)?, textured(s, TextureFormat::Bgra, (2, 2), texel)?);
    s.program_of(
        4,
        "tld v0, va1, vs1 <2d,nearest,clamp,mipnone>\nmov v1, va1\nmov op, va0",
        "tex ft0, v1, fs0 <2d,linear,clamp,mipnone>\nmul oc, ft0, v0",
    )?;
    s.set_texture_at(slot(1), own)?;
    s.set_texture_at(0, other)?;
    s.quads(&[Quad::textured(FULL, [0.1, 0.1, 0.9, 0.9])])
}

/// Draws with one texture that both programs read through the same slot.
fn shared(s: &mut SceneBuilder) -> Done {
    let texture = small(s)?;
    let number = slot(0);
    s.program_of(
        4,
        "tld v0, va1, vs0 <2d,linear,repeat,mipnone>\nmov v1, va1\nmov op, va0",
        &format!("tex ft0, v1, fs{number} <2d,nearest,clamp,mipnone>\nmul oc, ft0, v0"),
    )?;
    s.set_texture_at(number, texture)?;
    // Texels of 8×4 pixels; no pixel's centre is on their edges.
    s.quads(&[Quad::textured(FULL, [0.0, 0.0, 1.0, 1.0])])
}

fn cube(s: &mut SceneBuilder) -> Done {
    let cube = s.cube(1, "bgra")?;
    for side in 0..6u8 {
        s.upload_cube(cube, vec![side * 40, 250 - side * 30, 20 + side, 255], side.into(), 0)?;
    }
    s.program_of(4, "tld v0, va1, vs2 <cube,nearest,clamp,mipnone>\nmov op, va0", VARYING)?;
    s.set_texture_at(slot(2), cube)?;
    s.quads(&[Quad::of(
        FULL,
        [
            [1.0, 0.2, 0.1, 0.0],
            [0.1, -1.0, 0.2, 0.0],
            [-0.3, 0.2, -1.0, 0.0],
            [-1.0, 0.1, 0.3, 0.0],
        ],
    )])
}

/// A render target.
fn drawn(s: &mut SceneBuilder) -> Done {
    let texture = s.texture(8, 8, "bgra")?;
    s.set_render_to_texture(texture, false, 0, 0, 0)?;
    s.clear([0.2, 0.4, 0.6, 0.8])?;
    s.to_back_buffer()?;
    colored(s, 0, "2d,linear,clamp,mipnone", texture)
}
