//! Throughput of the JPEG-XR decoder, in bytes of samples. `jxr/reference` measures the C library.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use jpeg_xr::{JxrLimits, decode};

macro_rules! fixtures {
    ($($name:literal)*) => {
        [$(($name, include_bytes!(concat!("../tests/jxr/fixtures/", $name, ".jxr")).as_slice())),*]
    };
}

/// One image for each feature: many or few coefficients, overlap, subsampled chroma, alpha.
const PICTURES: [(&str, &[u8]); 6] = fixtures![
    "large_bgra" "large_565" "lossless_rgb" "chroma_420_overlap_2" "tiles_atf" "alpha_quantised_interleaved"
];

fn pictures(criterion: &mut Criterion) {
    let limits = JxrLimits { width: 256, height: 256 };
    let mut group = criterion.benchmark_group("jxr");
    for (name, bytes) in PICTURES {
        let picture = decode(bytes, &limits).expect("the fixture is whole");
        let pixels = u64::from(picture.width) * u64::from(picture.height);
        let samples = pixels * picture.format.bytes() as u64;
        group.throughput(Throughput::Bytes(samples));
        group.bench_function(name, |bencher| {
            bencher.iter(|| decode(std::hint::black_box(bytes), &limits));
        });
    }
    group.finish();
}

criterion_group!(benches, pictures);
criterion_main!(benches);
