//! Scenes that OpenGL and the reference renderer must draw alike.

use context3d::backend::ReadSurface;
use context3d::enums::{
    BlendFactor, CompareMode, FillMode, FlashName as _, MipFilter, ProgramType, StencilAction,
    TextureFilter, TextureFormat, TriangleFace, VertexFormat, WrapMode,
};
use context3d::packets::{
    Packet, Raster, RenderTarget, Scissor, StencilFace, Stream, TexelLayout, TextureBinding,
    TextureKind,
};

use crate::stage::{PASS, PLAIN, SIDE, Stage, desc, sampler};
use crate::targets::{
    packed_target, samples_of_textures, samples_of_the_back_buffer, several_outputs, textures,
};

/// A scene, with the tolerance per channel and the number of pixels that may exceed it.
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    pub(crate) samples: u8,
    pub(crate) draw: fn(&mut Stage<'_>),
    pub(crate) tolerance: u8,
    pub(crate) outliers: u64,
}

macro_rules! scenes {
    ($($name:ident ($samples:literal samples, tolerance $tolerance:literal, outliers $outliers:literal);)+) => {
        pub(crate) const SCENES: &[Scene] = &[$(Scene {
            name: stringify!($name),
            samples: $samples,
            draw: $name,
            tolerance: $tolerance,
            outliers: $outliers,
        }),+];
    };
}

// Drivers blend in eight bits, filter with eight-bit weights, approximate the level of detail, and may truncate
// five-bit channels.
scenes! {
    clears(0 samples, tolerance 1, outliers 0);
    blends(0 samples, tolerance 3, outliers 0);
    depths(0 samples, tolerance 1, outliers 4);
    stencils(0 samples, tolerance 1, outliers 4);
    cullings_scissors_and_masks(0 samples, tolerance 1, outliers 0);
    formats_and_filters(0 samples, tolerance 3, outliers 40);
    mip_levels(0 samples, tolerance 12, outliers 200);
    cubes(0 samples, tolerance 4, outliers 120);
    several_outputs(0 samples, tolerance 2, outliers 4);
    packed_target(0 samples, tolerance 9, outliers 4);
    samples_of_the_back_buffer(4 samples, tolerance 2, outliers 4);
    samples_of_textures(0 samples, tolerance 2, outliers 4);
    programs(0 samples, tolerance 2, outliers 8);
    instances(0 samples, tolerance 1, outliers 0);
    wireframes(0 samples, tolerance 2, outliers 24);
}

fn clears(stage: &mut Stage<'_>) {
    stage.look("back buffer", ReadSurface::BackBuffer);
    stage.present();
    stage.look("front", ReadSurface::Front);
    let texture = stage.blank(desc(TextureKind::Cube, TextureFormat::Bgra, SIDE, 1));
    stage.target(textures(&[(texture, 3)], 0));
    stage.clear();
    for side in 0..6 {
        let level = 0;
        stage.look(format!("side {side}"), ReadSurface::Texture { texture, side, level });
    }
}

fn blends(stage: &mut Stage<'_>) {
    let mesh = stage.cross();
    let program = stage.program(PASS, "mov oc, v0", 1);
    for (source, _) in BlendFactor::NAMES {
        for (destination, _) in BlendFactor::NAMES {
            stage.clear();
            let raster = Raster { blend: (*source, *destination), ..PLAIN };
            stage.draw(&mesh, program, &[], raster);
            stage.look(format!("{source:?}, {destination:?}"), ReadSurface::BackBuffer);
        }
    }
}

fn depths(stage: &mut Stage<'_>) {
    let mesh = stage.cross();
    let program = stage.program(PASS, "mov oc, v0", 1);
    for (compare, _) in CompareMode::NAMES {
        for write in [true, false] {
            stage.clear();
            let raster = Raster { depth_compare: CompareMode::Less, depth_write: true, ..PLAIN };
            stage.draw(&mesh, program, &[], raster);
            let raster = Raster {
                depth_compare: *compare,
                depth_write: write,
                blend: (BlendFactor::One, BlendFactor::One),
                ..PLAIN
            };
            stage.draw(&mesh, program, &[], raster);
            stage.look(format!("{compare:?}, {write}"), ReadSurface::BackBuffer);
        }
    }
}

fn stencils(stage: &mut Stage<'_>) {
    let mesh = stage.cross();
    let square = stage.square(1.0);
    let program = stage.program(PASS, "mov oc, v0", 1);
    let actions = StencilAction::NAMES.iter().map(|(action, _)| *action);
    let actions: Vec<StencilAction> = actions.collect();
    for (place, (compare, _)) in CompareMode::NAMES.iter().enumerate() {
        for turn in 0..actions.len() {
            let action = |step: usize| actions[(turn + step * 3) % actions.len()];
            let face = |step: usize| StencilFace {
                compare: CompareMode::NAMES[(place + step) % 8].0,
                both_pass: action(step),
                depth_fail: action(step + 1),
                stencil_fail: action(step + 2),
            };
            stage.clear();
            let raster = Raster {
                stencil_front: face(0),
                stencil_back: face(1),
                stencil_reference: 6,
                stencil_read_mask: 7,
                stencil_write_mask: 0x3F,
                depth_compare: CompareMode::Less,
                depth_write: true,
                ..PLAIN
            };
            stage.draw(&mesh, program, &[], raster);
            // Draw the bits of the stencil buffer as colours.
            for bit in 0..6u8 {
                let shown = StencilFace { compare: CompareMode::Equal, ..crate::stage::KEEP };
                let raster = Raster {
                    stencil_front: shown,
                    stencil_back: shown,
                    stencil_reference: u8::MAX,
                    stencil_read_mask: 1 << bit,
                    color_mask: [bit % 3 == 0, bit % 3 == 1, bit % 3 == 2, bit < 3],
                    blend: (BlendFactor::One, BlendFactor::One),
                    ..PLAIN
                };
                stage.draw(&square, program, &[], raster);
            }
            stage.look(format!("{compare:?}, turn {turn}"), ReadSurface::BackBuffer);
        }
    }
}

fn cullings_scissors_and_masks(stage: &mut Stage<'_>) {
    let mesh = stage.cross();
    let program = stage.program(PASS, "mov oc, v0", 1);
    for (cull, _) in TriangleFace::NAMES {
        for (x, y, width, height) in [(0, 0, 64, 64), (13, 7, 21, 33), (63, 0, 1, 64)] {
            for mask in [[true; 4], [false, true, false, true], [true, false, true, false]] {
                stage.clear();
                let raster = Raster { cull: *cull, color_mask: mask, ..PLAIN };
                let scissor = Some(Scissor { x, y, width, height });
                stage.draw_with(&mesh, program, &[], raster, |draw| draw.scissor = scissor);
                stage.look(format!("{cull:?}, {x}, {mask:?}"), ReadSurface::BackBuffer);
            }
        }
    }
}

/// Each texture format with the layouts of its uploads.
const FORMATS: [(TextureFormat, TexelLayout, &str); 8] = [
    (TextureFormat::Bgra, TexelLayout::Bgra8, ""),
    (TextureFormat::BgrPacked565, TexelLayout::Bgr565, ""),
    (TextureFormat::BgraPacked4444, TexelLayout::Bgra4444, ""),
    (TextureFormat::RgbaHalfFloat, TexelLayout::RgbaHalf, ""),
    (TextureFormat::Compressed, TexelLayout::Bgra8, ",dxt1"),
    (TextureFormat::Compressed, TexelLayout::Dxt1, ",dxt1"),
    (TextureFormat::CompressedAlpha, TexelLayout::Bgra8, ",dxt5"),
    (TextureFormat::CompressedAlpha, TexelLayout::Dxt5, ",dxt5"),
];

fn formats_and_filters(stage: &mut Stage<'_>) {
    let mesh = stage.square(2.25);
    for (format, layout, word) in FORMATS {
        let text = format!("tex ft0, v0, fs0 <2d,ignoresampler{word}>\nmov oc, ft0");
        let program = stage.program(PASS, &text, 1);
        let texture = stage.texture(desc(TextureKind::TwoD, format, 16, 1), layout);
        for filter in [TextureFilter::Nearest, TextureFilter::Linear] {
            for (wrap, _) in WrapMode::NAMES {
                stage.clear();
                let binding =
                    TextureBinding { texture, sampler: sampler(*wrap, filter, MipFilter::None) };
                stage.draw(&mesh, program, &[binding], PLAIN);
                stage.look(
                    format!("{format:?}, {layout:?}, {filter:?}, {wrap:?}"),
                    ReadSurface::BackBuffer,
                );
            }
        }
        let (side, level) = (0, 0);
        stage
            .look(format!("{format:?}, {layout:?}"), ReadSurface::Texture { texture, side, level });
    }
}

fn mip_levels(stage: &mut Stage<'_>) {
    let mesh = stage.square(6.0);
    let texture =
        stage.texture(desc(TextureKind::TwoD, TextureFormat::Bgra, 64, 7), TexelLayout::Bgra8);
    let made =
        stage.texture(desc(TextureKind::TwoD, TextureFormat::Bgra, 64, 1), TexelLayout::Bgra8);
    for bias in ["", ",-1.5", ",2"] {
        let text = format!("tex ft0, v0, fs0 <2d,ignoresampler{bias}>\nmov oc, ft0");
        let program = stage.program(PASS, &text, 1);
        for filter in [TextureFilter::Nearest, TextureFilter::Linear] {
            stage.clear();
            let binding = TextureBinding {
                texture,
                sampler: sampler(WrapMode::Repeat, filter, MipFilter::Linear),
            };
            stage.draw(&mesh, program, &[binding], PLAIN);
            stage.look(format!("bias {bias}, {filter:?}"), ReadSurface::BackBuffer);
        }
    }
    let filled = stage.blank(desc(TextureKind::TwoD, TextureFormat::Bgra, SIDE, 7));
    let program = stage.program(PASS, "tex ft0, v0, fs0 <2d,linear,nomip>\nmov oc, ft0", 1);
    stage.target(textures(&[(filled, 0)], 0));
    stage.clear();
    let binding = TextureBinding {
        texture: made,
        sampler: sampler(WrapMode::Repeat, TextureFilter::Linear, MipFilter::None),
    };
    stage.draw(&mesh, program, &[binding], PLAIN);
    stage.target(RenderTarget::BackBuffer);
    for level in 1..7 {
        stage.run(Packet::ZeroLevel { key: filled, side: 0, level });
    }
    stage.run(Packet::GenerateMips { key: filled, side: 0, levels: 0b111_1110 });
    for level in 0..7 {
        let side = 0;
        stage.look(format!("level {level}"), ReadSurface::Texture { texture: filled, side, level });
    }
}

/// Draws a receding square with texels far apart along one axis, with linear filters and every degree of anisotropy.
/// OpenGL can't be the oracle: llvmpipe draws the same image for every degree of anisotropy.
pub(crate) fn anisotropy(stage: &mut Stage<'_>) {
    let corner =
        |x: f32, y: f32, w: f32, u: f32, v: f32| [x * w, y * w, 0.5 * w, w, u, v, 0.0, 0.0];
    let mesh = stage.mesh(
        &[
            corner(-1.0, 1.0, 8.0, 0.0, 0.0),
            corner(1.0, 1.0, 8.0, 1.0, 0.0),
            corner(1.0, -1.0, 1.0, 1.0, 1.0),
            corner(-1.0, -1.0, 1.0, 0.0, 1.0),
        ],
        &[0, 1, 2, 0, 2, 3],
    );
    // Stripes of eight texels along the longer axis. The number of filtered samples doesn't change the stripes' colour.
    // Each doubling of the anisotropy selects a mip level of twice the size.
    let texture = stage.blank(desc(TextureKind::TwoD, TextureFormat::Bgra, 256, 9));
    for level in 0..9u8 {
        let side = 256u32 >> level;
        let column = |x: u32| match level {
            0..=3 => u8::try_from(((x << level) / 8 % 2) * 255).unwrap_or(0),
            _ => 128,
        };
        let row = (0..side).flat_map(|x| [column(x), 255 - column(x), column(x), 255]);
        let row: Vec<u8> = row.collect();
        stage.run(Packet::UploadTexture {
            key: texture,
            side: 0,
            level,
            layout: TexelLayout::Bgra8,
            data: std::borrow::Cow::Owned(row.repeat(side as usize)),
        });
    }
    let text = "tex ft0, v0, fs0 <2d,ignoresampler>\nmov oc, ft0";
    let program = stage.program(PASS, text, 1);
    for filter in [
        TextureFilter::Linear,
        TextureFilter::Anisotropic2x,
        TextureFilter::Anisotropic4x,
        TextureFilter::Anisotropic8x,
        TextureFilter::Anisotropic16x,
    ] {
        stage.clear();
        let binding = TextureBinding {
            texture,
            sampler: sampler(WrapMode::Clamp, filter, MipFilter::Linear),
        };
        stage.draw(&mesh, program, &[binding], PLAIN);
        stage.look(format!("{filter:?}"), ReadSurface::BackBuffer);
    }
}

fn wireframes(stage: &mut Stage<'_>) {
    let program = stage.program(PASS, "mov oc, v0", 1);
    let mesh = stage.cross();
    for (cull, _) in TriangleFace::NAMES {
        stage.clear();
        let raster = Raster { fill: FillMode::Wireframe, cull: *cull, ..PLAIN };
        stage.draw(&mesh, program, &[], raster);
        stage.look(format!("{cull:?}"), ReadSurface::BackBuffer);
    }
}

fn cubes(stage: &mut Stage<'_>) {
    let mesh = stage.square(1.0);
    let texture =
        stage.texture(desc(TextureKind::Cube, TextureFormat::Bgra, 8, 4), TexelLayout::Bgra8);
    // The directions cover the three faces at each of the eight corners.
    let fragment = "mul ft0, v0, fc0.w\nsub ft0.xy, ft0.xy, fc1.xy\nmul ft0.xyz, ft0.xyz, fc0.xyz\n\
        tex ft1, ft0, fs0 <cube,ignoresampler>\nmov oc, ft1";
    let vertex = "mov op, va0\nmov vt0, va1\nmov vt0.z, vc0.z\nmov v0, vt0";
    let program = stage.program(vertex, fragment, 1);
    for corner in 0..8u8 {
        let sign = |bit: u8| if corner >> bit & 1 == 0 { 1.0 } else { -1.0 };
        stage.constants(ProgramType::Vertex, &[[0.0, 0.0, 0.55, 0.0]]);
        let constants = [[sign(0), sign(1), sign(2), 2.2], [0.9, 0.9, 0.0, 0.0]];
        stage.constants(ProgramType::Fragment, &constants);
        for filter in [TextureFilter::Nearest, TextureFilter::Linear] {
            stage.clear();
            let binding = TextureBinding {
                texture,
                sampler: sampler(WrapMode::Clamp, filter, MipFilter::None),
            };
            stage.draw(&mesh, program, &[binding], PLAIN);
            stage.look(format!("corner {corner}, {filter:?}"), ReadSurface::BackBuffer);
        }
    }
}

fn programs(stage: &mut Stage<'_>) {
    let mesh = stage.square(1.0);
    stage.constants(ProgramType::Fragment, &[[8.0, 0.5, 0.25, 1.0], [30.0, 0.5, 0.0, 0.0]]);
    for (name, fragment, version) in [
        ("kil", "sub ft0.x, v0.x, fc0.y\nkil ft0.x\nmov oc, v0", 1),
        (
            "derivatives",
            "ddx ft0, v0\nddy ft1, v0\nmul ft0, ft0, fc1.x\nmul ft1, ft1, fc1.x\nadd ft0, ft0, ft1\nmov oc, ft0",
            2,
        ),
        (
            "branches",
            "mov ft1, v0\nifg v0.x, fc0.y\nmov ft1, v0.yxzw\nels\nmul ft1, v0, fc0.y\neif\nmov oc, ft1",
            2,
        ),
        ("depth", "mov oc, v0\nmul ft0, v0, fc0.y\nmov od.x, ft0.x", 2),
        (
            "arithmetic",
            "mul ft0, v0, fc0.x\nsin ft1, ft0\ncos ft2, ft0.yxzw\nmul ft1, ft1, ft2\nabs ft1, ft1\nmov oc, ft1",
            1,
        ),
    ] {
        let program = stage.program(PASS, fragment, version);
        let raster = Raster { depth_compare: CompareMode::Less, depth_write: true, ..PLAIN };
        stage.clear();
        stage.draw(&mesh, program, &[], raster);
        stage.look(name, ReadSurface::BackBuffer);
    }
}

fn instances(stage: &mut Stage<'_>) {
    let mesh = stage.mesh(
        &[
            [-0.95, 0.95, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
            [-0.55, 0.95, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
            [-0.95, 0.55, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
        ],
        &[0, 1, 2],
    );
    let places = stage.floats(&[0.0, 0.0, 0.5, -0.5, 1.0, 0.0]);
    let colors = stage.floats(&[
        f32::from_bits(0xFF20_80C0),
        f32::from_bits(0x80FF_4010),
        f32::from_bits(0x40C0_FF20),
    ]);
    let vertex = "mov vt0, va0\nadd vt0.xy, vt0.xy, va1.xy\nmul vt1, iid.xxxx, vc0\n\
        sub vt0.y, vt0.y, vt1.x\nmov op, vt0\nmov v0, va2";
    let program = stage.program(vertex, "mov oc, v0", 3);
    stage.constants(ProgramType::Vertex, &[[0.15, 0.0, 0.0, 0.0]]);
    stage.draw_with(&mesh, program, &[], PLAIN, |draw| {
        draw.instances = 6;
        let stream =
            |buffer, stride, format, divisor| Stream { buffer, offset: 0, stride, format, divisor };
        draw.streams[1] = Some(stream(places, 8, VertexFormat::Float2, 2));
        draw.streams[2] = Some(stream(colors, 4, VertexFormat::Bytes4, 2));
    });
    stage.look("back buffer", ReadSurface::BackBuffer);
}
