//! The exit status of commands that compare, from their evidence.

use molehill_replay::evidence::{Conclusion, Evidence};

use super::{Status, output};

/// The option of every command that compares.
#[derive(clap::Args, Clone, Copy, Default)]
pub(super) struct UntestedArguments {
    /// Exit with 0 also if nothing was compared, or both sides are the same
    #[arg(long)]
    allow_untested: bool,
}

impl UntestedArguments {
    pub(super) fn allows(self) -> bool {
        self.allow_untested
    }

    /// Returns the exit status of a comparison, and says on standard error why it is no test.
    pub(super) fn status(self, evidence: &Evidence) -> Status {
        self.conclude(evidence.conclusion())
    }

    /// Returns the exit status of a verdict.
    pub(super) fn conclude(self, conclusion: Conclusion) -> Status {
        match conclusion {
            Conclusion::Agrees => Status::Success,
            Conclusion::Differs => Status::Mismatch,
            Conclusion::NotTested(why) if self.allow_untested => {
                output::complain(&format!("{why}; allowed by --allow-untested"));
                Status::Success
            }
            Conclusion::NotTested(why) => {
                output::complain(&format!("{why} (--allow-untested accepts that)"));
                Status::Untested
            }
        }
    }
}
