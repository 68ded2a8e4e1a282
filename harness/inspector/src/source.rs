//! Where captures and pictures come from.

use std::io::{Cursor, Read};
#[cfg(not(target_arch = "wasm32"))]
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use molehill_capture::Reader;
use molehill_inspect::{Capture, Limits};
use molehill_replay::image::{Image, decode_png};

/// Bytes with a name.
#[derive(Clone)]
pub enum Source {
    /// A file.
    #[cfg(not(target_arch = "wasm32"))]
    File(PathBuf),
    /// What a page or a window was given.
    Bytes {
        /// The file's name.
        name: String,
        /// The content.
        bytes: Arc<[u8]>,
    },
}

/// How much of a source was read.
#[derive(Debug, Default)]
pub struct Progress {
    read: AtomicU64,
    total: AtomicU64,
}

impl Progress {
    /// From 0 to 1; `None` while the size isn't known.
    pub fn fraction(&self) -> Option<f32> {
        let total = self.total.load(Ordering::Relaxed);
        let read = self.read.load(Ordering::Relaxed);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a share of the whole, for a bar"
        )]
        (total > 0).then(|| (read as f64 / total as f64).min(1.0) as f32)
    }

    fn begin(&self, total: u64) {
        self.read.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }
}

/// Counts what is read.
struct Counted<R> {
    inner: R,
    progress: Arc<Progress>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.progress
            .read
            .fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// A capture, or a picture.
pub enum Content {
    /// A capture.
    Capture(Arc<Capture>),
    /// A picture.
    Picture(Arc<Image>),
}

/// The first bytes of every PNG file.
const PNG: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

impl Source {
    /// For people.
    pub fn name(&self) -> String {
        match self {
            #[cfg(not(target_arch = "wasm32"))]
            Source::File(path) => path.display().to_string(),
            Source::Bytes { name, .. } => name.clone(),
        }
    }

    /// Reads a capture of either form, or a PNG file.
    ///
    /// # Errors
    /// What is wrong with it, with its name.
    pub fn read(&self, progress: &Arc<Progress>) -> Result<Content, String> {
        let named = |error: &dyn std::fmt::Display| format!("{}: {error}", self.name());
        let (mut input, size): (Box<dyn Read + Send>, u64) = match self {
            #[cfg(not(target_arch = "wasm32"))]
            Source::File(path) => {
                let file = std::fs::File::open(path).map_err(|error| named(&error))?;
                let size = file.metadata().map_or(0, |data| data.len());
                (Box::new(std::io::BufReader::new(file)), size)
            }
            Source::Bytes { bytes, .. } => {
                (Box::new(Cursor::new(Arc::clone(bytes))), bytes.len() as u64)
            }
        };
        progress.begin(size);
        let mut start = Vec::new();
        let begun = input.by_ref().take(8).read_to_end(&mut start);
        begun.map_err(|error| named(&error))?;
        let picture = start == PNG;
        #[cfg(not(target_arch = "wasm32"))]
        let is_text = start.first() == Some(&b'{');
        let mut whole = Counted {
            inner: Cursor::new(start).chain(input),
            progress: Arc::clone(progress),
        };
        if picture {
            let mut bytes = Vec::new();
            whole
                .read_to_end(&mut bytes)
                .map_err(|error| named(&error))?;
            let image = decode_png(&bytes).map_err(|error| named(&error))?;
            return Ok(Content::Picture(Arc::new(image)));
        }
        let reader = match self {
            // A binary file is read where it is.
            #[cfg(not(target_arch = "wasm32"))]
            Source::File(path) if !is_text => Reader::open(path),
            _ => Reader::new(whole),
        };
        let reader = reader.map_err(|error| error.located(&self.name()))?;
        let capture = Capture::open(reader, Limits::default());
        let capture = capture.map_err(|error| named(&error))?;
        Ok(Content::Capture(Arc::new(capture)))
    }
}
