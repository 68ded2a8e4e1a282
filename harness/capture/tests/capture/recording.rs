//! Tests recordings: full disks, limits, flushing, files.

use std::cell::RefCell;
use std::io::Write;
use std::rc::Rc;

use super::disk::Disk;
use super::samples::{line, prologue};
use super::{header, read, recovered, write_as};
use context3d::arguments::{Bitmap, PixelLayout};
use context3d::backend::{Backend as _, BackendCaps, NullBackend};
use context3d::enums::{EnumArg, RenderMode, TextureFormat};
use context3d::{Context3D, ContextOptions, Invocation, Profile, Reply, RequestResult, Stage3D};
use molehill_capture::data::ByteArray;
use molehill_capture::objects::ObjectKind;
use molehill_capture::{
    Call, CallLine, CaptureNote, CaptureRecord, CaptureRecorder, CaptureWriter, Form,
    MAX_LINE_BYTES,
};

#[test]
fn a_full_disk_and_a_limit_end_a_recording_and_not_the_host() {
    for form in [Form::Lines, Form::Binary] {
        for space in [0, 100, 5000] {
            let mut recorder =
                CaptureRecorder::with_form(Disk::of(space), &header(), form, u64::MAX);
            for _ in 0..2000 {
                recorder.set_x(0, 1.0);
                recorder.end_frame();
            }
            let error = recorder.error().map(std::io::Error::kind);
            assert_eq!(error, Some(std::io::ErrorKind::StorageFull), "{form:?} {space}");
            assert!(recorder.finish().is_err());
        }
        let disk = Disk::of(usize::MAX);
        let mut recorder = CaptureRecorder::with_form(disk.clone(), &header(), form, 20_000);
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

/// An event contains only the error id; a recording also contains the reason.
#[test]
fn a_refused_request_keeps_its_reason() {
    let caps = BackendCaps { max_texture_size: 1024, ..NullBackend::new().caps().clone() };
    let mut stage = Stage3D::new();
    stage.request(EnumArg::Is(RenderMode::Auto), Some("standard"), true).unwrap();
    let request = stage.pending_request().cloned().unwrap();
    let Some(RequestResult::Refuse(error, reason)) = stage.answer(Some(&caps), 30, 0) else {
        panic!("granted")
    };
    for form in [Form::Lines, Form::Binary] {
        let mut recorder = CaptureRecorder::with_form(Vec::new(), &header(), form, u64::MAX);
        context3d::native::CallRecorder::refused(&mut recorder, 0, &request, &error, &reason);
        let records = read(&recorder.finish().unwrap()).unwrap();
        let [CaptureRecord::Call(line)] = &*records else { panic!("{records:?}") };
        let expected = "standard needs 4096 texels a side of a 2D texture, and the device has 1024";
        assert_eq!((line.result, line.throws), (None, Some(3702)), "{form:?}");
        assert_eq!(line.reason.as_deref(), Some(expected), "{form:?}");
    }
}

#[test]
fn what_was_written_of_a_recording_opens_at_any_time() {
    /// An output that retains only flushed bytes.
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
        let mut recorder = CaptureRecorder::with_form(file.clone(), &header(), form, u64::MAX);
        for frame in 1..=500_usize {
            recorder.set_visible(1, true);
            recorder.end_frame();
            if frame % 33 == 0 {
                let state = file.0.borrow();
                let (records, _) = recovered(&state.0[..state.1]);
                let frames =
                    records.iter().filter(|record| matches!(record, CaptureRecord::Frame(_)));
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
    for (form, end) in [(Form::Lines, "s3d.jsonl"), (Form::Binary, "s3d")] {
        for limit in [u64::MAX, 20_000] {
            let record = |recorder: &mut dyn FnMut(u32)| (0..3000).for_each(recorder);
            let mut direct = CaptureRecorder::with_form(Vec::new(), &header(), form, limit);
            record(&mut |frame| {
                direct.set_x(0, f64::from(frame).sin());
                direct.end_frame();
            });
            let name = format!("molehill-thread-{}.{end}", std::process::id());
            let file = std::env::temp_dir().join(name);
            let mut threaded = CaptureRecorder::create(&file, &header(), limit).unwrap();
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
    // Linux provides a device that is always full.
    let full = std::path::Path::new("/dev/full");
    if full.exists() {
        let mut recorder = CaptureRecorder::create(full, &header(), u64::MAX).unwrap();
        for _ in 0..100_000 {
            recorder.set_x(0, 1.0);
            recorder.end_frame();
        }
        let error = recorder.error().map(std::io::Error::kind);
        assert_eq!(error, Some(std::io::ErrorKind::StorageFull));
        assert!(recorder.finish().is_err());
    }
}

#[test]
fn a_file_is_never_replaced() {
    let folder = std::env::temp_dir().join(format!("molehill-numbered-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let names = |end: &str| ["", ".1", ".2"].map(|number| format!("a{number}{end}"));
    for end in [".s3d.jsonl", ".s3d", ".txt", ""] {
        // Two recorders are open at the same time, like those of a process and its child.
        let path = folder.join(format!("a{end}"));
        let recorders =
            [0, 1].map(|_| CaptureRecorder::create(&path, &header(), u64::MAX).unwrap());
        drop(recorders);
        let before = std::fs::read(&path).unwrap();
        let mut recorder = CaptureRecorder::create(&path, &header(), u64::MAX).unwrap();
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

/// A record that is too long for readers isn't written, and the capture before it is complete.
#[test]
fn a_record_that_no_reader_accepts_is_an_error() {
    let length = usize::try_from(MAX_LINE_BYTES).unwrap() - 1000;
    let vertex_program = ByteArray::from(vec![7; length]);
    let call = Call::ProgramUpload { vertex_program, fragment_program: ByteArray(None) };
    let large: molehill_capture::CaptureRecord =
        CaptureRecord::Call(line(ObjectKind::Program3D, call, None));
    for form in [Form::Lines, Form::Binary] {
        let mut writer = CaptureWriter::with_form(Vec::new(), &header(), form, 1).unwrap();
        prologue().iter().for_each(|record| writer.write(record).unwrap());
        let error = writer.write(&large).unwrap_err();
        assert!(error.to_string().starts_with("upload: line longer than"), "{error}");
        let (records, error) = recovered(&writer.finish().unwrap());
        assert!(error.is_none() && records.len() == prologue().len());
    }
}

/// Names, marker regions and stacks are cut to their limits, and equal stacks are stored once.
#[test]
fn names_markers_and_stacks_are_recorded() {
    let options = ContextOptions { profile: Profile::Standard, swf_version: 30 };
    let mut context = Context3D::new(NullBackend::new(), options);
    let mut recorder = CaptureRecorder::with_form(Vec::new(), &header(), Form::Binary, u64::MAX);
    let on = recorder.context(0, "auto", Profile::Standard);
    recorder.name_context(on, "main");
    recorder.begin("Load");
    let long = "é".repeat(600);
    for functions in
        [&["Main/load()", "Main()"][..], &["Main/load()", "Main()"], &[long.as_str(); 70], &[]]
    {
        recorder.stack(functions);
        let command = Invocation::CreateProgram {};
        let result = context.execute(&command);
        recorder.call(on, &command, &result);
        let Ok(Reply::Program(program)) = result else { panic!("{result:?}") };
        recorder.name(program, "sky");
        recorder.forget(program);
        recorder.name(program, "forgotten");
    }
    recorder.end();
    recorder.end_frame();
    let (records, error) = recovered(&recorder.finish().unwrap());
    assert!(error.is_none());
    let text = |record: &CaptureRecord| match record {
        CaptureRecord::Call(line) => format!("{} {:?}", line.on, line.stack),
        CaptureRecord::Note(CaptureNote::Name { on, text }) => format!("{on} is {text}"),
        CaptureRecord::Note(CaptureNote::Begin(text)) => format!("({text}"),
        CaptureRecord::Note(CaptureNote::End) => ")".to_owned(),
        CaptureRecord::Note(CaptureNote::Stack { number, functions }) => {
            let bytes: Vec<usize> = functions.iter().map(String::len).collect();
            format!("stack {number}: {} of {:?}", bytes.len(), bytes[0])
        }
        CaptureRecord::Frame(_) | CaptureRecord::Event(_) => "frame".to_owned(),
    };
    let found: Vec<String> = records.iter().map(text).collect();
    let expected = [
        "1 None",
        "2 is main",
        "(Load",
        "stack 0: 2 of 11",
        "2 Some(0)",
        "3 is sky",
        "2 Some(0)",
        "4 is sky",
        "stack 1: 64 of 1024",
        "2 Some(1)",
        "5 is sky",
        "2 None",
        "6 is sky",
        ")",
        "frame",
    ];
    assert_eq!(found, expected);
}

/// A capture of an older version has no notes or stacks: a writer rejects them, and a reader ignores a call's stack.
#[test]
fn older_versions_have_no_notes() {
    let call = line(ObjectKind::Stage3D, Call::SetX { value: 1.0 }, None);
    let with_stack = CaptureRecord::Call(CallLine { stack: Some(7), ..call.clone() });
    for record in [CaptureRecord::Note(CaptureNote::End), with_stack.clone()] {
        let mut writer = CaptureWriter::with_form(Vec::new(), &header(), Form::Lines, 2).unwrap();
        let error = writer.write(&record).unwrap_err().to_string();
        assert!(error.ends_with(" needs version 3 of the format"), "{error}");
    }
    let lines = String::from_utf8(write_as(&[with_stack], Form::Lines)).unwrap();
    let older = lines.replace("\"stage3dCapture\":3", "\"stage3dCapture\":2");
    assert_eq!(read(older.as_bytes()).unwrap(), [CaptureRecord::Call(call)]);
    let note =
        lines.replace("\"stage3dCapture\":3", "\"stage3dCapture\":2") + "{\"note\":\"end\"}\n";
    assert_eq!(
        read(note.as_bytes()).unwrap_err().located("c"),
        "c:3: call 2: no \"call\", \"frame\", \"event\" or \"note\" in this line"
    );
}

/// Returns the size of a recording in which a program passes the same bitmap for every mip level in every frame.
fn bytes_of_uploads(side: u32, frames: u32, noise: bool) -> usize {
    let options = ContextOptions { profile: Profile::Standard, swf_version: 30 };
    let mut context = Context3D::new(NullBackend::counting(), options);
    let mut recorder = CaptureRecorder::with_form(Vec::new(), &header(), Form::Binary, u64::MAX);
    let on = recorder.context(0, "auto", Profile::Standard);
    let mut state = 1_u32;
    let pixels = (0..side * side).flat_map(|_| {
        state = if noise { state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223) } else { 9 };
        state.to_le_bytes()
    });
    let pixels: Vec<u8> = pixels.collect();
    let mut execute = |command: &Invocation<'_>| {
        let result = context.execute(command);
        recorder.call(on, command, &result);
        result.unwrap()
    };
    let create = Invocation::CreateTexture {
        width: side.cast_signed(),
        height: side.cast_signed(),
        format: EnumArg::Is(TextureFormat::Bgra),
        optimize_for_render_to_texture: false,
        streaming_levels: 0,
    };
    let Reply::Texture(texture) = execute(&create) else { panic!("a texture") };
    for _ in 0..frames {
        for miplevel in 0..=side.ilog2() {
            let (pixels, layout) = (Some(&pixels[..]), PixelLayout::default());
            let bitmap = Bitmap { width: side, height: side, transparent: true, pixels, layout };
            let (source, side) = (Some(bitmap), Some(0));
            execute(&Invocation::TextureUploadFromBitmapData { texture, source, side, miplevel });
        }
    }
    recorder.finish().unwrap().len()
}

#[test]
fn a_bitmap_for_every_level_takes_the_levels_and_not_more() {
    let levels = 4 * 256 * 256 * 4 / 3;
    let bytes = bytes_of_uploads(256, 60, true);
    assert!((levels..levels + 32_000).contains(&bytes), "{bytes} bytes for {levels}");
    let flat = bytes_of_uploads(256, 60, false);
    assert!(flat < levels / 10, "{flat} bytes");
}
