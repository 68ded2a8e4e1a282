//! Benchmarks of the reference renderer: pixel throughput of squares that fill a target of 512×512, and triangle
//! throughput of a fine mesh.

#[path = "../tests/reference/stage.rs"]
#[allow(dead_code, reason = "the tests use the rest of it")]
mod stage;

use std::num::NonZeroUsize;

use context3d::enums::{BlendFactor, MipFilter, TextureFilter, TextureFormat, WrapMode};
use context3d::packets::{
    ColorAttachment, Raster, RenderTarget, TexelLayout, TextureBinding, TextureKind, TextureTarget,
};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use molehill_reference::{RasterOptions, ReferenceBackend};
use stage::{Mesh, PASS, PLAIN, Stage, desc, sampler};

/// Width and height of the target, in pixels.
const SIZE: u32 = 512;
/// Triangles along each side of the fine mesh.
const FINE: u16 = 64;

fn draw(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("reference");
    for threads in [1, 2] {
        let mut backend = ReferenceBackend::new(RasterOptions {
            threads: NonZeroUsize::new(threads),
            ..RasterOptions::default()
        });
        let mut stage = Stage::new(&mut backend, 0);
        let target = stage.blank(desc(TextureKind::TwoD, TextureFormat::Bgra, SIZE, 1));
        let texture = desc(TextureKind::TwoD, TextureFormat::Bgra, 256, 9);
        let texture = stage.texture(texture, TexelLayout::Bgra8);
        let mut color = [None; 4];
        color[0] = Some(ColorAttachment { texture: target, side: 0 });
        stage.target(RenderTarget::Textures(TextureTarget {
            color,
            width: SIZE,
            height: SIZE,
            samples: 0,
            depth_stencil: true,
        }));
        let square = stage.square(2.0);
        let fine = fine(&mut stage);
        let flat = stage.program(PASS, "mov oc, v0", 1);
        let text = "tex ft0, v0, fs0 <2d,ignoresampler>\nmov oc, ft0";
        let textured = stage.program(PASS, text, 1);
        let bound = |filter, mip| TextureBinding {
            texture,
            sampler: sampler(WrapMode::Repeat, filter, mip),
        };
        let blended =
            Raster { blend: (BlendFactor::SourceAlpha, BlendFactor::OneMinusSourceAlpha), ..PLAIN };
        group.throughput(Throughput::Elements(u64::from(SIZE * SIZE)));
        let bilinear = bound(TextureFilter::Linear, MipFilter::None);
        let trilinear = bound(TextureFilter::Linear, MipFilter::Linear);
        for (name, program, binding, raster) in [
            ("pixels/flat", flat, None, PLAIN),
            ("pixels/bilinear", textured, Some(bilinear), PLAIN),
            ("pixels/trilinear, blended", textured, Some(trilinear), blended),
        ] {
            group.bench_function(format!("{name}/{threads}"), |bencher| {
                bencher.iter(|| stage.draw(&square, program, binding.as_slice(), raster));
            });
        }
        group.throughput(Throughput::Elements(u64::from(FINE) * u64::from(FINE) * 2));
        group.bench_function(format!("triangles/flat/{threads}"), |bencher| {
            bencher.iter(|| stage.draw(&fine, flat, &[], PLAIN));
        });
    }
    group.finish();
}

/// Creates a grid of triangles over the target.
fn fine(stage: &mut Stage<'_>) -> Mesh {
    let place = |step: u16| f32::from(step) / f32::from(FINE) * 2.0 - 1.0;
    let corners = (0..=FINE).flat_map(|y| (0..=FINE).map(move |x| (x, y)));
    let vertices: Vec<[f32; 8]> = corners
        .map(|(x, y)| [place(x), place(y), 0.5, 1.0, place(x), place(y), 0.5, 1.0])
        .collect();
    let cells = (0..FINE).flat_map(|y| (0..FINE).map(move |x| y * (FINE + 1) + x));
    let indices: Vec<u16> = cells
        .flat_map(|at| [at, at + FINE + 1, at + 1, at + 1, at + FINE + 1, at + FINE + 2])
        .collect();
    stage.mesh(&vertices, &indices)
}

criterion_group!(benches, draw);
criterion_main!(benches);
