//! LZMA records [atf.lzma.header]: five bytes of properties, and the stream. The records have no size field, because
//! the mip level determines the size of the data.

use lzma_rs::decompress::{Options, UnpackedSize};

use super::error::AtfError;

/// Size of the properties in bytes: one byte for the three model parameters, four bytes for the dictionary size.
const PROPERTIES: usize = 5;
/// Minimum dictionary size in bytes, as LZMA specifies.
const MIN_DICTIONARY: usize = 0x1000;
/// Maximum compression ratio of LZMA. A match has at most 273 bytes, and its 14 decisions take at least 1/46 bit each,
/// because no probability exceeds 2017/2048.
const MAX_PER_BYTE: usize = 8192;

/// Decodes exactly `size` bytes. Allocates only the result, and a few megabytes for the model.
///
/// # Errors
/// [`AtfError::Invalid`] unless the record decodes to `size` bytes.
pub fn decode(record: &[u8], size: usize) -> Result<Vec<u8>, AtfError> {
    let invalid = |error: &dyn std::fmt::Display| AtfError::invalid(format!("LZMA: {error}"));
    let Some((properties, stream)) = record.split_at_checked(PROPERTIES) else {
        return Err(invalid(&"no properties"));
    };
    if size / MAX_PER_BYTE > stream.len() {
        return Err(invalid(&"too short"));
    }
    // The dictionary needs no more bytes than the data, so that the file's dictionary size is ignored.
    let dictionary = u32::try_from(size.max(MIN_DICTIONARY)).unwrap_or(u32::MAX);
    let mut header = properties.to_vec();
    header.splice(1.., dictionary.to_le_bytes());
    let mut input = std::io::Read::chain(header.as_slice(), stream);
    let mut output = Vec::new();
    output.try_reserve_exact(size).map_err(|_| invalid(&"out of memory"))?;
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
