//! `molehill conform`

mod facts;
mod new;
mod players;
mod reports;
mod run;
mod runs;
mod selection;

use std::io;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use clap::builder::PossibleValuesParser;
use context3d::Profile;
use serde_json::json;

use super::{Failure, Format, GlArguments, Status, named, output};
use molehill_conform::case::{Body, Case};
use molehill_conform::device::Device;
use molehill_conform::mutations::{MUTATIONS, Mutation};
use molehill_conform::{CaseSet, NO_ORACLE as NONE, SuiteOptions, pictures, pool, record};
use molehill_replay::table::aligned;
use run::CaseArguments;
pub(super) use run::RunArguments;

/// Runs the conformance suite on a backend and reports
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Conform {
    #[command(subcommand)]
    other: Option<Other>,
    #[command(flatten)]
    whole: Whole,
}

/// The options of a run of the suite.
#[derive(clap::Args)]
struct Whole {
    #[command(flatten)]
    suite: SuiteArguments,
    #[command(flatten)]
    run: RunArguments,
}

#[derive(Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is only one")]
enum Other {
    List(List),
    Facts(facts::Facts),
    /// Runs deliberate errors as cases: each passes if some case of the suite detects it
    Mutants(Whole),
    Merge(runs::Merge),
    Compare(runs::Compare),
    New(new::New),
    Save(Save),
    Swf(players::Swf),
    Results(players::Judge),
    Answers(players::Answers),
    Bless(Bless),
    /// Runs cases; gets its options and their names on standard input
    #[command(hide = true)]
    Worker,
}

/// The cases of a command that runs none.
#[derive(clap::Args)]
struct Chosen {
    #[command(flatten)]
    suite: SuiteArguments,
    #[command(flatten)]
    cases: CaseArguments,
}

impl Chosen {
    fn options(&self) -> SuiteOptions {
        self.suite.options(CaseSet::Suite, &self.cases)
    }

    fn cases(&self) -> Result<Vec<Case>, Failure> {
        Ok(self.cases.selected(&self.options(), |_| Ok(None))?.cases)
    }
}

/// Lists the names of cases
#[derive(clap::Args)]
struct List {
    #[command(flatten)]
    chosen: Chosen,
    /// Also list each case's kind, profile and source
    #[arg(long)]
    long: bool,
    #[command(flatten)]
    format: Format,
}

/// Writes scenes as captures
#[derive(clap::Args)]
struct Save {
    /// Folder for the captures
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    #[command(flatten)]
    chosen: Chosen,
}

/// In the repository: takes the reference renderer's pictures of scenes as expected, after looking at them
#[derive(clap::Args)]
struct Bless {
    /// Why the pictures are right, in one line
    #[arg(value_name = "REASON")]
    reason: String,
    #[command(flatten)]
    chosen: Chosen,
}

/// Options of a run that its children get.
#[derive(clap::Args)]
struct SuiteArguments {
    /// Backend to test
    #[arg(long, default_value = "gl", value_parser = named(Device::ALL, Device::name))]
    backend: Device,
    /// Renderer to compare with, or none: cases that need another renderer are left out
    #[arg(long, value_name = "BACKEND", value_parser = oracles())]
    oracle: Option<String>,
    #[command(flatten)]
    gl: GlArguments,
    /// The same as --backend gles
    #[arg(long, conflicts_with = "backend")]
    gles: bool,
    /// Profile of every context; cases that need another one are left out [default: each case's own]
    #[arg(long, value_parser = named(&Profile::ALL, Profile::name))]
    profile: Option<Profile>,
    /// Recording, or folder with capture cases; repeatable
    #[arg(long, value_name = "PATH")]
    cases: Vec<PathBuf>,
    /// Add a deliberate error to the backend, to test the cases; an unknown name lists all mutations
    #[arg(long, value_name = "NAME", value_parser = mutation)]
    mutation: Option<&'static Mutation>,
    /// Cases that test the runner
    #[arg(long, hide = true)]
    self_test: bool,
}

/// Parses the name of a device that draws, or `none`.
fn oracles() -> PossibleValuesParser {
    let drawing = Device::ALL.iter().filter(|device| device.draws());
    drawing.map(|device| device.name()).chain([NONE]).collect::<Vec<_>>().into()
}

/// The mutation with this name; the error lists all of them.
fn mutation(name: &str) -> Result<&'static Mutation, String> {
    Mutation::named(name).ok_or_else(|| {
        let row = |it: &Mutation| vec![format!("  {}", it.name), it.what.to_owned()];
        let rows: Vec<_> = MUTATIONS.iter().map(row).collect();
        format!("unknown mutation; the mutations are:\n{}", aligned(&rows, "").concat().trim_end())
    })
}

impl SuiteArguments {
    fn options(&self, cases: CaseSet, arguments: &CaseArguments) -> SuiteOptions {
        let device = if self.gles { Device::Gles } else { self.backend };
        let mut options = SuiteOptions::new(device);
        match self.oracle.as_deref() {
            None => {}
            Some(NONE) => options.oracle = None,
            Some(name) => options.oracle = Device::from_name(name),
        }
        options.renderer.threads = None;
        options.renderer.shaders = self.gl.shaders;
        options.renderer.workarounds = self.gl.workarounds.forced();
        options.mutation = self.mutation.map(|mutation| mutation.name.to_owned());
        options.profile = self.profile;
        options.folders.clone_from(&self.cases);
        options.case_set = if self.self_test { CaseSet::SelfTest } else { cases };
        options.known_failures.clone_from(&arguments.known.known_failures);
        options
    }
}

impl Conform {
    pub(super) fn run(self) -> Result<Status, Failure> {
        match self.other {
            Some(Other::List(list)) => list.run(),
            Some(Other::Facts(facts)) => facts.run(),
            Some(Other::Mutants(mutants)) => mutants.run(CaseSet::Mutants),
            Some(Other::Merge(merge)) => merge.run(),
            Some(Other::Compare(compare)) => compare.run(),
            Some(Other::New(new)) => new.run(),
            Some(Other::Save(Save { dir, chosen })) => save(&chosen.cases()?, &dir),
            Some(Other::Swf(swf)) => swf.run(),
            Some(Other::Results(judge)) => judge.run(),
            Some(Other::Answers(answers)) => answers.run(),
            Some(Other::Bless(Bless { reason, chosen })) => bless(&chosen.cases()?, &reason),
            Some(Other::Worker) => {
                pool::serve(io::stdin(), io::stdout().lock()).map_err(|error| Failure(error.0))?;
                Ok(Status::Success)
            }
            None => self.whole.run(CaseSet::Suite),
        }
    }
}

impl Whole {
    fn run(self, cases: CaseSet) -> Result<Status, Failure> {
        let options = self.suite.options(cases, &self.run.cases);
        let selected = self.run.selected(&options)?;
        self.run.start(options, selected)
    }
}

impl List {
    /// Prints the names of cases; with `--long` or `--json` also their details.
    fn run(self) -> Result<Status, Failure> {
        let row = |case: &Case| {
            let (kind, profile) = (case.body.kind(), case.setup.profile.name());
            json!({ "name": case.name, "kind": kind, "profile": profile, "source": case.source })
        };
        let rows: Vec<_> = self.chosen.cases()?.iter().map(row).collect();
        let columns =
            if self.long { &["name", "kind", "profile", "source"][..] } else { &["name"] };
        self.format.print(&json!({ "cases": rows }), || {
            let cell =
                |row: &serde_json::Value, name: &&str| row[*name].as_str().map(str::to_owned);
            let cells = |row| columns.iter().filter_map(|name| cell(row, name)).collect();
            aligned(&rows.iter().map(cells).collect::<Vec<_>>(), "").concat()
        })
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
        let text = format!("bless needs {} and a reason in one line", folder.display());
        return Err(Failure(text));
    }
    let (table, sheet, unfit) = pictures::bless(cases, reason).map_err(Failure)?;
    output::write(&folder.join("pictures.tsv"), &table)?;
    output::write(&folder.join("pictures.png"), sheet)?;
    unfit.iter().for_each(|name| output::tell(&format!("left out: {name}")));
    output::print(&format!("{} scenes have expected pictures\n", table.lines().count()))?;
    Ok(Status::Success)
}
