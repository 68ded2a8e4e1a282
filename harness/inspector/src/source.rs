//! Reads captures and images from files and from memory.

use std::error::Error;
use std::io::{Cursor, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use molehill_analysis::capture::CaptureRead;
use molehill_analysis::{Capture, CaptureLimits, edit};
use molehill_capture::CaptureReader;
use molehill_replay::folder::only_capture_in;
use molehill_replay::image::{RgbaImage, decode_png};
use web_time::Instant;

#[derive(Clone)]
pub enum CaptureSource {
    File(PathBuf),
    /// An edited capture, and its edits as text: see [`molehill_analysis::edit`].
    Edited(Arc<Capture>, String),
    /// The content of a file in memory, as passed by a web page.
    Bytes {
        name: String,
        bytes: Arc<[u8]>,
    },
}

#[derive(Debug, Default)]
pub struct SourceProgress {
    read: AtomicU64,
    total: AtomicU64,
}

impl SourceProgress {
    /// Returns the fraction that was read, from 0 to 1, or `None` if the size is unknown.
    pub fn fraction(&self) -> Option<f32> {
        let total = self.total.load(Ordering::Relaxed);
        let read = self.read.load(Ordering::Relaxed);
        #[expect(clippy::cast_possible_truncation, reason = "a share of the whole, for a bar")]
        (total > 0).then(|| (read as f64 / total as f64).min(1.0) as f32)
    }

    fn begin(&self, total: u64) {
        self.read.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }
}

struct ReadCounter<R> {
    inner: R,
    progress: Arc<SourceProgress>,
}

impl<R: Read> Read for ReadCounter<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.progress.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

pub enum SourceContent {
    Capture(Arc<Capture>),
    Picture(Arc<RgbaImage>),
}

/// The display name of an edited capture.
pub(crate) const EDITED: &str = "the edited capture";
const PNG: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

impl CaptureSource {
    /// Returns the display name: a file's path, or the name of other sources.
    pub fn name(&self) -> String {
        match self {
            CaptureSource::File(path) => path.display().to_string(),
            CaptureSource::Edited(..) => EDITED.to_owned(),
            CaptureSource::Bytes { name, .. } => name.clone(),
        }
    }

    /// Starts reading a capture (text or binary, or the only capture in a folder), or reads a PNG file.
    fn begin(&mut self, progress: &Arc<SourceProgress>) -> Result<LoadStep, Box<dyn Error>> {
        if let CaptureSource::File(path) = self
            && path.is_dir()
        {
            *path = only_capture_in(path)?;
        }
        let (mut input, size): (Box<dyn Read + Send>, u64) = match self {
            CaptureSource::File(path) => {
                let file = std::fs::File::open(path)?;
                let size = file.metadata().map_or(0, |data| data.len());
                (Box::new(std::io::BufReader::new(file)), size)
            }
            CaptureSource::Edited(capture, text) => {
                let edits = edit::parse(capture, text, &mut |path| std::fs::read(path))?;
                let edited = Arc::new(edit::apply(capture, &edits)?);
                return Ok(LoadStep::Done(SourceContent::Capture(edited)));
            }
            CaptureSource::Bytes { bytes, .. } => {
                (Box::new(Cursor::new(Arc::clone(bytes))), bytes.len() as u64)
            }
        };
        progress.begin(size);
        let mut start = Vec::new();
        input.by_ref().take(8).read_to_end(&mut start)?;
        let picture = start == PNG;
        let is_text = start.first() == Some(&b'{');
        let mut whole =
            ReadCounter { inner: Cursor::new(start).chain(input), progress: Arc::clone(progress) };
        if picture {
            let mut bytes = Vec::new();
            whole.read_to_end(&mut bytes)?;
            return Ok(LoadStep::Done(SourceContent::Picture(Arc::new(decode_png(&bytes)?))));
        }
        match self {
            // Binary captures are read from the file on demand.
            CaptureSource::File(path) if !is_text => {
                let capture = Capture::open(CaptureReader::open(path)?, CaptureLimits::default())?;
                Ok(LoadStep::Done(SourceContent::Capture(Arc::new(capture))))
            }
            _ => {
                Ok(LoadStep::Reading(Box::new(CaptureReader::new(whole)?), CaptureRead::default()))
            }
        }
    }
}

const RECORDS: usize = 100;

enum LoadStep {
    Closed,
    Reading(Box<CaptureReader>, CaptureRead),
    Done(SourceContent),
}

pub struct SourceLoader {
    source: CaptureSource,
    step: LoadStep,
}

impl SourceLoader {
    /// Creates a loader. [`SourceLoader::advance`] does all the reading.
    pub fn new(source: CaptureSource) -> SourceLoader {
        SourceLoader { source, step: LoadStep::Closed }
    }

    pub fn name(&self) -> String {
        self.source.name()
    }

    /// Continues reading, at least a few records, until the time `until` or to the end. Returns the content when
    /// reading is complete.
    pub fn advance(
        &mut self,
        progress: &Arc<SourceProgress>,
        until: Option<Instant>,
    ) -> Result<Option<SourceContent>, Box<dyn Error>> {
        if matches!(self.step, LoadStep::Closed) {
            self.step = self.source.begin(progress)?;
        }
        if let LoadStep::Reading(reader, reading) = &mut self.step {
            let most = if until.is_some() { RECORDS } else { usize::MAX };
            while !reading.advance(reader, CaptureLimits::default(), most)? {
                if until.is_some_and(|until| Instant::now() >= until) {
                    return Ok(None);
                }
            }
        }
        match std::mem::replace(&mut self.step, LoadStep::Closed) {
            LoadStep::Closed => Ok(None),
            LoadStep::Reading(reader, reading) => {
                Ok(Some(SourceContent::Capture(Arc::new(reading.finish(&reader)?))))
            }
            LoadStep::Done(content) => Ok(Some(content)),
        }
    }
}
