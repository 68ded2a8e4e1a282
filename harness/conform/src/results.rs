//! The results file of a conformance run, as JSON Lines: a header, then one line per case, in the order of completion.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::names::CaseSelection;
use super::verdict::CaseOutcome;
use molehill_replay::files;

const VERSION: u64 = 2;
/// The maximum length of a line of the results file in bytes, enough for a few images and texts.
const MAX_LINE: u64 = 64 << 20;

#[derive(Serialize, Deserialize)]
struct FirstLine {
    #[serde(rename = "molehillConformance")]
    version: u64,
    #[serde(flatten)]
    head: RunSettings,
}

/// The settings that identify a run. All shards of a run have the same settings, except for `shard`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunSettings {
    pub backend: String,
    pub oracle: String,
    pub driver: String,
    /// The profile of all contexts. `None` means that each case uses its own profile.
    pub profile: Option<String>,
    #[serde(flatten)]
    pub selection: CaseSelection,
    /// The hash of the list of known failures.
    #[serde(default)]
    pub known_failures: String,
    /// The hash of the capture files and their case files, independent of their folder.
    #[serde(default)]
    pub captures: String,
    /// The 1-based index of this shard, and the number of shards.
    pub shard: (usize, usize),
    /// The names of the cases of all shards together.
    pub cases: BTreeSet<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ConformResults {
    pub head: RunSettings,
    pub outcomes: Vec<CaseOutcome>,
}

#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    #[error("{}: {}", .0.display(), .1)]
    Io(PathBuf, io::Error),
    #[error("{}: {}", .0.display(), .1)]
    Content(PathBuf, String),
    #[error("{0}")]
    Mismatch(String),
}

impl RunSettings {
    /// Returns the settings of a run without shards.
    pub fn new(backend: &str, oracle: &str, driver: String, cases: BTreeSet<String>) -> Self {
        RunSettings {
            backend: backend.to_owned(),
            oracle: oracle.to_owned(),
            driver,
            shard: (1, 1),
            cases,
            ..RunSettings::default()
        }
    }

    fn line(&self) -> String {
        line(&FirstLine { version: VERSION, head: self.clone() })
    }

    /// Returns the differences between two headers as text. The text names each setting by its key in the results file.
    fn differences(&self, other: &RunSettings) -> Vec<String> {
        let [here, there] = [self, other].map(|settings| match json!(settings) {
            Value::Object(settings) => settings,
            _ => Map::new(),
        });
        let keys: BTreeSet<&String> = here.keys().chain(there.keys()).collect();
        // The key `names` is skipped, because the selected cases are compared too.
        let compared = keys.into_iter().filter(|key| *key != "names");
        let differing = compared.filter(|key| here.get(*key) != there.get(*key));
        let difference = |key: &String| match key.as_str() {
            "cases" => {
                let [here, there] = [(self, other), (other, self)].map(|(a, b)| a.cases_not_in(b));
                format!(
                    "cases that only this run has: {here}; cases that only the other run has: {there}"
                )
            }
            _ => {
                let [here, there] = [&here, &there].map(|it| it.get(key).unwrap_or(&Value::Null));
                format!("{key}: {here}, not {there}")
            }
        };
        differing.map(difference).collect()
    }

    /// Describes the cases of this run that the other run lacks.
    fn cases_not_in(&self, other: &RunSettings) -> String {
        let mut more = self.cases.difference(&other.cases);
        match (more.next(), more.count()) {
            (None, _) => "none".to_owned(),
            (Some(name), 0) => name.clone(),
            (Some(name), more) => format!("{name} and {more} more"),
        }
    }
}

impl ConformResults {
    /// Reads a results file. If a case has several lines, because it ran again, the last line counts. Ignores an
    /// incomplete last line of an interrupted run. A result for a case that the header doesn't list is an error.
    pub fn read(path: &Path) -> Result<ConformResults, ResultsError> {
        let failed = |error| ResultsError::Io(path.to_owned(), error);
        let content = |text: &str| ResultsError::Content(path.to_owned(), text.to_owned());
        let mut reader = BufReader::new(File::open(path).map_err(failed)?);
        let mut head: Option<RunSettings> = None;
        let mut outcomes = BTreeMap::new();
        let mut line = Vec::new();
        loop {
            line.clear();
            let mut limited = reader.by_ref().take(MAX_LINE);
            if limited.read_until(b'\n', &mut line).map_err(failed)? == 0 || !line.ends_with(b"\n")
            {
                break;
            }
            let Some(head) = &head else {
                let first = serde_json::from_slice::<FirstLine>(&line).ok();
                let first = first.filter(|first| first.version == VERSION);
                let first = first.ok_or_else(|| {
                    content("not the results of a conformance run of this version of Molehill")
                })?;
                head = Some(first.head);
                continue;
            };
            let outcome: CaseOutcome = serde_json::from_slice(&line).map_err(|error| {
                content(&format!("a line is not the result of a case: {error}"))
            })?;
            if !head.cases.contains(&outcome.name) {
                return Err(content(&format!("{} is not a case of this run", outcome.name)));
            }
            outcomes.insert(outcome.name.clone(), outcome);
        }
        Ok(ConformResults {
            head: head.ok_or_else(|| content("the file is empty"))?,
            outcomes: outcomes.into_values().collect(),
        })
    }

    pub fn times(&self) -> HashMap<String, f64> {
        let times = self.outcomes.iter();
        times.map(|outcome| (outcome.name.clone(), outcome.seconds)).collect()
    }

    pub fn merge(parts: Vec<ConformResults>) -> Result<ConformResults, ResultsError> {
        let mismatch = ResultsError::Mismatch;
        let mut parts = parts.into_iter();
        let mut whole =
            parts.next().ok_or_else(|| mismatch("there are no results to merge".to_owned()))?;
        whole.head.shard = (1, 1);
        let mut names: HashSet<String> = whole.outcomes.iter().map(|o| o.name.clone()).collect();
        for part in parts {
            let head = RunSettings { shard: whole.head.shard, ..part.head };
            let differences = whole.head.differences(&head);
            if !differences.is_empty() {
                let text = format!("the files are of different runs: {}", differences.join("; "));
                return Err(mismatch(text));
            }
            for outcome in part.outcomes {
                if !names.insert(outcome.name.clone()) {
                    return Err(mismatch(format!(
                        "two files have results of the case {}",
                        outcome.name
                    )));
                }
                whole.outcomes.push(outcome);
            }
        }
        whole.sort();
        Ok(whole)
    }

    pub fn sort(&mut self) {
        self.outcomes.sort_by(|a, b| a.name.cmp(&b.name));
    }

    pub fn text(&self) -> String {
        let mut text = self.head.line();
        text.extend(self.outcomes.iter().map(line));
        text
    }

    /// Returns the number of cases without a result. Interrupted runs and shards have cases without a result.
    pub fn missing(&self) -> usize {
        self.head.cases.len().saturating_sub(self.outcomes.len())
    }
}

#[derive(Debug)]
pub struct ResultsWriter {
    file: File,
    path: PathBuf,
}

impl ResultsWriter {
    pub fn create(path: &Path, head: &RunSettings) -> Result<Self, ResultsError> {
        let failed = |error| ResultsError::Io(path.to_owned(), error);
        files::write(path, head.line().as_bytes()).map_err(failed)?;
        let file = OpenOptions::new().append(true).open(path).map_err(failed)?;
        Ok(ResultsWriter { file, path: path.to_owned() })
    }

    /// Opens a results file to append after its last complete line. Returns the writer, and the results that the file
    /// contains.
    pub fn resume(path: &Path, head: &RunSettings) -> Result<(Self, ConformResults), ResultsError> {
        let results = ConformResults::read(path)?;
        let differences = results.head.differences(head);
        if !differences.is_empty() {
            let text = format!(
                "the run had other settings ({}); --resume needs the same settings",
                differences.join("; ")
            );
            return Err(ResultsError::Content(path.to_owned(), text));
        }
        let failed = |error| ResultsError::Io(path.to_owned(), error);
        let bytes = std::fs::read(path).map_err(failed)?;
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let file = OpenOptions::new().append(true).open(path).map_err(failed)?;
        file.set_len(end as u64).map_err(failed)?;
        let writer = ResultsWriter { file, path: path.to_owned() };
        Ok((writer, results))
    }

    /// Appends the outcome of a case to the results file. The line is written immediately but not synced to the disk.
    pub fn add(&mut self, outcome: &CaseOutcome) -> Result<(), ResultsError> {
        let failed = |error| ResultsError::Io(self.path.clone(), error);
        let end = self.file.metadata().map_err(failed)?.len();
        // Each line is one write, so that an interruption can make only the last line incomplete.
        self.file.write_all(line(outcome).as_bytes()).map_err(|error| {
            // If truncating the file fails too, readers ignore the incomplete line.
            let _ = self.file.set_len(end);
            failed(error)
        })
    }
}

fn line(value: &impl Serialize) -> String {
    format!("{}\n", json!(value))
}

pub fn write(path: &Path, results: &ConformResults) -> Result<(), ResultsError> {
    files::write(path, results.text().as_bytes())
        .map_err(|error| ResultsError::Io(path.to_owned(), error))
}
