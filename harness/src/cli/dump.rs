//! `molehill dump`

use serde_json::json;

use super::arguments::range;
use super::capture_argument::CaptureArgument;
use super::output::{Failure, Status};

/// Shows calls as text, with their passes, objects and errors
#[derive(clap::Args)]
#[command(after_help = include_str!("../help/dump.txt"))]
pub(super) struct Dump {
    #[command(flatten)]
    capture: CaptureArgument,
    /// Only these calls, counted from 1
    #[arg(long, value_name = "A-B", value_parser = range::<usize>, conflicts_with = "frame")]
    calls: Option<(usize, usize)>,
    /// The frame, by its number in the capture
    #[arg(short, long, value_name = "N")]
    frame: Option<u32>,
}

impl Dump {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let inspector = self.capture.inspector(self.frame)?;
        let lines = match (self.frame, self.calls, inspector.capture().call_count()) {
            (Some(frame), ..) => inspector.dump_frame(frame)?,
            (None, Some((first, last)), _) => inspector.dump(first..=last)?,
            (None, None, 0) => Vec::new(),
            (None, None, last) => inspector.dump(1..=last)?,
        };
        let text = || lines.iter().map(|line| format!("{line}\n")).collect();
        self.capture.format.print(&json!({ "calls": lines }), text)
    }
}
