//! Converts between bytes, little-endian dwords and 64-bit values.

pub(crate) fn words(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let (words, _) = bytes.as_chunks::<4>();
    words.iter().map(|word| u32::from_le_bytes(*word))
}

/// Returns the dword at a byte offset, or `None` past the end.
pub(crate) fn word_at(bytes: &[u8], offset: usize) -> Option<u32> {
    let word = bytes.get(offset..)?.first_chunk()?;
    Some(u32::from_le_bytes(*word))
}

pub(crate) fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Returns a length as a dword. Lengths that don't fit become the maximum, which all readers reject.
pub(crate) fn length(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

pub(crate) fn halves(pair: u64) -> [u32; 2] {
    [pair & 0xffff_ffff, pair >> 32].map(|half| u32::try_from(half).unwrap_or(0))
}

/// Combines a low and a high dword to a 64-bit value.
pub(crate) fn joined([low, high]: [u32; 2]) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}
