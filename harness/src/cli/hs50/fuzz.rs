//! `molehill hs50 fuzz`

use std::convert::Infallible;

use super::translate::TargetArgument;
use crate::cli::fuzz_run::{FuzzArguments, FuzzRun};
use crate::cli::output::{Failure, Status};
use molehill_conform::differential::Tally;
use molehill_tessellation::{Campaign, HullFailure};

/// Compares the driver with the interpreter on random hull shaders
#[derive(clap::Args)]
#[command(after_help = include_str!("../../help/hs50-fuzz.txt"))]
pub(in crate::cli) struct Fuzz {
    #[command(flatten)]
    fuzz: FuzzArguments,
    #[command(flatten)]
    target: TargetArgument,
}

impl Fuzz {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let (seed, target) = (self.fuzz.seed, self.target.target);
        let mut fuzzer = Campaign::open(target)?;
        let mut run = FuzzRun::<HullFailure>::new(self.fuzz, None)?;
        run.repeat(|number| {
            let agreed = fuzzer.step(seed.wrapping_add(number));
            let agreed = agreed.map(|compared| Tally {
                programs: compared.is_some().into(),
                compared: compared.unwrap_or(0),
                undefined: compared.is_none().into(),
                missing: 0,
            });
            Ok::<_, Infallible>(agreed.map_err(Box::new))
        })?;
        run.finish(&format!("{}, GLSL {}", fuzzer.renderer(), target.name()))
    }
}
