//! The body of the fuzz target, which `tests/fuzz.rs` also runs.

use std::io::Cursor;

use molehill_capture::{
    CaptureHeader, CaptureIndex, CaptureReader, CaptureRecord, CaptureWriter, Form, NOTE_VERSION,
};

/// Returns the header of every generated file.
fn header() -> CaptureHeader {
    CaptureHeader {
        title: String::new(),
        swf_version: 30,
        stage_width: 1,
        stage_height: 1,
        stage_color: [0; 3],
        frame_rate: None,
        generator: None,
    }
}

/// Returns a block with a valid head, so that readers accept the head and parse the content.
fn block(kind: u8, zstd: u8, raw: u32, first: u64, stored: &[u8]) -> Vec<u8> {
    let mut block = [b"S3Db".as_slice(), &[kind, zstd, 0, 0]].concat();
    block.extend(length(stored).to_le_bytes());
    block.extend(raw.to_le_bytes());
    block.extend(first.to_le_bytes());
    block.extend(twox_hash::XxHash3_64::oneshot(stored).to_le_bytes());
    let checksum = twox_hash::XxHash3_64::oneshot(&block);
    block.extend(checksum.to_le_bytes());
    block.extend(stored);
    block
}

fn length(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).unwrap()
}

/// Returns a file with only a header.
fn empty(form: Form) -> Vec<u8> {
    let writer = CaptureWriter::with_form(Vec::new(), &header(), form, NOTE_VERSION).unwrap();
    let mut file = writer.finish().unwrap();
    // The file's index is removed.
    let end = file.windows(4).rposition(|window| window == b"S3Db");
    file.truncate(end.unwrap_or(file.len()));
    file
}

/// Reads `bytes` unchanged, as lines after a header, and split into blocks. Reading must not panic. The records before
/// an error must be unchanged after they are written and read again in both forms.
pub(crate) fn run(bytes: &[u8]) {
    read(bytes.to_vec());
    read([&empty(Form::Lines), bytes].concat());
    let mut file = empty(Form::Binary);
    let at = file.len() as u64;
    for (number, piece) in bytes.split(|byte| *byte == 0xfe).enumerate() {
        let [kind, zstd, first, rest @ ..] = piece else {
            continue;
        };
        let raw = if zstd & 1 == 0 { length(rest) } else { 1 << 16 };
        let first = if number == 0 { 0 } else { u64::from(*first) };
        file.extend(block(kind % 6, zstd & 1, raw, first, rest));
    }
    // Uses the first block as the index.
    let offset = at.to_le_bytes();
    file.extend(offset);
    file.extend(twox_hash::XxHash3_64::oneshot(&offset).to_le_bytes());
    file.extend(b"S3D.end\n");
    read(file);
}

fn read(bytes: Vec<u8>) {
    let Ok(reader) = CaptureReader::new(Cursor::new(bytes.clone())) else {
        return;
    };
    let (header, version) = (reader.header().clone(), reader.version());
    let records: Vec<CaptureRecord> =
        reader.map_while(|item| item.ok()).map(|(_, record)| record).collect();
    for form in [Form::Lines, Form::Binary] {
        let mut writer = CaptureWriter::with_form(Vec::new(), &header, form, version).unwrap();
        records.iter().for_each(|record| writer.write(record).unwrap());
        let reader = CaptureReader::new(Cursor::new(writer.finish().unwrap())).unwrap();
        let again: Vec<CaptureRecord> = reader.map(|item| item.unwrap().1).collect();
        // NaN is not equal to itself.
        assert_eq!(format!("{again:?}"), format!("{records:?}"));
    }
    let Ok(mut reader) = CaptureReader::new(Cursor::new(bytes.clone())) else {
        return;
    };
    let (index, _) = CaptureIndex::scan(&mut reader);
    let Ok(mut reader) = CaptureReader::new(Cursor::new(bytes)) else {
        return;
    };
    for record in [index.records() / 2, 0, index.records()] {
        let _ = reader.seek(&index, record);
        reader.by_ref().take(3).for_each(drop);
        let _ = (index.record_of_call(record), index.frame(3), index.frames().count());
    }
}
