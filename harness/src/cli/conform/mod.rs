//! `molehill conform`

mod arguments;
pub(super) mod finish;
mod merge;
pub(super) mod shared;
mod worker;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use serde_json::json;

use super::{Failure, Status, output};
use arguments::Part;
pub(super) use arguments::command;
use molehill_conform::case::{Body, Case};
use molehill_conform::device::Shaders;
use molehill_conform::pool::Pool;
use molehill_conform::report::{RESULTS, Totals};
use molehill_conform::results::{Results, ResultsWriter, RunSettings};
use molehill_conform::{Outcome, pictures, record, shard};
use molehill_replay::files::Lock;
use shared::{pool, run_cases, suite_options};

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    match matches.subcommand() {
        Some(("merge", matches)) => merge::run(matches),
        Some(("compare", matches)) => finish::compare(matches),
        Some(("worker", _)) => worker::run(),
        _ => conform(matches),
    }
}

fn conform(matches: &ArgMatches) -> Result<Status, Failure> {
    let options = suite_options(matches);
    let (cases, selection) = arguments::cases(&options, matches)?;
    let baseline = arguments::baseline(matches)?;
    let Part { index, count } = arguments::part(matches)?;
    let whole = cases.len();
    let times = baseline.as_ref().map(Results::times).unwrap_or_default();
    let cases = shard::select(cases, index, count, &times);
    if matches.get_flag("list") {
        list(&cases, matches)?;
        return Ok(Status::Success);
    }
    if let Some(folder) = matches.get_one::<PathBuf>("save") {
        return save(&cases, folder);
    }
    if whole == 0 {
        return Err(Failure("no case matches".to_owned()));
    }
    if let Some(reason) = matches.get_one::<String>("bless") {
        return bless(&cases, reason);
    }
    let pool = pool(&options, matches)?;
    let out = arguments::out(matches);
    let _lock = out.map(prepare).transpose()?;
    let mut backend = options.device.name().to_owned();
    if options.renderer.shaders != Shaders::default() {
        backend += &format!(" with shaders {}", options.renderer.shaders.name());
    }
    if let Some(mutation) = &options.mutation {
        backend += &format!(" with mutation {mutation}");
    }
    let head = RunSettings {
        backend,
        oracle: options.oracle.name().to_owned(),
        driver: pool.driver()?,
        profile: options.profile.map(|profile| profile.name().to_owned()),
        selection,
        cases: whole,
        shard: (index, count),
    };
    let retries = matches.get_one::<u16>("retries").copied().unwrap_or(0);
    let results = run_all(&pool, &cases, out, head, matches.get_flag("resume"), retries)?;
    finish::finish(results, out, baseline, matches)
}

/// Prints the names of cases; with `--long` or `--json` also their details.
fn list(cases: &[Case], matches: &ArgMatches) -> Result<(), Failure> {
    let row = |case: &Case| {
        let (kind, profile) = (case.body.kind(), case.setup.profile.name());
        [&case.name, kind, profile, &case.source].map(str::to_owned)
    };
    let rows = cases.iter().map(row);
    if matches.get_flag("json") {
        let json = rows.map(|[name, kind, profile, source]| {
            json!({ "name": name, "kind": kind, "profile": profile, "source": source })
        });
        return output::print_json(&json!({ "cases": json.collect::<Vec<_>>() }));
    }
    let long = matches.get_flag("long");
    let width = cases.iter().map(|case| case.name.len()).max().unwrap_or(0);
    let line = |[name, kind, profile, source]: [String; 4]| match long {
        true => format!("{name:width$}  {kind:7}  {profile:19}  {source}\n"),
        false => format!("{name}\n"),
    };
    output::print(&rows.map(line).collect::<String>())
}

/// Creates the folder of a run's reports and locks it.
fn prepare(out: &Path) -> Result<Lock, Failure> {
    output::make_folder(out)?;
    let lock = Lock::take(out).map_err(Failure::of(out.display()))?;
    let taken = "another run is writing here; use another folder";
    lock.ok_or_else(|| Failure::of(out.display())(taken))
}

/// Writes scenes as captures for the other commands.
fn save(cases: &[Case], folder: &Path) -> Result<Status, Failure> {
    output::make_folder(folder)?;
    let mut count = 0;
    for case in cases {
        if let Body::Scene(scene) = &case.body {
            let path = folder.join(format!("{}.s3d.jsonl", case.name));
            let capture = record(case, case.setup, scene).map_err(Failure::of(path.display()))?;
            output::write(&path, capture)?;
            count += 1;
        }
    }
    output::print(&format!("{count} captures in {}\n", folder.display()))?;
    Ok(Status::Success)
}

/// Writes the expected pictures of scenes into the repository.
fn bless(cases: &[Case], reason: &str) -> Result<Status, Failure> {
    let folder = Path::new("harness/conform/expected");
    if !folder.is_dir() || reason.contains(['\t', '\n']) {
        let text = format!("--bless needs {} and a reason in one line", folder.display());
        return Err(Failure(text));
    }
    let (table, sheet, unfit) = pictures::bless(cases, reason).map_err(Failure)?;
    output::write(&folder.join("pictures.tsv"), &table)?;
    output::write(&folder.join("pictures.png"), sheet)?;
    unfit.iter().for_each(|name| output::tell(&format!("left out: {name}")));
    output::print(&format!("{} scenes have expected pictures\n", table.lines().count()))?;
    Ok(Status::Success)
}

/// Warns that existing results will be replaced.
fn tell_of_earlier(path: &Path, hint: &str) {
    if path.is_file() {
        let earlier = Results::read(path).map_or(0, |results| results.outcomes.len());
        let path = path.display();
        output::tell(&format!(
            "{path}: replacing the results of an earlier run ({earlier} cases){hint}"
        ));
    }
}

/// Creates or continues the results file; returns its content.
fn begin(
    path: &Path,
    head: &RunSettings,
    resume: bool,
) -> Result<(ResultsWriter, Results), Failure> {
    let fresh = Results { head: head.clone(), outcomes: Vec::new() };
    if resume && path.is_file() {
        return Ok(ResultsWriter::resume(path, head)?);
    }
    tell_of_earlier(path, "; use --resume to continue them");
    Ok((ResultsWriter::create(path, head)?, fresh))
}

/// Runs the remaining cases, and those that fail again, and writes every outcome at once.
fn run_all(
    pool: &Pool,
    cases: &[Case],
    out: Option<&Path>,
    head: RunSettings,
    resume: bool,
    retries: u16,
) -> Result<Results, Failure> {
    let (mut writer, mut results) = match out {
        Some(out) => {
            let (writer, before) = begin(&out.join(RESULTS), &head, resume)?;
            (Some(writer), before)
        }
        None => {
            let outcomes = Vec::new();
            (None, Results { head, outcomes })
        }
    };
    for retry in 0..=retries {
        let times = results.times();
        let failed = results.outcomes.iter().filter(|outcome| outcome.verdict.fails());
        let mut failed: HashMap<String, Outcome> =
            failed.map(|outcome| (outcome.name.clone(), outcome.clone())).collect();
        let again = |name: &str| match retry {
            0 => !times.contains_key(name),
            _ => failed.contains_key(name),
        };
        let left: Vec<Case> = cases.iter().filter(|case| again(&case.name)).cloned().collect();
        if retry > 0 {
            results.outcomes.retain(|outcome| !outcome.verdict.fails());
        }
        let totals = Totals::of(&results.outcomes);
        run_cases(pool, &left, totals, |mut outcome| {
            if retry > 0
                && let Some(before) = failed.remove(&outcome.name)
            {
                outcome = outcome.after(before, retry);
            }
            if let Some(writer) = &mut writer {
                writer.add(&outcome)?;
            }
            results.outcomes.push(outcome);
            Ok(())
        })?;
    }
    results.sort();
    Ok(results)
}
