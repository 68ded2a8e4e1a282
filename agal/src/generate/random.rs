//! Pseudorandom numbers from a seed.

/// The generator SplitMix64, which always gives the same numbers for the same seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates a generator whose sequence depends only on the seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// Returns the next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns the next 32 random bits.
    pub fn word(&mut self) -> u32 {
        u32::try_from(self.bits() >> 32).unwrap_or(0)
    }

    /// Returns a number below `limit`, or 0 if the limit is 0.
    pub fn below(&mut self, limit: u32) -> u32 {
        self.word().checked_rem(limit).unwrap_or(0)
    }

    /// Returns true with this probability in percent.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    /// Returns a random element of a list; `None` if the list is empty.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        let index = self.below(u32::try_from(list.len()).unwrap_or(u32::MAX));
        list.get(index as usize)
    }

    /// Returns a random word of a list; an empty string if the list is empty.
    pub fn word_of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        self.pick(list).copied().unwrap_or_default()
    }

    /// Returns a random number from -1 to 1. -1, 0 and 1 are frequent, because extremes matter most.
    pub fn error(&mut self) -> f32 {
        let bits = self.bits();
        let fraction = u16::try_from(bits >> 8 & 0xFFFF).unwrap_or(0);
        match bits & 7 {
            0 | 1 => 1.0,
            2 | 3 => -1.0,
            4 => 0.0,
            _ => f32::from(fraction) / 32768.0 - 1.0,
        }
    }
}

/// Returns `length` pseudorandom bytes for a seed: input for [`arbitrary::Unstructured`] without a fuzzer.
pub fn seed_bytes(seed: u64, length: usize) -> Vec<u8> {
    let mut random = Random::new(seed);
    let words = std::iter::repeat_with(|| random.bits());
    words.flat_map(u64::to_le_bytes).take(length).collect()
}
