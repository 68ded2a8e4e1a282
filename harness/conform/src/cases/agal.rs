//! Programs against the interpreter: every opcode with every mask, every sampler, and random ones.

use agal::{Stage, Version};

use crate::case::{Body, Case, Cases};
use crate::differential::topics;
use crate::program::ProgramCase;

/// Random pairs of each version.
const RANDOM: u64 = 60;
/// Seed of the first of them: the driver tests of `differential` begin at 0.
const FIRST_SEED: u64 = 1_000_000;

pub(super) fn add(cases: &mut Cases) {
    for stage in [Stage::Vertex, Stage::Fragment] {
        for topic in topics(stage) {
            let name = format!(
                "agal.op.{}.{}.{}",
                topic.opcode.name(),
                stage.name(),
                topic.label
            );
            let body = Body::Program(ProgramCase::Topic(topic));
            cases.add(Case::new(name, "agal.md section 4; the interpreter", body));
        }
    }
    for version in Version::ALL {
        for number in 0..RANDOM {
            let name = format!("agal.random.version_{}.seed_{number:02}", version.number());
            let program = ProgramCase::Random {
                version: *version,
                seed: FIRST_SEED + number,
            };
            cases.add(Case::new(
                name,
                "agal.md; the interpreter",
                Body::Program(program),
            ));
        }
    }
}
