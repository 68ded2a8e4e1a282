//! LZMA records (`textures-and-atf.md` section 6): five bytes of properties, then the stream. The usual size field is
//! missing, because the level's size gives it.

use lzma_rs::decompress::{Options, UnpackedSize};

use super::error::AtfError;

/// Size of the properties in bytes: one for the three parameters of the model, four for the dictionary size.
const PROPERTIES: usize = 5;
/// Minimum dictionary size of LZMA in bytes.
const MIN_DICTIONARY: usize = 0x1000;
/// Maximum number of bytes that one byte of a stream can unpack to: a match has at most 273 bytes, and takes 14
/// decisions of at least 1/46 of a bit, because no probability exceeds 2017/2048.
const MAX_PER_BYTE: usize = 8192;

/// Decodes exactly `size` bytes. Uses no more memory, except for a few megabytes of the model.
///
/// # Errors
/// [`AtfError::Invalid`] for anything but a stream of that size.
pub fn decode(record: &[u8], size: usize) -> Result<Vec<u8>, AtfError> {
    let invalid = |error: &dyn std::fmt::Display| AtfError::invalid(format!("LZMA: {error}"));
    let Some((properties, stream)) = record.split_at_checked(PROPERTIES) else {
        return Err(invalid(&"no properties"));
    };
    if size / MAX_PER_BYTE > stream.len() {
        return Err(invalid(&"too short"));
    }
    // The dictionary never needs to exceed the data, so the file's own size is not used.
    let dictionary = u32::try_from(size.max(MIN_DICTIONARY)).unwrap_or(u32::MAX);
    let mut header = properties.to_vec();
    header.splice(1.., dictionary.to_le_bytes());
    let mut input = std::io::Read::chain(header.as_slice(), stream);
    let mut output = Vec::new();
    output.try_reserve_exact(size).map_err(|_| invalid(&"no memory"))?;
    let options = Options {
        unpacked_size: UnpackedSize::UseProvided(Some(size as u64)),
        memlimit: Some(size.max(MIN_DICTIONARY)),
        allow_incomplete: false,
    };
    lzma_rs::lzma_decompress_with_options(&mut input, &mut output, &options)
        .map_err(|error| invalid(&format_args!("{error:?}")))?;
    if output.len() == size {
        Ok(output)
    } else {
        Err(invalid(&format_args!("{} bytes where {size} are needed", output.len())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As a record: without the eight bytes of size.
    fn record(data: &[u8]) -> Vec<u8> {
        let mut file = Vec::new();
        lzma_rs::lzma_compress(&mut &*data, &mut file).unwrap();
        file.drain(5..13);
        file
    }

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

    /// Records of another encoder (liblzma) with an end marker, for the usual parameters and for words of four bytes.
    #[test]
    fn records_with_matches() {
        let byte = |n: u32| match n % 512 {
            0..300 => ((n * n) >> 7).to_le_bytes()[0],
            _ => (n / 512 * 37 + n % 7).to_le_bytes()[0],
        };
        let data: Vec<u8> = (0..4096).map(byte).collect();
        for record in [
            include_bytes!("../tests/atf/records/usual.lzma").as_slice(),
            include_bytes!("../tests/atf/records/by_words.lzma"),
        ] {
            assert!(record.len() < data.len());
            assert_eq!(decode(record, data.len()).unwrap(), data);
            // A level accepts records that need no more memory than it has.
            assert!(decode(record, data.len() + 1).is_err());
        }
    }

    /// A stream without an end marker is valid: the size is known.
    #[test]
    fn records_without_an_end_marker() {
        use lzma_rs::compress::{Options, UnpackedSize};
        let data: Vec<u8> = (0..2000u32).map(|n| n.to_le_bytes()[0] / 3).collect();
        let options =
            Options { unpacked_size: UnpackedSize::WriteToHeader(Some(data.len() as u64)) };
        let mut file = Vec::new();
        lzma_rs::lzma_compress_with_options(&mut &*data, &mut file, &options).unwrap();
        file.drain(5..13);
        assert!(file.len() < record(&data).len(), "a marker takes bytes");
        assert_eq!(decode(&file, data.len()).unwrap(), data);
    }

    #[test]
    fn the_files_dictionary_size_asks_for_nothing() {
        let mut record = record(&[7; 64]);
        record[1..5].fill(0xff);
        assert_eq!(decode(&record, 64).unwrap(), [7; 64]);
        record[0] = 225;
        assert!(decode(&record, 64).is_err());
    }
}
