//! Tests that the code of converted captures passes the verifier, and that logs are parsed.

#[path = "../../capture/tests/capture/samples.rs"]
mod samples;

#[path = "../../tests/common/parallel.rs"]
mod parallel;

use std::io::Cursor;
use std::path::{Path, PathBuf};

use molehill_capture::objects::{ObjectId, ObjectKind};
use molehill_capture::{
    CallLine, CaptureError, CaptureHeader, CaptureReader, CaptureRecord, EventLine, EventRecord,
};
use molehill_swf::results::{OutputLine, parse};
use molehill_swf::{PrintedOutput, SwfFile, SwfWriter, check, convert};
use proptest::prelude::*;
use samples::{Entropy, first_of, line, notes, prologue, samples};

/// Maximum number of records to convert per capture. The converted records of all captures contain every call of the
/// call table.
const RECORDS: usize = 1000;

fn converted(path: &Path, prints: PrintedOutput) -> SwfFile {
    let reader = CaptureReader::open(path).expect("a capture");
    let header = reader.header().clone();
    let records = reader.take(RECORDS);
    let records: Vec<(u64, CaptureRecord)> =
        records.collect::<Result<_, CaptureError>>().expect("records");
    convert(&header, records, prints).expect("a file")
}

/// Returns the captures of the repository and the shared captures.
fn captures() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = vec![root.join("../captures/knot.s3d.jsonl")];
    let shared = root.join("../../../shared/captures");
    if shared.is_dir() {
        for entry in std::fs::read_dir(shared).expect("a folder") {
            for name in ["capture.s3d.jsonl", "capture.s3d.jsonl.zst"] {
                found.extend(
                    Some(entry.as_ref().expect("an entry").path().join(name))
                        .filter(|path| path.is_file()),
                );
            }
        }
    } else {
        assert!(std::env::var_os("MOLEHILL_REQUIRE_SHARED").is_none(), "no shared captures");
        println!("skipped: no shared captures");
    }
    found
}

#[test]
fn every_capture_becomes_a_valid_file() {
    parallel::each(&captures(), |_, path| {
        let SwfFile { swf, calls, frames, left_out, .. } = converted(path, PrintedOutput::Pictures);
        let methods = check(&swf).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        println!(
            "{}: {calls} calls, {methods} methods, {} bytes, {left_out:?}",
            path.display(),
            swf.len()
        );
        assert!(calls > 0 && frames > 1 && methods > 10);
    });
}

/// The colours of an opaque bitmap don't change, regardless of the recorded alpha.
#[test]
fn an_opaque_bitmap_keeps_its_colours() {
    let capture = |transparent: bool| {
        format!(
            r##"{{"stage3dCapture":1,"title":"","swfVersion":13,"stageWidth":8,"stageHeight":8,"stageColor":"#000000"}}
{{"call":"requestContext3D","on":1,"stage3DIndex":0,"context3DRenderMode":"auto","profile":"baseline","result":2}}
{{"call":"createTexture","on":2,"width":1,"height":1,"format":"bgra","optimizeForRenderToTexture":false,"streamingLevels":0,"result":3}}
{{"call":"uploadFromBitmapData","on":3,"source":{{"width":1,"height":1,"transparent":{transparent},"argbPremultipliedB64":"HhQKAA=="}},"miplevel":0}}
"##
        )
    };
    for (transparent, pixel) in [(false, [255, 10, 20, 30]), (true, [0; 4])] {
        let reader = CaptureReader::new(Cursor::new(capture(transparent))).expect("a capture");
        let header = reader.header().clone();
        let records = reader.collect::<Result<Vec<_>, CaptureError>>().expect("records");
        let converted = convert(&header, records, PrintedOutput::All).expect("a file");
        let file = swf::decompress_swf(&*converted.swf).expect("a file");
        let data =
            swf::parse_swf(&file).expect("tags").tags.into_iter().find_map(|tag| match tag {
                swf::Tag::DefineBinaryData(data) => Some(data.data.to_vec()),
                _ => None,
            });
        assert_eq!(data, Some(pixel.to_vec()), "{transparent}");
    }
}

#[test]
fn cut_files_are_refused() {
    let SwfFile { swf, .. } = converted(&captures()[0], PrintedOutput::All);
    assert!(check(&swf).is_ok());
    for end in [0, 7, swf.len() / 2] {
        assert!(check(&swf[..end]).is_err(), "{end} bytes");
    }
}

/// Formats parsed lines as text.
fn lines(lines: &[OutputLine]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn logs_are_read() {
    let log = "Warning: x\nmolehill property profile baseline\nmolehill call 12 error 3694 flash.errors::IllegalOperationError\n\
        [INFO] molehill picture 9 2x1 fnv1a 5 pixels 1 4278190080\nmolehill frame 3\nmolehill event textureReady\n\
        molehill call x\nmolehill timeout\nmolehill aborted\nmolehill case a.b\nmolehill call 0 error 7\nmolehill end\n";
    let text = |text: &str| text.to_owned();
    let expected = [
        OutputLine::Property(text("profile"), text("baseline")),
        OutputLine::Error { line: 12, number: 3694, class: text("IllegalOperationError") },
        OutputLine::Picture { line: 9, size: (2, 1), hash: 5, pixels: vec![1, 0xff00_0000] },
        OutputLine::Frame(3),
        OutputLine::Event(text("textureReady")),
        OutputLine::Timeout,
        OutputLine::Aborted,
        OutputLine::Case(text("a.b")),
        OutputLine::Error { line: 0, number: 7, class: String::new() },
        OutputLine::End,
    ];
    assert_eq!(parse(log), expected);
    assert_eq!(parse(&lines(&expected)), expected);
}

fn header(swf_version: u32) -> CaptureHeader {
    let (title, generator) = ("random".to_owned(), None);
    let (stage_width, stage_height) = (640, 480);
    CaptureHeader {
        title,
        swf_version,
        stage_width,
        stage_height,
        stage_color: [1, 2, 3],
        frame_rate: None,
        generator,
    }
}

/// Returns records that create one object of each class, then make every call of the call table with random arguments,
/// in any order.
fn random_records(bytes: Vec<u8>, throws: Option<u16>) -> Vec<(u64, CaptureRecord)> {
    let mut entropy = Entropy(bytes.into_iter());
    let mut records = prologue();
    records.extend(notes(&mut entropy, ObjectKind::Texture));
    for (number, (on, call)) in (100..).zip(samples(&mut entropy)) {
        let result = call.creates().map(|_| ObjectId(number));
        records.push(CaptureRecord::Call(CallLine { throws, ..line(on, call, result) }));
        match entropy.byte() % 8 {
            0 => records.push(CaptureRecord::Frame(u32::from(entropy.byte()))),
            1 => {
                let on = first_of(ObjectKind::Texture);
                records.push(CaptureRecord::Event(EventLine {
                    on,
                    event: EventRecord::TextureReady,
                    time: None,
                }));
            }
            _ => {}
        }
    }
    (2..).zip(records).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_calls_become_a_valid_file(
        bytes in prop::collection::vec(any::<u8>(), 0..4096),
        throws in prop::option::of(any::<u16>()),
        version in any::<u32>(),
        prints in prop_oneof![Just(PrintedOutput::Expected), Just(PrintedOutput::All), Just(PrintedOutput::Pictures)],
        twice in any::<bool>(),
    ) {
        let records = random_records(bytes, throws);
        let mut writer = SwfWriter::new(prints);
        let names = if twice { &["one", "two"][..] } else { &["one"] };
        for name in names {
            writer.case(name).expect("a case");
            if twice {
                writer.caption(name);
            }
            for (line, record) in &records {
                writer.record(*line, record).expect("a record");
            }
        }
        let SwfFile { swf, calls, expected, left_out, .. } = writer.finish(&header(version)).expect("a file");
        prop_assert!(check(&swf).expect("valid code") > 10);
        let of_capture = records.iter().filter_map(|(_, record)| record.call()).count() * names.len();
        prop_assert_eq!(usize::try_from(calls).unwrap() + left_out.len(), of_capture);
        prop_assert!(left_out.iter().all(|(_, why)| why.contains(": ")));
        let errors = expected.iter().filter(|line| matches!(line, OutputLine::Error { .. })).count();
        let made = |record: &(u64, CaptureRecord)| matches!(record.1.call(), Some(CallLine { throws: Some(_), .. }));
        prop_assert!(errors <= records.iter().filter(|record| made(record)).count() * names.len());
        prop_assert_eq!(expected.last(), Some(&OutputLine::End));
    }
}
