//! `molehill convert`

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Command};

use super::capture::Interruption;
use super::{Failure, Status, arguments, capture, output};
use molehill_capture::{Compressed, Form, Reader, Record, Writer};
use molehill_replay::files;

const AFTER_HELP: &str = "\
Examples:
  molehill convert capture.s3d.jsonl.zst -o capture.s3d
      JSON Lines to binary, which is small, fast, and can be read from any position
  molehill convert capture.s3d -o capture.s3d.jsonl
      back to the same lines
  molehill convert capture.s3d -o - | grep drawTriangles
      to standard output, as JSON Lines
  molehill convert cut-off.s3d -o whole.s3d
      repairs an interrupted recording and adds its index

The extension of --out selects the format: .s3d is binary, others are JSON Lines; .zst compresses the file. Records before
damage are written.

Exit status: 0; 2 if the capture is invalid, or OUT can't be written.";

pub(super) fn command() -> Command {
    Command::new("convert")
        .about("Converts a capture between JSON Lines and binary")
        .after_help(AFTER_HELP)
        .arg(capture::argument())
        .arg(output::argument("OUT", "File to write; - for standard output").required(true))
        .arg(arguments::json())
}

/// Counts of a conversion, and the error that ended it early.
struct Converted {
    records: u64,
    frames: u64,
    bytes: u64,
    failure: Option<Interruption>,
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let (path, reader) = capture::open(matches)?;
    let name = capture::name(&path);
    let out = matches.get_one::<PathBuf>("out").cloned().unwrap_or_default();
    let to_stdout = out.as_os_str() == "-";
    let done = match to_stdout {
        true => convert(reader, &name, Box::new(io::stdout().lock()), &out),
        false => files::replace(&out, |file| {
            let mut done = convert(reader, &name, Box::new(file), &out)?;
            done.bytes = file.metadata()?.len();
            Ok(done)
        }),
    };
    let done = match done {
        Err(error) if to_stdout && error.kind() == io::ErrorKind::BrokenPipe => {
            return Ok(Status::Success);
        }
        done => done.map_err(|error| Failure(format!("{}: {error}", out.display())))?,
    };
    let Converted { records, frames, bytes, failure } = done;
    match (to_stdout, matches.get_flag("json")) {
        (true, _) => {}
        (false, true) => output::print_json(&serde_json::json!({
            "capture": name, "out": out, "records": records, "frames": frames, "bytes": bytes, "failure": failure,
        }))?,
        (false, false) => output::print(&format!(
            "{}: {records} records, {frames} frames, {bytes} bytes\n",
            out.display()
        ))?,
    }
    failure.map_or(Ok(Status::Success), Interruption::status)
}

/// Writes all records up to the end or the first error. The caller fills in `bytes`.
fn convert(
    mut reader: Reader,
    name: &str,
    out: Box<dyn Write + '_>,
    path: &Path,
) -> io::Result<Converted> {
    let out: Box<dyn Write + '_> =
        match path.extension().is_some_and(|end| end.eq_ignore_ascii_case("zst")) {
            true => Box::new(Compressed::new(out)),
            false => out,
        };
    let header = reader.header().clone();
    let out = BufWriter::new(out);
    let mut writer = Writer::with_form(out, &header, Form::of(path), reader.version())?;
    let (mut records, mut frames) = (0, 0);
    let failure = loop {
        match reader.next() {
            None => break None,
            Some(Err(error)) => break Some(Interruption::of_capture(&error, name)),
            Some(Ok((_, record))) => {
                writer.write(&record)?;
                records += 1;
                frames += u64::from(matches!(record, Record::Frame(_)));
            }
        }
    };
    writer.finish()?;
    Ok(Converted { records, frames, bytes: 0, failure })
}
