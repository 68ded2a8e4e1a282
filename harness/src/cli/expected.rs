//! The option `--expect`: the expected image of a frame.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use molehill_analysis::expected::ExpectedFile;
use molehill_analysis::{Expected, InspectError, Limits};
use molehill_replay::image::read_png;

use super::Failure;
use super::capture_argument::read;
use super::input::PNG;

/// Reads the image or the capture that the option names.
pub(super) fn expected(text: &str) -> Result<Expected, Failure> {
    let failed = |Failure(text)| InspectError::Unsupported(text);
    Ok(Expected::read(text, &mut |path| file(Path::new(path)).map_err(failed))?)
}

fn file(path: &Path) -> Result<ExpectedFile, Failure> {
    let mut start = Vec::new();
    if path.is_file() {
        let file = File::open(path).map_err(Failure::of(path.display()))?;
        file.take(PNG.len() as u64).read_to_end(&mut start).map_err(Failure::of(path.display()))?;
    }
    Ok(if start.starts_with(PNG) {
        ExpectedFile::Picture(read_png(path).map_err(Failure::of(path.display()))?)
    } else {
        ExpectedFile::Capture(read(path, Limits::default())?.into())
    })
}
