//! `molehill convert`

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Command};

use super::{Failure, Status, arguments, capture, output};
use molehill_capture::{Compressed, Form, Reader, Record, Writer};
use molehill_replay::files;

const AFTER_HELP: &str = "\
Examples:
  molehill convert capture.s3d.jsonl.zst -o capture.s3d
      lines as a binary capture, which is small, fast, and read from anywhere in it
  molehill convert capture.s3d -o capture.s3d.jsonl
      back, with the same lines
  molehill convert capture.s3d -o - | grep drawTriangles
      as lines to standard output
  molehill convert cut-off.s3d -o whole.s3d
      what a killed recording left, with an index

The name of --out tells the form: .s3d is binary, all else are lines; .zst is compressed as a whole. What stands before damage
is written.

Exit status: 0; 2 if the capture is invalid, or OUT can't be written.";

pub(super) fn command() -> Command {
    Command::new("convert")
        .about("Turns a capture of lines into a binary one, or back")
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
    failure: Option<String>,
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let (path, reader) = capture::open(matches)?;
    let name = capture::name(&path);
    let out = matches
        .get_one::<PathBuf>("out")
        .cloned()
        .unwrap_or_default();
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
    let Converted {
        records,
        frames,
        bytes,
        failure,
    } = done;
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
    failure.map_or(Ok(Status::Success), |failure| Err(Failure(failure)))
}

/// Writes all records up to the end or the first error. The caller fills in `bytes`.
fn convert(
    mut reader: Reader,
    name: &str,
    out: Box<dyn Write + '_>,
    path: &Path,
) -> io::Result<Converted> {
    let out: Box<dyn Write + '_> = match path
        .extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("zst"))
    {
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
            Some(Err(error)) => break Some(error.located(name)),
            Some(Ok((_, record))) => {
                writer.write(&record)?;
                records += 1;
                frames += u64::from(matches!(record, Record::Frame(_)));
            }
        }
    };
    writer.finish()?;
    Ok(Converted {
        records,
        frames,
        bytes: 0,
        failure,
    })
}
