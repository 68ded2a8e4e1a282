//! The command line of `molehill`, one module per subcommand.

mod agal;
mod arguments;
mod atf;
mod bench;
mod binary;
mod campaign;
mod capture;
mod check;
mod conform;
mod convert;
mod d3d9;
mod demo;
mod diff;
mod doctor;
mod draws;
mod dump;
mod folder;
mod frames;
mod hash;
mod hs50;
mod info;
mod input;
mod inspect;
mod minimize;
mod outcome;
mod output;
mod picture_folder;
mod pixel;
mod progress;
mod renderer;
mod replay;
mod shell;
mod state;
mod style;
mod summary;
mod table;
mod trim;
mod until;
mod values;
mod window;

use std::error::Error;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use clap::{ArgMatches, Command};

use molehill_replay::terminal::visible;

/// The result of a subcommand that could do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Exit status 0.
    Success,
    /// A check failed: exit status 1.
    Mismatch,
}

impl Status {
    /// The status of a check.
    pub(crate) fn of(good: bool) -> Self {
        match good {
            true => Status::Success,
            false => Status::Mismatch,
        }
    }
}

/// Why a subcommand could not do its work: exit status 2; the text is printed to standard error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure(pub(crate) String);

impl Failure {
    /// Adds the name of an input or a file to an error: for `map_err`.
    pub(crate) fn of<E: Display>(name: impl Display) -> impl Fn(E) -> Self {
        move |error| Failure(format!("{name}: {error}"))
    }
}

impl<E: Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure(error.to_string())
    }
}

/// A subcommand: its arguments, and its function.
type Subcommand = (fn() -> Command, fn(&ArgMatches) -> Result<Status, Failure>);

/// Every subcommand.
const SUBCOMMANDS: &[Subcommand] = &[
    (replay::command, replay::run),
    (info::command, info::run),
    (dump::command, dump::run),
    (state::command, state::run),
    (draws::command, draws::run),
    (pixel::command, pixel::run),
    (trim::command, trim::run),
    (minimize::command, minimize::run),
    (diff::command, diff::run),
    (hash::command, hash::run),
    (convert::command, convert::run),
    (check::command, check::run),
    (conform::command, conform::run),
    (agal::command, agal::run),
    (d3d9::command, d3d9::run),
    (atf::command, atf::run),
    (hs50::command, hs50::run),
    (demo::command, demo::run),
    (doctor::command, doctor::run),
    (shell::completions_command, shell::completions),
    (shell::man_command, shell::man),
    (bench::command, bench::run),
    (window::command, window::run),
];

const ABOUT: &str = "Replays, inspects and checks recorded Stage3D programs; tools for AGAL";

const AFTER_HELP: &str = "\
Examples:
  molehill replay capture.s3d.jsonl --out frames
  molehill replay capture.s3d.jsonl.zst --expect expected.png --out out
  molehill info capture.s3d.jsonl
  molehill inspect capture.s3d.jsonl
  molehill pixel capture.s3d.jsonl --frame 3 --at 120,80
  molehill hash capture.s3d --frames 10-20
  molehill convert capture.s3d.jsonl.zst -o capture.s3d
  molehill check captures --out out
  molehill conform --out conform
  molehill agal check programs
  molehill d3d9 dis shader.bin
  molehill atf sky.atf --png levels
  molehill hs50 dis shader.dxbc
  molehill demo knot.s3d.jsonl
  molehill doctor
  molehill bench --backend noop

Exit status:
  0  success
  1  a check failed: a picture, a case or an AGAL program
  2  bad input, or the command can't run

Verdicts are coloured on a terminal, unless NO_COLOR is set. RUST_LOG=info logs every Flash error,
RUST_LOG=debug also every shader. \"molehill help COMMAND\" explains a command.";

fn command() -> Command {
    group("molehill", ABOUT, AFTER_HELP, SUBCOMMANDS).version(env!("CARGO_PKG_VERSION"))
}

/// Runs the tool with its arguments, the program's name first.
pub fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    start_log();
    let matches = match command().try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => {
            // Printing help to a closed pipe is not a failure.
            let failed = error.print().err().filter(|error| error.kind() != ErrorKind::BrokenPipe);
            if let Some(failed) = &failed {
                output::complain(&format!("standard output: {failed}"));
            }
            return ExitCode::from(if error.use_stderr() || failed.is_some() { 2 } else { 0 });
        }
    };
    match dispatch(SUBCOMMANDS, &matches) {
        Ok(Status::Success) => ExitCode::SUCCESS,
        Ok(Status::Mismatch) => ExitCode::from(1),
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
        let (level, place) = (record.level(), record.target());
        let style = out.default_level_style(level);
        let text = record.args().to_string();
        writeln!(out, "[{style}{level:5}{style:#} {place}] {}", visible(&text))
    });
    builder.init();
}

/// A command that has subcommands.
fn group(
    name: &'static str,
    about: &'static str,
    help: &'static str,
    subcommands: &[Subcommand],
) -> Command {
    Command::new(name)
        .about(about)
        .after_help(help)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(subcommands.iter().map(|(command, _)| command()))
}

/// Runs the selected subcommand.
fn dispatch(subcommands: &[Subcommand], matches: &ArgMatches) -> Result<Status, Failure> {
    let chosen = matches.subcommand().and_then(|(name, matches)| {
        let named = |(command, _): &&Subcommand| command().get_name() == name;
        subcommands.iter().find(named).map(|(_, run)| run(matches))
    });
    // clap accepts no other subcommand.
    chosen.unwrap_or_else(|| Err(Failure("no such command".to_owned())))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_sound() {
        super::command().debug_assert();
    }

    #[test]
    fn an_unknown_workaround_lists_all() {
        for command in ["check", "conform", "replay"] {
            let line = ["molehill", command, "--workaround", "nothing=on"];
            let error = super::command().try_get_matches_from(line);
            let text = error.expect_err("no such workaround").to_string();
            assert!(text.contains("clip-depth-in-shader"), "{command}: {text}");
        }
        let forced = "rgb8-for-565=off";
        let line = ["molehill", "check", "x", "--workaround", forced];
        assert!(super::command().try_get_matches_from(line).is_ok());
    }
}
