//! `molehill conform worker`: the child of a run.

use std::io;

use clap::ArgMatches;

use super::arguments::Chosen;
use crate::cli::{Failure, Status};
use molehill_conform::{Bench, Settings, runner};

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let chosen = Chosen::read(matches)?;
    let cases = chosen.tree()?;
    let settings = Settings {
        device: chosen.device,
        fault: chosen.fault,
        oracle: chosen.oracle,
        profile: chosen.profile,
        known: chosen.known,
    };
    let mut bench =
        Bench::new(settings).map_err(|error| Failure(format!("no device to draw on: {error}")))?;
    match runner::serve(&cases, &mut bench, io::stdin().lock(), io::stdout().lock()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure(error.to_string())),
        _ => Ok(Status::Success),
    }
}
