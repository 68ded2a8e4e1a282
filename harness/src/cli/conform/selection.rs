//! Selects the cases of `molehill conform`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::Failure;
use molehill_conform::case::Case;
use molehill_conform::names::Selection;
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
    pub(super) fn cases(&self, options: &SuiteOptions) -> Result<(Vec<Case>, Selection), Failure> {
        let mut list = options.cases()?;
        let known = options.known(&list)?;
        let names = list.iter().map(|case| case.name.clone()).collect();
        names::check(&names, "--filter", &self.filter).map_err(Failure)?;
        names::check(&names, "--exclude", &self.exclude).map_err(Failure)?;
        let listed = self.caselist.as_ref().map(|path| listed(path, &names)).transpose()?;
        let selection = Selection {
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

fn listed(path: &Path, cases: &BTreeSet<String>) -> Result<BTreeSet<String>, Failure> {
    let text = fs::read_to_string(path).map_err(Failure::of(path.display()))?;
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let names: BTreeSet<String> =
        lines.filter(|line| !line.is_empty()).map(str::to_owned).collect();
    if names.is_empty() {
        return Err(Failure::of(path.display())("the file lists no case"));
    }
    names::refuse(cases, path.display(), names.difference(cases)).map_err(Failure)?;
    Ok(names)
}
