//! Prints the results of commands, and writes output files and folders. Standard output and standard error may be
//! closed early, as in `molehill info x | head`.

use std::error::Error;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use anstream::{AutoStream, ColorChoice};
use serde::Serialize;
use serde_json::Value;

use super::style::paint;
use molehill_replay::evidence::{ComparisonEvidence, Conclusion};
use molehill_replay::files;
use molehill_replay::image::{RgbaImage, write_png};
use molehill_replay::terminal::visible;

/// The status of a command that completed its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommandStatus {
    Success,
    /// A check failed, so the exit status is 1.
    Mismatch,
    /// The command compared no results, so the exit status is 2.
    Untested,
    /// A signal interrupted the command, so the exit status is 130, as in shells.
    Interrupted,
}

impl CommandStatus {
    pub(super) fn of(good: bool) -> Self {
        if good { CommandStatus::Success } else { CommandStatus::Mismatch }
    }
}

/// The error message of a failed command, printed to standard error. After a failed command, the tool's exit status is
/// 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CommandFailure(pub(super) String);

impl CommandFailure {
    /// Returns a function for `map_err` that adds the name of an input or a file to an error.
    pub(super) fn of<E: Display>(name: impl Display) -> impl Fn(E) -> Self {
        move |error| CommandFailure(format!("{name}: {error}"))
    }
}

impl<E: Error> From<E> for CommandFailure {
    fn from(error: E) -> Self {
        CommandFailure(error.to_string())
    }
}

#[derive(clap::Args, Clone, Copy)]
pub(super) struct OutputFormat {
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(super) json: bool,
}

impl OutputFormat {
    pub(super) fn print(
        self,
        answer: &impl Serialize,
        text: impl FnOnce() -> String,
    ) -> Result<CommandStatus, CommandFailure> {
        if self.json {
            print_bytes(format!("{:#}\n", serde_json::to_value(answer)?).as_bytes())?;
        } else {
            print(&text())?;
        }
        Ok(CommandStatus::Success)
    }
}

pub(super) fn with(
    mut object: Value,
    members: impl IntoIterator<Item = (&'static str, Value)>,
) -> Value {
    members.into_iter().for_each(|(name, value)| object[name] = value);
    object
}

/// Prints to standard output. Control characters are escaped; on a terminal, verdicts are coloured. A closed pipe is
/// not an error; other errors, such as a full disk, are returned.
pub(super) fn print(text: &str) -> Result<(), CommandFailure> {
    match AutoStream::choice(&io::stdout()) {
        ColorChoice::Never => print_bytes(visible(text).as_bytes()),
        _ => print_to(anstream::stdout().lock(), paint(&visible(text)).as_bytes()),
    }
}

/// Prints bytes to standard output without escaping. Ignores a closed pipe, like [`print()`].
pub(super) fn print_bytes(bytes: &[u8]) -> Result<(), CommandFailure> {
    print_to(io::stdout().lock(), bytes)
}

fn print_to(mut output: impl Write, bytes: &[u8]) -> Result<(), CommandFailure> {
    match output.write_all(bytes).and_then(|()| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(CommandFailure(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints to standard error, with control characters escaped.
pub(super) fn tell(text: &str) {
    // Ignore errors of standard error, because they can't be reported.
    let _ = match AutoStream::choice(&io::stderr()) {
        ColorChoice::Never => writeln!(io::stderr().lock(), "{}", visible(text)),
        _ => writeln!(anstream::stderr().lock(), "{}", paint(&visible(text))),
    };
}

pub(super) fn complain(text: &str) {
    tell(&format!("molehill: {text}"));
}

pub(super) fn make_folder(path: &Path) -> Result<(), CommandFailure> {
    files::make_folder(path).map_err(CommandFailure::of(path.display()))
}

pub(super) fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), CommandFailure> {
    files::write(path, bytes.as_ref()).map_err(CommandFailure::of(path.display()))
}

pub(super) fn write_picture(path: &Path, image: &RgbaImage) -> Result<(), CommandFailure> {
    write_png(path, image).map_err(CommandFailure::of(path.display()))
}

#[derive(clap::Args, Clone, Copy, Default)]
pub(super) struct UntestedArguments {
    /// Exit with 0 even if nothing was compared, or both sides are the same
    #[arg(long)]
    allow_untested: bool,
}

impl UntestedArguments {
    pub(super) fn allows(self) -> bool {
        self.allow_untested
    }

    /// Returns the exit status of a command that compared results. If the comparison tested nothing, prints why.
    pub(super) fn status(self, evidence: &ComparisonEvidence) -> CommandStatus {
        self.conclude(evidence.conclusion())
    }

    /// Returns the exit status for the conclusion of a comparison. If the comparison tested nothing, prints why.
    pub(super) fn conclude(self, conclusion: Conclusion) -> CommandStatus {
        match conclusion {
            Conclusion::Agrees => CommandStatus::Success,
            Conclusion::Differs => CommandStatus::Mismatch,
            Conclusion::NotTested(why) if self.allow_untested => {
                complain(&format!("{why}; allowed by --allow-untested"));
                CommandStatus::Success
            }
            Conclusion::NotTested(why) => {
                complain(&format!("{why} (--allow-untested accepts this)"));
                CommandStatus::Untested
            }
        }
    }
}
