//! `molehill conform merge`

use std::path::PathBuf;

use super::reports::{ReportArguments, prepare, tell_of_earlier};
use crate::cli::output::{Failure, Status};
use molehill_conform::report::RESULTS;
use molehill_conform::results::{Results, write};

/// Joins the reports of shards
#[derive(clap::Args)]
pub(super) struct Merge {
    /// The shards' --out folders
    #[arg(value_name = "DIR", required = true)]
    dirs: Vec<PathBuf>,
    /// Folder for the whole report
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    reports: ReportArguments,
}

impl Merge {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let parts = self.dirs.iter().map(|dir| Results::read(&dir.join(RESULTS)));
        let whole = Results::merge(parts.collect::<Result<_, _>>()?)?;
        let baseline = self.reports.baseline()?;
        let _lock = prepare(&self.out)?;
        let path = self.out.join(RESULTS);
        tell_of_earlier(&path, "");
        write(&path, &whole)?;
        let status = self.reports.finish(&whole, Some(&self.out), baseline)?;
        // A missing part may contain failures.
        Ok(if whole.missing() == 0 { status } else { Status::Mismatch })
    }
}
