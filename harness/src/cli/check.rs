//! `molehill check`: runs `molehill conform` with captures only.

use std::path::PathBuf;

use super::conform::RunArguments;
use super::{
    CommandFailure, CommandStatus, ProfileArgument, RendererArguments, RendererKind, output,
};
use molehill_conform::device::ConformDevice;
use molehill_conform::{CaseSet, SuiteOptions};

/// Replays captures and checks images, errors and messages
#[derive(clap::Args)]
#[command(mut_arg("timeout", |timeout| timeout.default_value("600")))]
pub(super) struct Check {
    /// Recordings, and folders to search for test cases
    #[arg(value_name = "PATH", required = true)]
    dirs: Vec<PathBuf>,
    #[command(flatten)]
    run: RunArguments,
    #[command(flatten)]
    renderer: RendererArguments,
    #[command(flatten)]
    profile: ProfileArgument,
}

impl Check {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let mut options = SuiteOptions {
            renderer: self.renderer.options(),
            profile: self.profile.profile,
            case_set: CaseSet::Captures,
            folders: self.dirs,
            known_failures: self.run.cases.known.known_failures.clone(),
            ..SuiteOptions::new(self.renderer.device())
        };
        let cases = self.run.selected(&options)?;
        if self.renderer.kind == RendererKind::Auto
            && let Err(error) = self.run.pool.pool(&options)?.driver()
        {
            output::tell(&format!("{error}; using the reference renderer"));
            options.device = ConformDevice::Reference;
        }
        self.run.start(options, cases)
    }
}
