//! The selected cases of `molehill conform`.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::Failure;
use molehill_conform::case::Case;
use molehill_conform::glob::Selection;
use molehill_conform::{CaseSet, SuiteOptions, cases};

#[derive(clap::Args)]
pub(super) struct SelectionArguments {
    /// Only these cases; repeatable
    #[arg(long, value_name = "PATTERN")]
    filter: Vec<String>,
    /// Not these cases; repeatable
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,
    /// Only the cases that are listed in a file
    #[arg(long, value_name = "FILE")]
    caselist: Option<PathBuf>,
    /// Only cases that a row of the known failures of any driver names
    #[arg(long)]
    known: bool,
}

impl SelectionArguments {
    /// The requested cases that can run in the given profile.
    pub(super) fn cases(&self, options: &SuiteOptions) -> Result<(Vec<Case>, Selection), Failure> {
        let mut list = options.cases()?;
        let known = options.expectations()?;
        // The list is one for the cases, the mutants of them, and captures.
        let others = match options.case_set {
            CaseSet::Suite | CaseSet::SelfTest => cases::mutants(),
            CaseSet::Mutants => cases::all(),
            CaseSet::Captures => [cases::all(), cases::mutants()].concat(),
        };
        if let [pattern, ..] = known.without_case(list.iter().chain(&others)).as_slice() {
            return Err(Failure(format!("known failures: no case matches {pattern:?}")));
        }
        let names = self.caselist.as_ref().map(|path| listed(path, &list)).transpose()?;
        let selection = Selection {
            filter: self.filter.clone(),
            exclude: self.exclude.clone(),
            names: names.unwrap_or_default(),
        };
        list.retain(|case| {
            case.in_profile(options.profile).is_some()
                && selection.contains(&case.name)
                && (!self.known || known.names(&case.name))
        });
        Ok((list, selection))
    }
}

fn listed(path: &Path, cases: &[Case]) -> Result<BTreeSet<String>, Failure> {
    let text = fs::read_to_string(path).map_err(Failure::of(path.display()))?;
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let names: BTreeSet<String> =
        lines.filter(|line| !line.is_empty()).map(str::to_owned).collect();
    let exist: HashSet<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    match names.iter().find(|name| !exist.contains(name.as_str())) {
        Some(name) => Err(Failure::of(path.display())(format!("there is no case {name}"))),
        None if names.is_empty() => Err(Failure::of(path.display())("no case is listed")),
        None => Ok(names),
    }
}
