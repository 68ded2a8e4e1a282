//! `molehill completions` and `molehill man`: write completion scripts for shells, and manual pages.

use std::path::{Path, PathBuf};

use clap::Command;
use clap_complete::Shell;

use super::{CommandFailure, CommandStatus, output};

/// Prints the completion script for a shell
#[derive(clap::Args)]
pub(super) struct Completions {
    /// The shell that reads the script
    shell: Shell,
}

/// Prints the manual page, or writes one page per command
#[derive(clap::Args)]
pub(super) struct Man {
    /// Folder for the pages molehill.1, molehill-replay.1 and so on
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Completions {
    pub(super) fn run(self, command: &mut Command) -> Result<CommandStatus, CommandFailure> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, command, "molehill", &mut text);
        output::print_bytes(&text).map(|()| CommandStatus::Success)
    }
}

impl Man {
    pub(super) fn run(self, command: Command) -> Result<CommandStatus, CommandFailure> {
        if let Some(folder) = &self.out {
            output::make_folder(folder)?;
            let mut command = command.disable_help_subcommand(true);
            command.build();
            return pages(command, folder).map(|()| CommandStatus::Success);
        }
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        output::print_bytes(&page).map(|()| CommandStatus::Success)
    }
}

/// Writes the pages of a command and its subcommands. Unlike `clap_mangen::generate_to`, replaces each file atomically.
fn pages(command: Command, folder: &Path) -> Result<(), CommandFailure> {
    for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        pages(command.clone(), folder)?;
    }
    let man = clap_mangen::Man::new(command);
    let mut page = Vec::new();
    man.render(&mut page)?;
    output::write(&folder.join(man.get_filename()), page)
}
