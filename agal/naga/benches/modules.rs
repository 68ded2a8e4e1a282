//! Measures the translation of programs to naga modules, in tokens per second, for the programs of Flash games and the
//! largest valid programs. The benchmark `module` translates AGAL bytes to a naga module. `checked` also runs naga's
//! validation, as wgpu does. `parsed` emits WGSL, and parses and validates this WGSL with naga.

extern crate naga_30 as naga;

#[path = "../../benches/pairs/mod.rs"]
mod pairs;

use std::hint::black_box;
use std::time::Duration;

use agal::generate::ProgramPair;
use agal::{Endian, LinkedPair, Stage, upload, wgsl};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use naga::Module;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

fn linked((vertex, fragment): &(Vec<u8>, Vec<u8>), pair: &ProgramPair) -> LinkedPair {
    let little = Endian::Little;
    upload((black_box(vertex), little), (fragment, little), &pair.rules).expect("is legal")
}

fn built(pair: &LinkedPair) -> [Module; 2] {
    let target = wgsl::WgslOptions::default();
    [Stage::Vertex, Stage::Fragment].map(|stage| agal_naga::module(pair, stage, &target))
}

fn parsed(pair: &LinkedPair) -> [Module; 2] {
    let texts = wgsl::emit(pair, &wgsl::WgslOptions::default());
    [texts.vertex, texts.fragment].map(|text| naga::front::wgsl::parse_str(&text).expect("WGSL"))
}

fn checked(modules: [Module; 2]) -> [ModuleInfo; 2] {
    modules.map(|module| {
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
        validator.validate(&module).expect("is valid")
    })
}

fn modules(criterion: &mut Criterion) {
    for set in pairs::sets() {
        let mut group = criterion.benchmark_group(&set.name);
        group.throughput(Throughput::Elements(set.tokens() as u64));
        group.measurement_time(Duration::from_secs(3));
        group.sample_size(20);
        let bytes = set.pairs.iter().map(|pair| (pair.vertex.encode(), pair.fragment.encode()));
        let bytes: Vec<_> = bytes.collect();
        let mut bench = |name: &str, work: &dyn Fn(LinkedPair)| {
            group.bench_function(name, |bencher| {
                bencher.iter(|| {
                    for (bytes, pair) in bytes.iter().zip(&set.pairs) {
                        work(linked(bytes, pair));
                    }
                });
            });
        };
        bench("module", &|pair| drop(black_box(built(&pair))));
        bench("checked", &|pair| drop(black_box(checked(built(&pair)))));
        bench("parsed", &|pair| drop(black_box(checked(parsed(&pair)))));
        group.finish();
    }
}

criterion_group!(benches, modules);
criterion_main!(benches);
