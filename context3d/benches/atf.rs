//! Throughput of ATF uploads on a backend that only counts packets, in bytes of the resulting blocks.
//!
//! The JPEG-XR images are flat squares, except in `lossy`. JPEG-XR has its own benchmark.

use atf::AtfFormat;
use context3d::backend::{Backend, NullBackend};
use context3d::keys::TextureKey;
use context3d::{Context3D, ContextOptions, ObjectHandle, Profile};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use molehill_testing::atf_files::{AtfSpec, jxr, lzma};

/// Random bytes in which neighbours are often equal, as in the index bits of a real image.
fn noise(bytes: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_u32;
    let mut last = 0;
    let byte = |_| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        if state & 3 == 0 {
            last = state.to_le_bytes()[3];
        }
        last
    };
    (0..bytes).map(byte).collect()
}

fn file(format: AtfFormat, log: (u8, u8), count: u8) -> AtfSpec {
    AtfSpec { version: 2, format, log, ..AtfSpec::raw(log, count) }
}

/// A file with raw DXT5 blocks, with all mip levels.
fn raw() -> (AtfSpec, Vec<u8>) {
    let file = file(AtfFormat::RawCompressedAlpha, (10, 10), 11);
    let bytes = file.write(|_, level| vec![noise(file.blocks(level) * 16), vec![], vec![]]);
    (file, bytes)
}

/// A file with DXT5 blocks in parts (LZMA and JPEG-XR).
fn parts() -> (AtfSpec, Vec<u8>) {
    let file = file(AtfFormat::CompressedAlphaLossy, (10, 10), 11);
    let bytes = file.write(|_, level| {
        let (width, height) = file.size(level);
        let size = (width.div_ceil(4), height.div_ceil(4) * 2);
        let value = |x: u32, y: u32| x.wrapping_mul(37).wrapping_add(y * 91).to_le_bytes();
        let word = |x, y| u16::from_le_bytes([value(x, y)[0], value(y, x)[0]]);
        let blocks = file.blocks(level);
        let mut records = vec![
            lzma(&noise(blocks * 6)),
            jxr::gray(size, |x, y| value(x, y)[0]),
            lzma(&noise(blocks * 4)),
            jxr::words565(size, word),
        ];
        records.resize(10, Vec::new());
        records
    });
    (file, bytes)
}

/// A file with DXT1 blocks in parts, whose JPEG-XR image is from the C library's encoder.
fn lossy() -> (AtfSpec, Vec<u8>) {
    let picture = include_bytes!("../jxr/tests/jxr/fixtures/tiles_atf.jxr");
    let file = file(AtfFormat::CompressedLossy, (9, 7), 1);
    let bytes = file.write(|_, level| {
        let mut records = vec![lzma(&noise(file.blocks(level) * 4)), picture.to_vec()];
        records.resize(8, Vec::new());
        records
    });
    (file, bytes)
}

/// Creates a context with a texture for the file.
fn context(file: &AtfSpec, blocks: bool) -> (Context3D<NullBackend>, ObjectHandle<TextureKey>) {
    let options = ContextOptions { profile: Profile::Baseline, swf_version: 30 };
    let backend = NullBackend::counting();
    let mut caps = backend.caps().clone();
    (caps.s3tc, caps.etc2) = (blocks, blocks);
    let mut context = Context3D::new(backend.with_caps(caps), options);
    let [width, height] = [file.log.0, file.log.1].map(|log| 1 << log);
    let texture = context.create_texture(
        width,
        height,
        context3d::enums::TextureFormat::from(file.format.texture()),
        false,
        0,
    );
    let texture = texture.expect("the texture is legal");
    (context, texture)
}

fn uploads(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("atf");
    for (name, block, (file, bytes)) in [
        ("raw DXT5 1024²", 16, raw()),
        ("DXT5 parts 1024²", 16, parts()),
        ("lossy DXT1 parts 512×128", 8, lossy()),
    ] {
        let blocks: usize = (0..file.count).map(|level| file.blocks(level)).sum();
        group.throughput(Throughput::Bytes((blocks * block) as u64));
        for (way, takes) in [("as it is", true), ("decoded", false)] {
            let (mut context, texture) = context(&file, takes);
            group.bench_function(format!("{name}, {way}"), |bencher| {
                bencher.iter(|| {
                    let uploaded = context.texture_upload_compressed_from_byte_array(
                        texture,
                        Some(&bytes),
                        0,
                        false,
                    );
                    uploaded.expect("the file is legal");
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, uploads);
criterion_main!(benches);
