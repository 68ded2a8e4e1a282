//! `molehill check`

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::conform::shared::{KnownFailures, PoolArguments, processors, run_cases, status};
use super::{Failure, Format, ProfileArgument, RendererArguments, RendererKind, Status, output};
use molehill_conform::case::{Body, Case};
use molehill_conform::device::Device;
use molehill_conform::report::Totals;
use molehill_conform::report::captures::{CaptureRow, json, table};
use molehill_conform::{CaseSet, Outcome, SuiteOptions};

/// Replays captures and checks pictures and errors
#[derive(clap::Args)]
#[command(mut_arg("timeout", |timeout| timeout.default_value("600")))]
pub(super) struct Check {
    /// Recordings, and folders to search for cases
    #[arg(value_name = "PATH", required = true)]
    dirs: Vec<PathBuf>,
    /// Folder for pictures: NAME.png, and NAME.expected.png and NAME.peer.png if they differ
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    known: KnownFailures,
    #[command(flatten)]
    pool: PoolArguments,
    #[command(flatten)]
    renderer: RendererArguments,
    #[command(flatten)]
    profile: ProfileArgument,
    #[command(flatten)]
    format: Format,
}

impl Check {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let device = if self.renderer.gles { Device::Gles } else { Device::Gl };
        let mut options = SuiteOptions {
            renderer: self.renderer.options(),
            profile: self.profile.profile,
            case_set: CaseSet::Captures,
            folders: self.dirs,
            known_failures: self.known.known_failures,
            pictures: self.out,
            ..SuiteOptions::new(device)
        };
        let cases = options.cases()?;
        options.known(&cases)?;
        if let Some(out) = &options.pictures {
            output::make_folder(out)?;
        }
        match self.renderer.kind {
            RendererKind::OpenGl => {}
            RendererKind::Reference => options.device = Device::Reference,
            RendererKind::Auto => {
                if let Err(error) = self.pool.pool(&options)?.driver() {
                    output::tell(&format!("{error}; using the reference renderer"));
                    options.device = Device::Reference;
                }
            }
        }
        // The processors are divided among the parallel cases.
        let jobs = self.pool.jobs().min(cases.len());
        let share = NonZeroUsize::new(processors() / jobs.max(1));
        options.renderer.threads = options.renderer.threads.or(share);

        let mut outcomes = HashMap::new();
        run_cases(&self.pool.pool(&options)?, &cases, Totals::default(), |outcome| {
            outcomes.insert(outcome.name.clone(), outcome);
            Ok(())
        })?;
        let rows: Vec<_> = cases.iter().filter_map(|case| row(case, &outcomes)).collect();
        self.format.print(&json(&rows), || table(&rows))?;
        let totals = Totals::of(rows.iter().map(|row| row.outcome));
        Ok(status(&totals, true))
    }
}

fn row<'a>(case: &'a Case, outcomes: &'a HashMap<String, Outcome>) -> Option<CaptureRow<'a>> {
    let picture = match &case.body {
        Body::Capture(capture) => capture.expected.as_ref(),
        _ => None,
    };
    Some(CaptureRow { outcome: outcomes.get(&case.name)?, picture })
}
