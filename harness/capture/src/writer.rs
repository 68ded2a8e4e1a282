//! Writes captures of either form.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;

use super::binary::BinaryWriter;
use super::header::{EVENT_VERSION, Header};
use super::reader::{CallLine, EventLine, Record};
use super::sink::Sink;
use super::value::Field;

/// The forms of a capture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// A line of JSON for each record.
    #[default]
    Lines,
    /// Compressed blocks with an index.
    Binary,
    /// The same without compression, which costs a recording host more time than all else.
    Uncompressed,
}

impl Form {
    /// The form of a file by its name, which may end in `.zst` too: `.s3d` is binary, all else is text.
    pub fn of(path: &Path) -> Self {
        let end = path
            .extension()
            .and_then(OsStr::to_str)
            .map(str::to_ascii_lowercase);
        match end.as_deref() {
            Some("zst") => Form::of(Path::new(path.file_stem().unwrap_or_default())),
            Some("s3d") => Form::Binary,
            _ => Form::Lines,
        }
    }
}

/// Writes a capture of either form; the keys of lines are in FORMAT.md's order.
#[derive(Debug)]
pub struct Writer<W: Write> {
    output: W,
    state: State,
    version: u32,
}

#[derive(Debug)]
enum State {
    /// The line in the making.
    Lines(String),
    Binary(Box<BinaryWriter>),
}

impl<W: Write> Writer<W> {
    /// Starts a capture of lines with its header. It can have no events.
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
        Ok(Writer {
            output,
            state,
            version,
        })
    }

    /// Continues a capture of lines whose header was already written.
    pub fn resume(output: W) -> Self {
        Writer {
            output,
            state: State::Lines(String::new()),
            version: EVENT_VERSION,
        }
    }

    /// Writes a record. In a binary capture it may wait in memory until its block is full, about a megabyte.
    ///
    /// # Errors
    /// Those of `output`, an event in a capture of version 1, and bytes that no block can hold.
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
                line.push('\n');
                let written = self.output.write_all(line.as_bytes());
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

    /// Writes what waits in memory, and flushes the output.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn flush(&mut self) -> io::Result<()> {
        match &mut self.state {
            State::Lines(_) => self.output.flush(),
            State::Binary(binary) => binary.flush(&mut self.output),
        }
    }

    /// Ends the capture, flushes and returns the output.
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

    /// Bytes that wait in memory.
    pub(super) fn pending(&self) -> u64 {
        match &self.state {
            State::Lines(_) => 0,
            State::Binary(binary) => binary.pending(),
        }
    }
}

/// A [`Record`] that is borrowed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Line<'a> {
    Call(&'a CallLine),
    Frame(u32),
    Event(&'a EventLine),
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
