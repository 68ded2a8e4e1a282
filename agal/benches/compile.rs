//! Decode, validate and emit, on the smallest and on the largest legal program of AGAL 2.

use std::hint::black_box;

use agal::{
    ClipDepth, Dialect, Endian, Program, Rules, Stage, Target, asm, emit, upload, validate,
};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const VERTEX: &str = "m44 op, va0, vc0\nmov v0, va1";

/// A fragment program of this many tokens: a texture read, then arithmetic of every shape.
fn fragment(tokens: usize) -> String {
    let body = [
        "mul ft0.xyz, ft0, fc0.x",
        "dp3 ft1.x, ft0, fc1",
        "sge ft1.y, ft0.w, fc0.z",
        "nrm ft2.xyz, ft0",
        "m33 ft2.xyz, ft2, fc4",
        "pow ft0.w, ft1.x, fc2.w",
        "add ft0.xyz, ft0.zyx, ft2",
    ];
    let first = "tex ft0, v0, fs0 <2d,linear,repeat,miplinear>";
    let lines = body.iter().cycle().take(tokens.saturating_sub(2));
    let mut text = first.to_owned();
    for line in lines {
        text.push('\n');
        text.push_str(line);
    }
    text + "\nmov oc, ft0"
}

fn compile(criterion: &mut Criterion) {
    let vertex = asm::assemble(VERTEX, Stage::Vertex, 2).expect("assembles");
    let vertex = vertex.encode();
    let target = Target {
        dialect: Dialect::Glsl330,
        clip_depth: ClipDepth::ZeroToOne,
        comments: false,
    };
    for (name, tokens) in [("small", 2), ("largest", 1024)] {
        let text = fragment(tokens);
        let program = asm::assemble(&text, Stage::Fragment, 2).expect("assembles");
        let bytes = program.encode();
        let rules = Rules::NEWEST;
        let pair = upload((&vertex, Endian::Little), (&bytes, Endian::Little), &rules);
        let pair = pair.expect("is legal");

        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(tokens as u64));
        group.bench_function("decode", |bencher| {
            bencher.iter(|| Program::decode(black_box(&bytes), Endian::Little, Stage::Fragment));
        });
        group.bench_function("validate", |bencher| {
            bencher.iter_batched(
                || program.clone(),
                |program| validate(black_box(program), Stage::Fragment, &rules),
                criterion::BatchSize::SmallInput,
            );
        });
        group.bench_function("emit", |bencher| {
            bencher.iter(|| emit(black_box(&pair), &target));
        });
        group.bench_function("assemble", |bencher| {
            bencher.iter(|| asm::assemble(black_box(&text), Stage::Fragment, 2));
        });
        group.finish();
    }
}

criterion_group!(benches, compile);
criterion_main!(benches);
