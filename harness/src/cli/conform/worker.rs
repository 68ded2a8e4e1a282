//! `molehill conform worker`: the child of a run, which gets its options and the names of cases on standard input.

use std::io;

use crate::cli::{Failure, Status};
use molehill_conform::pool;

pub(super) fn run() -> Result<Status, Failure> {
    pool::serve(io::stdin(), io::stdout().lock()).map_err(|error| Failure(error.0))?;
    Ok(Status::Success)
}
