//! `molehill hs50 fuzz`

use std::convert::Infallible;

use clap::{ArgMatches, Command};

use super::translate::{target, target_of};
use crate::cli::{Failure, Status, campaign};
use backend_gl_probe::hull::{HullFailure, TessellationContext};
use molehill_conform::differential::Tally;

pub(super) fn command() -> Command {
    Command::new("fuzz")
        .about("Compares the driver with the interpreter on random hull shaders")
        .after_help(
            "Examples:\n  molehill hs50 fuzz --seconds 60\n  molehill hs50 fuzz --seed 4711 --count 1\n\n\
             Shaders that differ are written to the folder of --out, else to standard output.\n\
             Shaders that meet infinities or NaN may differ; they are counted separately.",
        )
        .args(campaign::arguments().map(|argument| match argument.get_id() == "out" {
            true => argument.alias("dir"),
            false => argument,
        }))
        .arg(target())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let mut fuzzer = TessellationContext::open(target_of(matches))?;
    let mut campaign = campaign::Campaign::<HullFailure>::new(matches)?;
    let seed = campaign::seed(matches);
    campaign.repeat(|number| {
        let agreed = fuzzer.step(seed.wrapping_add(number));
        let agreed = agreed.map(|compared| Tally {
            programs: compared.is_some().into(),
            compared: compared.unwrap_or(0),
            undefined: compared.is_none().into(),
            missing: 0,
        });
        Ok::<_, Infallible>(agreed.map_err(Box::new))
    })?;
    campaign.finish(&format!("{}, GLSL {}", fuzzer.renderer(), target_of(matches).name()))
}
