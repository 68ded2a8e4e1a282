//! Recordings: full disks, limits, flushing, and the worker thread.

use std::cell::RefCell;
use std::io::Write;
use std::rc::Rc;

use super::binary::recovered;
use super::*;

/// Fails after this many bytes, like a full disk.
#[derive(Debug)]
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let fits = bytes.len().min(self.0);
        self.0 -= fits;
        match fits {
            0 if !bytes.is_empty() => Err(std::io::ErrorKind::StorageFull.into()),
            fits => Ok(fits),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_and_a_limit_end_a_recording_and_not_the_host() {
    for form in [Form::Lines, Form::Binary, Form::Uncompressed] {
        for space in [0, 100, 5000] {
            let mut recorder = Recorder::with_form(Full(space), &header(), form, u64::MAX);
            for _ in 0..2000 {
                recorder.set_x(0, 1.0);
                recorder.end_frame();
            }
            let error = recorder.error().map(std::io::Error::kind);
            assert_eq!(
                error,
                Some(std::io::ErrorKind::StorageFull),
                "{form:?} {space}"
            );
            assert!(recorder.finish().is_err());
        }
        let shared = Rc::new(RefCell::new(Vec::new()));
        struct Shared(Rc<RefCell<Vec<u8>>>);
        impl Write for Shared {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                self.0.borrow_mut().write(bytes)
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let mut recorder = Recorder::with_form(Shared(shared.clone()), &header(), form, 20_000);
        for frame in 0..9000 {
            recorder.set_x(0, f64::from(frame).sin());
            recorder.end_frame();
        }
        assert!(
            recorder
                .error()
                .unwrap()
                .to_string()
                .contains("limit of 20000 bytes")
        );
        let bytes = shared.borrow();
        assert!(
            (10_000..30_000).contains(&bytes.len()),
            "{form:?}: {}",
            bytes.len()
        );
        let (records, error) = recovered(&bytes);
        assert!(
            error.is_none() && records.len() > 300,
            "{form:?}: {error:?} {}",
            records.len()
        );
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
                let frames = records
                    .iter()
                    .filter(|record| matches!(record, Record::Frame(_)));
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
