//! Tests that generated pairs are valid, use all features, and can be reduced.

use std::collections::HashSet;

use agal::generate::{
    GenerateOptions, GeneratorFeatures, InputTexture, PairGenerator, PairInputs, ProgramPair,
    seed_bytes, shrink,
};
use agal::interp::{CompiledProgram, LaneRegister, SamplerImages, TexelImage};
use agal::opcode::{AgalOpcode, BinaryOp, BlockEnd, OpcodeSignature};
use agal::operand::{Component, SecondOperand, WriteMask};
use agal::register::RegisterFile;
use agal::sampler::{Dimension, OPTIONS, SamplerField, SamplerOption};
use agal::{AgalVersion, LinkedPair, Profile, Program, Stage, ValidProgram};
use arbitrary::{Arbitrary, Unstructured};

/// The number of bytes for a pair of a few hundred tokens.
const FOOD: usize = 4096;

fn pair(seed: u64, options: GenerateOptions) -> ProgramPair {
    let bytes = seed_bytes(seed, FOOD);
    let pair = PairGenerator::new(options).pair(&mut Unstructured::new(&bytes));
    pair.expect("bytes that run out are no error")
}

fn linked(pair: &ProgramPair, name: impl std::fmt::Display) -> LinkedPair {
    let linked = pair.link();
    linked.unwrap_or_else(|error| panic!("{name}: {error}\n{pair}"))
}

/// Returns options with every version in every profile that supports it.
fn all_options() -> impl Iterator<Item = GenerateOptions> {
    Profile::ALL.iter().copied().flat_map(|profile| {
        let versions = AgalVersion::ALL.iter().copied();
        versions
            .filter(move |version| *version <= profile.max_version())
            .map(move |version| GenerateOptions { profile, ..GenerateOptions::new(version) })
    })
}

#[test]
fn every_pair_is_valid() {
    for options in all_options() {
        for seed in 0..600 {
            let pair = pair(seed, options);
            linked(&pair, format_args!("seed {seed} of {options:?}"));
        }
    }
}

#[test]
fn any_bytes_make_a_valid_pair() {
    for seed in 0..4000u64 {
        let length = usize::try_from(seed % 97).unwrap() * usize::try_from(seed % 13).unwrap();
        let bytes = seed_bytes(seed, length);
        let pair = ProgramPair::arbitrary(&mut Unstructured::new(&bytes)).unwrap();
        linked(&pair, seed);
    }
    for byte in 0..=u8::MAX {
        let pair = ProgramPair::arbitrary(&mut Unstructured::new(&[byte; 512])).unwrap();
        linked(&pair, byte);
    }
}

#[test]
fn the_same_bytes_make_the_same_pair() {
    let options = GenerateOptions::new(AgalVersion::V4);
    assert_eq!(pair(7, options), pair(7, options));
    assert_ne!(pair(7, options), pair(8, options));
}

#[test]
fn lengths_go_from_one_token_to_the_limit() {
    for version in AgalVersion::ALL {
        let most = version.max_tokens();
        let bytes = seed_bytes(1, 64 * most * 2);
        let generator = PairGenerator::new(GenerateOptions::new(*version));
        for length in [1, 2, 3, 17, most] {
            let mut u = Unstructured::new(&bytes);
            let pair = generator.pair_of(&mut u, length, length).unwrap();
            linked(&pair, length);
            let counts = [pair.vertex.token_count(), pair.fragment.token_count()];
            assert_eq!(counts, [length; 2], "{version:?}");
        }
        let lengths = (0..400).map(|seed| {
            pair(seed, GenerateOptions { max_tokens: 9, ..GenerateOptions::new(*version) })
        });
        let lengths: HashSet<usize> = lengths.map(|pair| pair.fragment.token_count()).collect();
        assert_eq!(lengths, (1..=9).collect());
    }
}

/// A pair that is generated without features contains only arithmetic.
#[test]
fn features_can_be_left_out() {
    let options = GenerateOptions {
        features: GeneratorFeatures::NONE,
        ..GenerateOptions::new(AgalVersion::V4)
    };
    for seed in 0..300 {
        let pair = pair(seed, options);
        let interface = linked(&pair, seed).interface().clone();
        assert!(!interface.instance_id && !interface.depth_output && interface.color_outputs == 1);
        for program in [&pair.vertex, &pair.fragment] {
            for token in program.instructions() {
                let signature = token.opcode().unwrap().signature();
                assert!(
                    matches!(signature, OpcodeSignature::Unary(_) | OpcodeSignature::Binary(_)),
                    "{signature:?}"
                );
                assert!(!token.source1.indirect);
            }
        }
    }
}

/// The features that were found in the programs of many seeds.
#[derive(Default)]
struct Seen {
    opcodes: HashSet<(AgalOpcode, Stage)>,
    masks: HashSet<(AgalOpcode, WriteMask)>,
    swizzles: HashSet<u8>,
    written: HashSet<(Stage, u8, u16)>,
    read: HashSet<(Stage, u8, u16)>,
    index: HashSet<(u8, u8)>,
    rows: HashSet<(Stage, u8, bool)>,
    sampler: HashSet<(Stage, SamplerField, u8)>,
    elses: usize,
    depth: usize,
    conditional_reads: usize,
}

impl Seen {
    fn program(&mut self, program: &ValidProgram) {
        let program = program.program();
        let stage = program.stage();
        let mut depth = 0usize;
        for token in program.instructions() {
            let opcode = token.opcode().unwrap();
            let signature = opcode.signature();
            self.opcodes.insert((opcode, stage));
            match signature {
                OpcodeSignature::If(_) => depth += 1,
                OpcodeSignature::Block(_) if opcode == AgalOpcode::Eif => depth -= 1,
                OpcodeSignature::Block(_) => self.elses += 1,
                OpcodeSignature::Sample(_) if depth > 0 => self.conditional_reads += 1,
                _ => {}
            }
            self.depth = self.depth.max(depth);
            if signature.has_dest() {
                self.masks.insert((opcode, token.dest.mask));
                self.written.insert((stage, token.dest.file, token.dest.number));
            }
            let two = match *token.source2() {
                SecondOperand::Source(two) => (signature.sources() > 1).then_some(two),
                SecondOperand::Sampler(sampler) => {
                    for field in SamplerField::ALL {
                        self.sampler.insert((stage, *field, sampler.get(*field)));
                    }
                    self.read.insert((stage, sampler.file, sampler.number));
                    None
                }
            };
            if let (Some(two), OpcodeSignature::Binary(BinaryOp::Matrix { .. })) = (two, signature)
            {
                self.rows.insert((stage, two.file, two.indirect));
            }
            let one = (signature.sources() > 0).then_some(token.source1);
            for source in one.into_iter().chain(two) {
                self.swizzles.insert(source.swizzle.bits());
                if source.indirect {
                    self.index.insert((source.index_file, source.index_component));
                } else {
                    self.read.insert((stage, source.file, source.number));
                }
            }
        }
    }
}

/// Checks that all features that the tables allow in this version were generated.
fn expect_everything(seen: &Seen, options: GenerateOptions) {
    let version = options.version;
    for opcode in AgalOpcode::ALL {
        for stage in [Stage::Vertex, Stage::Fragment] {
            let known = opcode.since().is_some_and(|since| since <= version);
            let expected = known && opcode.stages().allows(stage);
            assert_eq!(seen.opcodes.contains(&(*opcode, stage)), expected, "{opcode:?} {stage}");
        }
        if opcode.since().is_none_or(|since| since > version) || !opcode.signature().has_dest() {
            continue;
        }
        for bits in 1..16 {
            let mask = WriteMask::from_bits(bits);
            let legal = !(opcode.signature().masks_w() && mask.contains(Component::W));
            assert_eq!(seen.masks.contains(&(*opcode, mask)), legal, "{opcode:?} {mask:?}");
        }
    }
    for &file in RegisterFile::ALL {
        for stage in [Stage::Vertex, Stage::Fragment] {
            let view = file.view(stage);
            let count = file.count(stage, version, options.profile).unwrap_or(0);
            let code = file.code();
            for number in 0..count {
                let place = (stage, code, number);
                let read = view.read.is_ok() || file == RegisterFile::Sampler;
                assert_eq!(seen.read.contains(&place), read, "read {file:?} {number} {stage}");
                assert_eq!(
                    seen.written.contains(&place),
                    view.write.is_ok(),
                    "write {file:?} {number} {stage}"
                );
            }
            let consecutive = view.read.is_ok() && count >= 4;
            assert_eq!(
                seen.rows.contains(&(stage, code, false)),
                consecutive,
                "rows {file:?} {stage}"
            );
        }
        let index =
            file.indexes() && file.count(Stage::Vertex, version, options.profile) != Some(0);
        for component in 0..4 {
            assert_eq!(seen.index.contains(&(file.code(), component)), index, "[{file:?}]");
        }
    }
    assert!(seen.rows.contains(&(Stage::Vertex, RegisterFile::Constant.code(), true)));
    assert_eq!(seen.swizzles.len(), 256);
    // Assemblers have the option `3d`, but no player supports it.
    let legal = |option: &&SamplerOption| match option.field {
        SamplerField::Special => false,
        SamplerField::Dimension => Dimension::from_code(option.bits).is_some(),
        _ => true,
    };
    for option in OPTIONS.iter().filter(legal) {
        let used = |stage| seen.sampler.contains(&(stage, option.field, option.bits));
        assert!(used(Stage::Fragment), "{}", option.name);
    }
    assert!(
        (0..8)
            .all(|bits| { seen.sampler.contains(&(Stage::Fragment, SamplerField::Special, bits)) })
    );
    if version >= AgalVersion::V2 {
        assert!(seen.elses > 0 && seen.conditional_reads > 0);
        assert_eq!(seen.depth, agal::limits::MAX_NESTING);
    }
}

#[test]
fn everything_is_generated() {
    for version in AgalVersion::ALL {
        let options = GenerateOptions::new(*version);
        let mut seen = Seen::default();
        for seed in 0..1500 {
            let pair = pair(seed, options);
            let linked = linked(&pair, seed);
            seen.program(linked.vertex());
            seen.program(linked.fragment());
        }
        expect_everything(&seen, options);
    }
}

/// Returns the number of tokens that affect an output or a discard. Registers are tracked as a whole; writes in
/// conditionals don't end the life of an earlier value.
fn live_tokens(program: &Program) -> usize {
    let temporary = RegisterFile::Temporary.code();
    let mut live: HashSet<u16> = HashSet::new();
    let (mut count, mut depth) = (0, 0);
    for token in program.instructions().iter().rev() {
        let signature = token.opcode().unwrap().signature();
        match signature {
            OpcodeSignature::Block(BlockEnd::End) => depth += 1,
            OpcodeSignature::If(_) => depth -= 1,
            _ => {}
        }
        let dest = signature.has_dest().then_some(token.dest);
        let dest = dest.filter(|dest| dest.file == temporary);
        if dest.is_some_and(|dest| !live.contains(&dest.number)) {
            continue;
        }
        count += 1;
        if let Some(dest) = dest.filter(|dest| depth == 0 && dest.mask == WriteMask::ALL) {
            live.remove(&dest.number);
        }
        let (two, rows) = match (*token.source2(), signature) {
            (SecondOperand::Source(two), OpcodeSignature::Binary(op)) => (Some(two), op.rows()),
            (SecondOperand::Source(two), OpcodeSignature::If(_)) => (Some(two), 1),
            _ => (None, 1),
        };
        let one = (signature.sources() > 0).then_some((token.source1, 1));
        for (source, rows) in one.into_iter().chain(two.map(|two| (two, rows))) {
            if source.indirect && source.index_file == temporary {
                live.insert(source.number);
            } else if !source.indirect && source.file == temporary {
                live.extend((source.number..).take(rows.into()));
            }
        }
    }
    count
}

/// Most computed values affect an output of the program.
#[test]
fn results_are_used() {
    for version in AgalVersion::ALL {
        let (mut live, mut all) = (0, 0);
        for seed in 0..300 {
            let pair = pair(seed, GenerateOptions::new(*version));
            for program in [&pair.vertex, &pair.fragment] {
                live += live_tokens(program);
                all += program.token_count();
            }
        }
        assert!(live * 10 > all * 9, "{version:?}: {live} of {all}");
    }
}

#[test]
fn inputs_fit_the_pair() {
    let mut special = 0;
    for seed in 0..200 {
        let linked = linked(&pair(seed, GenerateOptions::new(AgalVersion::V4)), seed);
        let bytes = seed_bytes(seed, 1 << 16);
        let interface = linked.interface();
        let make =
            |special| PairInputs::new(&mut Unstructured::new(&bytes), interface, special).unwrap();
        let inputs = make(false);
        assert_eq!(inputs.vertex_constants.len(), usize::from(interface.vertex_constants));
        assert_eq!(inputs.fragment_constants.len(), usize::from(interface.fragment_constants));
        let slots = inputs.textures.iter().zip(&interface.samplers);
        for (texture, sampler) in
            slots.chain(inputs.vertex_textures.iter().zip(&interface.vertex_samplers))
        {
            let dimensions = (texture.as_ref().map(|t| t.dimension), sampler.map(|s| s.dimension));
            assert_eq!(dimensions.0, dimensions.1);
        }
        let all = |inputs: &PairInputs| {
            let banks = [&inputs.attributes, &inputs.varyings, &inputs.vertex_constants];
            banks.into_iter().flatten().flatten().copied().collect::<Vec<f32>>()
        };
        assert!(all(&inputs).iter().all(|value| value.is_finite()));
        special += usize::from(all(&make(true)).iter().any(|value| !value.is_finite()));
    }
    assert!(special > 180, "{special}");
}

/// Returns the results of a pair: the position and varyings of the first vertex, and the first colour of each pixel
/// that isn't discarded.
fn results(pair: &LinkedPair, inputs: &PairInputs) -> (Vec<f32>, Vec<f32>) {
    let images = |textures: &[Option<InputTexture>]| -> Vec<Option<TexelImage>> {
        let images = textures.iter().map(|texture| texture.as_ref().map(|t| t.image().unwrap()));
        images.collect()
    };
    let (fragment, vertex) = (images(&inputs.textures), images(&inputs.vertex_textures));
    let compiled = CompiledProgram::new(pair.vertex());
    let mut state = compiled.state();
    for (number, value) in (0u16..).zip(&inputs.attributes) {
        state.set_lanes(RegisterFile::Attribute, number, &LaneRegister::splat(*value));
    }
    (0..4).for_each(|lane| state.set_instance(lane, inputs.instance_id));
    compiled.run(&mut state, &inputs.vertex_constants, &SamplerImages(&vertex));
    let mut vertex = state.position(0).to_vec();
    let varyings = (0..16).filter(|n| pair.interface().varyings & (1 << n) != 0);
    vertex.extend(varyings.flat_map(|n| state.varying(n, 0)));

    let compiled = CompiledProgram::new(pair.fragment());
    let mut state = compiled.state();
    let slopes = inputs.varyings_dx.iter().zip(&inputs.varyings_dy);
    for ((number, first), (dx, dy)) in (0u16..).zip(&inputs.varyings).zip(slopes) {
        for (lane, (x, y)) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)].iter().enumerate() {
            let value = [0, 1, 2, 3].map(|i| first[i] + (x * dx[i] + y * dy[i]));
            state.set_varying(number, lane, value);
        }
    }
    compiled.run(&mut state, &inputs.fragment_constants, &SamplerImages(&fragment));
    let alive = (0..4).filter(|lane| state.alive()[*lane]);
    (vertex, alive.flat_map(|lane| state.color(0, lane)).collect())
}

/// In most pairs, some results are finite and not zero, and results depend on the inputs.
#[test]
fn results_tell_something() {
    let (mut vertices, mut fragments, mut varied, mut all) = (0, 0, 0, 0);
    for seed in 0..600 {
        let linked = linked(&pair(seed, GenerateOptions::new(AgalVersion::V3)), seed);
        let make = |seed| {
            let bytes = seed_bytes(seed, 1 << 16);
            PairInputs::new(&mut Unstructured::new(&bytes), linked.interface(), false).unwrap()
        };
        let (vertex, fragment) = results(&linked, &make(seed));
        let other = results(&linked, &make(seed + 1));
        let tells = |values: &[f32]| values.iter().any(|value| value.is_finite() && *value != 0.0);
        vertices += usize::from(tells(&vertex));
        fragments += usize::from(tells(&fragment));
        varied += usize::from(other.0 != vertex && other.1 != fragment);
        all += 1;
    }
    let most = |count: usize| count * 3 > all * 2;
    assert!(
        most(vertices) && most(fragments) && most(varied),
        "{vertices} {fragments} {varied} of {all}"
    );
}

/// Returns whether a program reads component z as an exponent.
fn reads_z_in_pow(pair: &LinkedPair) -> bool {
    let tokens = pair.fragment().program().instructions();
    tokens.iter().any(|token| {
        token.opcode() == Some(AgalOpcode::Pow)
            && matches!(token.source2(), SecondOperand::Source(two) if token.dest.mask.iter().any(|lane| two.swizzle.get(lane) == Component::Z))
    })
}

#[test]
fn shrinking_keeps_the_failure_and_little_else() {
    let mut shrunk = 0;
    for seed in 0..200 {
        let pair = pair(seed, GenerateOptions::new(AgalVersion::V2));
        if pair.token_count() < 50 || !reads_z_in_pow(&linked(&pair, seed)) {
            continue;
        }
        let small = shrink(&pair, 4000, reads_z_in_pow);
        assert!(reads_z_in_pow(&linked(&small, seed)), "{small}");
        // The vertex program writes the position, perhaps a varying. The fragment program needs base, power, colour.
        assert!(small.vertex.token_count() <= 2, "{small}");
        assert!(small.fragment.token_count() <= 3, "{small}");
        shrunk += 1;
    }
    assert!(shrunk > 5, "{shrunk}");
}

#[test]
fn shrinking_asks_no_more_than_allowed() {
    let pair = pair(3, GenerateOptions::new(AgalVersion::V3));
    for attempts in [0, 1, 10] {
        let mut asked = 0;
        shrink(&pair, attempts, |_| {
            asked += 1;
            true
        });
        assert!(asked <= attempts);
    }
    // If no candidate fails the test, the pair is returned unchanged.
    assert_eq!(shrink(&pair, 50, |_| false), pair);
}
