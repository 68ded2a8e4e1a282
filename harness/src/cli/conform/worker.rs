//! `molehill conform worker`: the child of a run.

use std::io::{self, BufReader};

use clap::ArgMatches;

use super::shared::Shared;
use crate::cli::{Failure, Status};
use molehill_conform::{Runner, pool};

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    // Starts first, because opening a device may hang too.
    let names = BufReader::new(pool::Requests::listen(io::stdin()));
    let shared = Shared::read(matches);
    let cases = shared.tree()?;
    let settings = shared.settings()?;
    let mut runner = Runner::new(settings).map_err(Failure::of("no device to draw on"))?;
    match pool::serve(&cases, &mut runner, names, io::stdout().lock()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(Status::Success),
    }
}
