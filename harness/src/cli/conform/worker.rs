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
    let mut runner =
        Runner::new(settings).map_err(|error| Failure(format!("no device to draw on: {error}")))?;
    match pool::serve(&cases, &mut runner, names, io::stdout().lock()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure(error.to_string())),
        _ => Ok(Status::Success),
    }
}
