//! Measures every step from bytes, or text, to GLSL and WGSL, in tokens per second. The inputs are the programs of
//! Flash games and the largest legal programs. `whole` decodes, validates, links and emits.

mod pairs;

use std::hint::black_box;
use std::time::Duration;

use agal::generate::ProgramPair;
use agal::glsl::{Dialect, GlslOptions, emit};
use agal::{Endian, Program, Stage, asm, link, upload, validate, wgsl};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};

const TARGET: GlslOptions = GlslOptions::new(Dialect::Glsl330);

fn decode(bytes: &[u8], stage: Stage) -> Program {
    Program::decode(black_box(bytes), Endian::Little, stage).expect("decodes")
}

fn compile(criterion: &mut Criterion) {
    for set in pairs::sets() {
        let mut group = criterion.benchmark_group(&set.name);
        group.throughput(Throughput::Elements(set.tokens() as u64));
        group.warm_up_time(Duration::from_secs(1));
        group.measurement_time(Duration::from_secs(3));
        group.sample_size(20);

        let pairs = &set.pairs;
        let bytes = pairs.iter().map(|pair| (pair.vertex.encode(), pair.fragment.encode()));
        let bytes: Vec<_> = bytes.collect();
        group.bench_function("decode", |bencher| {
            bencher.iter(|| {
                for (vertex, fragment) in &bytes {
                    black_box((decode(vertex, Stage::Vertex), decode(fragment, Stage::Fragment)));
                }
            });
        });
        group.bench_function("validate", |bencher| {
            bencher.iter_batched(
                || pairs.clone(),
                |pairs| pairs.into_iter().map(validated).collect::<Vec<_>>(),
                BatchSize::LargeInput,
            );
        });
        let valid: Vec<_> = pairs.iter().cloned().map(validated).collect();
        group.bench_function("link", |bencher| {
            bencher.iter_batched(
                || valid.clone(),
                |valid| {
                    let linked = valid.into_iter().map(|(vertex, fragment)| link(vertex, fragment));
                    linked.collect::<Vec<_>>()
                },
                BatchSize::LargeInput,
            );
        });
        let linked: Vec<_> = pairs.iter().map(|pair| pair.link().expect("is legal")).collect();
        group.bench_function("emit", |bencher| {
            bencher.iter(|| {
                for pair in &linked {
                    let _ = black_box(emit(black_box(pair), &TARGET));
                }
            });
        });
        group.bench_function("wgsl", |bencher| {
            bencher.iter(|| {
                for pair in &linked {
                    black_box(wgsl::emit(black_box(pair), &wgsl::WgslOptions::default()));
                }
            });
        });
        group.bench_function("whole", |bencher| {
            bencher.iter(|| {
                for ((vertex, fragment), pair) in bytes.iter().zip(pairs) {
                    let (vertex, fragment) = (vertex.as_slice(), fragment.as_slice());
                    let little = Endian::Little;
                    let linked = upload((vertex, little), (fragment, little), &pair.rules);
                    let _ = black_box(emit(&linked.expect("is legal"), &TARGET));
                }
            });
        });
        let texts: Vec<String> = pairs.iter().map(ProgramPair::to_string).collect();
        group.bench_function("assemble", |bencher| {
            bencher.iter(|| {
                for text in &texts {
                    black_box(
                        asm::AssembleOptions::default().pair(black_box(text)).expect("assembles"),
                    );
                }
            });
        });
        group.finish();
    }
}

fn validated(pair: ProgramPair) -> (agal::ValidProgram, agal::ValidProgram) {
    let valid = |program, stage| validate(program, stage, &pair.rules).expect("is legal");
    (valid(pair.vertex, Stage::Vertex), valid(pair.fragment, Stage::Fragment))
}

criterion_group!(benches, compile);
criterion_main!(benches);
