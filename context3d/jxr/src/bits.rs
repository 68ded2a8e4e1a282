//! Big-endian bit reading.

/// Reads bits, the most significant bit of each byte first.
///
/// Reading past the end returns zeros and sets [`Self::overrun`]. The decoder checks `overrun` once per macroblock,
/// which keeps the branch out of the hot path. Decoding of damaged data ends within one macroblock.
#[derive(Clone, Debug)]
pub(super) struct BitReader<'a> {
    data: &'a [u8],
    /// The next byte to load into `acc`; may exceed the length of `data`.
    next: usize,
    /// Bits not yet read, left-aligned.
    acc: u64,
    /// The number of unread bits in `acc`.
    have: u32,
}

impl<'a> BitReader<'a> {
    /// Returns a reader that starts at byte `at` of `data`.
    pub(super) fn new(data: &'a [u8], at: usize) -> Self {
        let mut reader = Self { data, next: at, acc: 0, have: 0 };
        reader.refill();
        reader
    }

    /// Fills `acc` to at least 57 bits.
    #[inline(always)]
    fn refill(&mut self) {
        let chunk = self.data.get(self.next..).and_then(|d| d.first_chunk::<8>());
        if let Some(chunk) = chunk {
            self.acc |= u64::from_be_bytes(*chunk) >> self.have;
            self.next += ((63 - self.have) >> 3) as usize;
            self.have |= 56;
        } else {
            while self.have <= 56 {
                let byte = self.data.get(self.next).copied().unwrap_or(0);
                self.acc |= u64::from(byte) << (56 - self.have);
                self.next = self.next.saturating_add(1);
                self.have += 8;
            }
        }
    }

    /// Returns the next `count` (0 to 32) bits, without consuming them.
    #[inline(always)]
    pub(super) fn peek(&mut self, count: u32) -> u32 {
        if self.have < 32 {
            self.refill();
        }
        // Two shifts are needed, because a shift by 64 is undefined.
        let bits = (self.acc >> 1) >> (63 - (count & 63));
        u32::try_from(bits & 0xffff_ffff).unwrap_or(0)
    }

    /// Consumes `count` (0 to 32) bits.
    #[inline(always)]
    pub(super) fn skip(&mut self, count: u32) {
        self.acc <<= count & 63;
        self.have = self.have.saturating_sub(count);
    }

    /// Reads `count` (0 to 32) bits.
    #[inline(always)]
    pub(super) fn bits(&mut self, count: u32) -> u32 {
        let bits = self.peek(count);
        self.skip(count);
        bits
    }

    /// Reads `count` (0 to 30) bits as a non-negative number.
    #[inline(always)]
    pub(super) fn number(&mut self, count: u32) -> i32 {
        self.bits(count).cast_signed()
    }

    #[inline(always)]
    pub(super) fn flag(&mut self) -> bool {
        self.bits(1) != 0
    }

    /// Reads a magnitude of `count` (0 to 16) bits, then a sign if the magnitude isn't zero.
    #[inline(always)]
    pub(super) fn signed(&mut self, count: u32) -> i32 {
        let both = self.peek(count + 1).cast_signed();
        let magnitude = both >> 1;
        self.skip(count + u32::from(magnitude != 0));
        if both & 1 == 0 { magnitude } else { -magnitude }
    }

    pub(super) fn align(&mut self) {
        self.skip(self.have & 7);
    }

    /// Returns the number of bits read since the start of the data.
    pub(super) fn position(&self) -> u64 {
        (self.next as u64 * 8).saturating_sub(u64::from(self.have))
    }

    pub(super) fn overrun(&self) -> bool {
        self.position() > self.data.len() as u64 * 8
    }
}

#[cfg(test)]
#[path = "../tests/unit/bits.rs"]
mod tests;
