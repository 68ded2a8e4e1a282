//! `molehill completions` and `molehill man`: completion scripts for shells, and manual pages.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::Shell;
use clap_mangen::Man;

use super::{Failure, Status, output};

const COMPLETIONS_HELP: &str = "\
Examples:
  molehill completions bash > ~/.local/share/bash-completion/completions/molehill
  molehill completions zsh > \"${fpath[1]}/_molehill\"
  molehill completions fish > ~/.config/fish/completions/molehill.fish";

const MAN_HELP: &str = "\
Examples:
  molehill man | man -l -
  molehill man --out ~/.local/share/man/man1";

pub(super) fn completions_command() -> Command {
    Command::new("completions")
        .about("Prints the completion script for a shell")
        .after_help(COMPLETIONS_HELP)
        .arg(
            Arg::new("shell")
                .value_name("SHELL")
                .required(true)
                .value_parser(value_parser!(Shell))
                .help("The shell"),
        )
}

pub(super) fn completions(matches: &ArgMatches) -> Result<Status, Failure> {
    let mut text = Vec::new();
    if let Some(shell) = matches.get_one::<Shell>("shell") {
        clap_complete::generate(*shell, &mut super::command(), "molehill", &mut text);
    }
    output::print_bytes(&text)?;
    Ok(Status::Success)
}

pub(super) fn man_command() -> Command {
    Command::new("man")
        .about("Prints the manual page, or writes a page for each command")
        .after_help(MAN_HELP)
        .arg(output::argument("DIR", "Folder for molehill.1, molehill-replay.1 and so on"))
}

pub(super) fn man(matches: &ArgMatches) -> Result<Status, Failure> {
    let Some(folder) = matches.get_one::<PathBuf>("out") else {
        let mut page = Vec::new();
        Man::new(super::command()).render(&mut page)?;
        output::print_bytes(&page)?;
        return Ok(Status::Success);
    };
    output::make_folder(folder)?;
    let mut command = super::command().disable_help_subcommand(true);
    command.build();
    pages(command, folder)?;
    Ok(Status::Success)
}

/// Writes the pages of a command and of its subcommands.
fn pages(command: Command, folder: &Path) -> Result<(), Failure> {
    for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        pages(command.clone(), folder)?;
    }
    let man = Man::new(command);
    let mut page = Vec::new();
    man.render(&mut page)?;
    output::write(&folder.join(man.get_filename()), page)
}
