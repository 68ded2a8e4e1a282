//! Writes calls as lines.

use std::io::{self, Write};

use super::header::Header;
use super::reader::{CallLine, Record};
use super::value::{Field, append_key};

/// Writes a capture: plain JSON Lines, with keys in FORMAT.md's order.
#[derive(Debug)]
pub struct Writer<W: Write> {
    output: W,
    line: String,
}

impl<W: Write> Writer<W> {
    /// Starts a capture with its header.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn new(output: W, header: &Header) -> io::Result<Self> {
        let mut writer = Writer::resume(output);
        header.write(&mut writer.line);
        writer.end_line()?;
        Ok(writer)
    }

    /// Continues a capture whose header was already written.
    pub fn resume(output: W) -> Self {
        Writer {
            output,
            line: String::new(),
        }
    }

    /// Writes a line.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn write(&mut self, record: &Record) -> io::Result<()> {
        match record {
            Record::Call(call) => self.call(call),
            Record::Frame(frame) => self.frame(*frame),
        }
    }

    /// Writes a call.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn call(&mut self, line: &CallLine) -> io::Result<()> {
        let out = &mut self.line;
        out.push_str("{\"call\":\"");
        out.push_str(line.call.name());
        out.push('"');
        line.on.append("on", out);
        line.call.append(out);
        if let Some(result) = line.result {
            result.append("result", out);
        }
        if let Some(throws) = line.throws {
            throws.append("throws", out);
        }
        if let Some(time) = line.time {
            time.append("time", out);
        }
        out.push('}');
        self.end_line()
    }

    /// Writes the end of a frame.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn frame(&mut self, frame: u32) -> io::Result<()> {
        append_key("frame", "", &mut self.line);
        self.line.replace_range(..1, "{");
        self.line.push_str(&frame.to_string());
        self.line.push('}');
        self.end_line()
    }

    /// Flushes and returns the output.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn finish(mut self) -> io::Result<W> {
        self.output.flush()?;
        Ok(self.output)
    }

    pub(super) fn output(&self) -> &W {
        &self.output
    }

    fn end_line(&mut self) -> io::Result<()> {
        self.line.push('\n');
        self.output.write_all(self.line.as_bytes())?;
        self.line.clear();
        Ok(())
    }
}
