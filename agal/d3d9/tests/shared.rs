//! The crate against the shared material beside the repository: the reference's tables, and shaders of Microsoft's
//! compiler with its listings.

mod common;
#[path = "shared/corpus.rs"]
mod corpus;
#[path = "shared/tables.rs"]
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
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let required = std::env::var_os(common::REQUIRED).is_some();
    let skipped = !required && !common::shared("d3d9").exists();
    if skipped {
        println!("skipped: no shared material");
    }
    let trials = TESTS.iter().map(|(name, test)| {
        let run = move || {
            test();
            Ok(())
        };
        Trial::test(*name, run).with_ignored_flag(skipped)
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}
