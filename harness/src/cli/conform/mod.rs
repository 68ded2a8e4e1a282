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

use super::{CommandFailure, CommandStatus, GlArguments, OutputFormat, named, output};
use molehill_conform::case::{Case, CaseBody};
use molehill_conform::device::ConformDevice;
use molehill_conform::mutations::{MUTATIONS, Mutation};
use molehill_conform::{CaseSet, NO_ORACLE as NONE, SuiteOptions, pictures, pool, record};
use molehill_replay::table::aligned;
use run::CaseArguments;
pub(super) use run::RunArguments;

/// Runs the conformance suite on a backend and writes reports
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Conform {
    #[command(subcommand)]
    other: Option<CaseCommand>,
    #[command(flatten)]
    whole: RunCommand,
}

#[derive(clap::Args)]
struct RunCommand {
    #[command(flatten)]
    suite: SuiteArguments,
    #[command(flatten)]
    run: RunArguments,
}

#[derive(Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is only one")]
enum CaseCommand {
    List(ListCommand),
    Facts(facts::Facts),
    /// Runs deliberate errors as cases: each case passes if a case of the suite detects the error
    Mutants(RunCommand),
    Merge(runs::Merge),
    Compare(runs::Compare),
    New(new::NewCommand),
    Save(Save),
    Swf(players::Swf),
    Results(players::Judge),
    Answers(players::OpenQuestions),
    Bless(Bless),
    /// Runs cases. The options and the names of the cases are read from standard input
    #[command(hide = true)]
    Worker,
}

/// The selected cases of a command that lists or saves cases.
#[derive(clap::Args)]
struct ChosenCases {
    #[command(flatten)]
    suite: SuiteArguments,
    #[command(flatten)]
    cases: CaseArguments,
}

impl ChosenCases {
    fn options(&self) -> SuiteOptions {
        self.suite.options(CaseSet::Suite, &self.cases)
    }

    fn cases(&self) -> Result<Vec<Case>, CommandFailure> {
        Ok(self.cases.selected(&self.options(), |_| Ok(None))?.cases)
    }
}

/// Lists cases
#[derive(clap::Args)]
struct ListCommand {
    #[command(flatten)]
    chosen: ChosenCases,
    /// Also list each case's type, profile and source
    #[arg(long)]
    long: bool,
    #[command(flatten)]
    format: OutputFormat,
}

/// Writes scenes as captures
#[derive(clap::Args)]
struct Save {
    /// Folder for the captures
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    #[command(flatten)]
    chosen: ChosenCases,
}

/// Accepts the reference renderer's images of scenes as expected images; review them first (needs the source tree)
#[derive(clap::Args)]
struct Bless {
    /// Why the images are right, in one line
    #[arg(value_name = "REASON")]
    reason: String,
    #[command(flatten)]
    chosen: ChosenCases,
}

#[derive(clap::Args)]
struct SuiteArguments {
    /// Backend to test
    #[arg(long, default_value = "gl", value_parser = named(ConformDevice::ALL, ConformDevice::name))]
    backend: ConformDevice,
    /// Renderer to compare with; none leaves out the cases that need one
    #[arg(long, value_name = "BACKEND", value_parser = oracles())]
    oracle: Option<String>,
    #[command(flatten)]
    gl: GlArguments,
    /// Equivalent to --backend gles
    #[arg(long, conflicts_with = "backend")]
    gles: bool,
    /// Profile of every context; cases that need another profile are left out [default: each case's own]
    #[arg(long, value_parser = named(&Profile::ALL, Profile::name))]
    profile: Option<Profile>,
    /// Recording, or folder with capture cases; repeatable
    #[arg(long, value_name = "PATH")]
    cases: Vec<PathBuf>,
    /// Add a deliberate error to the backend, to test the cases; an unknown name lists all of them
    #[arg(long, value_name = "NAME", value_parser = mutation)]
    mutation: Option<&'static Mutation>,
    /// Run the cases that test the runner
    #[arg(long, hide = true)]
    self_test: bool,
}

/// Returns a clap parser for the name of a device that draws, or `none`.
fn oracles() -> PossibleValuesParser {
    let drawing = ConformDevice::ALL.iter().filter(|device| device.draws());
    drawing.map(|device| device.name()).chain([NONE]).collect::<Vec<_>>().into()
}

/// Returns the mutation with this name. The error for an unknown name lists all mutations.
fn mutation(name: &str) -> Result<&'static Mutation, String> {
    Mutation::named(name).ok_or_else(|| {
        let row = |it: &Mutation| vec![format!("  {}", it.name), it.what.to_owned()];
        let rows: Vec<_> = MUTATIONS.iter().map(row).collect();
        format!("unknown mutation; the mutations are:\n{}", aligned(&rows, "").concat().trim_end())
    })
}

impl SuiteArguments {
    fn options(&self, cases: CaseSet, arguments: &CaseArguments) -> SuiteOptions {
        let device = if self.gles { ConformDevice::Gles } else { self.backend };
        let mut options = SuiteOptions::new(device);
        match self.oracle.as_deref() {
            None => {}
            Some(NONE) => options.oracle = None,
            Some(name) => options.oracle = ConformDevice::from_name(name),
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
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        match self.other {
            Some(CaseCommand::List(list)) => list.run(),
            Some(CaseCommand::Facts(facts)) => facts.run(),
            Some(CaseCommand::Mutants(mutants)) => mutants.run(CaseSet::Mutants),
            Some(CaseCommand::Merge(merge)) => merge.run(),
            Some(CaseCommand::Compare(compare)) => compare.run(),
            Some(CaseCommand::New(new)) => new.run(),
            Some(CaseCommand::Save(Save { dir, chosen })) => save(&chosen.cases()?, &dir),
            Some(CaseCommand::Swf(swf)) => swf.run(),
            Some(CaseCommand::Results(judge)) => judge.run(),
            Some(CaseCommand::Answers(answers)) => answers.run(),
            Some(CaseCommand::Bless(Bless { reason, chosen })) => bless(&chosen.cases()?, &reason),
            Some(CaseCommand::Worker) => {
                pool::serve(io::stdin(), io::stdout().lock())
                    .map_err(|error| CommandFailure(error.0))?;
                Ok(CommandStatus::Success)
            }
            None => self.whole.run(CaseSet::Suite),
        }
    }
}

impl RunCommand {
    fn run(self, cases: CaseSet) -> Result<CommandStatus, CommandFailure> {
        let options = self.suite.options(cases, &self.run.cases);
        let selected = self.run.selected(&options)?;
        self.run.start(options, selected)
    }
}

impl ListCommand {
    /// Prints the names of cases, and with `--long` or `--json` their details.
    fn run(self) -> Result<CommandStatus, CommandFailure> {
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

fn save(cases: &[Case], folder: &Path) -> Result<CommandStatus, CommandFailure> {
    output::make_folder(folder)?;
    let mut count = 0;
    for case in cases {
        if let CaseBody::Scene(scene) = &case.body {
            let path = folder.join(format!("{}.s3d.jsonl", case.name));
            let capture =
                record(case, case.setup, scene).map_err(CommandFailure::of(path.display()))?;
            output::write(&path, capture)?;
            count += 1;
        }
    }
    output::print(&format!("{count} captures in {}\n", folder.display()))?;
    Ok(CommandStatus::Success)
}

fn bless(cases: &[Case], reason: &str) -> Result<CommandStatus, CommandFailure> {
    let folder = Path::new("harness/conform/expected");
    if !folder.is_dir() || reason.contains(['\t', '\n']) {
        let text = format!("bless needs the folder {} and a reason in one line", folder.display());
        return Err(CommandFailure(text));
    }
    let (table, sheet, unfit) = pictures::bless(cases, reason).map_err(CommandFailure)?;
    output::write(&folder.join("pictures.tsv"), &table)?;
    output::write(&folder.join("pictures.png"), sheet)?;
    unfit.iter().for_each(|name| output::tell(&format!("left out: {name}")));
    output::print(&format!("{} scenes have expected images\n", table.lines().count()))?;
    Ok(CommandStatus::Success)
}
