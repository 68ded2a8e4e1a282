//! `molehill convert`

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use context3d::backend::NullFactory;
use serde::Serialize;

use super::capture_argument::{CaptureArgument, Interruption};
use super::output::{self, Failure, Status};
use molehill_capture::{Compressed, Form, Reader, Record, Writer};
use molehill_replay::{Options, Outcome, Replayer, files};
use molehill_swf::Prints;

/// Converts a capture between JSON Lines and binary, or to SWF
#[derive(clap::Args)]
#[command(after_help = include_str!("../help/convert.txt"))]
pub(super) struct Convert {
    #[command(flatten)]
    capture: CaptureArgument,
    /// File to write; - for standard output
    #[arg(short, long)]
    out: PathBuf,
    /// In SWF: print each picture
    #[arg(long)]
    pictures: bool,
}

/// Counts of a conversion, and the error that ended it early.
#[derive(Serialize)]
struct Converted<'a> {
    capture: &'a str,
    out: &'a Path,
    records: u64,
    frames: u64,
    bytes: u64,
    failure: Option<Interruption>,
}

/// Counts of a conversion to SWF.
#[derive(Serialize)]
struct ConvertedToSwf<'a> {
    capture: &'a str,
    out: &'a Path,
    expected: &'a Path,
    calls: u64,
    bytes: usize,
    #[serde(rename = "leftOut")]
    left_out: &'a [(u64, String)],
    failure: Option<Interruption>,
}

fn ends(path: &Path, end: &str) -> bool {
    path.extension().is_some_and(|own| own.eq_ignore_ascii_case(end))
}

impl Convert {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let (name, reader) = self.capture.open()?;
        let out = &self.out;
        if ends(out, "swf") {
            return self.to_swf(&name, reader);
        }
        if self.pictures {
            return Err(Failure("--pictures needs a file that ends in .swf".to_owned()));
        }
        if out.as_os_str() == "-" {
            return match convert(reader, &name, Box::new(io::stdout().lock()), out) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Status::Success),
                done => Interruption::status(done.map_err(Failure::of(out.display()))?.failure),
            };
        }
        let done = files::replace(out, |file| {
            let mut done = convert(reader, &name, Box::new(file), out)?;
            done.bytes = file.metadata()?.len();
            Ok::<_, io::Error>(done)
        });
        let done = done.map_err(Failure::of(out.display()))?;
        self.capture.format.print(&done, || {
            let Converted { records, frames, bytes, .. } = done;
            format!("{}: {records} records, {frames} frames, {bytes} bytes\n", out.display())
        })?;
        Interruption::status(done.failure)
    }

    /// Writes an SWF file and, beside it, the text that it should print: the errors of the recording, and those that a
    /// replay raises.
    fn to_swf(&self, name: &str, reader: Reader) -> Result<Status, Failure> {
        let out = &self.out;
        let failed = Failure::of(out.display());
        let header = reader.header().clone();
        let prints = if self.pictures { Prints::Pictures } else { Prints::All };
        let mut writer = molehill_swf::Writer::new(prints);
        // Until a call that can't be replayed.
        let mut replayer = Some(Replayer::new(&header, NullFactory, Options::default()));
        let mut failure = None;
        for record in reader {
            let (line, mut record) = match record {
                Err(error) => {
                    failure = Some(Interruption::of_capture(&error, name));
                    break;
                }
                Ok(record) => record,
            };
            let outcome = replayer.as_mut().map(|replayer| replayer.record(line, &record));
            let outcome = outcome.transpose().unwrap_or_else(|_| {
                replayer = None;
                None
            });
            if let (Record::Call(call), Some(Outcome::Raised(error))) =
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
        let text = out.with_extension("txt");
        output::write(out, &done.swf)?;
        output::write(&text, done.expected_text())?;
        let converted = ConvertedToSwf {
            capture: name,
            out,
            expected: &text,
            calls: done.calls,
            bytes: done.swf.len(),
            left_out: &done.left_out,
            failure,
        };
        self.capture.format.print(&converted, || {
            let (out, text) = (out.display(), text.display());
            let ConvertedToSwf { calls, bytes, .. } = converted;
            format!("{out}: {calls} calls, {bytes} bytes; should print {text}\n")
        })?;
        Interruption::status(converted.failure)
    }
}

/// Writes all records up to the end or the first error. The caller fills in `bytes`.
fn convert<'a>(
    mut reader: Reader,
    capture: &'a str,
    file: Box<dyn Write + '_>,
    out: &'a Path,
) -> io::Result<Converted<'a>> {
    let compressed = ends(out, "zst");
    let file = if compressed { Box::new(Compressed::new(file)) } else { file };
    let header = reader.header().clone();
    let file = BufWriter::new(file);
    let mut writer = Writer::with_form(file, &header, Form::of(out), reader.version())?;
    let (mut records, mut frames) = (0, 0);
    let failure = loop {
        match reader.next() {
            None => break None,
            Some(Err(error)) => break Some(Interruption::of_capture(&error, capture)),
            Some(Ok((_, record))) => {
                writer.write(&record)?;
                records += 1;
                frames += u64::from(matches!(record, Record::Frame(_)));
            }
        }
    };
    writer.finish()?;
    Ok(Converted { capture, out, records, frames, bytes: 0, failure })
}
