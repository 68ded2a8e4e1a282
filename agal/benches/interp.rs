//! Measures the interpreter on four vertices of a simple transformation, and on a quad of a lit, textured surface, as
//! a rasterizer runs it for every four pixels.

use std::hint::black_box;

use agal::interp::{CompiledProgram, LANES, SamplerImages, TexelImage};
use agal::sampler::Dimension;
use agal::{Rules, Stage, asm, validate};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const VERTEX: &str =
    "m44 op, va0, vc0\nm33 vt0.xyz, va1, vc4\nmov vt0.w, vc0.w\nmov v0, vt0\nmov v1, va2";
const FRAGMENT: &str = "tex ft0, v1, fs0 <2d,linear,repeat,miplinear>
nrm ft1.xyz, v0
dp3 ft1.w, ft1.xyz, fc0
max ft1.w, ft1.w, fc0.w
pow ft2.x, ft1.w, fc1.x
mul ft0.xyz, ft0, ft1.w
add ft0.xyz, ft0, ft2.x
mov oc, ft0";

fn interpret(criterion: &mut Criterion) {
    let side = 64;
    let levels = (0..7).map(|level| vec![[0.5; 4]; (side >> level) * (side >> level)]);
    let image =
        TexelImage::new(Dimension::TwoD.faces(), (64, 64), levels.collect()).expect("sizes agree");
    let images = SamplerImages(&[Some(image)]);
    let mut group = criterion.benchmark_group("interpret");
    for (name, text, stage) in
        [("vertices", VERTEX, Stage::Vertex), ("quad", FRAGMENT, Stage::Fragment)]
    {
        let program = asm::assemble(text, stage, 1).expect("assembles");
        let tokens = program.token_count() * LANES;
        let compiled =
            CompiledProgram::new(&validate(program, stage, &Rules::NEWEST).expect("is legal"));
        let mut state = compiled.state();
        for (lane, x) in [0.0, 0.5, 0.25, 0.75].into_iter().enumerate() {
            for register in 0..3 {
                state.set_attribute(register, lane, [x, 0.3, 0.2, 1.0]);
                state.set_varying(register, lane, [x, 0.3, 0.2, 1.0]);
            }
        }
        let constants = [[0.5, 0.25, 0.125, 1.0]; 8];
        group.throughput(Throughput::Elements(tokens as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| compiled.run(black_box(&mut state), &constants, &images));
        });
    }
    group.finish();
}

criterion_group!(benches, interpret);
criterion_main!(benches);
