//! Tests of recordings whose storage is full, stalls or panics, at any byte.

#[path = "../capture/disk.rs"]
mod disk;

use std::io::Cursor;
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use disk::Disk;

use super::*;
use crate::{CaptureError, CaptureReader, CaptureWriter, ZstdWriter};

const UNLIMITED: (u64, MessageTarget) = (u64::MAX, MessageTarget::Log);

fn header() -> CaptureHeader {
    CaptureHeader {
        title: "a \"title\"".to_owned(),
        swf_version: 26,
        stage_width: 500,
        stage_height: 400,
        stage_color: [255, 0x0a, 0],
        frame_rate: Some(29.97),
        generator: None,
    }
}

fn request(profile: String) -> CaptureRecord {
    let call = Call::RequestContext3D {
        stage3d_index: 0,
        render_mode: OptionalParameter(None),
        profile: OptionalParameter(Some(Some(profile))),
        profiles: OptionalParameter(None),
    };
    CaptureRecord::Call(CallLine::new(ObjectId(1), call))
}

fn records() -> Vec<CaptureRecord> {
    vec![request("baseline".to_owned()), request("x".repeat(300)), CaptureRecord::Frame(0)]
}

/// Returns the records before an error, and the error.
fn recovered(reader: CaptureReader) -> (Vec<CaptureRecord>, Option<CaptureError>) {
    let mut error = None;
    let records = reader.map_while(|item| item.map_err(|found| error = Some(found)).ok());
    (records.map(|(_, record)| record).collect(), error)
}

/// Records onto disks that are full after each possible number of bytes. The recording must end with the disk's error.
/// The disk must contain the start of the complete capture, readable up to the last record (a line) or the last block.
#[test]
fn a_disk_that_is_full_at_any_byte_keeps_what_was_recorded() {
    for form in [Form::Lines, Form::Binary] {
        let record = |disk: &Disk, threaded: bool| {
            let limited =
                RecordSink::begin(BufWriter::new(disk.clone()), &header(), form, UNLIMITED);
            let mut recorder = CaptureRecorder::with_output(limited, |limited| {
                if threaded {
                    OutputSink::threaded(limited, Duration::from_secs(60))
                } else {
                    OutputSink::Direct(limited)
                }
            });
            for value in [1.0, 2.0] {
                recorder.set_x(0, value);
                recorder.end_frame();
            }
            recorder.finish().map(drop)
        };
        let whole = Disk::of(usize::MAX);
        record(&whole, false).unwrap();
        let whole = whole.content();
        let (records, error) = recovered(CaptureReader::new(Cursor::new(whole.clone())).unwrap());
        assert!(error.is_none() && records.len() == 4, "{form:?}: {error:?}");
        for space in 0..whole.len() {
            for threaded in [false, true] {
                let disk = Disk::of(space);
                let error = record(&disk, threaded).unwrap_err();
                assert_eq!(error.kind(), std::io::ErrorKind::StorageFull, "{form:?} {space}");
                let content = disk.content();
                assert_eq!(content, whole[..space], "{form:?} {space}");
                let Ok(reader) = CaptureReader::new(Cursor::new(content)) else {
                    continue; // The disk is too small even for the header.
                };
                let (read, _) = recovered(reader);
                assert_eq!(read, records[..read.len()], "{form:?} {space}");
                let lines = whole[..space].iter().filter(|byte| **byte == b'\n').count();
                assert!(form != Form::Lines || read.len() + 1 >= lines, "{space}: {read:?}");
            }
        }
    }
}

/// An output that waits for a message before each write, or that panics.
#[derive(Debug)]
enum Stalled {
    Waits(Receiver<()>),
    /// Panics after this number of writes.
    Panics(u32),
}

impl Write for Stalled {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            // Waiting ends with a channel error when the test ends.
            Stalled::Waits(messages) => drop(messages.recv()),
            Stalled::Panics(writes) => {
                *writes = writes.checked_sub(1).expect("an output that panics");
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Opening a pipe without a reader would block forever.
#[test]
#[cfg(unix)]
fn a_storage_that_does_not_open_is_an_error_in_time() {
    let name = format!("molehill-pipe-{}.s3d", std::process::id());
    let pipe = std::env::temp_dir().join(name);
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let begin = Instant::now();
    let stall = Duration::from_millis(100);
    let error = CaptureRecorder::create_within(stall, &pipe, &header(), UNLIMITED).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::TimedOut, "{error}");
    assert!(begin.elapsed() < Duration::from_secs(5));
    std::fs::remove_file(pipe).unwrap();
}

/// Returns a recorder on a worker thread that has already written the header.
fn threaded(output: Stalled, stall: Duration) -> CaptureRecorder<Stalled> {
    let limited = RecordSink::begin(output, &header(), Form::Lines, UNLIMITED);
    CaptureRecorder::with_output(limited, |limited| OutputSink::threaded(limited, stall))
}

#[test]
fn stalled_storage_ends_a_recording_in_time() {
    // The storage accepts the header and some of the records.
    for (frames, writes) in [(0, 1), (1, 1), (1, 2), (1, 3), (50, 1), (50, 20)] {
        let (sender, receiver) = channel();
        (0..writes).for_each(|_| sender.send(()).unwrap());
        let begin = Instant::now();
        let mut recorder = threaded(Stalled::Waits(receiver), Duration::from_millis(300));
        recorder.set_x(0, 1.0);
        for _ in 0..frames {
            recorder.set_x(0, 1.0);
            recorder.end_frame();
        }
        let error = recorder.finish().unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::TimedOut, "{frames} frames: {error}");
        assert!(begin.elapsed() < Duration::from_secs(5), "{frames} frames");
        drop(sender);
    }
}

#[test]
fn a_panic_of_the_thread_ends_a_recording() {
    // The header is written on this thread, everything else on the worker thread.
    let mut recorder = threaded(Stalled::Panics(1), Duration::from_secs(60));
    let begin = Instant::now();
    while recorder.error().is_none() {
        recorder.set_x(0, 1.0);
        recorder.end_frame();
        assert!(begin.elapsed() < Duration::from_secs(50));
    }
    for _ in 0..100_000 {
        recorder.set_x(0, 1.0);
        recorder.end_frame();
    }
    assert!(
        matches!(&recorder.output, OutputSink::Threaded(threaded) if threaded.batch.is_empty())
    );
    let error = recorder.finish().unwrap_err();
    assert!(error.to_string().contains("panicked"), "{error}");
}

#[test]
fn a_line_that_is_too_long_is_an_error() {
    let mut writer = CaptureWriter::new(Vec::new(), &header()).unwrap();
    writer.limits.line = 1000;
    let empty = serde_json::to_string(&request(String::new()).to_json()).unwrap().len();
    writer.write(&request("x".repeat(1000 - empty))).unwrap();
    let error = writer.write(&request("x".repeat(1001 - empty))).unwrap_err();
    assert_eq!(error.to_string(), "requestContext3D: line longer than 1000 bytes");
    writer.frame(1).unwrap();
    let (read, error) =
        recovered(CaptureReader::new(Cursor::new(writer.finish().unwrap())).unwrap());
    assert!(read.len() == 2 && error.is_none());
}

/// [`CaptureWriter::finish`] must return the error of the last flush, also without an index.
#[test]
fn an_end_that_is_not_written_is_an_error() {
    for (form, index) in [(Form::Lines, true), (Form::Binary, true), (Form::Binary, false)] {
        let written = |output: Box<dyn Write>| {
            let mut writer = CaptureWriter::with_form(output, &header(), form, 1)?;
            writer.limits.index = if index { writer.limits.index } else { 0 };
            records().iter().try_for_each(|record| writer.write(record))?;
            writer.finish().map(drop)
        };
        for compressed in [false, true] {
            let output = |disk: &Disk| -> Box<dyn Write> {
                let disk = BufWriter::new(disk.clone());
                if compressed {
                    Box::new(BufWriter::new(ZstdWriter::new(disk)))
                } else {
                    Box::new(disk)
                }
            };
            let whole = Disk::of(usize::MAX);
            written(output(&whole)).unwrap();
            let length = whole.content().len();
            for space in 0..=length {
                let fits = written(output(&Disk::of(space))).is_ok();
                assert_eq!(fits, space == length, "{form:?} {index} {compressed} {space}");
            }
        }
    }
}
