//! Selects the cases of `molehill conform`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::CommandFailure;
use molehill_conform::case::Case;
use molehill_conform::names::CaseSelection;
use molehill_conform::{SuiteOptions, names};

#[derive(clap::Args)]
pub(super) struct SelectionArguments {
    /// Select only these cases; repeatable
    #[arg(long, value_name = "PATTERN")]
    filter: Vec<String>,
    /// Leave out these cases; repeatable
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,
    /// Select only the cases that are listed in a file
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    caselist: Option<PathBuf>,
    /// Select only cases that a known-failure entry of any driver names
    #[arg(long, hide_short_help = true)]
    known: bool,
}

impl SelectionArguments {
    /// Returns the requested cases that can run in the given profile. A name that matches no case is an error.
    pub(super) fn cases(
        &self,
        options: &SuiteOptions,
    ) -> Result<(Vec<Case>, CaseSelection), CommandFailure> {
        let mut list = options.cases()?;
        let known = options.known(&list)?;
        let names = list.iter().map(|case| case.name.clone()).collect();
        names::check(&names, "--filter", &self.filter).map_err(CommandFailure)?;
        names::check(&names, "--exclude", &self.exclude).map_err(CommandFailure)?;
        let listed = self.caselist.as_ref().map(|path| listed(path, &names)).transpose()?;
        let selection = CaseSelection {
            filter: self.filter.clone(),
            exclude: self.exclude.clone(),
            names: listed.unwrap_or_default(),
        };
        list.retain(|case| {
            case.in_profile(options.profile).is_some()
                && selection.contains(&case.name)
                && (!self.known || known.names(&case.name))
        });
        Ok((list, selection))
    }
}

fn listed(path: &Path, cases: &BTreeSet<String>) -> Result<BTreeSet<String>, CommandFailure> {
    let text = fs::read_to_string(path).map_err(CommandFailure::of(path.display()))?;
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let names: BTreeSet<String> =
        lines.filter(|line| !line.is_empty()).map(str::to_owned).collect();
    if names.is_empty() {
        return Err(CommandFailure::of(path.display())("the file lists no case"));
    }
    names::refuse(cases, path.display(), names.difference(cases)).map_err(CommandFailure)?;
    Ok(names)
}
