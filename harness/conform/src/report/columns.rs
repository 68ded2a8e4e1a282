//! Compares conformance runs side by side: of different drivers, commits or players.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use crate::capture_case::CAPTURES;
use crate::results::{ConformResults, ResultsError};
use crate::verdict::CaseOutcome;
use molehill_replay::folder::files_in;

/// The name of the results file in a run's folder.
pub const RESULTS: &str = "results.jsonl";

const ABSENT: &str = "absent";

/// A named conformance run that is compared with other runs.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportColumn {
    pub name: String,
    pub results: ConformResults,
}

impl ReportColumn {
    /// Reads the conformance runs of an argument `PATH` or `NAME=PATH`. The path is a results file, the folder of a
    /// run, or a folder of results files (`*.jsonl`), such as a history, which are sorted by name.
    pub fn read(argument: &str) -> Result<Vec<ReportColumn>, ResultsError> {
        let (name, path) = match argument.split_once('=') {
            Some((name, path)) if !Path::new(argument).exists() => (Some(name), path),
            _ => (None, argument),
        };
        let path = Path::new(path);
        let stem =
            |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let of_run = path.join(RESULTS);
        if !path.is_dir() || of_run.is_file() {
            let name = name.map_or_else(|| stem(path), str::to_owned);
            let file = if path.is_dir() { &of_run } else { path };
            return Ok(vec![ReportColumn { name, results: ConformResults::read(file)? }]);
        }
        let files = files_in(path).map_err(|error| ResultsError::Io(path.to_owned(), error));
        let mut files = files?;
        files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
        if files.is_empty() {
            let text = "the folder has no results file".to_owned();
            return Err(ResultsError::Content(path.to_owned(), text));
        }
        let read = |file: &std::path::PathBuf| {
            Ok(ReportColumn { name: stem(file), results: ConformResults::read(file)? })
        };
        files.iter().map(read).collect()
    }

    pub(super) fn by_name(&self) -> HashMap<&str, &CaseOutcome> {
        let outcomes = self.results.outcomes.iter();
        outcomes.map(|outcome| (outcome.name.as_str(), outcome)).collect()
    }
}

/// Reduces a baseline to the cases that a run could have: the cases of the run and, if the run is complete and has the
/// same profile, all cases that its selection contains. If the run has no captures, removes all captures.
pub fn comparable(mut baseline: ConformResults, run: &ConformResults) -> ConformResults {
    let is_capture = |name: &str| name.starts_with(CAPTURES);
    let captures = run.outcomes.iter().any(|outcome| is_capture(&outcome.name));
    let complete = run.head.shard == (1, 1) && run.missing() == 0;
    let same = complete && run.head.profile == baseline.head.profile;
    let run_names: std::collections::HashSet<&str> =
        run.outcomes.iter().map(|outcome| outcome.name.as_str()).collect();
    baseline.head.selection = run.head.selection.clone();
    let ConformResults { head, outcomes } = &mut baseline;
    outcomes.retain(|CaseOutcome { name, .. }| {
        let selected = same && run.head.selection.contains(name);
        let kept =
            run_names.contains(name.as_str()) || (selected && (captures || !is_capture(name)));
        kept || !head.cases.remove(name)
    });
    baseline
}

/// Returns the cases with different verdicts or images in the runs, with a description. A missing case is a difference
/// only if all runs selected the same cases. Images are compared only between runs on the same driver.
pub fn differing(columns: &[ReportColumn]) -> BTreeMap<String, String> {
    let by_name: Vec<HashMap<&str, &CaseOutcome>> =
        columns.iter().map(ReportColumn::by_name).collect();
    let names = by_name.iter().flat_map(|column| column.keys());
    let selections: Vec<_> = columns.iter().map(|column| &column.results.head.selection).collect();
    let same_cases = all_same(&selections);
    let heads = columns.iter().map(|column| &column.results.head);
    let drivers: Vec<_> = heads.map(|head| (&head.backend, &head.driver)).collect();
    let same_driver = all_same(&drivers);
    let mut differing = BTreeMap::new();
    for name in names {
        let of = |column: &HashMap<&str, &CaseOutcome>| {
            column.get(name).map(|outcome| (outcome.verdict.name(), outcome.hash.clone()))
        };
        let mut outcomes: Vec<_> = by_name.iter().map(of).collect();
        let mut words: Vec<&str> =
            outcomes.iter().map(|of| of.as_ref().map_or(ABSENT, |(verdict, _)| verdict)).collect();
        let all = words.join(" -> ");
        if !same_cases {
            words.retain(|word| *word != ABSENT);
            outcomes.retain(Option::is_some);
        }
        let what = match (all_same(&words), all_same(&outcomes)) {
            (false, _) => all,
            (true, false) if same_driver => "other images".to_owned(),
            (true, _) => continue,
        };
        differing.insert((*name).to_owned(), what);
    }
    differing
}

fn all_same<T: PartialEq>(list: &[T]) -> bool {
    list.windows(2).all(|pair| matches!(pair, [one, other] if one == other))
}
