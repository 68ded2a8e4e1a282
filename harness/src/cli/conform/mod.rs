//! `molehill conform`

mod arguments;
mod finish;
mod merge;
mod worker;

use std::fs;
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{Failure, Status, output};
pub(super) use arguments::command;
use arguments::{Chosen, Part};
use molehill_conform::report::Totals;
use molehill_conform::results::{Head, Results, ResultsError, ResultsWriter};
use molehill_conform::runner::{Pool, PoolError};
use molehill_conform::{Body, Case, record, shard};

/// File of results in the folder that is given.
const RESULTS: &str = "results.jsonl";

impl From<PoolError> for Failure {
    fn from(error: PoolError) -> Self {
        Failure(error.to_string())
    }
}

impl From<ResultsError> for Failure {
    fn from(error: ResultsError) -> Self {
        Failure(error.to_string())
    }
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    match matches.subcommand() {
        Some(("merge", matches)) => merge::run(matches),
        Some(("worker", matches)) => worker::run(matches),
        _ => conform(matches),
    }
}

fn conform(matches: &ArgMatches) -> Result<Status, Failure> {
    let chosen = Chosen::read(matches)?;
    let cases = chosen.cases()?;
    let baseline = arguments::baseline(matches)?;
    let Part { index, count } = arguments::part(matches)?;
    let whole = cases.len();
    let times = baseline.as_ref().map(Results::times).unwrap_or_default();
    let cases = shard::select(cases, index, count, &times);
    if matches.get_flag("list") {
        let names: String = cases
            .iter()
            .map(|case| format!("{}\n", case.name))
            .collect();
        output::print(&names)?;
        return Ok(Status::Success);
    }
    if let Some(folder) = matches.get_one::<PathBuf>("save") {
        return save(&cases, folder);
    }
    if whole == 0 {
        return Err(Failure("no case has such a name".to_owned()));
    }
    let pool = chosen.pool(matches)?;
    let out = arguments::out(matches);
    fs::create_dir_all(&out).map_err(|error| Failure(format!("{}: {error}", out.display())))?;
    let head = Head {
        backend: match chosen.fault {
            Some(fault) => format!("{} with fault {}", chosen.device.name(), fault.name),
            None => chosen.device.name().to_owned(),
        },
        oracle: chosen.oracle.name().to_owned(),
        driver: pool.driver()?,
        profile: chosen.profile.map(|profile| profile.name().to_owned()),
        cases: whole,
        shard: (index, count),
    };
    run_all(
        &pool,
        cases,
        &out.join(RESULTS),
        &head,
        matches.get_flag("resume"),
    )?;
    finish::finish(&out, baseline.as_ref(), matches.get_flag("json"))
}

/// Writes scenes as captures, to be looked at with the other commands.
fn save(cases: &[Case], folder: &Path) -> Result<Status, Failure> {
    let failed = |path: &Path, error: &dyn std::fmt::Display| {
        Failure(format!("{}: {error}", path.display()))
    };
    fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    let mut count = 0;
    for case in cases {
        if let Body::Scene(scene) = &case.body {
            let path = folder.join(format!("{}.s3d.jsonl", case.name));
            let capture = record(case, case.setup, scene).map_err(|error| failed(&path, &error))?;
            fs::write(&path, capture).map_err(|error| failed(&path, &error))?;
            count += 1;
        }
    }
    output::print(&format!("{count} captures in {}\n", folder.display()))?;
    Ok(Status::Success)
}

/// Runs what has not been run yet.
fn run_all(
    pool: &Pool,
    mut cases: Vec<Case>,
    path: &Path,
    head: &Head,
    resume: bool,
) -> Result<(), Failure> {
    let mut totals = Totals::default();
    let all = cases.len();
    let mut writer = match resume && path.is_file() {
        true => {
            let (writer, before) = ResultsWriter::resume(path, head)?;
            let times = before.times();
            cases.retain(|case| !times.contains_key(&case.name));
            totals = Totals::of(&before.outcomes);
            writer
        }
        false => ResultsWriter::create(path, head)?,
    };
    let bar = ProgressBar::with_draw_target(Some(all as u64), ProgressDrawTarget::stderr());
    let template = "[{bar:30}] {pos} of {len}: {msg}, {elapsed} of about {duration}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_position((all - cases.len()) as u64);
    let ran = pool.run(&cases, |outcome| -> Result<(), Failure> {
        writer.add(&outcome)?;
        totals.add(outcome.verdict);
        bar.set_message(totals.describe());
        bar.inc(1);
        if outcome.verdict.fails() && !bar.is_hidden() {
            let reason = outcome.reasons.first().map_or("", String::as_str);
            bar.suspend(|| {
                output::tell(&format!(
                    "{}: {}: {reason}",
                    outcome.verdict.name(),
                    outcome.name
                ))
            });
        }
        Ok(())
    });
    bar.finish_and_clear();
    ran
}
