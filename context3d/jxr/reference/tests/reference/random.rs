//! Reproducible random numbers.

/// The random number generator SplitMix64.
pub(crate) struct Random(u64);

impl Random {
    /// Creates an independent sequence for each pair of seed and case.
    pub(crate) fn new(seed: u64, case: u64) -> Self {
        let mut random = Self(seed);
        let start = random.next();
        Self(start ^ case.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`, which must not be 0.
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        u32::try_from(self.next() % u64::from(end)).unwrap_or(0)
    }

    /// Returns a number from `low` to `high`.
    pub(crate) fn within(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high - low + 1)
    }

    /// Returns true with probability 1/`n`.
    pub(crate) fn once_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    /// Returns a random element.
    pub(crate) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        let at = self.below(u32::try_from(of.len()).unwrap_or(1));
        of[at as usize]
    }
}
