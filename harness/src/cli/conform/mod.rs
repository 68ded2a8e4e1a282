//! `molehill conform`

mod facts;
mod players;
mod reports;
mod runs;
mod selection;
pub(super) mod shared;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Subcommand, value_parser};
use context3d::Profile;
use serde_json::json;

use super::{Failure, GlArguments, Status, named, output};
use molehill_conform::case::{Body, Case};
use molehill_conform::device::Device;
use molehill_conform::mutations::{MUTATIONS, Mutation};
use molehill_conform::pool::{self, Pool};
use molehill_conform::report::{RESULTS, Totals};
use molehill_conform::results::{Results, ResultsWriter, RunSettings};
use molehill_conform::{CaseSet, Outcome, SuiteOptions, pictures, record, shard};
use molehill_replay::table::aligned;
use players::PlayerArguments;
use reports::{ReportArguments, prepare, tell_of_earlier};
use selection::SelectionArguments;
use shared::{KnownFailures, PoolArguments, run_cases};

/// Runs the conformance suite on a backend and reports
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Conform {
    #[command(subcommand)]
    other: Option<Other>,
    #[command(flatten)]
    selection: SelectionArguments,
    #[command(flatten)]
    suite: SuiteArguments,
    /// Print the names without running
    #[arg(long)]
    list: bool,
    /// With --list: also each case's kind, profile and source
    #[arg(long, requires = "list")]
    long: bool,
    /// With --list: the facts of the reference with their cases; with --baseline, also their verdicts
    #[arg(long, requires = "list", conflicts_with = "long")]
    facts: bool,
    /// Write the selected scenes as captures without running
    #[arg(long, value_name = "DIR", conflicts_with = "list")]
    save: Option<PathBuf>,
    #[command(flatten)]
    players: PlayerArguments,
    /// In the repository: take the reference renderer's pictures of the selected scenes as expected, after looking at them
    #[arg(long, value_name = "REASON", conflicts_with_all = ["list", "save"])]
    bless: Option<String>,
    /// Only part I of N
    #[arg(long, value_name = "I/N", default_value = "1/1", value_parser = part)]
    shard: (usize, usize),
    /// Folder for the reports
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Continue the run in --out
    #[arg(long, requires = "out")]
    resume: bool,
    #[command(flatten)]
    pool: PoolArguments,
    /// Run a case that fails up to N times more
    #[arg(long, value_name = "N", default_value = "0", value_parser = value_parser!(u16).range(0..=100))]
    retries: u16,
    #[command(flatten)]
    reports: ReportArguments,
}

#[derive(Subcommand)]
enum Other {
    Merge(runs::Merge),
    Compare(runs::Compare),
    /// Runs cases; gets its options and their names on standard input
    #[command(hide = true)]
    Worker,
}

/// Options of a run that its children get.
#[derive(clap::Args)]
struct SuiteArguments {
    /// Backend to test
    #[arg(long, default_value = "gl", value_parser = named(Device::ALL, Device::name))]
    backend: Device,
    /// Renderer to compare with
    #[arg(long, value_name = "BACKEND", value_parser = named(&drawing(), Device::name))]
    oracle: Option<Device>,
    #[command(flatten)]
    gl: GlArguments,
    /// The same as --backend gles
    #[arg(long, conflicts_with = "backend")]
    gles: bool,
    /// Profile of every context; cases that need another one are left out [default: each case's own]
    #[arg(long, value_parser = named(&Profile::ALL, Profile::name))]
    profile: Option<Profile>,
    /// Folder with capture cases; repeatable
    #[arg(long, value_name = "DIR")]
    cases: Vec<PathBuf>,
    #[command(flatten)]
    known: KnownFailures,
    /// Add a deliberate error to the backend, to test the cases; an unknown name lists all mutations
    #[arg(long, value_name = "NAME", value_parser = mutation)]
    mutation: Option<&'static Mutation>,
    /// Deliberate errors as cases: each passes if some case of the suite detects it
    #[arg(long)]
    mutants: bool,
    /// Cases that test the runner
    #[arg(long, hide = true)]
    self_test: bool,
}

fn drawing() -> Vec<Device> {
    Device::ALL.iter().copied().filter(|device| device.draws()).collect()
}

/// The mutation with this name; the error lists all of them.
fn mutation(name: &str) -> Result<&'static Mutation, String> {
    Mutation::named(name).ok_or_else(|| {
        let row = |it: &Mutation| vec![format!("  {}", it.name), it.what.to_owned()];
        let rows: Vec<_> = MUTATIONS.iter().map(row).collect();
        format!("unknown mutation; the mutations are:\n{}", aligned(&rows, "").concat().trim_end())
    })
}

/// Parses `I/N`.
fn part(text: &str) -> Result<(usize, usize), String> {
    let numbers = text.split_once('/').map(|(index, count)| (index.parse(), count.parse()));
    match numbers {
        Some((Ok(index), Ok(count))) if (1..=count).contains(&index) && count <= 10_000 => {
            Ok((index, count))
        }
        _ => Err("must be I/N, I from 1 to N".to_owned()),
    }
}

impl SuiteArguments {
    fn options(&self) -> SuiteOptions {
        let device = if self.gles { Device::Gles } else { self.backend };
        let mut options = SuiteOptions::new(device);
        options.oracle = self.oracle.unwrap_or(options.oracle);
        options.renderer.shaders = self.gl.shaders;
        options.renderer.workarounds = self.gl.workarounds.forced();
        options.mutation = self.mutation.map(|mutation| mutation.name.to_owned());
        options.profile = self.profile;
        options.folders.clone_from(&self.cases);
        options.known_failures.clone_from(&self.known.known_failures);
        options.case_set = if self.self_test {
            CaseSet::SelfTest
        } else if self.mutants {
            CaseSet::Mutants
        } else {
            CaseSet::Suite
        };
        options
    }
}

impl Conform {
    pub(super) fn run(self) -> Result<Status, Failure> {
        match self.other {
            Some(Other::Merge(merge)) => merge.run(),
            Some(Other::Compare(compare)) => compare.run(),
            Some(Other::Worker) => {
                pool::serve(io::stdin(), io::stdout().lock()).map_err(|error| Failure(error.0))?;
                Ok(Status::Success)
            }
            None => self.conform(),
        }
    }

    fn conform(&self) -> Result<Status, Failure> {
        let options = self.suite.options();
        let (cases, selection) = self.selection.cases(&options)?;
        let (index, count) = self.shard;
        if cases.is_empty() {
            return Err(Failure("no case matches".to_owned()));
        }
        let head = options.run_settings(&cases, selection)?;
        let baseline = self.reports.baseline(&head.cases)?;
        let times = baseline.as_ref().map(Results::times).unwrap_or_default();
        let cases = shard::select(cases, index, count, &times);
        if self.facts {
            return self.reports.list_facts(&cases, baseline.as_ref());
        }
        if self.list {
            return self.list(&cases);
        }
        if let Some(folder) = &self.save {
            return save(&cases, folder);
        }
        if let Some(done) = self.players(&cases) {
            return done;
        }
        if let Some(reason) = &self.bless {
            return bless(&cases, reason);
        }
        let pool = self.pool.pool(&options)?;
        let _lock = self.out.as_deref().map(prepare).transpose()?;
        let head = RunSettings { driver: pool.driver()?, shard: self.shard, ..head };
        let results = self.run_all(&pool, &cases, head)?;
        self.reports.finish(&results, self.out.as_deref(), baseline)
    }

    /// Prints the names of cases; with `--long` or `--json` also their details.
    fn list(&self, cases: &[Case]) -> Result<Status, Failure> {
        let row = |case: &Case| {
            let (kind, profile) = (case.body.kind(), case.setup.profile.name());
            json!({ "name": case.name, "kind": kind, "profile": profile, "source": case.source })
        };
        let rows: Vec<_> = cases.iter().map(row).collect();
        let columns =
            if self.long { &["name", "kind", "profile", "source"][..] } else { &["name"] };
        self.reports.format.print(&json!({ "cases": rows }), || {
            let cell =
                |row: &serde_json::Value, name: &&str| row[*name].as_str().map(str::to_owned);
            let cells = |row| columns.iter().filter_map(|name| cell(row, name)).collect();
            aligned(&rows.iter().map(cells).collect::<Vec<_>>(), "").concat()
        })
    }

    /// Creates or continues the results file; returns its content.
    fn begin(&self, path: &Path, head: &RunSettings) -> Result<(ResultsWriter, Results), Failure> {
        if self.resume && path.is_file() {
            return Ok(ResultsWriter::resume(path, head)?);
        }
        tell_of_earlier(path, "; use --resume to continue them");
        let fresh = Results { head: head.clone(), outcomes: Vec::new() };
        Ok((ResultsWriter::create(path, head)?, fresh))
    }

    /// Runs the remaining cases, and those that fail again, and writes every outcome at once.
    fn run_all(&self, pool: &Pool, cases: &[Case], head: RunSettings) -> Result<Results, Failure> {
        let (mut writer, mut results) = if let Some(out) = &self.out {
            let (writer, before) = self.begin(&out.join(RESULTS), &head)?;
            (Some(writer), before)
        } else {
            (None, Results { head, outcomes: Vec::new() })
        };
        for retry in 0..=self.retries {
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
