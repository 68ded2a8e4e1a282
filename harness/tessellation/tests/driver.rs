//! Compares the driver with the interpreter for every shared hull shader and for random ones. Prints a message and
//! tests nothing if no driver with tessellation is available.

use std::fs;
use std::path::Path;

use agal_generate::Random;
use hs50::check::{Options, check};
use hs50::container::Checksum;
use hs50::glsl::Target;
use hs50::names::ProgramKind;
use hs50::shader::Shader;
use molehill_tessellation::{Campaign, TessellationContext};

/// Number of random programs for each dialect; `molehill hs50 fuzz` runs more.
const PROGRAMS: u64 = 20;
/// Number of runs of each shared shader, with four patches each.
const RUNS: u64 = 3;

/// Runs `test` in every dialect for which there is a driver.
fn each_target(test: impl Fn(Target)) {
    for target in Target::ALL.iter().copied() {
        match TessellationContext::open(target) {
            Ok(_) => test(target),
            Err(error) => println!("skipped: {}: {error}", target.name()),
        }
    }
}

#[test]
fn shared_shaders_agree() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/hs50");
    let Ok(entries) = fs::read_dir(&folder) else {
        assert!(
            std::env::var_os("MOLEHILL_REQUIRE_SHARED").is_none(),
            "no {}",
            folder.display()
        );
        println!("skipped: no shared hs50");
        return;
    };
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    each_target(|target| {
        let mut campaign = Campaign::open(target).expect("it was opened before");
        let mut run = 0;
        for path in files
            .iter()
            .filter(|path| path.extension().is_some_and(|e| e == "dxbc"))
        {
            let shader = Shader::read(fs::read(path).unwrap(), Checksum::Ignore).unwrap();
            if shader.program.version.kind != ProgramKind::Hull {
                continue;
            }
            let hull = check(&shader, Options::default())
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

#[test]
fn random_programs_agree() {
    each_target(|target| {
        let mut campaign = Campaign::open(target).expect("it was opened before");
        for seed in 0..PROGRAMS {
            if let Err(found) = campaign.step(seed) {
                panic!(
                    "{}: seed {seed}: {}\n{}",
                    target.name(),
                    found.reason,
                    found.text
                );
            }
        }
    });
}
