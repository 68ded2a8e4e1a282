//! Tests of captures that are compressed as a whole.

use std::io::Cursor;

use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::recovered;
use super::samples::prologue;
use super::write;
use molehill_capture::{CaptureReader, CaptureRecord};

/// Returns the text of a capture with many frames.
fn text() -> Vec<u8> {
    let frames = (0..20_000).map(|frame| CaptureRecord::Frame(frame * frame % 977 + frame * 1000));
    write(&[prologue(), frames.collect()].concat())
}

fn compressed(text: &[u8]) -> Vec<u8> {
    compress_to_vec(text, CompressionLevel::Fastest)
}

#[test]
fn several_frames_and_skippable_ones() {
    let text = text();
    let mut data = vec![0x5c, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3];
    let (first, second) = text.split_at(text.len() / 3);
    data.extend(compressed(first));
    data.extend(compressed(second));
    let (records, error) = recovered(&data);
    assert!(error.is_none(), "{error:?}");
    assert!(records == recovered(&text).0 && records.len() > 20_000);
}

#[test]
fn what_came_before_the_cut_is_read() {
    let (all, frame) = (recovered(&text()).0, compressed(&text()));
    for cut in [5, 9, frame.len() / 2, frame.len() - 5, frame.len() - 1] {
        let (records, error) = recovered(&frame[..cut]);
        let error = error.unwrap().to_string();
        assert!(error.ends_with("bad zstd data: the data end too early"), "cut at {cut}: {error}");
        assert!(all.starts_with(&records), "cut at {cut}");
        assert!(cut < frame.len() / 2 || records.len() > 5000, "{} before {cut}", records.len());
    }
}

#[test]
fn damage_and_excess_are_errors() {
    let frame = compressed(&text());
    let garbage = [&frame[..], b"garbage!"].concat();
    assert!(recovered(&garbage).1.is_some());
    // Window descriptors for 1 GiB and 3.75 TiB.
    for window in [0xa0, 0xff] {
        let bomb = vec![0x28, 0xb5, 0x2f, 0xfd, 0, window, 1, 0, 0];
        let error = CaptureReader::new(Cursor::new(bomb)).err().unwrap().to_string();
        assert!(error.to_lowercase().contains("window"), "{error}");
    }
    for at in 4..frame.len().min(600) {
        let mut damaged = frame.clone();
        damaged[at] ^= 0x55;
        // Every result is allowed, except a panic or endless output.
        assert!(recovered(&damaged).0.len() < 1 << 20);
    }
}
