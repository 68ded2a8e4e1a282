//! The command line of `molehill`, one module per command. Its help pages are in `../help.txt`.

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
mod renderer;
mod replay;
mod serve;
mod shader;
mod share;
mod shell;
mod style;
mod summary;
mod table;
mod time;
mod trim;

use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use clap::{Command, CommandFactory, FromArgMatches, Parser, Subcommand};

// The words of all commands.
use arguments::{CLIPS, FloatArgument, ProfileArgument, Tolerance, choice, named, subcommands};
use capture_argument::{CaptureArgument, Interruption};
use frames::{Ended, Frames};
use molehill_replay::terminal::visible;
use output::{Failure, Format, Status, UntestedArguments, with};
use progress::Progress;
use renderer::{GlArguments, RendererArguments, RendererKind, WorkaroundArguments};
use table::Column;

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
        Replay(replay::Replay),
        Info(info::InfoCommand),
        Pixel(pixel::Pixel),
        Time(time::Time),
        Trim(trim::Trim),
        Minimize(minimize::Minimize),
        Diff(diff::Diff),
        Explain(explain::Explain),
        Convert(convert::Convert),
        Check(check::Check),
        Conform(conform::Conform),
        Atf(atf::AtfCommand),
        /// Assembles, disassembles, checks, translates, runs, draws and fuzzes shaders
        #[command(subcommand)]
        Shader(shader::Shader),
        Share(share::Share),
        Serve(serve::Serve),
        Doctor(doctor::Doctor),
        Inspect(inspect::Inspect),
    }
}

/// The help pages, each after a line with `== ` and the words of its command.
const HELP: &str = include_str!("../help.txt");

fn command() -> Command {
    with_help(Molehill::command(), "molehill")
}

/// Adds the help pages to a command, which is called with these words, and to its subcommands.
fn with_help(command: Command, words: &str) -> Command {
    let mut pages = HELP.split("\n== ").filter_map(|page| page.split_once('\n'));
    let command = match pages.find(|(name, _)| name.trim_start_matches("== ") == words) {
        Some((_, page)) => command.after_help(page),
        None => command,
    };
    command.mut_subcommands(|inner| {
        let words = format!("{words} {}", inner.get_name());
        with_help(inner, &words)
    })
}

/// Runs the tool with its arguments, the program's name first.
pub(crate) fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    start_log();
    let mut tool = command();
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
        AnyCommand::Completions(completions) => completions.run(&mut command()),
        AnyCommand::Man(man) => man.run(command()),
    };
    match status {
        Ok(Status::Success) => ExitCode::SUCCESS,
        Ok(Status::Mismatch) => ExitCode::from(1),
        Ok(Status::Untested) => ExitCode::from(2),
        Ok(Status::Interrupted) => ExitCode::from(130),
        Err(Failure(text)) => {
            output::complain(&text);
            ExitCode::from(2)
        }
    }
}

/// Starts the log with the filter in `RUST_LOG`. Its lines are escaped like all other output.
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
