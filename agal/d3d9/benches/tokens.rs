//! Benchmark: decoded, checked and translated instructions per second. The inputs are translated AGAL programs of Flash
//! games and, if available, shaders of Microsoft's compiler. AGAL is measured by `agal/benches/compile.rs`.

use std::hint::black_box;
use std::path::Path;

use agal::{Endian, Rules, Stage, validate};
use agal_core::glsl::Dialect;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use d3d9::D3d9Program;
use d3d9::check::{Caps, check};
use d3d9::from_agal::{Model, translate};
use d3d9::glsl::{D3d9GlslOptions, emit};

fn shared(folder: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(folder);
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let paths = entries.flatten().map(|entry| entry.path());
    paths
        .filter_map(|path| {
            let name = path.file_name()?.to_string_lossy().into_owned();
            Some((name, std::fs::read(&path).ok()?))
        })
        .collect()
}

/// Returns AGAL programs of Flash games, translated to shader model 3.
fn translated() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for (name, bytes) in shared("agal") {
        let stage = match name.split('.').nth(1) {
            Some("vsh") => Stage::Vertex,
            Some("fsh") => Stage::Fragment,
            _ => continue,
        };
        let rules = Rules::NEWEST;
        let program = agal::Program::decode(&bytes, Endian::Little, stage);
        let valid = program.and_then(|program| validate(program, stage, &rules));
        if let Some(made) = valid.ok().and_then(|valid| translate(&valid, Model::V30).ok()) {
            all.push(made.program.encode());
        }
    }
    all
}

fn tokens(criterion: &mut Criterion) {
    let compiled = shared("d3d9").into_iter().map(|(_, bytes)| bytes);
    let valid = |bytes: &Vec<u8>| {
        let program = D3d9Program::decode(bytes);
        program.is_ok_and(|program| check(&program, &Caps::MAX).is_valid())
    };
    let sets = [("games", translated()), ("compiled", compiled.filter(valid).collect())];
    for (name, set) in sets.into_iter().filter(|(_, set)| !set.is_empty()) {
        let programs: Vec<D3d9Program> =
            set.iter().filter_map(|bytes| D3d9Program::decode(bytes).ok()).collect();
        let count: usize = programs.iter().map(|program| program.instructions().count()).sum();
        let target = D3d9GlslOptions::new(Dialect::Glsl330);
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(count as u64)).sample_size(20);
        group.bench_function("decode", |bencher| {
            bencher.iter(|| {
                set.iter().filter_map(|bytes| D3d9Program::decode(black_box(bytes)).ok()).count()
            });
        });
        group.bench_function("check", |bencher| {
            bencher.iter(|| {
                programs.iter().filter(|p| check(black_box(p), &Caps::MAX).is_valid()).count()
            });
        });
        group.bench_function("decode, check and GLSL", |bencher| {
            bencher.iter(|| {
                let decoded =
                    set.iter().filter_map(|bytes| D3d9Program::decode(black_box(bytes)).ok());
                decoded
                    .filter_map(|program| emit(&program, &target).ok())
                    .map(|glsl| glsl.len())
                    .sum::<usize>()
            });
        });
        group.finish();
    }
}

criterion_group!(benches, tokens);
criterion_main!(benches);
