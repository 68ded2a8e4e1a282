//! Reads captures and images from files and from memory.

use std::error::Error;
use std::io::{Cursor, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use molehill_analysis::capture::Reading;
use molehill_analysis::{Capture, Limits, edit};
use molehill_capture::Reader;
use molehill_replay::folder::only_capture_in;
use molehill_replay::image::{Image, decode_png};
use web_time::Instant;

#[derive(Clone)]
pub enum Source {
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
pub struct Progress {
    read: AtomicU64,
    total: AtomicU64,
}

impl Progress {
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

struct Counted<R> {
    inner: R,
    progress: Arc<Progress>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.progress.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

pub enum Content {
    Capture(Arc<Capture>),
    Picture(Arc<Image>),
}

/// The display name of an edited capture.
pub(crate) const EDITED: &str = "the edited capture";
const PNG: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

impl Source {
    /// Returns the display name: a file's path, or the name of other sources.
    pub fn name(&self) -> String {
        match self {
            Source::File(path) => path.display().to_string(),
            Source::Edited(..) => EDITED.to_owned(),
            Source::Bytes { name, .. } => name.clone(),
        }
    }

    /// Starts reading a capture (text or binary, or the only capture in a folder), or reads a PNG file.
    fn begin(&mut self, progress: &Arc<Progress>) -> Result<Step, Box<dyn Error>> {
        if let Source::File(path) = self
            && path.is_dir()
        {
            *path = only_capture_in(path)?;
        }
        let (mut input, size): (Box<dyn Read + Send>, u64) = match self {
            Source::File(path) => {
                let file = std::fs::File::open(path)?;
                let size = file.metadata().map_or(0, |data| data.len());
                (Box::new(std::io::BufReader::new(file)), size)
            }
            Source::Edited(capture, text) => {
                let edits = edit::parse(capture, text, &mut |path| std::fs::read(path))?;
                let edited = Arc::new(edit::apply(capture, &edits)?);
                return Ok(Step::Done(Content::Capture(edited)));
            }
            Source::Bytes { bytes, .. } => {
                (Box::new(Cursor::new(Arc::clone(bytes))), bytes.len() as u64)
            }
        };
        progress.begin(size);
        let mut start = Vec::new();
        input.by_ref().take(8).read_to_end(&mut start)?;
        let picture = start == PNG;
        let is_text = start.first() == Some(&b'{');
        let mut whole =
            Counted { inner: Cursor::new(start).chain(input), progress: Arc::clone(progress) };
        if picture {
            let mut bytes = Vec::new();
            whole.read_to_end(&mut bytes)?;
            return Ok(Step::Done(Content::Picture(Arc::new(decode_png(&bytes)?))));
        }
        match self {
            // Binary captures are read from the file on demand.
            Source::File(path) if !is_text => {
                let capture = Capture::open(Reader::open(path)?, Limits::default())?;
                Ok(Step::Done(Content::Capture(Arc::new(capture))))
            }
            _ => Ok(Step::Reading(Box::new(Reader::new(whole)?), Reading::default())),
        }
    }
}

const RECORDS: usize = 100;

enum Step {
    Closed,
    Reading(Box<Reader>, Reading),
    Done(Content),
}

pub struct Loader {
    source: Source,
    step: Step,
}

impl Loader {
    /// Creates a loader. [`Loader::advance`] does all the reading.
    pub fn new(source: Source) -> Loader {
        Loader { source, step: Step::Closed }
    }

    pub fn name(&self) -> String {
        self.source.name()
    }

    /// Continues reading, at least a few records, until the time `until` or to the end. Returns the content when
    /// reading is complete.
    pub fn advance(
        &mut self,
        progress: &Arc<Progress>,
        until: Option<Instant>,
    ) -> Result<Option<Content>, Box<dyn Error>> {
        if matches!(self.step, Step::Closed) {
            self.step = self.source.begin(progress)?;
        }
        if let Step::Reading(reader, reading) = &mut self.step {
            let most = if until.is_some() { RECORDS } else { usize::MAX };
            while !reading.advance(reader, Limits::default(), most)? {
                if until.is_some_and(|until| Instant::now() >= until) {
                    return Ok(None);
                }
            }
        }
        match std::mem::replace(&mut self.step, Step::Closed) {
            Step::Closed => Ok(None),
            Step::Reading(reader, reading) => {
                Ok(Some(Content::Capture(Arc::new(reading.finish(&reader)?))))
            }
            Step::Done(content) => Ok(Some(content)),
        }
    }
}
