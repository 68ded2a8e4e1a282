//! Recordings: full disks, limits, flushing, and the worker thread.

use std::cell::RefCell;
use std::io::{BufWriter, Write};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::binary::recovered;
use super::*;
use crate::output::{Limited, Output};

/// A disk for this many bytes, which the test still has.
#[derive(Clone, Debug)]
struct Disk(usize, Arc<Mutex<Vec<u8>>>);

impl Disk {
    fn of(space: usize) -> Self {
        Disk(space, Arc::default())
    }

    fn content(&self) -> Vec<u8> {
        self.1.lock().unwrap().clone()
    }
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let fits = bytes.len().min(self.0);
        self.0 -= fits;
        self.1.lock().unwrap().extend_from_slice(&bytes[..fits]);
        match fits {
            0 if !bytes.is_empty() => Err(std::io::ErrorKind::StorageFull.into()),
            fits => Ok(fits),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A disk that is full after any number of bytes: the recording ends with this error, what is on the disk is the
/// beginning of the whole capture, and opens up to the last record (a line) or the last block.
#[test]
fn a_disk_that_is_full_at_any_byte_keeps_what_was_recorded() {
    for form in [Form::Lines, Form::Binary, Form::Uncompressed] {
        let record = |disk: &Disk, threaded: bool| {
            let limited = Limited::begin(BufWriter::new(disk.clone()), &header(), form, u64::MAX);
            let mut recorder = Recorder::with_output(limited, |limited| match threaded {
                true => Output::threaded(limited, Duration::from_secs(60)),
                false => Output::Direct(limited),
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
        let (records, error) = recovered(&whole);
        assert!(error.is_none() && records.len() == 4, "{form:?}: {error:?}");
        for space in 0..whole.len() {
            for threaded in [false, true] {
                let disk = Disk::of(space);
                let error = record(&disk, threaded).unwrap_err();
                assert_eq!(error.kind(), std::io::ErrorKind::StorageFull, "{form:?} {space}");
                let content = disk.content();
                assert_eq!(content, whole[..space], "{form:?} {space}");
                let Ok(reader) = Reader::new(Cursor::new(content)) else {
                    continue; // Not even the header fits.
                };
                let read: Vec<Record> =
                    reader.map_while(Result::ok).map(|(_, record)| record).collect();
                assert_eq!(read, records[..read.len()], "{form:?} {space}");
                let lines = whole[..space].iter().filter(|byte| **byte == b'\n').count();
                assert!(form != Form::Lines || read.len() + 1 >= lines, "{space}: {read:?}");
            }
        }
    }
}

#[test]
fn a_full_disk_and_a_limit_end_a_recording_and_not_the_host() {
    for form in [Form::Lines, Form::Binary, Form::Uncompressed] {
        for space in [0, 100, 5000] {
            let mut recorder = Recorder::with_form(Disk::of(space), &header(), form, u64::MAX);
            for _ in 0..2000 {
                recorder.set_x(0, 1.0);
                recorder.end_frame();
            }
            let error = recorder.error().map(std::io::Error::kind);
            assert_eq!(error, Some(std::io::ErrorKind::StorageFull), "{form:?} {space}");
            assert!(recorder.finish().is_err());
        }
        let disk = Disk::of(usize::MAX);
        let mut recorder = Recorder::with_form(disk.clone(), &header(), form, 20_000);
        for frame in 0..9000 {
            recorder.set_x(0, f64::from(frame).sin());
            recorder.end_frame();
        }
        assert!(recorder.error().unwrap().to_string().contains("limit of 20000 bytes"));
        let bytes = disk.content();
        assert!((10_000..30_000).contains(&bytes.len()), "{form:?}: {}", bytes.len());
        let (records, error) = recovered(&bytes);
        assert!(error.is_none() && records.len() > 300, "{form:?}: {error:?} {}", records.len());
    }
}

#[test]
fn what_was_written_of_a_recording_opens_at_any_time() {
    /// Keeps what was flushed.
    #[derive(Clone, Default)]
    struct Flushed(Rc<RefCell<(Vec<u8>, usize)>>);
    impl Write for Flushed {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.borrow_mut().0.write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            let mut state = self.0.borrow_mut();
            state.1 = state.0.len();
            Ok(())
        }
    }
    for (form, lost) in [(Form::Lines, 1), (Form::Binary, 60)] {
        let file = Flushed::default();
        let mut recorder = Recorder::with_form(file.clone(), &header(), form, u64::MAX);
        for frame in 1..=500_usize {
            recorder.set_visible(1, true);
            recorder.end_frame();
            if frame % 33 == 0 {
                let state = file.0.borrow();
                let (records, _) = recovered(&state.0[..state.1]);
                let frames = records.iter().filter(|record| matches!(record, Record::Frame(_)));
                assert!(frames.count() + lost >= frame, "{form:?} {frame}");
            }
        }
        drop(recorder);
        let (records, error) = recovered(&file.0.borrow().0);
        assert!(error.is_none() && records.len() == 1000);
    }
}

#[test]
fn what_a_thread_writes_is_the_same_and_a_full_disk_ends_it() {
    for (form, end) in [(Form::Lines, "s3d.jsonl"), (Form::Uncompressed, "s3d")] {
        for limit in [u64::MAX, 20_000] {
            let record = |recorder: &mut dyn FnMut(u32)| (0..3000).for_each(recorder);
            let mut direct = Recorder::with_form(Vec::new(), &header(), form, limit);
            record(&mut |frame| {
                direct.set_x(0, f64::from(frame).sin());
                direct.end_frame();
            });
            let name = format!("molehill-thread-{}.{end}", std::process::id());
            let file = std::env::temp_dir().join(name);
            let mut threaded = Recorder::create(&file, &header(), limit).unwrap();
            record(&mut |frame| {
                threaded.set_x(0, f64::from(frame).sin());
                threaded.end_frame();
            });
            let whole = threaded.finish().is_ok();
            let bytes = std::fs::read(&file).unwrap();
            std::fs::remove_file(file).unwrap();
            assert_eq!(whole, limit == u64::MAX, "{form:?}");
            match direct.finish() {
                Ok(expected) => assert!(bytes == expected && whole, "{form:?}"),
                Err(_) => {
                    let (records, error) = recovered(&bytes);
                    assert!(error.is_none() && records.len() > 300, "{form:?} {error:?}");
                }
            }
        }
    }
    // Linux has a device that is always full.
    let full = std::path::Path::new("/dev/full");
    if full.exists() {
        let mut recorder = Recorder::create(full, &header(), u64::MAX).unwrap();
        for _ in 0..100_000 {
            recorder.set_x(0, 1.0);
            recorder.end_frame();
        }
        let error = recorder.error().map(std::io::Error::kind);
        assert_eq!(error, Some(std::io::ErrorKind::StorageFull));
        assert!(recorder.finish().is_err());
    }
}

/// An output that waits for a message before each write, or panics.
#[derive(Debug)]
struct Stalled(Option<Receiver<()>>);

impl Write for Stalled {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let messages = self.0.as_ref().expect("an output that panics");
        // Ends with an error of the channel when the test does.
        let _ = messages.recv();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Nothing reads the pipe, so that opening it waits for ever.
#[test]
#[cfg(unix)]
fn a_storage_that_does_not_open_is_an_error_in_time() {
    let name = format!("molehill-pipe-{}.s3d", std::process::id());
    let pipe = std::env::temp_dir().join(name);
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let begin = Instant::now();
    let stall = Duration::from_millis(100);
    let error = Recorder::create_within(stall, &pipe, &header(), u64::MAX).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::TimedOut, "{error}");
    assert!(begin.elapsed() < Duration::from_secs(5));
    std::fs::remove_file(pipe).unwrap();
}

/// A recorder on a thread whose first write, that of the header, has been done.
fn threaded(output: Stalled) -> Recorder<Stalled> {
    let limited = Limited::begin(output, &header(), Form::Lines, u64::MAX);
    Recorder::with_output(limited, |limited| Output::threaded(limited, Duration::from_millis(300)))
}

#[test]
fn stalled_storage_ends_a_recording_in_time() {
    // The storage takes the header and some of the records.
    for (frames, writes) in [(0, 1), (1, 1), (1, 2), (1, 3), (50, 1), (50, 20)] {
        let (sender, receiver) = channel();
        (0..writes).for_each(|_| sender.send(()).unwrap());
        let begin = Instant::now();
        let mut recorder = threaded(Stalled(Some(receiver)));
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
    // The header is written here, everything else by the thread.
    let (sender, receiver) = channel();
    drop(sender);
    let mut limited = Limited::begin(Stalled(Some(receiver)), &header(), Form::Lines, u64::MAX);
    limited.output_mut().unwrap().0 = None;
    let mut recorder = Recorder::with_output(limited, |limited| {
        Output::threaded(limited, Duration::from_secs(60))
    });
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
    assert_eq!(recorder.queued(), 0);
    let error = recorder.finish().unwrap_err();
    assert!(error.to_string().contains("panicked"), "{error}");
}

#[test]
fn a_file_is_never_replaced() {
    let folder = std::env::temp_dir().join(format!("molehill-numbered-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let names = |end: &str| ["", ".1", ".2"].map(|number| format!("a{number}{end}"));
    for end in [".s3d.jsonl", ".s3d", ".txt", ""] {
        // Two are open at the same time, as those of a process and its child.
        let path = folder.join(format!("a{end}"));
        let recorders = [0, 1].map(|_| Recorder::create(&path, &header(), u64::MAX).unwrap());
        drop(recorders);
        let before = std::fs::read(&path).unwrap();
        let mut recorder = Recorder::create(&path, &header(), u64::MAX).unwrap();
        recorder.end_frame();
        recorder.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), before);
        for name in names(end) {
            let path = folder.join(&name);
            let (records, error) = recovered(&std::fs::read(&path).unwrap());
            let frames = usize::from(name.starts_with("a.2"));
            assert!(error.is_none() && records.len() == frames, "{name}: {error:?}");
            std::fs::remove_file(path).unwrap();
        }
    }
    std::fs::remove_dir(folder).unwrap();
}

/// No reader accepts a longer line, so none is written, and the capture before it is complete.
#[test]
fn a_line_that_is_too_long_is_an_error() {
    let record = |length: usize| {
        let vertex_program = ByteArray::from(vec![7; length]);
        let call = Call::ProgramUpload { vertex_program, fragment_program: ByteArray(None) };
        Record::Call(line(ObjectKind::Program3D, call, None))
    };
    let mut writer = Writer::new(Vec::new(), &header()).unwrap();
    writer.limit = 1000;
    prologue().iter().for_each(|record| writer.write(record).unwrap());
    writer.write(&record(600)).unwrap();
    let error = writer.write(&record(900)).unwrap_err();
    assert_eq!(error.to_string(), "upload: line longer than 1000 bytes");
    writer.frame(1).unwrap();
    let read = read(&writer.finish().unwrap()).unwrap();
    assert_eq!(read.len(), prologue().len() + 2);

    let large = record(usize::try_from(MAX_LINE_BYTES).unwrap() - 1000);
    for form in [Form::Lines, Form::Uncompressed] {
        let mut writer = Writer::with_form(Vec::new(), &header(), form, 1).unwrap();
        prologue().iter().for_each(|record| writer.write(record).unwrap());
        let error = writer.write(&large).unwrap_err();
        assert!(error.to_string().starts_with("upload: line longer than"), "{error}");
        let (records, error) = recovered(&writer.finish().unwrap());
        assert!(error.is_none() && records.len() == prologue().len());
    }
}

/// The end of a capture that stays in a buffer is an error of [`Writer::finish`], also without an index.
#[test]
fn an_end_that_is_not_written_is_an_error() {
    for (form, index) in [
        (Form::Lines, true),
        (Form::Binary, true),
        (Form::Binary, false),
        (Form::Uncompressed, false),
    ] {
        let written = |output: Box<dyn Write>| {
            let mut writer = Writer::with_form(output, &header(), form, 1)?;
            if !index {
                writer.without_index();
            }
            let records = prologue();
            records.iter().try_for_each(|record| writer.write(record))?;
            writer.finish().map(drop)
        };
        for compressed in [false, true] {
            let output = |disk: &Disk| -> Box<dyn Write> {
                let disk = BufWriter::new(disk.clone());
                match compressed {
                    false => Box::new(disk),
                    true => Box::new(BufWriter::new(Compressed::new(disk))),
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
