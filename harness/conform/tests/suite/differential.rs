//! Compares the driver with the interpreter on a few shaders of each kind. `molehill shader fuzz` tests more shaders.

use std::collections::BTreeMap;

use agal::generate::{
    PairInputs, inputs, opcode_pairs, opcode_programs, opcode_triple, seed_bytes, sequence_inputs,
    sequence_programs,
};
use agal::glsl::{DIALECTS, Dialect};
use agal::{LinkedPair, Rules, Stage, asm, link, validate};
use arbitrary::Unstructured;
use molehill_conform::differential::{ComparisonJob, FuzzOptions, Fuzzer, ProgramRunner};
use molehill_replay::evidence::ResultTally;

/// Number of random pairs of shaders.
const PAIRS: usize = 24;
/// The step between tested combinations of opcode, mask, swizzle and registers.
const THIN: usize = 151;

#[test]
fn random_programs_agree_in_every_dialect() {
    let mut fuzzer: Fuzzer =
        Fuzzer::new(FuzzOptions::default()).expect("an EGL; harness/setup.sh installs one");
    let mut tally = ResultTally::default();
    for _ in 0..PAIRS {
        match fuzzer.step().expect("a driver") {
            Ok(agreed) => tally.add(agreed),
            Err(failure) => panic!("{failure}"),
        }
    }
    let wanted = PAIRS * DIALECTS.len();
    assert!(tally.programs > u64::try_from(wanted).expect("few"), "{tally:?}");
    assert!(tally.values > tally.undefined / 4, "{tally:?}");
}

#[test]
fn opcodes_masks_swizzles_and_registers_agree() {
    let options = FuzzOptions { dialects: vec![Dialect::Glsl330], ..FuzzOptions::default() };
    let mut fuzzer: Fuzzer = Fuzzer::new(options).expect("an EGL; harness/setup.sh installs one");
    let mut compared = [false, true].map(|special| (special, BTreeMap::new()));
    for stage in [Stage::Vertex, Stage::Fragment] {
        for program in opcode_programs(stage, THIN) {
            for (special, compared) in &mut compared {
                let inputs = inputs(&program, 1, *special).expect("bytes enough");
                let checked = fuzzer.check(&program.pair, &[stage], vec![inputs], 1);
                match checked.expect("a driver") {
                    Ok(tally) => {
                        *compared.entry(program.opcode.name()).or_insert(0) += tally.values;
                    }
                    Err(failure) => panic!("{failure}"),
                }
            }
        }
    }
    for (special, compared) in compared {
        assert!(compared.len() > 30, "{compared:?}");
        // If texture coordinates or neighbouring lanes aren't finite, every result is allowed.
        let open = |name: &str| special && ["ddx", "ddy", "tex"].contains(&name);
        let few = compared.iter().find(|(name, compared)| **compared < 12 && !open(name));
        assert_eq!(few, None, "{compared:?}");
    }
}

/// Compares a sample of the pairs of opcodes; `molehill shader fuzz --pairs` compares all pairs.
#[test]
fn some_sequences_of_opcodes_agree_in_every_dialect() {
    let mut fuzzer: Fuzzer =
        Fuzzer::new(FuzzOptions::default()).expect("an EGL; harness/setup.sh installs one");
    let pairs = opcode_pairs().into_iter().step_by(THIN);
    let sequences: Vec<_> = pairs.chain((0..20).map(opcode_triple)).collect();
    let programs = sequence_programs(&sequences, usize::MAX);
    let mut tally = ResultTally::default();
    for program in &programs {
        let inputs = sequence_inputs(program);
        match fuzzer.check(&program.pair, &[program.stage], inputs, 1).expect("a driver") {
            Ok(agreed) => tally.add(agreed),
            Err(failure) => panic!("{failure}"),
        }
    }
    assert_eq!(tally.programs, (programs.len() * DIALECTS.len()) as u64, "{tally:?}");
    assert!(tally.values > tally.undefined * 4, "{tally:?}");
}

fn pair(vertex: &str, fragment: &str) -> LinkedPair {
    let valid = |text, stage| {
        let program = asm::assemble(text, stage, 2).expect("assembles");
        validate(program, stage, &Rules::NEWEST).expect("is legal")
    };
    link(valid(vertex, Stage::Vertex), valid(fragment, Stage::Fragment)).expect("links")
}

/// Tests that errors of an emitter, an interpreter or a driver are detected.
#[test]
fn errors_are_noticed() {
    const VERTEX: &str = "mov op, va0\nmov v0, va1\nmov v1, va2";
    let fragments = [
        ("mov ft0, v0\nmov ft0.xy, v1\nmov oc, ft0", "mov ft0, v0\nmov ft0.xz, v1\nmov oc, ft0"),
        ("mov oc, v0.xyzw", "mov oc, v0.xyzz"),
        ("mov oc, v0.wzyx", "mov oc, v0.xyzw"),
        ("add oc, v0, v1", "sub oc, v0, v1"),
        ("dp3 oc, v0, v1", "dp4 oc, v0, v1"),
        (
            "crs ft0.xyz, v0, v1\nmov ft0.w, v0.w\nmov oc, ft0",
            "crs ft0.xyz, v1, v0\nmov ft0.w, v0.w\nmov oc, ft0",
        ),
        ("m44 oc, v0, fc0", "m44 oc, v0, fc1"),
        ("sge oc, v0, v1", "slt oc, v0, v1"),
        ("min oc, v0, v1", "max oc, v0, v1"),
        ("frc oc, v0", "sat oc, v0"),
        ("sin oc, v0", "cos oc, v0"),
        ("exp oc, v0", "mul oc, v0, v0"),
        ("kil v0.x\nmov oc, v1", "kil v0.y\nmov oc, v1"),
        ("kil v0.x\nmov oc, v1", "mov oc, v1\nmov ft0, v0"),
        ("ddx oc, v0", "ddy oc, v0"),
        (
            "mov ft0, v0\nifg v0.x, v1.x\nmov ft0, v1\neif\nmov oc, ft0",
            "mov ft0, v0\nifl v0.x, v1.x\nmov ft0, v1\neif\nmov oc, ft0",
        ),
        ("tex oc, v0, fs0 <2d,nearest,repeat>", "tex oc, v0, fs0 <2d,nearest,clamp>"),
        ("tex oc, v0, fs0 <2d,nearest,clamp>", "tex oc, v0.yxzw, fs0 <2d,nearest,clamp>"),
        ("tex oc, v0, fs0 <2d,linear,clamp>", "tex oc, v0, fs0 <2d,nearest,clamp>"),
        (
            "tex oc, v0, fs0 <2d,linear,repeat,miplinear>",
            "tex oc, v0, fs0 <2d,linear,repeat,miplinear,1>",
        ),
        (
            "tex oc, v0, fs0 <2d,linear,repeat,miplinear>",
            "tex oc, v0, fs0 <2d,linear,repeat,mipnone>",
        ),
        ("tex oc, v0, fs0 <cube,nearest,clamp>", "tex oc, v0.yxz, fs0 <cube,nearest,clamp>"),
    ];
    let mut runner =
        ProgramRunner::open(&[Dialect::Glsl330]).expect("an EGL; harness/setup.sh installs one");
    let mut unseen = Vec::new();
    for (right, wrong) in fragments {
        let right_pair = pair(VERTEX, right);
        let wrong_pair = pair(VERTEX, wrong);
        // The inputs of a single seed may not show an error, but those of several seeds must.
        let noticed = (0..8).any(|seed| {
            let bytes = seed_bytes(seed, 1 << 14);
            let mut source = Unstructured::new(&bytes);
            let inputs =
                PairInputs::new(&mut source, right_pair.interface(), false).expect("bytes enough");
            let inputs = [inputs];
            let job = ComparisonJob::of(&right_pair, &inputs, seed);
            let same = runner.compare(&job).expect("a driver");
            assert!(same.is_ok(), "{right}: {same:?}");
            let two = runner.compare(&ComparisonJob { interpreted: &wrong_pair, ..job });
            two.expect("a driver").is_err()
        });
        if !noticed {
            unseen.push((right, wrong));
        }
    }
    assert!(unseen.is_empty(), "{unseen:#?}");
}
