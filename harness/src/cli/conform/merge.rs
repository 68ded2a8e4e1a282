//! `molehill conform merge`

use std::path::PathBuf;

use clap::ArgMatches;

use super::{arguments, finish, prepare, tell_of_earlier};
use crate::cli::{Failure, Status};
use molehill_conform::report::RESULTS;
use molehill_conform::results::{Results, write};

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let dirs = matches.get_many::<PathBuf>("dirs").into_iter().flatten();
    let parts = dirs.map(|dir| Results::read(&dir.join(RESULTS)));
    let whole = Results::merge(parts.collect::<Result<_, _>>()?)?;
    let baseline = arguments::baseline(matches)?;
    let out = arguments::out(matches);
    let _lock = out.map(prepare).transpose()?;
    if let Some(out) = out {
        let path = out.join(RESULTS);
        tell_of_earlier(&path, "");
        write(&path, &whole)?;
    }
    let missing = whole.missing();
    let status = finish::finish(whole, out, baseline, matches)?;
    // A missing part may contain failures.
    Ok(match missing {
        0 => status,
        _ => Status::Mismatch,
    })
}
