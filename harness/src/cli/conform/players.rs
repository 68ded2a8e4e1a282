//! `molehill conform --swf`, `--results` and `--answers`: cases in Flash players.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde_json::json;

use super::Conform;
use super::reports::{prepare, tell_of_earlier};
use crate::cli::{Failure, Progress, Status};
use molehill_conform::case::Case;
use molehill_conform::players::{self, Answer, Layout, PlayerDevice, Written, write};
use molehill_conform::report::RESULTS;
use molehill_conform::results::{self, Results};

#[derive(clap::Args)]
pub(super) struct PlayerArguments {
    /// Write the selected scenes and calls as SWF files for Flash players without running
    #[arg(long, value_name = "DIR", conflicts_with_all = ["list", "save"])]
    swf: Option<PathBuf>,
    /// With --swf: a file for each case
    #[arg(long, requires = "swf")]
    each: bool,
    /// With --swf: each case as a test of Ruffle's, in a folder of its own
    #[arg(long, requires = "swf", conflicts_with = "each")]
    ruffle: bool,
    /// Judge what the files of --swf printed in a player; - for standard input
    #[arg(long, value_name = "LOG", num_args = 1.., conflicts_with_all = ["list", "save", "swf"])]
    results: Vec<PathBuf>,
    /// Which open questions of the reference a player answers, from what the files of --swf printed
    #[arg(long, value_name = "LOG", num_args = 1.., conflicts_with_all = ["list", "save", "swf", "results"])]
    answers: Vec<PathBuf>,
    /// With --results: the driver of a player with Molehill, as `molehill doctor` names it; its known failures apply
    #[arg(long, value_name = "NAME", requires = "results")]
    driver: Option<String>,
}

impl Conform {
    /// What the options for players ask for, if any is given.
    pub(super) fn players(&self, cases: &[Case]) -> Option<Result<Status, Failure>> {
        let PlayerArguments { swf, each, ruffle, results, answers, driver: _ } = &self.players;
        if let Some(folder) = swf {
            let layout = match (*each, *ruffle) {
                (true, _) => Layout::Each,
                (false, true) => Layout::Ruffle,
                (false, false) => Layout::Grouped,
            };
            return Some(self.write_files(cases, folder, layout));
        }
        match (results.as_slice(), answers.as_slice()) {
            ([], []) => None,
            ([], logs) => Some(self.answers(cases, logs)),
            (logs, _) => Some(self.judge(cases, logs)),
        }
    }

    fn write_files(
        &self,
        cases: &[Case],
        folder: &Path,
        layout: Layout,
    ) -> Result<Status, Failure> {
        if cases.is_empty() {
            return Err(Failure("no case matches".to_owned()));
        }
        let mut progress = Progress::new();
        let written = write(cases, folder, layout, &mut |done| {
            let all = cases.len() as u64;
            progress.update(|| (format!("{done} of {all} cases"), done as u64, Some(all)));
        });
        progress.finish();
        let Written { cases, files, bytes, left_out } = written.map_err(Failure)?;
        let answer = json!({ "cases": cases, "files": files, "bytes": bytes, "leftOut": left_out });
        self.run.reports.format.print(&answer, || {
            let folder = folder.display();
            format!("{folder}: {cases} cases in {files} files, {bytes} bytes; {left_out} cases are left out, see manifest.json\n")
        })
    }

    /// Judges what files printed in a player. The results are those of a run.
    fn judge(&self, cases: &[Case], logs: &[PathBuf]) -> Result<Status, Failure> {
        let options = self.options();
        let known = options.expectations()?;
        let driver = self.players.driver.as_deref();
        let device =
            driver.map(|driver| PlayerDevice { device: options.device, driver, known: &known });
        let results = results_of(cases, logs, device.as_ref())?;
        let (out, reports) = (self.run.out.as_deref(), &self.run.reports);
        let baseline = reports.baseline(&results.head.cases)?;
        let _lock = out.map(prepare).transpose()?;
        if let Some(out) = out {
            let path = out.join(RESULTS);
            tell_of_earlier(&path, "");
            results::write(&path, &results)?;
        }
        reports.finish(&results, out, baseline, 0)
    }

    /// Prints what a player says about the open facts.
    fn answers(&self, cases: &[Case], logs: &[PathBuf]) -> Result<Status, Failure> {
        let results = results_of(cases, logs, None)?;
        let answers = players::answers(cases, &results.outcomes);
        let row = |answer: &Answer<'_>| {
            let outcomes = answer.outcomes.iter();
            let outcomes: Vec<_> = outcomes
                .map(|outcome| json!({ "name": outcome.name, "verdict": outcome.verdict.name(), "reasons": outcome.reasons }))
                .collect();
            json!({ "fact": answer.fact.id, "agrees": answer.agrees, "cases": outcomes })
        };
        let rows: Vec<_> = answers.iter().map(row).collect();
        self.run.reports.format.print(&json!({ "answers": rows }), || {
            let settled = |agrees| answers.iter().filter(|one| one.agrees == Some(agrees)).count();
            let mut text: String = answers.iter().map(Answer::to_string).collect();
            let (all, alike, otherwise) = (answers.len(), settled(true), settled(false));
            text += &format!("{all} open facts: {alike} as Molehill does, {otherwise} otherwise, {} not settled\n", all - alike - otherwise);
            text
        })
    }
}

/// The results of the cases in the logs of a player.
fn results_of(
    cases: &[Case],
    logs: &[PathBuf],
    device: Option<&PlayerDevice<'_>>,
) -> Result<Results, Failure> {
    let logs = logs.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let none = || Failure("the logs have none of the cases".to_owned());
    players::results(cases, &logs, device).ok_or_else(none)
}

/// The text of a log, which may have been written in any encoding.
fn read(path: &Path) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    if path.as_os_str() == "-" {
        io::stdin().read_to_end(&mut bytes)?;
    } else {
        bytes = std::fs::read(path).map_err(Failure::of(path.display()))?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
