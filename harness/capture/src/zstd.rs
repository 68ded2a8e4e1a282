//! Streaming zstd in bounded memory: decompression of any number of frames, including skippable ones, and compression.

use std::io::{self, Read, Write};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

/// Largest window, as in `zstd` without `--long`: a frame with a larger window is rejected before anything is
/// allocated.
pub(crate) const MAX_WINDOW: u64 = 1 << 27;

const FRAME_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// First bytes of a skippable frame; the low half of the first byte may have any value.
const SKIPPABLE_MAGIC: [u8; 4] = [0x50, 0x2a, 0x4d, 0x18];

/// An empty uncompressed block that ends a frame, with space for a checksum.
const END_OF_FRAME: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];

pub(crate) fn is_zstd(start: &[u8]) -> bool {
    match start.first_chunk::<4>() {
        Some([first, rest @ ..]) => {
            [*first, rest[0], rest[1], rest[2]] == FRAME_MAGIC
                || (first & 0xf0 == SKIPPABLE_MAGIC[0] && *rest == SKIPPABLE_MAGIC[1..])
        }
        None => false,
    }
}

/// An error in zstd data, as the source of an [`io::Error`].
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct ZstdError(pub(crate) String);

pub(crate) struct ZstdReader<R> {
    source: EndWatcher<R>,
    decoder: FrameDecoder,
    in_frame: bool,
    /// A decoding error. The reader first returns the data that was decoded before the error.
    failure: Option<io::Error>,
}

impl<R: Read> ZstdReader<R> {
    pub(crate) fn new(source: R) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MAX_WINDOW);
        let source = EndWatcher { source, ended: false, failure: None };
        ZstdReader { source, decoder, in_frame: false, failure: None }
    }

    /// Starts the next zstd frame. Returns false at the end of the data.
    fn next_frame(&mut self) -> io::Result<bool> {
        let mut first = [0];
        if read_some(&mut self.source, &mut first)? == 0 {
            return Ok(false);
        }
        match self.decoder.reset(first.as_slice().chain(&mut self.source)) {
            Ok(()) => self.in_frame = true,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                let skipped =
                    io::copy(&mut (&mut self.source).take(length.into()), &mut io::sink())?;
                if skipped < length.into() {
                    return Err(self.source.explain("the skippable frame is cut off"));
                }
            }
            Err(error) => return Err(self.source.explain(&describe(&error))),
        }
        Ok(true)
    }

    /// Decodes until data is available or the frame ends.
    fn decode(&mut self) {
        while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
            let one = || BlockDecodingStrategy::UptoBlocks(1);
            if let Err(error) = self.decoder.decode_blocks(&mut self.source, one()) {
                self.failure = Some(self.source.explain(&describe(&error)));
                // The decoder retains up to a window of valid data in an unfinished frame, often the whole capture.
                // Ending the frame releases the valid data before `failure` is returned.
                if self.decoder.decode_blocks(END_OF_FRAME.as_slice(), one()).is_err() {
                    self.in_frame = false;
                }
                return;
            }
        }
    }

    fn check_sum(&self) -> io::Result<()> {
        match (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum()) {
            (Some(stored), Some(calculated)) if stored != calculated => {
                Err(failed("checksum does not match"))
            }
            _ => Ok(()),
        }
    }
}

impl<R: Read> Read for ZstdReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.in_frame {
                if let Some(error) = self.failure.take() {
                    return Err(error);
                }
                if !self.next_frame()? {
                    return Ok(0);
                }
                continue;
            }
            if self.failure.is_none() {
                self.decode();
            }
            let bytes = self.decoder.read(buffer)?;
            if bytes > 0 || buffer.is_empty() {
                return Ok(bytes);
            }
            if self.decoder.is_finished() {
                self.in_frame = false;
                if self.failure.is_none() {
                    self.check_sum()?;
                }
            }
        }
    }
}

/// A source that records its end or error, because the decoder doesn't distinguish them from invalid data.
struct EndWatcher<R> {
    source: R,
    ended: bool,
    failure: Option<io::Error>,
}

impl<R> EndWatcher<R> {
    fn explain(&mut self, reason: &str) -> io::Error {
        match self.failure.take() {
            Some(error) => error,
            None if self.ended => failed("the data end too early"),
            None => failed(reason),
        }
    }
}

impl<R: Read> Read for EndWatcher<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.source.read(buffer) {
            Ok(bytes) => {
                self.ended |= bytes == 0 && !buffer.is_empty();
                Ok(bytes)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                let kind = error.kind();
                self.failure = Some(error);
                Err(kind.into())
            }
        }
    }
}

fn failed(reason: &str) -> io::Error {
    io::Error::other(ZstdError(reason.to_owned()))
}

fn describe(error: &FrameDecoderError) -> String {
    match error {
        FrameDecoderError::WindowSizeTooBig { requested, max } => {
            format!("it needs a window of {requested} bytes; at most {max} are allowed")
        }
        FrameDecoderError::DictNotProvided { .. } => "it needs a dictionary".to_owned(),
        error => error.to_string(),
    }
}

const FRAME_BYTES: usize = 8 << 20;

/// An output that compresses with zstd.
#[derive(Debug)]
pub struct ZstdWriter<W: Write> {
    output: W,
    pending: Vec<u8>,
}

impl<W: Write> ZstdWriter<W> {
    /// Compresses to `output`, in zstd frames of several megabytes; [`Write::flush`] ends the current one.
    pub fn new(output: W) -> Self {
        let pending = Vec::new();
        ZstdWriter { output, pending }
    }

    fn frame(&mut self) -> io::Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let frame = compress_to_vec(self.pending.as_slice(), CompressionLevel::Fastest);
        self.pending.clear();
        self.output.write_all(&frame)
    }
}

impl<W: Write> Write for ZstdWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = bytes.len().min(FRAME_BYTES - self.pending.len());
        self.pending.extend_from_slice(bytes.get(..length).unwrap_or_default());
        if self.pending.len() == FRAME_BYTES {
            self.frame()?;
        }
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.frame()?;
        self.output.flush()
    }
}

pub(crate) fn read_some(source: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match source.read(rest) {
            Ok(0) => break,
            Ok(bytes) => filled += bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
