//! Cases that compare random programs with the interpreter.

use agal::AgalVersion;

use crate::case::{Case, CaseBody, Cases};
use crate::program::ProgramCase;

/// The number of random program pairs for each AGAL version.
const RANDOM: u64 = 60;
/// The seed of the first random program. The driver tests of `differential` use seeds from 0.
const FIRST_SEED: u64 = 1_000_000;

pub(super) fn add(cases: &mut Cases) {
    for version in AgalVersion::ALL {
        for number in 0..RANDOM {
            let name = format!("agal.random.version_{}.seed_{number:02}", version.number());
            let program = ProgramCase::Random { version: *version, seed: FIRST_SEED + number };
            let source = "[agal.opcode.values]; the interpreter";
            cases.add(Case::new(name, source, CaseBody::Program(program)));
        }
    }
}
