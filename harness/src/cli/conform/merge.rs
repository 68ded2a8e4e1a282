//! `molehill conform merge`

use std::fs;
use std::path::PathBuf;

use clap::ArgMatches;

use super::{RESULTS, arguments, finish};
use crate::cli::{Failure, Status};
use molehill_conform::results::{Results, write};

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let dirs = matches.get_many::<PathBuf>("dirs").into_iter().flatten();
    let parts = dirs.map(|dir| Results::read(&dir.join(RESULTS)));
    let whole = Results::merge(parts.collect::<Result<_, _>>()?)?;
    let out = arguments::out(matches);
    fs::create_dir_all(&out).map_err(|error| Failure(format!("{}: {error}", out.display())))?;
    write(&out.join(RESULTS), &whole)?;
    let baseline = arguments::baseline(matches)?;
    let status = finish::finish(&out, baseline.as_ref(), matches.get_flag("json"))?;
    // A part that is missing may hide anything.
    Ok(match whole.missing() {
        0 => status,
        _ => Status::Mismatch,
    })
}
