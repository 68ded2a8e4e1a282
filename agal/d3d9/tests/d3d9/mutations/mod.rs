//! Mutation tests: inject an error into a program or into the interpreter. The listing must show every change of a
//! program. For every kind of error, the interpreter's results must change at least once.

mod edit;

use agal::generate::{GenerateOptions as Generated, PairGenerator, Random, seed_bytes};
use agal::{AgalVersion, Rules, Stage as AgalStage, validate};
use d3d9::from_agal::{Model, translate};
use d3d9::interp::{
    CompiledShader, D3d9Computation, D3d9Inputs, D3d9Lookup, D3d9State, DetailLevel, Direct3D9,
    LaneRegister, RunObserver, TextureSampling, TextureStage,
};
use d3d9::opcode::{D3d9Opcode, Formula, Operation};
use d3d9::operand::{Dest, ResultModifiers, Source, SourceModifier, Swizzle, WriteMask};
use d3d9::register::ShaderFile;
use d3d9::text::assemble;
use d3d9::{D3d9Instruction, D3d9Program, ShaderVersion, StreamItem};

use edit::{
    comparison, dest, index_component, mask, modifier, number, plain_load, predicate, result,
    shift, source, swapped, swizzle, with_sources,
};

/// Maximum number of positions per program at which each mutation is tried.
const PLACES: usize = 4;
/// Number of input sets with which each program runs.
const RUNS: u64 = 4;

#[derive(Clone, Copy)]
enum Change {
    /// Modifies an instruction; returns `None` if the mutation doesn't apply.
    Instruction(fn(&D3d9Instruction, &mut Random) -> Option<D3d9Instruction>),
    /// Modifies a result in the interpreter.
    Value(fn(&D3d9Computation, &mut LaneRegister)),
    /// `mova` rounds down instead of to nearest.
    AddressDown,
    /// vs_1_1 rounds indices to nearest instead of down.
    AddressNearest,
}
use Change::{AddressDown, AddressNearest, Instruction as In, Value};

const MUTATIONS: &[(&str, Change)] = &rows! {
    "mask-one-more", In(|i, r| mask(i, r, |old, bit| old | bit));
    "mask-one-less", In(|i, r| mask(i, r, |old, bit| old & !bit));
    "mask-all", In(|i, r| mask(i, r, |_, _| 15));
    "swizzle-of-a-lane", In(|i, r| swizzle(i, r, |old, lane| old ^ 1 << (2 * lane)));
    "swizzle-one-lane-for-all", In(|i, r| swizzle(i, r, |old, lane| (old >> (2 * lane) & 3) * 0x55));
    "swizzle-lost", In(|i, r| swizzle(i, r, |_, _| 0xe4));
    "swizzle-turned", In(|i, r| swizzle(i, r, |old, _| old.rotate_left(2)));
    // Mutations of register numbers and relative offsets.
    "source-register", In(|i, r| number(i, r, |kind| kind != 2 && kind != 10));
    "constant-register", In(|i, r| number(i, r, |kind| kind == 2));
    "sampler-register", In(|i, r| number(i, r, |kind| kind == 10));
    "dest-register", In(|i, _| dest(i, |dest| Some(dest.word ^ 1)));
    "index-lost", In(|i, r| { source(i, r, |s| { s.is_relative() .then(|| Source::from_word(s.word & !(1 << 13))) }) });
    "index-component", In(|i, r| source(i, r, index_component));
    "sources-swapped", In(|i, _| swapped(i));
    "negate-lost", In(|i, r| modifier(i, r, SourceModifier::Negate, SourceModifier::None));
    "negate-added", In(|i, r| modifier(i, r, SourceModifier::None, SourceModifier::Negate));
    "abs-lost", In(|i, r| modifier(i, r, SourceModifier::Abs, SourceModifier::None));
    "abs-added", In(|i, r| modifier(i, r, SourceModifier::None, SourceModifier::Abs));
    "negated-abs-is-abs", In(|i, r| modifier(i, r, SourceModifier::AbsNegate, SourceModifier::Abs));
    "bias-lost", In(|i, r| modifier(i, r, SourceModifier::Bias, SourceModifier::None));
    "bx2-is-bias", In(|i, r| modifier(i, r, SourceModifier::Sign, SourceModifier::Bias));
    "complement-is-negate", In(|i, r| modifier(i, r, SourceModifier::Complement, SourceModifier::Negate));
    "x2-lost", In(|i, r| modifier(i, r, SourceModifier::Double, SourceModifier::None));
    "dz-is-dw", In(|i, r| modifier(i, r, SourceModifier::DivideZ, SourceModifier::DivideW));
    // Mutations of result modifiers and shifts.
    "saturate-lost",
        In(|i, _| { result(i, |bits| {
            (bits & ResultModifiers::SATURATE != 0).then_some(bits ^ ResultModifiers::SATURATE) }) });
    "saturate-added",
        In(|i, _| { result(i, |bits| {
            (bits & ResultModifiers::SATURATE == 0).then_some(bits | ResultModifiers::SATURATE) }) });
    "shift-lost", In(|i, _| shift(i, |bits| (bits != 0).then_some(0)));
    "shift-turned", In(|i, _| shift(i, |bits| (bits != 0).then_some((16 - bits) & 15)));
    "shift-added", In(|i, _| shift(i, |bits| (bits == 0).then_some(1)));
    // Mutations of predicates, comparisons and variants of texture reads.
    "predicate-lost", In(|i, _| predicate(i, |_| None));
    "predicate-turned", In(|i, _| predicate(i, |p| Some(Source::from_word(p.word ^ 13 << 24))));
    "predicate-component", In(|i, _| predicate(i, |p| Some(Source::from_word(p.word ^ 0x00ff_0000))));
    "comparison-turned", In(|i, _| comparison(i));
    "texld-without-its-w", In(|i, _| plain_load(i));
    // Mutations that lower the precision of results.
    "rcp-in-12-bits", Value(|o, v| of(o, v, Operation::Scalar(Formula::Rcp), |_, v| bits(v, 12)));
    "rsq-in-12-bits", Value(|o, v| of(o, v, Operation::Scalar(Formula::Rsq), |_, v| bits(v, 12)));
    "exp-in-10-bits", Value(|o, v| of(o, v, Operation::Scalar(Formula::Exp), |_, v| bits(v, 10)));
    "expp-in-10-bits", Value(|o, v| of(o, v, Operation::ExpPartial, |_, v| bits(v, 10)));
    "log-in-10-bits", Value(|o, v| of(o, v, Operation::Scalar(Formula::Log), |_, v| bits(v, 10)));
    "frc-towards-zero", Value(|o, v| of(o, v, Operation::Map(Formula::Frc), |[a, ..], _| a - a.trunc()));
    "mad-rounds-once", Value(|o, v| { of(o, v, Operation::Map(Formula::Mad), |[a, b, c], _| { a.mul_add(b, c) }) });
    "nrm-in-12-bits", Value(|o, v| of(o, v, Operation::Normalize, |_, v| bits(v, 12)));
    "mova-rounds-down", AddressDown;
    "vs_1_1-rounds-to-nearest", AddressNearest;
};

/// If the operation is `kind`, replaces the result of each lane by `change`, called with the sources and the correct
/// result.
fn of(
    computation: &D3d9Computation,
    value: &mut LaneRegister,
    kind: Operation,
    change: fn([f32; 3], f32) -> f32,
) {
    if computation.operation != kind {
        return;
    }
    for (component, lanes) in value.0.iter_mut().enumerate() {
        for (lane, value) in lanes.iter_mut().enumerate() {
            *value = change(computation.sources.map(|source| source.0[component][lane]), *value);
        }
    }
}

/// Truncates the mantissa of a value to its first `bits` bits.
fn bits(value: f32, bits: u32) -> f32 {
    f32::from_bits(value.to_bits() & (u32::MAX << (24 - bits)))
}

/// Textures whose texels encode coordinates, sampler index and mip level.
struct Echo;

impl TextureSampling<Direct3D9> for Echo {
    fn read(&self, lookup: &D3d9Lookup<'_>) -> LaneRegister {
        let [x, y, z, _] = lookup.coordinates.0;
        let level = match &lookup.level {
            DetailLevel::Implicit(bias) => *bias,
            DetailLevel::Exactly(level) => level.map(|level| level + 0.5),
            DetailLevel::Gradients(dx, dy) => {
                [0, 1, 2, 3].map(|lane| dx.0[0][lane] - dy.0[1][lane])
            }
        };
        let sampler = f32::from(lookup.sampler.number);
        LaneRegister([x, y, z, level.map(|level| level / 16.0 + sampler)])
    }
}

struct Wrong(Option<fn(&D3d9Computation, &mut LaneRegister)>);

impl RunObserver<Direct3D9> for Wrong {
    const STEPS: bool = false;

    fn computed(&mut self, computation: &D3d9Computation, value: &mut LaneRegister) {
        if let Some(change) = self.0 {
            change(computation, value);
        }
    }
}

/// Returns all outputs of all lanes, and the lanes that are not discarded. All NaN values become equal.
fn outputs(state: &D3d9State) -> Vec<u32> {
    const OUTPUTS: [(ShaderFile, u16); 8] = [
        (ShaderFile::Position, 1),
        (ShaderFile::Fog, 1),
        (ShaderFile::PointSize, 1),
        (ShaderFile::Depth, 1),
        (ShaderFile::ColorVarying, 2),
        (ShaderFile::Color, 4),
        (ShaderFile::TexCoordVarying, 8),
        (ShaderFile::Output, 16),
    ];
    let places = OUTPUTS.into_iter();
    let places = places.flat_map(|(file, count)| (0..count).map(move |n| file.at(n)));
    let values = places.flat_map(|place| state.register(place).0.concat());
    let values = values.map(|value| if value.is_nan() { u32::MAX } else { value.to_bits() });
    values.chain(state.alive().map(u32::from)).collect()
}

/// Runs a program on all input sets and returns the results, or `None` if the program can't run.
fn run(program: &D3d9Program, steps: u32, wrong: &mut Wrong) -> Option<Vec<Vec<u32>>> {
    let compiled = CompiledShader::new(program).ok()?;
    let all = (0..RUNS).map(|seed| {
        let random = &mut Random::new(seed);
        let mut value =
            move || f32::from(i16::try_from(random.below(4001)).unwrap() - 1600) / 801.0;
        let floats: Vec<[f32; 4]> = (0..64).map(|_| [(); 4].map(|()| value())).collect();
        let stage = TextureStage {
            matrix: [(); 4].map(|()| value()),
            luminance: [value(), value()],
            ..TextureStage::default()
        };
        let inputs = D3d9Inputs {
            floats: &floats,
            integers: &[[2, 0, 1, 0], [3, 1, 1, 0]],
            booleans: &[seed % 2 == 0, seed / 2 % 2 == 0],
            stages: [stage; 8],
        };
        let mut state = compiled.state();
        for (lane, number) in (0..4).flat_map(|lane| (0..16).map(move |number| (lane, number))) {
            state.set(ShaderFile::Input.at(number), lane, [(); 4].map(|()| value()));
            state.set(ShaderFile::Texture.at(number), lane, [(); 4].map(|()| value()));
        }
        let ran = compiled.run(&mut state, &inputs, &Echo, steps, wrong);
        ran.ok().map(|()| outputs(&state))
    });
    all.collect()
}

const STEPS: u32 = 4096;

/// Small programs, in which every computed value affects the output.
const SMALL: &[&str] = &[
    "ps_3_0\ndcl_texcoord v0\ndcl_texcoord1 v1\nadd r0, v0_abs, -v1\nmad_sat r1, r0, c0, -v0_abs\nmov oC0, r0\nmov oC1, r1\nmul oC2, r0, v0\nfrc r2, v1\nmov oC3, r2",
    "ps_3_0\ndcl_texcoord v0\nsetp_gt p0, v0, c0\nmov r0, v0\n(p0) mov r0, c1\n(!p0.y) add r0.xy, r0, c2\nif_lt v0.x, c0.x\nadd r0, r0, c3\nendif\nif p0.x\nmul r0, r0, c2\nendif\nmov oC0, r0",
    "ps_3_0\ndcl_texcoord v0\nrcp r0.x, v0.x\nrsq r0.y, v0.y\nlog r0.z, v0.z\nexp r0.w, v0.w\nmov oC0, r0\nnrm r1, v0\nmov oC1, r1\nmad r2, v0, c0, c1\nmov oC2, r2",
    "ps_3_0\ndcl_texcoord v0\ndcl_2d s0\ndcl_2d s1\ntexld r0, v0.yxzw, s0.wzyx\ntexldp r1, v0, s1\ntexldb r2, v0, s0\nmov oC0, r0\nmov oC1, r1\nmov oC2, r2",
    "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmova a0.xy, v1\nadd r0, c9[a0.x], c20[a0.y]\nexpp r1.x, v0.x\nlogp r1.y, v0.y\nmov oT0, r1\nmov oT1, c8[a0.y]\nmov oPos, r0",
    "vs_1_1\ndcl_position v0\nmov a0.x, v0.x\nadd r0, v0, c9[a0.x]\nexpp r1, v0.y\nmov oT0, r1\nmov oPos, r0",
    "ps_1_4\ntexcrd r0.xyz, t0\ntexcrd r1.xy, t1_dw.xyww\nmov r2.xyz, c3\nphase\ntexld r3, r0_dz\nmad_x2 r0, r0_x2, c0_bx2, c1_bias\nadd_d2 r0, r0, 1-c2",
    "ps_1_1\ntex t0\nmul_d2_sat r0, t0_bias, 1-v0\nmad_x2 r0, t0_bx2, -c0, r0",
];

/// Returns all test programs: programs of this crate, and random AGAL translated to two shader models.
fn all() -> Vec<D3d9Program> {
    let own = SMALL.iter().chain(crate::programs::PROGRAMS);
    let mut all: Vec<D3d9Program> =
        own.map(|text| assemble(text).unwrap_or_else(|e| panic!("{e}\n{text}"))).collect();
    let generator = PairGenerator::new(Generated::new(AgalVersion::V2));
    for seed in 0..24 {
        let bytes = seed_bytes(seed, 4096);
        let pair = generator.pair_of(&mut arbitrary::Unstructured::new(&bytes), 8, 8).unwrap();
        for (program, stage) in
            [(pair.vertex, AgalStage::Vertex), (pair.fragment, AgalStage::Fragment)]
        {
            let valid = validate(program, stage, &Rules::NEWEST).unwrap();
            let made = [Model::V2x, Model::V30].map(|model| translate(&valid, model));
            all.extend(made.into_iter().flatten().map(|made| made.program));
        }
    }
    all
}

/// Returns copies of a program with one modified instruction, for a limited number of positions.
fn changed(
    program: &D3d9Program,
    change: fn(&D3d9Instruction, &mut Random) -> Option<D3d9Instruction>,
    random: &mut Random,
) -> Vec<D3d9Program> {
    let items = program.items.iter().enumerate();
    let mut ways: Vec<(usize, D3d9Instruction)> = items
        .filter_map(|(place, item)| match item {
            StreamItem::Instruction(old) if !old.opcode.is_declaration() => {
                Some((place, change(old, random)?))
            }
            _ => None,
        })
        .collect();
    while ways.len() > PLACES {
        ways.swap_remove(random.below(u32::try_from(ways.len()).unwrap()) as usize);
    }
    let with = |(place, new): (usize, D3d9Instruction)| {
        let mut mutant = program.clone();
        mutant.items[place] = StreamItem::Instruction(new);
        mutant
    };
    ways.into_iter().map(with).collect()
}

/// Replaces `mova a0, x` (`mov` in vs_1_1) by `add r11, x, offset` and `mova a0, r11`.
fn moved(program: &D3d9Program, opcode: D3d9Opcode, offset: f32) -> Option<D3d9Program> {
    let mut mutant = program.clone();
    let to_address = |item: &StreamItem| {
        let StreamItem::Instruction(i) = item else { return false };
        let target = i.dest_register(program.version);
        i.opcode == opcode && target.is_some_and(|register| register.file == ShaderFile::Address)
    };
    let place = program.items.iter().position(to_address)?;
    let StreamItem::Instruction(mova) = &program.items[place] else {
        return None;
    };
    let [scratch, half] = [ShaderFile::Temp.at(11), ShaderFile::Const.at(95)];
    let mut definition = D3d9Instruction::new(D3d9Opcode::Def);
    definition.dest = Some(Dest::new(half, WriteMask::ALL));
    assert!([offset; 4].into_iter().all(|value| definition.push_literal(value.to_bits())));
    let mut add = D3d9Instruction::new(D3d9Opcode::Add);
    add.dest = Some(Dest::new(scratch, WriteMask::ALL));
    assert!(
        add.push_source(mova.source(0)) && add.push_source(Source::new(half, Swizzle::IDENTITY))
    );
    let moved = with_sources(mova, &[Source::new(scratch, Swizzle::IDENTITY)]);
    let news = [definition, add, moved].map(StreamItem::Instruction);
    mutant.items.splice(place..=place, news);
    Some(mutant)
}

#[test]
fn every_mutation_is_noticed() {
    let programs = all();
    let right: Vec<_> =
        programs.iter().map(|program| run(program, STEPS, &mut Wrong(None))).collect();
    assert!(right.iter().all(Option::is_some), "a program does not run");
    let (mut missed, mut table) = (Vec::new(), String::new());
    let (mut sum, mut most) = (0, 0);
    let mut seen = vec![false; programs.len()];
    for (row, (name, change)) in (0u64..).zip(MUTATIONS) {
        let random = &mut Random::new(row);
        let (mut tried, mut noticed) = (0, 0);
        for ((program, right), seen) in programs.iter().zip(&right).zip(&mut seen) {
            let results = match change {
                In(change) => {
                    let mutants = changed(program, *change, random);
                    let listing = program.listing().to_string();
                    for mutant in &mutants {
                        assert_ne!(
                            mutant.listing().to_string(),
                            listing,
                            "{name}: not in the listing"
                        );
                    }
                    let ran = mutants.iter().map(|mutant| run(mutant, STEPS, &mut Wrong(None)));
                    ran.collect::<Vec<_>>()
                }
                Value(value) => vec![run(program, STEPS, &mut Wrong(Some(*value)))],
                AddressDown => {
                    let mutant = moved(program, D3d9Opcode::Mova, -0.5);
                    mutant.iter().map(|mutant| run(mutant, STEPS, &mut Wrong(None))).collect()
                }
                AddressNearest if program.version == ShaderVersion::Vs11 => {
                    let mutant = moved(program, D3d9Opcode::Mov, 0.5);
                    mutant.iter().map(|mutant| run(mutant, STEPS, &mut Wrong(None))).collect()
                }
                AddressNearest => Vec::new(),
            };
            tried += results.len();
            let here = results.iter().filter(|result| *result != right).count();
            *seen |= here > 0;
            noticed += here;
        }
        table.push_str(&format!("{name:28} {noticed:4} of {tried:4}\n"));
        if noticed == 0 {
            missed.push(*name);
        }
        if matches!(change, In(_)) {
            (sum, most) = (sum + noticed, most + tried);
        }
    }
    println!("{} programs\n{table}", programs.len());
    assert!(missed.is_empty(), "never noticed: {missed:?}\n{table}");
    // Changes that no comparison notices affect unused values, or values that a later instruction overwrites.
    assert!(sum * 3 > most, "{sum} of {most} changes\n{table}");
    let told = seen.iter().filter(|seen| **seen).count();
    assert!(told * 10 > programs.len() * 9, "in {told} of {} programs", programs.len());
}
