//! Data for generated calls: bytes, numbers and programs.

use std::sync::LazyLock;

use agal::Stage;
use context3d::arguments::{Bitmap, Bytecode, PixelLayout};

/// Upload data of small 16-bit numbers, so that indices are mostly in range.
pub(super) static BYTES: LazyLock<Vec<u8>> =
    LazyLock::new(|| (0..20_000usize).flat_map(|i| [[0, 1, 2, 3][i * 7 % 13 % 4], 0]).collect());
/// Vertices of four floats, x, y, z and w: triangles of all shapes, some of them clipped by the target's edges.
pub(super) static VERTICES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let places = (0..256u16).flat_map(|i| {
        let part = |step: u16| f32::from(i.wrapping_mul(step) % 97) / 97.0;
        [part(59) * 3.0 - 1.5, part(71) * 3.0 - 1.5, part(23), part(31) + 0.5]
    });
    places.flat_map(f32::to_le_bytes).collect()
});
/// Texel data: random bytes that are also valid half floats.
pub(super) static TEXELS: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let bytes = agal::generate::seed_bytes(0, 40_000);
    let pairs = bytes.as_chunks::<2>().0.iter();
    pairs.flat_map(|[low, high]| [*low, high % 0x7C]).collect()
});
pub(super) static NUMBERS: LazyLock<Vec<f64>> =
    LazyLock::new(|| (0..2000).map(f64::from).collect());
pub(super) static FLOATS: LazyLock<Vec<f32>> = LazyLock::new(|| {
    let numbers = VERTICES.as_chunks::<4>().0.iter();
    numbers.map(|bytes| f32::from_le_bytes(*bytes)).collect()
});
pub(super) static INDICES: LazyLock<Vec<u32>> =
    LazyLock::new(|| (0..2000u32).map(|i| i * 5 % 4).collect());
pub(super) const MATRIX: [f64; 16] =
    [f64::NAN, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 1e300];

/// A program that draws `va0` in the colour `fc0`.
const PLAIN: (&str, &str) = ("mov op, va0", "mov oc, fc0");

/// A program that draws `va0` with the texture at sampler 0.
const TEXTURED: (&str, &str) =
    ("mov op, va0\nmov v0, va0", "tex ft0, v0, fs0 <2d,linear,clamp,mipnone>\nmov oc, ft0");

#[expect(clippy::panic, reason = "the texts stand in this file, and a test assembles them all")]
fn assemble(source: &str, stage: Stage, version: u32) -> Vec<u8> {
    match agal::asm::assemble(source, stage, version) {
        Ok(program) => program.encode(),
        Err(error) => panic!("{source}: {error}"),
    }
}

/// Pairs of vertex and fragment programs; the last two pairs are invalid.
pub(super) static PROGRAMS: LazyLock<Vec<(Vec<u8>, Vec<u8>)>> = LazyLock::new(|| {
    let pair = |(vertex, fragment): (&str, &str), version| {
        let vertex = assemble(vertex, Stage::Vertex, version);
        (vertex, assemble(fragment, Stage::Fragment, version))
    };
    let mut garbage = pair(PLAIN, 1);
    garbage.0.truncate(20);
    vec![
        pair(PLAIN, 1),
        pair(TEXTURED, 1),
        pair((TEXTURED.0, "tex ft0, v0, fs0 <2d,linear,repeat,mipnone,video>\nmov oc, ft0"), 1),
        pair((TEXTURED.0, "tex ft0, v0, fs1 <2d,linear,repeat,miplinear>\nmov oc, ft0"), 1),
        pair((TEXTURED.0, "tex ft0, v0, fs0 <cube,nearest,clamp,mipnone>\nmov oc, ft0"), 1),
        pair(("add op, va0, va1", "mov oc, fc0"), 1),
        pair(("mov op, va0", "mov oc, fc0\nmov fo1, fc1"), 2),
        pair(("mov op, va0", "mov oc, fc0\nmov od.x, fc0.x"), 2),
        garbage,
        (Vec::new(), vec![0xff; 31]),
    ]
});

pub(super) fn bytecode(bytes: &'static [u8]) -> Bytecode<'static> {
    bytes.into()
}

/// A file with raw blocks of all levels of a 4×4 `compressed` texture, without records of other formats.
pub(super) const ATF: &[u8] = b"ATF\0\0\x37\x03\x02\x02\x03\
    \0\0\x0801234567\0\0\0\0\0\0\0\0\x0801234567\0\0\0\0\0\0\0\0\x0801234567\0\0\0\0\0\0";

/// Returns a bitmap whose size may not match its data.
pub(super) fn bitmap(width: i32, height: i32) -> Bitmap<'static> {
    let (width, height) = (width.cast_unsigned(), height.cast_unsigned());
    let pixels = (width as usize).saturating_mul(height as usize);
    let bytes = pixels.saturating_mul(4);
    Bitmap {
        width,
        height,
        transparent: true,
        layout: PixelLayout::default(),
        pixels: Some(TEXELS.get(..bytes).unwrap_or(&TEXELS)),
    }
}
