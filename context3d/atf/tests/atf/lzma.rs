//! Tests of LZMA streams.

use atf::AtfError;
use atf::lzma::decode;

/// Converts an LZMA file to a record, by removing the eight bytes of its size.
fn record(data: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    lzma_rs::lzma_compress(&mut &*data, &mut file).unwrap();
    file.drain(5..13);
    file
}

/// [atf.lzma.header]
#[test]
fn the_size_is_the_levels() {
    let data: Vec<u8> = (0..20_000u32).map(|n| ((n * n) >> 7).to_le_bytes()[0]).collect();
    let record = record(&data);
    assert_eq!(decode(&record, data.len()).unwrap(), data);
    for size in [data.len() + 1, data.len() * 1000] {
        assert!(matches!(decode(&record, size), Err(AtfError::Invalid(_))));
    }
    for length in [0, 4, 5, 9, record.len() / 2] {
        let short = decode(&record[..length], data.len());
        assert!(matches!(short, Err(AtfError::Invalid(_))), "{length}");
    }
}

/// Records of liblzma with an end marker, with default parameters and with parameters for 4-byte words.
#[test]
fn records_with_matches() {
    let byte = |n: u32| match n % 512 {
        0..300 => ((n * n) >> 7).to_le_bytes()[0],
        _ => (n / 512 * 37 + n % 7).to_le_bytes()[0],
    };
    let data: Vec<u8> = (0..4096).map(byte).collect();
    for record in
        [include_bytes!("records/usual.lzma").as_slice(), include_bytes!("records/by_words.lzma")]
    {
        assert!(record.len() < data.len());
        assert_eq!(decode(record, data.len()).unwrap(), data);
        // A record is rejected if its stream ends before the required size.
        assert!(decode(record, data.len() + 1).is_err());
    }
}

/// A stream without an end marker is valid, because its size is known. [atf.lzma.end]
#[test]
fn records_without_an_end_marker() {
    use lzma_rs::compress::{Options, UnpackedSize};
    let data: Vec<u8> = (0..2000u32).map(|n| n.to_le_bytes()[0] / 3).collect();
    let options = Options { unpacked_size: UnpackedSize::WriteToHeader(Some(data.len() as u64)) };
    let mut file = Vec::new();
    lzma_rs::lzma_compress_with_options(&mut &*data, &mut file, &options).unwrap();
    file.drain(5..13);
    assert!(file.len() < record(&data).len(), "a marker takes bytes");
    assert_eq!(decode(&file, data.len()).unwrap(), data);
}

/// [atf.lzma.dictionary]
#[test]
fn the_files_dictionary_size_asks_for_nothing() {
    let mut record = record(&[7; 64]);
    record[1..5].fill(0xff);
    assert_eq!(decode(&record, 64).unwrap(), [7; 64]);
    record[0] = 225;
    assert!(decode(&record, 64).is_err());
}
