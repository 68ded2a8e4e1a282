//! Tests the binary form of captures: equality with JSON Lines, seeking, and damaged files.

use std::io::{Cursor, Seek, SeekFrom};

use proptest::prelude::*;

use super::samples::{Entropy, first_of, line, notes, prologue, samples};
use super::{header, read, recovered, write_as};
use molehill_capture::data::ByteArray;
use molehill_capture::objects::{ObjectId, ObjectKind};
use molehill_capture::{
    Call, CaptureError, CaptureIndex, CaptureReader, CaptureRecord, CaptureRecorder, EventLine,
    EventRecord, Form,
};

/// Returns records with payloads, events, notes and several blocks, from [`samples`].
fn records(entropy: Vec<u8>) -> Vec<CaptureRecord> {
    let mut entropy = Entropy(entropy.into_iter());
    let mut records = prologue();
    for frame in 0..150_u32 {
        for (index, (on, mut call)) in samples(&mut entropy).into_iter().enumerate() {
            match &mut call {
                Call::RequestContext3D { stage3d_index, .. } => *stage3d_index = 0,
                Call::IndexBufferUploadFromByteArray { data, .. } => {
                    let [low, high, ..] = (frame / 10).to_le_bytes();
                    *data = ByteArray::from([low, high, 7].repeat(200));
                }
                _ if frame % 50 != 7 => continue,
                _ => {}
            }
            let id = 100 + u64::from(frame) * 100 + index as u64;
            let result = call.creates().map(|_| ObjectId(id));
            records.push(CaptureRecord::Call(line(on, call, result)));
        }
        let event = match frame % 2 {
            0 => EventRecord::TextureReady,
            _ => EventRecord::Error(3790),
        };
        let on = first_of(ObjectKind::Texture);
        let event = EventLine { on, event, time: Some(f64::from(frame)) };
        records.push(CaptureRecord::Event(event));
        records.extend(notes(&mut entropy, ObjectKind::ALL[frame as usize % 9]));
        records.push(CaptureRecord::Frame(frame * 2));
    }
    records
}

fn reader(bytes: &[u8]) -> CaptureReader {
    CaptureReader::seekable(Cursor::new(bytes.to_vec())).unwrap()
}

/// Returns whether two lists of records are equal. NaN counts as equal to itself.
fn same(a: &[CaptureRecord], b: &[CaptureRecord]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| a == b || format!("{a:?}") == format!("{b:?}"))
}

fn position(record: u64) -> usize {
    usize::try_from(record).unwrap()
}

/// Returns the offsets of all blocks in a file.
fn blocks(bytes: &[u8]) -> Vec<usize> {
    let starts = bytes.windows(4).enumerate();
    starts.filter(|(_, window)| *window == b"S3Db").map(|(at, _)| at).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn both_forms_hold_the_same(entropy in prop::collection::vec(any::<u8>(), 0..4096)) {
        let records = records(entropy);
        let (lines, binary) = (write_as(&records, Form::Lines), write_as(&records, Form::Binary));
        let from_lines = read(&lines).unwrap();
        let from_binary = read(&binary).unwrap();
        prop_assert!(same(&from_binary, &records) && same(&from_lines, &records));
        prop_assert_eq!(&write_as(&from_lines, Form::Binary), &binary);
        prop_assert_eq!(&write_as(&from_binary, Form::Lines), &lines);
        prop_assert_eq!(reader(&binary).header().clone(), header());
    }

    #[test]
    fn a_damaged_binary_gives_what_is_before(
        entropy in prop::collection::vec(any::<u8>(), 0..512),
        at in any::<prop::sample::Index>(),
        byte in 1..=u8::MAX,
        cut in any::<bool>(),
    ) {
        let records = records(entropy);
        let mut bytes = write_as(&records, Form::Binary);
        let end = *blocks(&bytes).last().unwrap();
        let at = at.index(bytes.len());
        if cut {
            bytes.truncate(at);
        } else {
            bytes[at] ^= byte;
        }
        let (found, error) = recovered(&bytes);
        prop_assert!(same(&found, &records[..found.len()]));
        // Readers check only the blocks before the index, and ignore the reserved bytes of the file's head.
        if at < end && !(12..16).contains(&at) {
            prop_assert!(error.is_some(), "byte {} of {}", at, end);
        }
        // A damaged index is rebuilt; the index of a damaged capture covers the records before the damage.
        if let Ok(mut reader) = CaptureReader::seekable(Cursor::new(bytes)) {
            let (index, _) = CaptureIndex::scan(&mut reader);
            prop_assert!(index.records() >= found.len() as u64);
        }
    }

    #[test]
    fn any_bytes_after_a_head_are_read_or_refused(junk in prop::collection::vec(any::<u8>(), 0..200)) {
        let bytes = write_as(&prologue(), Form::Binary);
        for start in blocks(&bytes) {
            let _ = recovered(&[&bytes[..start], junk.as_slice()].concat());
            let _ = recovered(&[&bytes[..start + 40], junk.as_slice()].concat());
        }
    }
}

#[test]
fn a_capture_cut_at_any_block_is_read_up_to_there() {
    let records = records((0..2000_u32).map(|n| n.to_le_bytes()[0]).collect());
    let bytes = write_as(&records, Form::Binary);
    let blocks = blocks(&bytes);
    assert!(blocks.len() >= 7, "{blocks:?}");
    let mut before = 0;
    for (number, start) in blocks.iter().enumerate() {
        let (found, error) = recovered(&bytes[..*start]);
        assert!(found.len() >= before && same(&found, &records[..found.len()]));
        before = found.len();
        let error = error.unwrap();
        let calls = found.iter().filter(|record| matches!(record, CaptureRecord::Call(_)));
        let line = match number {
            0 => "1".to_owned(),
            _ => format!("{}: call {}", found.len() + 2, calls.count() + 1),
        };
        assert_eq!(
            error.located("c"),
            format!("c:{line}: block at byte {start}: the capture is cut off")
        );
        // Recovery finds the same records if the capture also contains one byte of the next block.
        let (cut, _) = recovered(&bytes[..start + 1]);
        assert_eq!(cut.len(), found.len());
    }
    assert_eq!(before, records.len());
    let (_, error) = recovered(&bytes[..bytes.len() - 1]);
    assert!(error.is_none(), "the records are whole");
}

#[test]
fn an_index_leads_to_any_record() {
    let records = records((0..3000_u32).map(|n| n.to_le_bytes()[0].wrapping_mul(31)).collect());
    let bytes = write_as(&records, Form::Binary);
    let (index, error) = CaptureIndex::scan(&mut reader(&bytes));
    assert!(error.is_none());
    // Except for block positions, the index equals that of the JSON Lines form, even if the file's end is missing.
    let (from_lines, _) = CaptureIndex::scan(
        &mut CaptureReader::new(Cursor::new(write_as(&records, Form::Lines))).unwrap(),
    );
    let (rebuilt, error) = CaptureIndex::scan(&mut reader(&bytes[..bytes.len() - 1]));
    assert!(error.is_none());
    assert_eq!(rebuilt, index);
    assert_eq!(from_lines.objects(), index.objects());
    assert!(from_lines.frames().eq(index.frames()));
    assert_eq!((index.records(), from_lines.calls()), (records.len() as u64, index.calls()));

    let calls =
        records.iter().enumerate().filter(|(_, record)| matches!(record, CaptureRecord::Call(_)));
    let calls: Vec<u64> = calls.map(|(number, _)| number as u64).collect();
    assert_eq!(index.calls(), calls.len() as u64);
    for (call, record) in calls.iter().enumerate() {
        assert_eq!(index.record_of_call(call as u64), Some(*record));
    }
    assert_eq!(index.record_of_call(calls.len() as u64), None);
    assert_eq!(index.frames().count(), 150);
    let frame = index.frame(20).unwrap();
    assert_eq!(records[position(frame.end) - 1], CaptureRecord::Frame(20));
    assert_eq!(records[position(frame.start) - 1], CaptureRecord::Frame(18));
    assert_eq!((index.frame(0).unwrap().start, index.frame(1)), (0, None));

    let mut reader = reader(&bytes);
    for at in (0..records.len()).rev().step_by(37) {
        reader.seek(&index, at as u64).unwrap();
        let (number, record) = reader.next().unwrap().unwrap();
        assert_eq!(number, at as u64 + 2);
        assert!(same(&[record], &records[at..=at]));
    }
    reader.seek(&index, 40).unwrap();
    let rest: Result<Vec<_>, _> =
        reader.by_ref().map(|item| item.map(|(_, record)| record)).collect();
    assert!(same(&rest.unwrap(), &records[40..]));
    let notes = (0..).zip(&records).filter_map(|(at, record)| match record {
        CaptureRecord::Note(note) => Some((at, note.clone())),
        CaptureRecord::Call(_) | CaptureRecord::Frame(_) | CaptureRecord::Event(_) => None,
    });
    assert!(reader.notes(&index).into_iter().eq(notes));
    // Lines from a source that can't seek can only be read forwards.
    let mut reader = CaptureReader::new(Cursor::new(write_as(&records, Form::Lines))).unwrap();
    reader.seek(&index, 50).unwrap();
    assert!(same(&[reader.next().unwrap().unwrap().1], &records[50..=50]));
    assert!(matches!(
        reader.seek(&index, 50),
        Err(CaptureError { kind: molehill_capture::errors::CaptureErrorKind::NoSeek, .. })
    ));
}

#[test]
fn payloads_are_stored_once_and_only_what_is_asked_for_is_read() {
    /// A source that counts the bytes that are read from it.
    struct Watched(Cursor<Vec<u8>>, std::sync::Arc<std::sync::atomic::AtomicUsize>);
    impl std::io::Read for Watched {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let read = self.0.read(buffer)?;
            self.1.fetch_add(read, std::sync::atomic::Ordering::Relaxed);
            Ok(read)
        }
    }
    impl Seek for Watched {
        fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
            self.0.seek(to)
        }
    }
    // Incompressible noise: 64 payloads of 128 KiB, each uploaded in three frames.
    let mut state = 1_u64;
    let mut noise = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state.to_be_bytes()[0]
    };
    let payloads: Vec<Vec<u8>> =
        (0..64).map(|_| (0..128 << 10).map(&mut noise).collect()).collect();
    let mut records = prologue();
    for frame in 0..192_u32 {
        let data = payloads[frame as usize % 64].clone().into();
        let call = Call::IndexBufferUploadFromByteArray {
            data,
            byte_array_offset: 0,
            start_offset: 0,
            count: 1,
        };
        records.push(CaptureRecord::Call(line(ObjectKind::IndexBuffer3D, call, None)));
        records.push(CaptureRecord::Frame(frame));
    }
    let bytes = write_as(&records, Form::Binary);
    assert!(bytes.len() < (64 * 128 + 16) << 10, "{} bytes", bytes.len());
    let read = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let watched =
        |bytes| CaptureReader::seekable(Watched(Cursor::new(bytes), read.clone())).unwrap();
    let (index, _) = CaptureIndex::scan(&mut watched(bytes.clone()));
    let mut reader = watched(bytes.clone());
    reader.seek(&index, index.frame(190).unwrap().start).unwrap();
    let upload = reader.next().unwrap().unwrap().1;
    assert_eq!(upload, records[records.len() - 4]);
    let bytes_read = || read.load(std::sync::atomic::Ordering::Relaxed);
    assert!(bytes_read() < 2 << 20, "{} bytes read", bytes_read());
    // Without the end of the file, only the blocks of records are read.
    read.store(0, std::sync::atomic::Ordering::Relaxed);
    let (rebuilt, error) = CaptureIndex::scan(&mut watched(bytes[..bytes.len() - 30].to_vec()));
    assert!(rebuilt.frames().eq(index.frames()) && error.is_some());
    assert!(bytes_read() < 64 << 10, "{} bytes read", bytes_read());
}

#[test]
fn a_bomb_is_refused_before_it_takes_memory() {
    let bytes = write_as(&prologue(), Form::Binary);
    let zeros = ruzstd::encoding::compress_to_vec(
        [0; 1 << 20].as_slice(),
        ruzstd::encoding::CompressionLevel::Fastest,
    );
    let block = |raw: u32, stored: &[u8]| {
        let mut head = b"S3Db\x02\x01\0\0".to_vec();
        head.extend(u32::try_from(stored.len()).unwrap().to_le_bytes());
        head.extend(raw.to_le_bytes());
        head.extend([0; 8]);
        head.extend(twox_hash::XxHash3_64::oneshot(stored).to_le_bytes());
        let checksum = twox_hash::XxHash3_64::oneshot(&head);
        [&head, checksum.to_le_bytes().as_slice(), stored].concat()
    };
    let start = blocks(&bytes)[1];
    for (raw, stored, message) in [
        (u32::MAX, zeros.as_slice(), "a block of 4294967295 bytes; at most 268435456 are allowed"),
        (100, &zeros, "malformed: the wrong length"),
        (1 << 21, &zeros, "malformed: the wrong length"),
    ] {
        let capture = [&bytes[..start], &block(raw, stored)].concat();
        let error = recovered(&capture).1.unwrap().located("c");
        assert_eq!(error, format!("c:2: call 1: block at byte {start}: {message}"));
    }
}

#[test]
fn lines_of_a_file_are_read_from_anywhere() {
    let mut recorder = CaptureRecorder::new(Vec::new(), &header(), u64::MAX);
    for frame in 0..40_000 {
        recorder.set_x(0, f64::from(frame));
        recorder.end_frame();
    }
    let text = String::from_utf8(recorder.finish().unwrap()).unwrap();
    // The text gets blank lines, which readers skip.
    let text = text.replace("77}\n", "77}\r\n \n\n");
    let name = format!("molehill-lines-{}.s3d.jsonl", std::process::id());
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, &text).unwrap();
    let all: Vec<_> = CaptureReader::open(&file).unwrap().map(Result::unwrap).collect();
    assert_eq!(all.len(), 80_000);
    let mut reader = CaptureReader::open(&file).unwrap();
    assert_eq!(reader.text_bytes(), Some(text.len() as u64));
    let (index, error) = CaptureIndex::scan(&mut reader);
    assert!(error.is_none() && index.records() == 80_000 && text.len() > 3 << 19);
    for record in [79_999, 0, 41_003, 41_002, 7, 80_000] {
        reader.seek(&index, record).unwrap();
        let next = reader.next().map(Result::unwrap);
        assert_eq!(next.as_ref(), all.get(usize::try_from(record).unwrap()));
    }
    std::fs::remove_file(file).unwrap();
}
