//! Tests captures through the public interface: round trips, errors, the binary form, recordings.

mod binary;
mod disk;
mod errors;
mod extent;
mod foreign;
mod lines;
mod payload_memory;
mod recording;
mod round_trip;
mod samples;
mod zstd;

use std::io::Cursor;

use molehill_capture::{
    CaptureError, CaptureHeader, CaptureReader, CaptureRecord, CaptureWriter, Form, NOTE_VERSION,
};

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

fn write(records: &[CaptureRecord]) -> Vec<u8> {
    let mut writer = CaptureWriter::new(Vec::new(), &header()).unwrap();
    for record in records {
        writer.write(record).unwrap();
    }
    writer.finish().unwrap()
}

fn read(text: &[u8]) -> Result<Vec<CaptureRecord>, CaptureError> {
    let reader = CaptureReader::new(Cursor::new(text.to_vec()))?;
    reader.map(|item| item.map(|(_, record)| record)).collect()
}

fn write_as(records: &[CaptureRecord], form: Form) -> Vec<u8> {
    let mut writer = CaptureWriter::with_form(Vec::new(), &header(), form, NOTE_VERSION).unwrap();
    records.iter().for_each(|record| writer.write(record).unwrap());
    writer.finish().unwrap()
}

/// Returns the records before an error, and the error.
fn recovered(bytes: &[u8]) -> (Vec<CaptureRecord>, Option<CaptureError>) {
    let mut records = Vec::new();
    match CaptureReader::new(Cursor::new(bytes.to_vec())) {
        Err(error) => (records, Some(error)),
        Ok(mut reader) => {
            let error = loop {
                match reader.next() {
                    None => break None,
                    Some(Err(error)) => break Some(error),
                    Some(Ok((_, record))) => records.push(record),
                }
            };
            (records, error)
        }
    }
}
