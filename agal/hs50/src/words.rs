//! Conversion between bytes, little-endian words, and pairs of words.

pub(crate) fn words(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let (words, _) = bytes.as_chunks::<4>();
    words.iter().map(|word| u32::from_le_bytes(*word))
}

/// Returns the word at a byte offset, if it is within the slice.
pub(crate) fn word_at(bytes: &[u8], offset: usize) -> Option<u32> {
    let word = bytes.get(offset..)?.first_chunk()?;
    Some(u32::from_le_bytes(*word))
}

pub(crate) fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Returns a length as a word. A length that doesn't fit becomes the maximum, which no reader accepts.
pub(crate) fn length(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

pub(crate) fn halves(pair: u64) -> [u32; 2] {
    [pair & 0xffff_ffff, pair >> 32].map(|half| u32::try_from(half).unwrap_or(0))
}

/// Returns the pair of a low and a high half.
pub(crate) fn joined([low, high]: [u32; 2]) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}
