//! Compares the driver with the interpreter for every shared hull shader and for generated ones. Prints a message and
//! tests nothing if no driver with tessellation is available.

mod mutation;
mod mutations;
#[path = "../../../../agal/tests/common/needs.rs"]
mod needs;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use agal::generate::Random;
use hs50::check::{CheckOptions, check};
use hs50::container::Checksum;
use hs50::generate::programs;
use hs50::glsl::{DIALECTS, Dialect};
use hs50::names::ProgramKind;
use hs50::shader::HullProgramShader;
use libtest_mimic::{Arguments, Trial};
use molehill_testing::probe::hull::TessellationContext;

/// Number of runs of each shared shader, with four patches each.
const RUNS: u64 = 3;

/// Reports the missing driver. Panics if the environment requires all drivers.
fn skipped(reason: &str) {
    assert!(std::env::var_os("MOLEHILL_REQUIRE_TOOLS").is_none(), "required: {reason}");
    println!("skipped: {reason}");
}

/// Runs `test` in every dialect for which a driver is available.
fn each_target(test: impl Fn(Dialect)) {
    for target in DIALECTS {
        match TessellationContext::open(target) {
            Ok(_) => test(target),
            Err(error) => skipped(&format!("{}: {error}", target.name())),
        }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = needs::shared("hs50", |folder| {
        vec![needs::trial("shared_shaders_agree", folder, shared_shaders_agree)]
    });
    let tests: [(&str, fn()); 2] = [
        ("generated_programs_agree", generated_programs_agree),
        ("every_mutation_is_noticed", mutation::every_mutation_is_noticed),
    ];
    trials.extend(tests.map(|(name, test)| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    }));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn shared_shaders_agree(folder: &Path) {
    let entries = fs::read_dir(folder).expect("the folder can be read");
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    each_target(|target| {
        let mut campaign = TessellationContext::open(target).expect("it was opened before");
        let mut run = 0;
        for path in files.iter().filter(|path| path.extension().is_some_and(|e| e == "dxbc")) {
            let shader =
                HullProgramShader::read(fs::read(path).unwrap(), Checksum::Ignore).unwrap();
            if shader.program.version.kind != ProgramKind::Hull {
                continue;
            }
            let hull = check(&shader, CheckOptions::default())
                .unwrap()
                .valid()
                .expect("it breaks no rule");
            let mut random = Random::new(1);
            for _ in 0..RUNS {
                match campaign.check(&hull, &mut random, |_, _| false) {
                    Ok(_) => run += 1,
                    Err(reason) if reason.contains("of shader model 5.1 is not supported") => {}
                    Err(reason) => panic!("{}: {}: {reason}", target.name(), path.display()),
                }
            }
        }
        println!("{}: {run} runs of shared shaders agree", target.name());
        assert!(run >= 24 * RUNS, "{run}");
    });
}

fn generated_programs_agree() {
    let programs = programs();
    each_target(|target| {
        let mut campaign = TessellationContext::open(target).expect("it was opened before");
        let check = |(number, program)| campaign.check_generated(number, program).err();
        let found: Vec<_> = (0..).zip(&programs).filter_map(check).collect();
        let reasons: Vec<_> = found.iter().map(|found| (found.seed, &found.reason)).collect();
        let first = found.first().map_or("", |found| &found.text);
        assert!(found.is_empty(), "{}: {reasons:#?}\n{first}", target.name());
    });
}
