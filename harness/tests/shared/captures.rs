//! Tests every shared capture: reads it, writes it byte for byte, and replays it without a GPU.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use context3d::backend::{NullBackend, NullFactory};
use context3d::{Context3D, ContextOptions, Profile};
use libtest_mimic::Trial;
use molehill_capture::commands::{Ids, ReplayObject, Resolver, command};
use molehill_capture::{
    Call, CallLine, CaptureReader, CaptureRecord, CaptureRecorder, CaptureWriter, Form,
    RecordedContext,
};
use molehill_queries::info::inspect;
use molehill_replay::{ReplayOptions, Replayer};

use crate::needs;

/// Returns the tests of a capture.
pub(crate) fn trials(path: &Path) -> Vec<Trial> {
    type Test = (&'static str, fn(&Path));
    let tests: [Test; 4] = [
        ("is_recorded_the_same", is_recorded_the_same),
        ("is_written_back_byte_for_byte", is_written_back_byte_for_byte),
        ("plays_without_a_device", plays_without_a_device),
        ("plays_the_same_in_stronger_profiles", plays_the_same_in_stronger_profiles),
    ];
    let name = path.parent().and_then(Path::file_name).unwrap_or_default();
    let name = name.to_string_lossy();
    let trial = |(test, run)| needs::trial(format!("{name}::{test}"), path, run);
    tests.map(trial).into()
}

pub(crate) fn captures(shared: &Path) -> Vec<PathBuf> {
    // The folder `captures-open` contains captures whose behaviour wasn't understood when they were added.
    let folders = [shared, &shared.with_file_name("captures-open")].map(fs::read_dir);
    let folders = folders.into_iter().flatten().flatten().flatten();
    let mut captures: Vec<PathBuf> = folders
        .flat_map(|folder| {
            ["", ".zst"].map(|end| folder.path().join(format!("capture.s3d.jsonl{end}")))
        })
        .filter(|path| path.is_file())
        .collect();
    captures.sort();
    captures
}

/// Opens a capture as text.
fn plain(path: &Path) -> Box<dyn BufRead> {
    let file = BufReader::new(fs::File::open(path).unwrap());
    match path.extension().is_some_and(|extension| extension == "zst") {
        true => Box::new(BufReader::new(ruzstd::decoding::StreamingDecoder::new(file).unwrap())),
        false => Box::new(file),
    }
}

/// Converts a capture to the binary format.
fn binary(path: &Path) -> Vec<u8> {
    let name = path.display();
    let reader = CaptureReader::open(path).unwrap_or_else(|error| panic!("{name}: {error}"));
    let header = reader.header().clone();
    let mut writer =
        CaptureWriter::with_form(Vec::new(), &header, Form::Binary, reader.version()).unwrap();
    for item in reader {
        let (_, record) = item.unwrap_or_else(|error| panic!("{name}: {error}"));
        writer.write(&record).unwrap();
    }
    writer.finish().unwrap()
}

/// A writer whose bytes the test takes after each record.
#[derive(Clone, Default)]
struct Written(Rc<RefCell<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Checks that a capture is written byte for byte as it was recorded, even after conversion to the binary format.
fn is_written_back_byte_for_byte(path: &Path) {
    let name = path.display();
    let mut original = plain(path);
    let reader = CaptureReader::seekable(Cursor::new(binary(path))).unwrap();
    let mut line = Vec::new();
    let mut compare = |written: &[u8], number: u64| {
        line.clear();
        original.read_until(b'\n', &mut line).unwrap();
        assert!(
            line == written,
            "{name}:{number} is written as\n{}",
            String::from_utf8_lossy(written)
        );
    };
    let written = Written::default();
    let mut writer = CaptureWriter::new(written.clone(), reader.header()).unwrap();
    compare(&written.0.take(), 1);
    let mut frames = 0;
    for item in reader {
        let (number, record) = item.unwrap_or_else(|error| panic!("{name}: {error}"));
        frames += u32::from(matches!(record, CaptureRecord::Frame(_)));
        writer.write(&record).unwrap();
        compare(&written.0.take(), number);
    }
    assert_eq!(original.read(&mut [0]).unwrap(), 0, "{name} has more lines");
    assert!(frames > 0, "{name} has no frame");
}

/// A host that executes the calls of a capture on its own context, and records them.
struct Host {
    context: Context3D<NullBackend>,
    ids: Ids,
    recorder: CaptureRecorder<Vec<u8>>,
    recorded: Option<RecordedContext>,
}

impl Host {
    fn call(&mut self, line: &CallLine) {
        match &line.call {
            Call::RequestContext3D { stage3d_index, profile, .. } => {
                let profile =
                    profile.0.clone().flatten().and_then(|name| Profile::from_name(&name));
                let profile = profile.expect("a profile was granted");
                let recorded = self.recorder.context(*stage3d_index, "auto", profile);
                self.recorded = Some(recorded);
                self.ids.insert(line.result.expect("a context"), ReplayObject::Context(0));
            }
            Call::SetX { value } => self.recorder.set_x(0, *value),
            Call::SetY { value } => self.recorder.set_y(0, *value),
            Call::SetVisible { value } => self.recorder.set_visible(0, *value),
            call => {
                let receiver = self.ids.get(line.on).expect("an object");
                let resolver = Resolver::new(&self.ids);
                let command = command(call, &receiver, &resolver).expect("a call on a context");
                let result = self.context.execute(&command);
                self.recorder.call(self.recorded.expect("a context"), &command, &result);
                let created = result.ok().and_then(|reply| ReplayObject::created(0, &reply));
                if let Some((id, object)) = line.result.zip(created) {
                    self.ids.insert(id, object);
                }
            }
        }
    }
}

/// Converts a binary recording to text.
fn lines(binary: Vec<u8>) -> Vec<u8> {
    let reader = CaptureReader::seekable(Cursor::new(binary)).unwrap();
    let mut writer = CaptureWriter::new(Vec::new(), reader.header()).unwrap();
    for item in reader {
        writer.write(&item.unwrap().1).unwrap();
    }
    writer.finish().unwrap()
}

fn decoded(value: &serde_json::Value) -> Option<Vec<u8>> {
    STANDARD.decode(value.as_str()?).ok()
}

/// Returns whether a bitmap equals the upper left part of another bitmap.
fn is_crop(part: &serde_json::Value, whole: &serde_json::Value) -> bool {
    let number = |bitmap: &serde_json::Value, key: &str| {
        usize::try_from(bitmap[key].as_u64().unwrap()).unwrap()
    };
    let rows = |bitmap: &serde_json::Value| -> Vec<Vec<u8>> {
        let pixels = decoded(&bitmap["argbPremultipliedB64"]).unwrap_or_default();
        pixels.chunks((number(bitmap, "width") * 4).max(1)).map(<[u8]>::to_vec).collect()
    };
    let (rows_of_part, rows_of_whole) = (rows(part), rows(whole));
    part["transparent"] == whole["transparent"]
        && rows_of_part.len() == number(part, "height")
        && rows_of_part.len() <= rows_of_whole.len()
        && rows_of_part.iter().zip(&rows_of_whole).all(|(part, whole)| whole.starts_with(part))
}

/// Returns whether two lines record the same call; objects may have different ids.
fn same_call(found: &str, expected: &str, ids: &mut HashMap<u64, u64>) -> bool {
    let parse = |line: &str| serde_json::from_str::<serde_json::Map<_, serde_json::Value>>(line);
    let (found, expected) = (parse(found).unwrap(), parse(expected).unwrap());
    let is_request = expected.get("call").is_some_and(|call| call == "requestContext3D");
    expected.iter().all(|(key, value)| match key.as_str() {
        // The host's recorder may write other values of the keys `time` and `throws`, or omit them.
        "time" | "throws" => true,
        "profiles" | "context3DRenderMode" if is_request => true,
        // The recorder stores only the part of an array that the call reads.
        "byteArrayOffset" => found.get(key).and_then(|offset| offset.as_u64()) == Some(0),
        "dataB64" if value.is_string() => {
            let offset = expected.get("byteArrayOffset").and_then(|offset| offset.as_u64());
            let whole = decoded(value).unwrap();
            let part = found.get(key).and_then(decoded).unwrap();
            let read = whole.get(usize::try_from(offset.unwrap_or(0)).unwrap()..);
            match offset {
                None => part == whole,
                Some(_) => read.is_some_and(|read| read.starts_with(&part) && !part.is_empty()),
            }
        }
        "dataF64B64" | "dataF32B64" | "dataU32B64" if value.is_string() => {
            let part = found.get(key).and_then(decoded).unwrap();
            decoded(value).unwrap().starts_with(&part)
        }
        "source" if value.is_object() => is_crop(&found[key], value),
        "on" | "result" | "buffer" | "program" | "texture" | "indexBuffer" => {
            match (found.get(key).and_then(|id| id.as_u64()), value.as_u64()) {
                (Some(found), Some(expected)) => *ids.entry(expected).or_insert(found) == found,
                (found, expected) => found == expected,
            }
        }
        _ => found.get(key) == Some(value),
    })
}

/// Checks that a host which records the calls of a capture writes the same capture.
fn is_recorded_the_same(path: &Path) {
    let name = path.display();
    let reader = CaptureReader::open(path).unwrap();
    let options = ContextOptions {
        profile: recorded_profile(path),
        swf_version: reader.header().swf_version,
    };
    let mut host = Host {
        context: Context3D::new(NullBackend::counting(), options),
        ids: Ids::default(),
        recorder: CaptureRecorder::with_form(Vec::new(), reader.header(), Form::Binary, u64::MAX),
        recorded: None,
    };
    for item in reader {
        match item.unwrap().1 {
            CaptureRecord::Call(line) => host.call(&line),
            CaptureRecord::Frame(_) => host.recorder.end_frame(),
            CaptureRecord::Event(_) | CaptureRecord::Note(_) => {
                panic!("{name}: captures of version 1 have only calls and frames")
            }
        }
    }
    let text = lines(host.recorder.finish().unwrap());
    let mut ids = HashMap::new();
    let mut expected = plain(path).lines().map(Result::unwrap);
    let found = String::from_utf8(text).unwrap();
    for (number, found) in found.lines().enumerate() {
        let expected = expected.next().unwrap_or_default();
        assert!(
            same_call(found, &expected, &mut ids),
            "{name}:{} is recorded as\n{:.400}",
            number + 1,
            found
        );
    }
    assert_eq!(expected.next(), None, "{name} has more lines");
}

fn plays_without_a_device(path: &Path) {
    let name = path.display();
    let mut reader = CaptureReader::open(path).unwrap_or_else(|error| panic!("{name}: {error}"));
    let (info, failure) = inspect(&mut reader);
    assert!(failure.is_none(), "{name}: {}", failure.unwrap());
    assert!(info.report.calls > 0 && info.report.contexts == 1, "{name}");
    assert_eq!(info.calls.values().sum::<u64>(), info.report.calls, "{name}");
    let draws = info.calls.get("drawTriangles").copied().unwrap_or(0);
    assert_eq!(info.report.draws, draws, "{name}");
    // Demo programs ran without an error in the recording player; only ATF may be unsupported here.
    if name.to_string().contains("demo_") && info.report.unsupported.is_empty() {
        let skipped = &info.report.skipped;
        assert!(skipped.is_empty(), "{name} drops draws: {skipped:?}");
        let errors = &info.report.errors.by_code;
        assert!(errors.is_empty(), "{name} raises {errors:?}");
    }
    for program in &info.programs {
        assert!(
            program.vertex.is_some() && program.fragment.is_some(),
            "{name}: program of line {}",
            program.line
        );
    }
}

/// Checks that Flash programs run the same in a higher profile, which contains all limits of lower profiles.
fn plays_the_same_in_stronger_profiles(path: &Path) {
    let recorded = recorded_profile(path);
    let reader = CaptureReader::open(path).unwrap();
    let profiles: Vec<Profile> = Profile::ALL.iter().copied().filter(|p| *p >= recorded).collect();
    let replayer = |profile: &Profile| {
        let options = ReplayOptions { profile: Some(*profile), ..ReplayOptions::default() };
        Replayer::new(reader.header(), NullFactory, options)
    };
    let mut replayers: Vec<_> = profiles.iter().map(replayer).collect();
    // Read each record once for all profiles.
    for item in reader {
        let (number, record) = item.unwrap();
        for (profile, replayer) in profiles.iter().zip(&mut replayers) {
            let played = replayer.record(number, &record);
            played.unwrap_or_else(|error| panic!("{}: {profile}: {error}", path.display()));
        }
    }
    let own = replayers[0].report();
    assert!(own.calls > 0 && profiles[0] == recorded);
    for (profile, replayer) in profiles.iter().zip(&replayers) {
        assert_eq!(replayer.report(), own, "{}: {profile}", path.display());
    }
}

fn recorded_profile(path: &Path) -> Profile {
    let reader = CaptureReader::open(path).unwrap();
    let calls = reader.filter_map(|record| match record.unwrap().1 {
        CaptureRecord::Call(line) => Some(line.call),
        CaptureRecord::Frame(_) | CaptureRecord::Event(_) | CaptureRecord::Note(_) => None,
    });
    let mut profiles = calls.filter_map(|call| match call {
        Call::RequestContext3D { profile, .. } => profile.0.flatten(),
        _ => None,
    });
    let name = profiles.next().unwrap();
    Profile::from_name(&name).unwrap()
}
