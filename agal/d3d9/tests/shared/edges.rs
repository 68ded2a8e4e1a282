//! AGAL programs of Flash games and their translations produce the same results, even for infinities and NaN.

use agal::generate::Random;
use agal::interp::{CompiledProgram, LANES, TexelImage};
use agal::operand::SecondOperand;
use agal::{Rules, Stage, ValidProgram, validate};
use d3d9::float::FloatRules;
use d3d9::from_agal::{Model, Translation, translate_unlimited};
use d3d9::interp::{CompiledShader, D3d9Inputs, MAX_STEPS, SamplerImages};
use d3d9::register::ShaderFile;

use crate::lowered::Lowered;
use crate::samples::programs;

const RUNS: u64 = 8;

type Values = Vec<[f32; 4]>;

/// The constants of a program, and its inputs for each lane. Every third number is an edge value.
struct Given {
    inputs: [Values; LANES],
    constants: Values,
}

impl Given {
    fn new(seed: u64) -> Given {
        let mut random = Random::new(seed);
        let edges = [0.0, -0.0, 1.0, -1.0, 1e-40, f32::MAX, f32::INFINITY, f32::NAN];
        let mut number = |()| match random.below(3) {
            0 => random.pick(&edges).copied().unwrap_or_default(),
            _ => random.error() * 4.0,
        };
        let mut values =
            |count| -> Values { (0..count).map(|_| [(); 4].map(&mut number)).collect() };
        Given { inputs: [(); LANES].map(|()| values(16)), constants: values(256) }
    }
}

/// [d3d9.from_agal.edges]
pub(crate) fn programs_agree() {
    let mut compared = [0; 3];
    for (name, program) in programs() {
        let stage = program.stage();
        let indirect = |source: &agal::operand::SourceOperand| source.indirect;
        // AGAL and tokens differ in reads past the last constant ([d3d9.from_agal.outside]).
        let reads_beyond = program.instructions().iter().any(|token| {
            let second =
                matches!(token.source2(), SecondOperand::Source(source) if indirect(source));
            indirect(&token.source1) || second
        });
        if reads_beyond {
            continue;
        }
        let program = validate(program, stage, &Rules::NEWEST).unwrap();
        for (count, model) in compared.iter_mut().zip(Model::ALL.iter().copied()) {
            let Ok(made) = translate_unlimited(&program, model) else { continue };
            *count += 1;
            let lowered = Lowered { stage, model, rules: FloatRules::default() };
            for given in (0..RUNS).map(Given::new) {
                let (agal, tokens) =
                    (run(&program, &made, lowered, &given), tokens(&made, lowered, &given));
                for (n, (a, b)) in agal.iter().zip(&tokens).enumerate() {
                    let same = a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
                    assert!(same, "{name} in {}, number {n}: {b}, not {a}", model.name());
                }
            }
        }
    }
    println!("programs compared in 2_0, 2_x and 3_0: {compared:?}");
    assert!(compared.iter().all(|count| *count > 100), "{compared:?}");
}

/// Returns an image with the dimension that each sampler of the program declares.
fn images(made: &Translation) -> [Option<TexelImage>; 16] {
    made.samplers.map(|sampler| {
        let dimension = sampler?.dimension;
        let faces = (0..dimension.faces()).flat_map(|_| [0.25, 0.5, 0.75, 1.0]);
        let texels = faces.map(|level| [level; 4]).collect();
        Some(TexelImage::new(dimension.faces(), (2, 2), vec![texels]).unwrap())
    })
}

/// Returns the outputs of a program, and the lanes that are not discarded.
fn run(
    program: &ValidProgram,
    made: &Translation,
    mut lowered: Lowered,
    given: &Given,
) -> Vec<f32> {
    let (compiled, images) = (CompiledProgram::new(program), images(made));
    let mut state = compiled.state();
    for (lane, values) in given.inputs.iter().enumerate() {
        for (number, value) in (0..).zip(values) {
            match lowered.stage {
                Stage::Vertex => state.set_attribute(number, lane, *value),
                Stage::Fragment => state.set_varying(number, lane, *value),
            }
        }
    }
    let textures = SamplerImages(&images);
    compiled.run_with(&mut state, &given.constants, &textures, &mut lowered);
    let output = |lane| match lowered.stage {
        Stage::Fragment => state.color(0, lane).to_vec(),
        Stage::Vertex => {
            let varyings = (0..8).flat_map(|number| state.varying(number, lane));
            state.position(lane).into_iter().chain(varyings).collect()
        }
    };
    let alive = state.alive().map(|alive| f32::from(u8::from(alive)));
    (0..LANES).flat_map(output).chain(alive).collect()
}

fn tokens(made: &Translation, lowered: Lowered, given: &Given) -> Vec<f32> {
    let compiled = CompiledShader::new(&made.program).unwrap();
    let (vertex, three) = (lowered.stage == Stage::Vertex, lowered.model == Model::V30);
    let mut state = compiled.state();
    for (lane, values) in given.inputs.iter().enumerate() {
        for (number, value) in (0..).zip(values) {
            match vertex || three {
                true => state.set(ShaderFile::Input.at(number), lane, *value),
                false => state.set(ShaderFile::Texture.at(number), lane, *value),
            }
        }
    }
    let images = images(made).into_iter().zip(made.samplers);
    let textures: Vec<_> = images.map(|(image, sampler)| image.zip(sampler)).collect();
    let inputs = D3d9Inputs { floats: &given.constants, ..D3d9Inputs::default() };
    compiled.run(&mut state, &inputs, &SamplerImages(&textures), MAX_STEPS, &mut ()).unwrap();
    let output = |lane| {
        let varying = |number| match three {
            true => state.lane(ShaderFile::Output.at(number + 1), lane),
            false => state.lane(ShaderFile::TexCoordVarying.at(number), lane),
        };
        let position = match three {
            true => state.lane(ShaderFile::Output.at(0), lane),
            false => state.lane(ShaderFile::Position.at(0), lane),
        };
        match lowered.stage {
            Stage::Fragment => state.lane(ShaderFile::Color.at(0), lane).to_vec(),
            Stage::Vertex => position.into_iter().chain((0..8).flat_map(varying)).collect(),
        }
    };
    let alive = state.alive().map(|alive| f32::from(u8::from(alive)));
    (0..LANES).flat_map(output).chain(alive).collect()
}
