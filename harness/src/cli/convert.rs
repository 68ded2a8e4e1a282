//! `molehill convert`

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use context3d::backend::NullFactory;
use serde_json::json;

use super::{CaptureArgument, CommandFailure, CommandStatus, Interruption, output};
use molehill_capture::{CaptureReader, CaptureRecord, CaptureWriter, Form, ZstdWriter};
use molehill_replay::{CallOutcome, ReplayOptions, Replayer, files};
use molehill_swf::{PrintedOutput, is_expected_text};

/// Converts a capture between JSON Lines and binary, or to SWF
#[derive(clap::Args)]
pub(super) struct Convert {
    #[command(flatten)]
    capture: CaptureArgument,
    /// File to write; - for standard output
    #[arg(short, long)]
    out: PathBuf,
    /// In SWF files: print a hash and sampled pixels of each image
    #[arg(long)]
    pictures: bool,
}

fn ends(path: &Path, end: &str) -> bool {
    path.extension().is_some_and(|own| own.eq_ignore_ascii_case(end))
}

impl Convert {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let (name, reader) = self.capture.open()?;
        let out = &self.out;
        if ends(out, "swf") {
            return self.to_swf(&name, reader);
        }
        if self.pictures {
            return Err(CommandFailure(
                "--pictures needs an --out file that ends in .swf".to_owned(),
            ));
        }
        if out.as_os_str() == "-" {
            return match convert(reader, &name, Box::new(io::stdout().lock()), out) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                    Ok(CommandStatus::Success)
                }
                done => Interruption::status(done.map_err(CommandFailure::of(out.display()))?.2),
            };
        }
        let done = files::replace(out, |file| {
            let done = convert(reader, &name, Box::new(file), out)?;
            Ok::<_, io::Error>((done, file.metadata()?.len()))
        });
        let out = out.display().to_string();
        let ((records, frames, failure), bytes) = done.map_err(CommandFailure::of(&out))?;
        let answer = json!({
            "capture": name, "out": out, "records": records, "frames": frames, "bytes": bytes, "failure": failure,
        });
        self.capture.format.print(&answer, || {
            format!("{out}: {records} records, {frames} frames, {bytes} bytes\n")
        })?;
        Interruption::status(failure)
    }

    /// Writes an SWF file, and a text file with the errors that a player should print.
    fn to_swf(&self, name: &str, reader: CaptureReader) -> Result<CommandStatus, CommandFailure> {
        let out = &self.out;
        let text = out.with_extension("txt");
        let own = |old: Vec<u8>| std::str::from_utf8(&old).is_ok_and(is_expected_text);
        if text.exists() && !fs::read(&text).is_ok_and(own) {
            let why = "the expected output of the SWF file would replace this file; \
            remove it, or give --out another name";
            return Err(CommandFailure::of(text.display())(why));
        }
        let failed = CommandFailure::of(out.display());
        let header = reader.header().clone();
        let prints = if self.pictures { PrintedOutput::Pictures } else { PrintedOutput::All };
        let mut writer = molehill_swf::SwfWriter::new(prints);
        // The replayer becomes `None` after the first call that can't be replayed.
        let mut replayer = Some(Replayer::new(&header, NullFactory, ReplayOptions::default()));
        let mut failure = None;
        for record in reader {
            let (line, mut record) = match record {
                Err(error) => {
                    failure = Some(Interruption::new(Some(error.at), error.located(name)));
                    break;
                }
                Ok(record) => record,
            };
            let outcome = replayer.as_mut().map(|replayer| replayer.record(line, &record));
            let outcome = outcome.transpose().unwrap_or_else(|_| {
                replayer = None;
                None
            });
            if let (CaptureRecord::Call(call), Some(CallOutcome::Raised(error))) =
                (&mut record, outcome.flatten())
            {
                call.throws.get_or_insert(error.number());
            }
            writer.record(line, &record).map_err(&failed)?;
        }
        let done = writer.finish(&header).map_err(&failed)?;
        for (line, why) in &done.left_out {
            output::complain(&format!("{name}:{line}: left out: {why}"));
        }
        output::write(out, &done.swf)?;
        output::write(&text, done.expected_text())?;
        let (out, text) = (out.display().to_string(), text.display().to_string());
        let (calls, bytes) = (done.calls, done.swf.len());
        let answer = json!({
            "capture": name, "out": out, "expected": text, "calls": calls, "bytes": bytes,
            "leftOut": done.left_out, "failure": failure,
        });
        self.capture.format.print(&answer, || {
            format!("{out}: {calls} calls, {bytes} bytes; should print {text}\n")
        })?;
        Interruption::status(failure)
    }
}

/// Writes all records of a capture up to its end or the first error. Returns record count, frame count, and error.
fn convert(
    mut reader: CaptureReader,
    capture: &str,
    file: Box<dyn Write + '_>,
    out: &Path,
) -> io::Result<(u64, u64, Option<Interruption>)> {
    let compressed = ends(out, "zst");
    let file = if compressed { Box::new(ZstdWriter::new(file)) } else { file };
    let header = reader.header().clone();
    let file = BufWriter::new(file);
    let mut writer = CaptureWriter::with_form(file, &header, Form::of(out), reader.version())?;
    let (mut records, mut frames) = (0, 0);
    let failure = loop {
        match reader.next() {
            None => break None,
            Some(Err(error)) => {
                break Some(Interruption::new(Some(error.at), error.located(capture)));
            }
            Some(Ok((_, record))) => {
                writer.write(&record)?;
                records += 1;
                frames += u64::from(matches!(record, CaptureRecord::Frame(_)));
            }
        }
    };
    writer.finish()?;
    Ok((records, frames, failure))
}
