//! `molehill conform swf`, `results` and `answers`: run cases in Flash players.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::ChosenCases;
use super::reports::{ReportArguments, prepare, tell_of_earlier};
use crate::cli::{CommandFailure, CommandStatus, OutputFormat, ProgressLine, input};
use molehill_conform::case::Case;
use molehill_conform::players::{
    self, FileGrouping, FolderSummary, PlayerDevice, QuestionAnswer, write,
};
use molehill_conform::report::RESULTS;
use molehill_conform::results::{self, ConformResults};

/// Writes cases as SWF files for Flash players
#[derive(clap::Args)]
pub(super) struct Swf {
    /// Folder for the files
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    #[command(flatten)]
    chosen: ChosenCases,
    /// Write a file for each case
    #[arg(long)]
    each: bool,
    /// Write each case as a test for Ruffle, in its own folder
    #[arg(long, conflicts_with = "each")]
    ruffle: bool,
    #[command(flatten)]
    format: OutputFormat,
}

/// Evaluates the logs of a player that ran files of `conform swf`
#[derive(clap::Args)]
pub(super) struct Judge {
    /// Output of a file; - for standard input
    #[arg(value_name = "LOG", required = true)]
    logs: Vec<PathBuf>,
    #[command(flatten)]
    chosen: ChosenCases,
    /// Driver of a player that uses Molehill, as `molehill doctor` names it; its known failures apply
    #[arg(long, value_name = "NAME")]
    driver: Option<String>,
    /// Folder for the reports
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    reports: ReportArguments,
}

/// Reports which open questions of the reference a player resolves, from its logs of `conform swf` files
#[derive(clap::Args)]
pub(super) struct OpenQuestions {
    /// Output of a file; - for standard input
    #[arg(value_name = "LOG", required = true)]
    logs: Vec<PathBuf>,
    #[command(flatten)]
    chosen: ChosenCases,
    #[command(flatten)]
    format: OutputFormat,
}

impl Swf {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let layout = match (self.each, self.ruffle) {
            (true, _) => FileGrouping::Each,
            (false, true) => FileGrouping::Ruffle,
            (false, false) => FileGrouping::Grouped,
        };
        let (cases, folder) = (self.chosen.cases()?, self.dir.as_path());
        if cases.is_empty() {
            return Err(CommandFailure("no case matches the selection".to_owned()));
        }
        let mut progress = ProgressLine::new();
        let written = write(&cases, folder, layout, &mut |done| {
            let all = cases.len() as u64;
            progress.update(|| (format!("{done} of {all} cases"), done as u64, Some(all)));
        });
        progress.finish();
        let FolderSummary { cases, files, bytes, left_out } = written.map_err(CommandFailure)?;
        let answer = json!({ "cases": cases, "files": files, "bytes": bytes, "leftOut": left_out });
        self.format.print(&answer, || {
            let folder = folder.display();
            format!("{folder}: {cases} cases in {files} files, {bytes} bytes; {left_out} cases are left out, see manifest.json\n")
        })
    }
}

impl Judge {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let (options, cases) = (self.chosen.options(), self.chosen.cases()?);
        let known = options.expectations()?;
        let driver = self.driver.as_deref();
        let device =
            driver.map(|driver| PlayerDevice { device: options.device, driver, known: &known });
        let results = results_of(&cases, &self.logs, device.as_ref())?;
        let (out, reports) = (self.out.as_deref(), &self.reports);
        let baseline = reports.baseline(&results.head.cases)?;
        let _lock = out.map(prepare).transpose()?;
        if let Some(out) = out {
            let path = out.join(RESULTS);
            tell_of_earlier(&path, "");
            results::write(&path, &results)?;
        }
        reports.finish(&results, out, baseline, 0)
    }
}

impl OpenQuestions {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let cases = self.chosen.cases()?;
        let results = results_of(&cases, &self.logs, None)?;
        let answers = players::answers(&cases, &results.outcomes);
        let row = |answer: &QuestionAnswer<'_>| {
            let outcomes = answer.outcomes.iter();
            let outcomes: Vec<_> = outcomes
                .map(|outcome| json!({ "name": outcome.name, "verdict": outcome.verdict.name(), "reasons": outcome.reasons }))
                .collect();
            json!({ "fact": answer.fact.id, "agrees": answer.agrees, "cases": outcomes })
        };
        let rows: Vec<_> = answers.iter().map(row).collect();
        self.format.print(&json!({ "answers": rows }), || {
            let resolved = |agrees| answers.iter().filter(|one| one.agrees == Some(agrees)).count();
            let (all, agree, differ) = (answers.len(), resolved(true), resolved(false));
            let text: String = answers.iter().map(QuestionAnswer::to_string).collect();
            let open = all - agree - differ;
            format!("{text}{all} open questions: {agree} behave like Molehill, {differ} differ, {open} undecided\n")
        })
    }
}

/// Returns the results of the cases in a player's logs.
fn results_of(
    cases: &[Case],
    logs: &[PathBuf],
    device: Option<&PlayerDevice<'_>>,
) -> Result<ConformResults, CommandFailure> {
    let logs = logs.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let none = || CommandFailure("the logs contain none of the selected cases".to_owned());
    players::results(cases, &logs, device).ok_or_else(none)
}

/// Reads the text of a log, which may be in any encoding.
fn read(path: &Path) -> Result<String, CommandFailure> {
    let mut bytes = Vec::new();
    let read = input::source(path).and_then(|mut source| source.read_to_end(&mut bytes));
    read.map_err(CommandFailure::of(path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
