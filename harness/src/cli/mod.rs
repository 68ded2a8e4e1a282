//! The command line of `molehill`, one module per command. The help texts are in `../help.txt`.

mod arguments;
mod ask;
mod atf;
mod capture_argument;
mod check;
mod conform;
mod convert;
mod diff;
mod doctor;
mod expected;
mod explain;
mod frames;
mod info;
mod input;
mod inspect;
mod minimize;
mod no_effect;
mod output;
mod picture_folder;
mod pixel;
mod progress;
mod record;
mod renderer;
mod replay;
mod serve;
mod shader;
mod share;
mod sharpness;
mod shell;
mod show;
mod style;
mod summary;
mod table;
mod time;
mod trim;

use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use clap::{Arg, ArgAction, Command, CommandFactory, FromArgMatches, Parser, Subcommand};

use arguments::{
    CLIPS, FloatArgument, ProfileArgument, ToleranceArguments, choice, named, subcommands,
};
use capture_argument::{CaptureArgument, Interruption};
use frames::{EndedFrames, FrameArgument};
use molehill_replay::terminal::visible;
use output::{CommandFailure, CommandStatus, OutputFormat, UntestedArguments, with};
use progress::ProgressLine;
use renderer::{GlArguments, RendererArguments, RendererKind, WorkaroundArguments};
use sharpness::SharpnessArguments;
use table::TableColumn;

/// Replays, inspects and checks recorded Stage3D programs; tools for shaders
#[derive(Parser)]
#[command(name = "molehill", version)]
struct Molehill {
    #[command(subcommand)]
    command: AnyCommand,
}

#[derive(Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is only one")]
enum AnyCommand {
    #[command(flatten)]
    Work(Work),
    #[command(flatten)]
    Ask(ask::Ask),
    Completions(shell::Completions),
    Man(shell::Man),
}

subcommands! {
    Work {
        Show(show::Show),
        Record(record::RecordCommand),
        Replay(replay::ReplayCommand),
        Info(info::InfoCommand),
        Pixel(pixel::PixelCommand),
        Time(time::Time),
        Trim(trim::Trim),
        Minimize(minimize::Minimize),
        Diff(diff::Diff),
        Explain(explain::ExplainCommand),
        Convert(convert::Convert),
        Check(check::Check),
        Conform(conform::Conform),
        Atf(atf::AtfCommand),
        /// Assembles, disassembles, checks, translates, runs, draws and fuzzes shaders
        #[command(subcommand)]
        Shader(shader::Shader),
        Share(share::ShareCommand),
        Serve(serve::Serve),
        Doctor(doctor::Doctor),
        Inspect(inspect::Inspect),
    }
}

/// The help texts of all commands. Each text begins with a line of `== ` and the words of its command.
const HELP: &str = include_str!("../help.txt");

/// The commands, grouped by purpose for `molehill --help`.
const GROUPS: &[(&str, &[&str])] = &[
    (
        "Look",
        &[
            "inspect",
            "draws",
            "state",
            "pixel",
            "time",
            "dump",
            "objects",
            "histogram",
            "info",
            "replay",
        ],
    ),
    ("Compare", &["diff", "explain"]),
    ("Cut and convert", &["record", "trim", "minimize", "convert", "share"]),
    ("Check", &["check", "conform"]),
    ("Shaders and textures", &["shader", "atf"]),
    ("This machine", &["doctor", "serve", "completions", "man"]),
];

/// The option that shows the help with all options, including rarely needed ones.
const HELP_ALL: &str = "--help-all";
const RENDERER: &str = "Renderer";

/// Returns the definition of the command line. If `all` is true, `--help` also shows rarely needed options.
fn command(all: bool) -> Command {
    let pages = HELP.split("\n== ").filter_map(|page| page.split_once('\n'));
    let pages: Vec<HelpPage> =
        pages.map(|(name, page)| (name.trim_start_matches("== "), page)).collect();
    let tool = with_help(Molehill::command(), "molehill", all, &pages);
    let about = |name: &&str| {
        tool.find_subcommand(name)?.get_about().map(|about| format!("  {name:<12} {about}\n"))
    };
    let groups = GROUPS.iter().map(|(title, names)| {
        let rows: String = names.iter().filter_map(about).collect();
        format!("{title}:\n{rows}\n")
    });
    let groups: String = groups.collect();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}Options:\n{{options}}{{after-help}}"
    );
    tool.help_template(template).override_usage("molehill FILE\n       molehill <COMMAND>")
}

/// The words of a command, and its help text.
type HelpPage = (&'static str, &'static str);

/// Adds the help texts to a command and its subcommands. `words` is the command as the user types it.
fn with_help(command: Command, words: &str, all: bool, pages: &[HelpPage]) -> Command {
    let command = match pages.iter().find(|(name, _)| *name == words) {
        Some((_, page)) => command.after_help(*page),
        None => command,
    };
    let rare = command.get_arguments().any(Arg::is_hide_short_help_set);
    let more = Arg::new("help-all")
        .long("help-all")
        .action(ArgAction::Help)
        .help("Print help with all options");
    let command = command.next_help_heading(None::<&str>).args(rare.then_some(more));
    let command = command.mut_args(|arg| match arg.is_hide_short_help_set() {
        true => arg.hide_short_help(false).hide(!all),
        false => arg,
    });
    command.mut_subcommands(|inner| {
        let words = format!("{words} {}", inner.get_name());
        with_help(inner, &words, all, pages)
    })
}

/// Runs the tool. The first argument is the program's name.
pub(crate) fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    start_log();
    let arguments: Vec<OsString> = arguments.collect();
    let all = arguments.iter().any(|argument| argument == HELP_ALL);
    let mut tool = command(all);
    let arguments = show::with_command(&tool, arguments);
    let parsed = tool.try_get_matches_from_mut(arguments).and_then(|matches| {
        let useless = no_effect::find(&tool, &matches, "");
        Molehill::from_arg_matches(&matches).map(|molehill| (molehill, useless))
    });
    let molehill = match parsed {
        Ok((_, Some(useless))) => {
            output::complain(&useless);
            return ExitCode::from(2);
        }
        Ok((molehill, None)) => molehill,
        Err(error) => {
            // Printing help to a closed pipe is not a failure.
            let failed = error.print().err().filter(|error| error.kind() != ErrorKind::BrokenPipe);
            if let Some(failed) = &failed {
                output::complain(&format!("standard output: {failed}"));
            }
            return ExitCode::from(if error.use_stderr() || failed.is_some() { 2 } else { 0 });
        }
    };
    let status = match molehill.command {
        AnyCommand::Work(command) => command.run(),
        AnyCommand::Ask(ask) => ask.run(),
        AnyCommand::Completions(completions) => completions.run(&mut command(true)),
        AnyCommand::Man(man) => man.run(command(true)),
    };
    match status {
        Ok(CommandStatus::Success) => ExitCode::SUCCESS,
        Ok(CommandStatus::Mismatch) => ExitCode::from(1),
        Ok(CommandStatus::Untested) => ExitCode::from(2),
        Ok(CommandStatus::Interrupted) => ExitCode::from(130),
        Err(CommandFailure(text)) => {
            output::complain(&text);
            ExitCode::from(2)
        }
    }
}

/// Starts the log with the filter in `RUST_LOG`. Log lines are escaped like all other output.
fn start_log() {
    let environment = env_logger::Env::default().default_filter_or("warn");
    let mut builder = env_logger::Builder::from_env(environment);
    builder.format(|out, record| {
        let (level, target) = (record.level(), record.target());
        let style = out.default_level_style(level);
        let text = record.args().to_string();
        writeln!(out, "[{style}{level:5}{style:#} {target}] {}", visible(&text))
    });
    builder.init();
}

#[cfg(test)]
#[path = "../../tests/unit/command_line.rs"]
mod tests;
