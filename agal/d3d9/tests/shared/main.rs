//! Tests with files outside of the repository: in `../shared`, the tables of the reference, shaders and listings of
//! Microsoft's compiler, and AGAL programs of Flash games. Some tests also need an independent GLSL compiler.

mod corpus;
mod edges;
mod glslang;
#[path = "../d3d9/lowered.rs"]
mod lowered;
mod native;
#[path = "../../../tests/common/needs.rs"]
mod needs;
#[path = "../d3d9/programs.rs"]
mod programs;
mod samples;
mod tables;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

const TESTS: &[(&str, fn())] = &[
    ("opcodes", tables::opcodes),
    ("registers", tables::registers),
    ("round_trip", corpus::round_trip),
    ("constant_tables", corpus::constant_tables),
    ("listings", corpus::listings),
    ("heads", corpus::heads),
    ("assembled_again", corpus::assembled_again),
    ("checked", corpus::checked),
    ("run", corpus::run),
    ("from_agal", corpus::from_agal),
    ("programs_agree", edges::programs_agree),
    ("native_limits", native::shared_programs_are_counted),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = needs::shared("d3d9", |_| {
        let trials = TESTS.iter().map(|(name, test)| {
            Trial::test(*name, || {
                test();
                Ok(())
            })
        });
        trials.collect()
    });
    trials.extend(glslang::trials());
    libtest_mimic::run(&arguments, trials).exit_code()
}
