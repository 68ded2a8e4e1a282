//! The checksum of a DXBC container ([hs50.checksum.sum]).
//!
//! The checksum applies MD5's block function to all bytes after the checksum, with modified padding. The last block
//! begins with the 32-bit bit count, and its last dword differs from MD5.

use crate::words::words;

/// Offset of the first hashed byte, after magic and checksum.
const HASHED_FROM: usize = 20;

const INITIAL: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
const SHIFTS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// Computes a container's checksum, a variant of MD5, over all bytes after the checksum field.
pub fn checksum(container: &[u8]) -> [u32; 4] {
    let hashed = container.get(HASHED_FROM..).unwrap_or_default();
    // Only the low 32 bits of the bit count enter the checksum.
    let bits = u32::try_from(hashed.len() & 0x1fff_ffff).unwrap_or(0);
    let bits = bits.wrapping_mul(8);
    let tail = (bits >> 2) | 1;
    let (blocks, rest) = hashed.as_chunks::<64>();
    let mut state = blocks.iter().fold(INITIAL, round);
    let mut put = |parts: [&[u8]; 3], last: Option<u32>| {
        let mut block = [0; 64];
        let bytes = parts.into_iter().flatten();
        for (slot, byte) in block.iter_mut().zip(bytes) {
            *slot = *byte;
        }
        if let (Some(last), Some(end)) = (last, block.last_chunk_mut()) {
            *end = last.to_le_bytes();
        }
        state = round(state, &block);
    };
    let bits = bits.to_le_bytes();
    if rest.len() >= 56 {
        put([rest, &[0x80], &[]], None);
        put([&bits, &[], &[]], Some(tail));
    } else {
        put([&bits, rest, &[0x80]], Some(tail));
    }
    state
}

fn round(state: [u32; 4], block: &[u8; 64]) -> [u32; 4] {
    let message: Vec<u32> = words(block).collect();
    let [mut a, mut b, mut c, mut d] = state;
    for step in 0..64u32 {
        let (mix, index) = match step / 16 {
            0 => ((b & c) | (!b & d), step),
            1 => ((d & b) | (!d & c), step * 5 + 1),
            2 => (b ^ c ^ d, step * 3 + 5),
            _ => (c ^ (b | !d), step * 7),
        };
        let word = message.get((index % 16) as usize).copied().unwrap_or(0);
        let shifts = SHIFTS.get((step / 16) as usize);
        let shift = shifts.and_then(|row| row.get((step % 4) as usize));
        let sum = a.wrapping_add(mix).wrapping_add(sine(step)).wrapping_add(word);
        (a, d, c) = (d, c, b);
        b = b.wrapping_add(sum.rotate_left(shift.copied().unwrap_or(0)));
    }
    let mut sums = state;
    for (sum, more) in sums.iter_mut().zip([a, b, c, d]) {
        *sum = sum.wrapping_add(more);
    }
    sums
}

/// Returns MD5's constant for a step: the first 32 fractional bits of |sin(step + 1)|.
fn sine(step: u32) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number from 0 up to 2^32"
    )]
    let bits = (f64::from(step + 1).sin().abs() * 4_294_967_296.0) as u32;
    bits
}

#[cfg(test)]
#[path = "../../tests/unit/checksum.rs"]
mod tests;
