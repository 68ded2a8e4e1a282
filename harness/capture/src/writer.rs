//! Writes captures of either form.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;

use super::binary::BinaryWriter;
use super::error::CaptureErrorKind;
use super::header::{EVENT_VERSION, Header};
use super::reader::{CallLine, EventLine, Record};
use super::sink::Sink;
use super::source::MAX_LINE_BYTES;
use super::value::Field;

/// The form of a capture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// A line of JSON for each record.
    #[default]
    Lines,
    /// Compressed blocks with an index.
    Binary,
    /// Uncompressed blocks with an index, for recording: compression would cost the host more time than everything
    /// else.
    Uncompressed,
}

impl Form {
    /// The form for a file name, ignoring a `.zst` at its end: `.s3d` is binary, all other names are lines.
    pub fn of(path: &Path) -> Self {
        let end = path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
        match end.as_deref() {
            Some("zst") => Form::of(Path::new(path.file_stem().unwrap_or_default())),
            Some("s3d") => Form::Binary,
            _ => Form::Lines,
        }
    }
}

/// Writes a capture of either form. Lines have their keys in FORMAT.md's order.
#[derive(Debug)]
pub struct Writer<W: Write> {
    output: W,
    state: State,
    version: u32,
    /// Longest line in bytes.
    pub(super) limit: u64,
}

#[derive(Debug)]
enum State {
    /// The line being written.
    Lines(String),
    Binary(Box<BinaryWriter>),
}

impl<W: Write> Writer<W> {
    /// Starts a capture of JSON Lines with its header, in version 1 of the format, which has no events.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn new(output: W, header: &Header) -> io::Result<Self> {
        Self::with_form(output, header, Form::Lines, 1)
    }

    /// Starts a capture with its header. Events need version 2 ([`EVENT_VERSION`]).
    ///
    /// # Errors
    /// Those of `output`.
    pub fn with_form(mut output: W, header: &Header, form: Form, version: u32) -> io::Result<Self> {
        let mut line = String::new();
        header.write(version, &mut line);
        let state = match form {
            Form::Binary | Form::Uncompressed => {
                let compress = form == Form::Binary;
                State::Binary(Box::new(BinaryWriter::new(&mut output, &line, compress)?))
            }
            Form::Lines => {
                line.push('\n');
                output.write_all(line.as_bytes())?;
                line.clear();
                State::Lines(line)
            }
        };
        Ok(Writer { output, state, version, limit: MAX_LINE_BYTES })
    }

    /// Continues a capture of lines whose header was already written.
    pub fn resume(output: W) -> Self {
        Writer {
            output,
            state: State::Lines(String::new()),
            version: EVENT_VERSION,
            limit: MAX_LINE_BYTES,
        }
    }

    /// Writes a record. In a binary capture it may wait in memory until its block is full, about a megabyte.
    ///
    /// # Errors
    /// Those of `output`; an error for an event in a capture of version 1, or for a record that is longer than a line or
    /// a block may be. A record with an error is not written; the capture can be continued and ended.
    pub fn write(&mut self, record: &Record) -> io::Result<()> {
        self.line(match record {
            Record::Call(line) => Line::Call(line),
            Record::Frame(frame) => Line::Frame(*frame),
            Record::Event(line) => Line::Event(line),
        })
    }

    pub(super) fn line(&mut self, record: Line<'_>) -> io::Result<()> {
        if self.version < EVENT_VERSION && matches!(record, Line::Event(_)) {
            let text = format!("events need version {EVENT_VERSION} of the format");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        match &mut self.state {
            State::Binary(binary) => binary.record(&mut self.output, record),
            State::Lines(line) => {
                write_record(record, line);
                let written = match line.len() as u64 > self.limit {
                    true => Err(too_long(record, self.limit)),
                    false => {
                        line.push('\n');
                        self.output.write_all(line.as_bytes())
                    }
                };
                line.clear();
                written
            }
        }
    }

    /// Writes a call.
    ///
    /// # Errors
    /// As [`Writer::write`].
    pub fn call(&mut self, line: &CallLine) -> io::Result<()> {
        self.line(Line::Call(line))
    }

    /// Writes the end of a frame.
    ///
    /// # Errors
    /// As [`Writer::write`].
    pub fn frame(&mut self, frame: u32) -> io::Result<()> {
        self.line(Line::Frame(frame))
    }

    /// Writes buffered records, and flushes the output.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn flush(&mut self) -> io::Result<()> {
        match &mut self.state {
            State::Lines(_) => self.output.flush(),
            State::Binary(binary) => binary.flush(&mut self.output),
        }
    }

    /// Ends the capture, flushes the output and returns it.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn finish(mut self) -> io::Result<W> {
        match &mut self.state {
            State::Lines(_) => self.output.flush()?,
            State::Binary(binary) => binary.finish(&mut self.output)?,
        }
        Ok(self.output)
    }

    #[cfg(test)]
    pub(super) fn without_index(&mut self) {
        if let State::Binary(binary) = &mut self.state {
            binary.max_index = 0;
        }
    }

    #[cfg(test)]
    pub(super) fn output_mut(&mut self) -> &mut W {
        &mut self.output
    }

    /// Bytes of buffered records.
    pub(super) fn pending(&self) -> u64 {
        match &self.state {
            State::Lines(_) => 0,
            State::Binary(binary) => binary.pending(),
        }
    }
}

/// A borrowed [`Record`].
#[derive(Clone, Copy, Debug)]
pub(super) enum Line<'a> {
    Call(&'a CallLine),
    Frame(u32),
    Event(&'a EventLine),
}

/// The error of a record that no reader accepts.
pub(super) fn too_long(record: Line<'_>, limit: u64) -> io::Error {
    let name = match record {
        Line::Call(line) => line.call.name(),
        Line::Frame(_) => "frame",
        Line::Event(line) => line.event.name(),
    };
    let kind = CaptureErrorKind::LineTooLong { limit };
    io::Error::new(io::ErrorKind::InvalidInput, format!("{name}: {kind}"))
}

/// Writes a record in either form.
pub(super) fn write_record<S: Sink>(record: Line<'_>, out: &mut S) {
    out.object(|out| match record {
        Line::Call(line) => {
            out.key("call", "");
            out.text(line.call.name());
            line.on.append("on", out);
            line.call.append(out);
            append("result", line.result, out);
            append("throws", line.throws, out);
            append("time", line.time, out);
        }
        Line::Frame(frame) => frame.append("frame", out),
        Line::Event(line) => {
            out.key("event", "");
            out.text(line.event.name());
            line.on.append("on", out);
            append("throws", line.event.throws(), out);
            append("time", line.time, out);
        }
    });
}

fn append<S: Sink, T: Field>(name: &'static str, value: Option<T>, out: &mut S) {
    if let Some(value) = value {
        value.append(name, out);
    }
}
