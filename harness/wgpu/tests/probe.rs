//! Runs AGAL's WGSL and naga modules on Vulkan's software renderer. The results must equal the interpreter's.
//!
//! The tests run a few programs of each kind; `molehill shader fuzz --naga` and `--wgsl` run any number.

#[path = "../../../agal/tests/common/mod.rs"]
mod common;
#[path = "../../../agal/tests/common/needs.rs"]
mod needs;

use std::fs;
use std::path::Path;

use agal::float::FloatRules;
use agal::generate::{
    PairInputs, all_inputs, opcode_pairs, opcode_programs, seed_bytes, sequence_inputs,
    sequence_programs,
};
use agal::{Stage, wgsl};
use arbitrary::Unstructured;
use backend_wgpu::probe::{self, WgpuRunner};
use common::{pair, valid, with_partner};
use libtest_mimic::{Arguments, Trial};
use molehill_conform::differential::{
    ComparisonJob, DriverLanguage, FuzzOptions, Fuzzer, ProgramRunner,
};
use molehill_replay::evidence::ResultTally;

/// The step between tested combinations of opcode, mask, swizzle and registers.
const THIN: usize = 211;
/// The step between tested pairs of opcodes.
const THIN_PAIRS: usize = 401;
/// The number of seeds for random programs, and for the inputs of wrong programs.
const SEEDS: u64 = 16;

fn main() {
    let all: [(&str, fn()); 4] = [
        ("random_programs_agree", random_programs_agree),
        ("opcodes_masks_swizzles_and_registers_agree", opcodes_masks_swizzles_and_registers_agree),
        ("pairs_of_opcodes_agree", pairs_of_opcodes_agree),
        ("errors_are_noticed", errors_are_noticed),
    ];
    let all = all.map(|(name, test)| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    });
    let pipelines = needs::shared("agal", |folder| {
        vec![needs::trial("programs_of_games_make_pipelines", folder, programs_of_games)]
    });
    let arguments = Arguments::from_args();
    libtest_mimic::run(&arguments, all.into_iter().chain(pipelines).collect()).exit();
}

fn runner(language: DriverLanguage) -> ProgramRunner {
    let opened = ProgramRunner::open_vulkan(language);
    opened.expect("a software renderer; harness/setup.sh installs one")
}

fn fuzzer(language: DriverLanguage, float_rules: FloatRules) -> Fuzzer {
    Fuzzer::with_runner(runner(language), FuzzOptions { float_rules, ..FuzzOptions::default() })
}

fn random_programs_agree() {
    for (language, rules) in [
        (DriverLanguage::Naga, FloatRules::Direct3D9),
        (DriverLanguage::Naga, FloatRules::Ieee),
        (DriverLanguage::Wgsl, FloatRules::Direct3D9),
    ] {
        let (mut fuzzer, mut tally) = (fuzzer(language, rules), ResultTally::default());
        for _ in 0..SEEDS {
            match fuzzer.step().expect("a driver") {
                Ok(agreed) => tally.add(agreed),
                Err(failure) => panic!("{failure}"),
            }
        }
        assert_eq!(tally.unsupported, 0, "{tally:?}");
        assert!(tally.values > 1000, "{tally:?}");
    }
}

fn opcodes_masks_swizzles_and_registers_agree() {
    let (mut fuzzer, mut tally) =
        (fuzzer(DriverLanguage::Naga, FloatRules::Direct3D9), ResultTally::default());
    for stage in [Stage::Vertex, Stage::Fragment] {
        for program in opcode_programs(stage, THIN) {
            let inputs = all_inputs(&program);
            match fuzzer.check(&program.pair, &[stage], inputs, 1).expect("a driver") {
                Ok(agreed) => tally.add(agreed),
                Err(failure) => panic!("{failure}"),
            }
        }
    }
    assert!(tally.values > 20_000, "{tally:?}");
}

fn pairs_of_opcodes_agree() {
    let (mut fuzzer, mut tally) =
        (fuzzer(DriverLanguage::Naga, FloatRules::Direct3D9), ResultTally::default());
    let pairs: Vec<_> = opcode_pairs().into_iter().step_by(THIN_PAIRS).collect();
    for program in sequence_programs(&pairs, usize::MAX) {
        let inputs = sequence_inputs(&program);
        match fuzzer.check(&program.pair, &[program.stage], inputs, 1).expect("a driver") {
            Ok(agreed) => tally.add(agreed),
            Err(failure) => panic!("{failure}"),
        }
    }
    assert!(tally.values > 2000, "{tally:?}");
}

/// Pairs of different programs, to test that differences are detected. The driver runs the first program of a pair, and
/// the interpreter runs the second program.
const WRONG: [[&str; 2]; 15] = [
    ["mov vt0, va0\nmov vt0.xz, va1\nmov op, vt0", "mov vt0, va0\nmov vt0.xy, va1\nmov op, vt0"],
    ["mov op, vc[va0.x+1]", "mov op, vc[va0.x+2]"],
    ["mov op, iid", "mov vt0, iid\nadd vt0.x, vt0.x, vt0.w\nmov op, vt0"],
    ["tld op, va0, vs0 <2d,clamp,mipnearest>", "tld op, va0.yxzw, vs0 <2d,clamp,mipnearest>"],
    [
        "crs ft0.xyz, v0, v1\nmov ft0.w, v0.w\nmov oc, ft0",
        "crs ft0.xyz, v1, v0\nmov ft0.w, v0.w\nmov oc, ft0",
    ],
    ["m44 oc, v0, fc0", "m44 oc, v0, fc1"],
    ["kil v0.x\nmov oc, v1", "kil v0.y\nmov oc, v1"],
    ["kil v0.x\nddx oc, v1", "kil v0.y\nddx oc, v1"],
    ["ddy oc, v0", "ddx oc, v0"],
    ["mov oc, v0\nmov od.x, v1.x", "mov oc, v0\nmov od.x, v1.y"],
    ["mov fo0, v0\nmov fo1, v1", "mov fo0, v0\nmov fo1, v1.yxzw"],
    ["tex oc, v0, fs0 <2d,nearest,repeat>", "tex oc, v0, fs0 <2d,nearest,clamp>"],
    ["tex oc, v0, fs0 <cube,nearest>", "tex oc, v0.yxz, fs0 <cube,nearest>"],
    ["tex oc, v0, fs0 <2d,linear,miplinear,2>", "tex oc, v0, fs0 <2d,linear,miplinear,-2>"],
    [
        "mov ft0, v0\nifl v0.x, v1.x\nmov ft0, v1\neif\nmov oc, ft0",
        "mov ft0, v0\nifg v0.x, v1.x\nmov ft0, v1\neif\nmov oc, ft0",
    ],
];

fn errors_are_noticed() {
    let mut runner = runner(DriverLanguage::Naga);
    let mut unseen = Vec::new();
    for both in WRONG {
        let [right, wrong] = both.map(|text| {
            let (vertex, fragment) = match text.contains("op") {
                true => (text, "mov oc, fc0"),
                false => ("mov op, va0\nmov v0, va1\nmov v1, va2", text),
            };
            pair(text, &format!("// version: 4\n// vertex\n{vertex}\n// fragment\n{fragment}"))
        });
        // The inputs of a single seed may not reveal the difference.
        let noticed = (0..SEEDS).any(|seed| {
            let bytes = seed_bytes(seed, 1 << 14);
            let inputs = PairInputs::new(&mut Unstructured::new(&bytes), right.interface(), false);
            let inputs = [inputs.expect("bytes enough")];
            let job = ComparisonJob::of(&right, &inputs, seed);
            let same = runner.compare(&job).expect("a driver");
            assert!(same.is_ok(), "{both:?}: {same:?}");
            runner
                .compare(&ComparisonJob { interpreted: &wrong, ..job })
                .expect("a driver")
                .is_err()
        });
        if !noticed {
            unseen.push(both);
        }
    }
    assert!(unseen.is_empty(), "{unseen:#?}");
}

fn programs_of_games(folder: &Path) {
    let probe = WgpuRunner::open(4).expect("a software renderer; harness/setup.sh installs one");
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("a file").path();
        let stage = match path.to_string_lossy() {
            name if name.ends_with(".vsh.agal") => Stage::Vertex,
            name if name.ends_with(".fsh.agal") => Stage::Fragment,
            _ => continue,
        };
        let pair = with_partner(&path, valid(&path, stage, &fs::read(&path).expect("reads")));
        let built = [Stage::Vertex, Stage::Fragment]
            .map(|stage| probe::module(&pair, stage, &wgsl::WgslOptions::default()));
        let linked = probe.link(&built, pair.interface());
        linked.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        count += 1;
    }
    assert!(count > 0, "{}: no programs", folder.display());
}
