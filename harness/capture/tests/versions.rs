//! Tests that files of every format version stay readable.

use std::path::{Path, PathBuf};

use molehill_capture::{CaptureIndex, CaptureReader, CaptureRecord};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/versions").join(name)
}

fn read(name: &str) -> (u32, Vec<CaptureRecord>) {
    let reader = CaptureReader::open(&path(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(reader.header().title, "every version", "{name}");
    let version = reader.version();
    let records = reader.map(|item| item.unwrap_or_else(|error| panic!("{name}: {error}")).1);
    (version, records.collect())
}

#[test]
fn files_of_every_version_hold_the_same() {
    let (version, newest) = read("lines-3.s3d.jsonl");
    assert_eq!((version, newest.len()), (3, 23));
    let (version, records) = read("binary-3.s3d");
    assert!(version == 3 && records == newest);
    let (version, expected) = read("lines-2.s3d.jsonl");
    assert_eq!((version, expected.len()), (2, 19));
    let notes = |record: &CaptureRecord| matches!(record, CaptureRecord::Note(_));
    let calls = newest.iter().filter(|record| !notes(record)).zip(&expected);
    for (mut record, older) in calls.map(|(record, older)| (record.clone(), older)) {
        if let CaptureRecord::Call(line) = &mut record
            && line.stack.take().is_some()
        {
            assert_eq!(line.time.take(), Some(0.25));
        }
        assert_eq!(record, *older);
    }
    for (name, version) in [
        ("lines-1.s3d.jsonl", 1),
        ("lines-1.s3d.jsonl.zst", 1),
        ("binary-1.s3d", 2),
        ("binary-1.s3d.zst", 2),
    ] {
        let (found, records) = read(name);
        assert_eq!(found, version, "{name}");
        let expected = expected
            .iter()
            .filter(|record| version > 1 || !matches!(record, CaptureRecord::Event(_)));
        assert!(records.iter().eq(expected), "{name}");
        let (index, error) = CaptureIndex::open(&path(name)).unwrap();
        assert!(error.is_none() && index.frames().count() == 2, "{name}");
        assert_eq!(index.records(), records.len() as u64, "{name}");
    }
}
