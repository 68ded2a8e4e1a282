//! The option `--expect`: the expected image of a frame.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use molehill_analysis::expected::ExpectedFile;
use molehill_analysis::{CaptureLimits, FrameExpectation, InspectError};
use molehill_replay::image::read_png;

use super::CommandFailure;
use super::capture_argument::read;
use super::input::PNG;

/// Reads the image or the capture that the option names.
pub(super) fn expected(text: &str) -> Result<FrameExpectation, CommandFailure> {
    let failed = |CommandFailure(text)| InspectError::Unsupported(text);
    Ok(FrameExpectation::read(text, &mut |path| file(Path::new(path)).map_err(failed))?)
}

fn file(path: &Path) -> Result<ExpectedFile, CommandFailure> {
    let mut start = Vec::new();
    if path.is_file() {
        let file = File::open(path).map_err(CommandFailure::of(path.display()))?;
        file.take(PNG.len() as u64)
            .read_to_end(&mut start)
            .map_err(CommandFailure::of(path.display()))?;
    }
    Ok(if start.starts_with(PNG) {
        ExpectedFile::Picture(read_png(path).map_err(CommandFailure::of(path.display()))?)
    } else {
        ExpectedFile::Capture(read(path, CaptureLimits::default())?.into())
    })
}
