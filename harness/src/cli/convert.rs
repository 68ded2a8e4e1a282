//! `molehill convert`

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::capture_argument::{CaptureArgument, Interruption};
use super::output::{Failure, Status};
use molehill_capture::{Compressed, Form, Reader, Record, Writer};
use molehill_replay::files;

/// Converts a capture between JSON Lines and binary
#[derive(clap::Args)]
#[command(after_help = include_str!("../help/convert.txt"))]
pub(super) struct Convert {
    #[command(flatten)]
    capture: CaptureArgument,
    /// File to write; - for standard output
    #[arg(short, long)]
    out: PathBuf,
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

impl Convert {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let (name, reader) = self.capture.open()?;
        let out = &self.out;
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
}

/// Writes all records up to the end or the first error. The caller fills in `bytes`.
fn convert<'a>(
    mut reader: Reader,
    capture: &'a str,
    file: Box<dyn Write + '_>,
    out: &'a Path,
) -> io::Result<Converted<'a>> {
    let compressed = out.extension().is_some_and(|end| end.eq_ignore_ascii_case("zst"));
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
