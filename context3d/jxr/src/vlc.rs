//! Adaptive variable-length codes (T.832 9.6.2, Tables 83 to 102).
//!
//! Every alphabet has one or more fixed codes. Each symbol changes one or two discriminants. At the end of certain
//! macroblocks, a discriminant past its threshold switches the decoder to the next code.

use super::bits::BitReader;

/// The symbol that an 8-bit prefix encodes, and the length of its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CodeEntry {
    symbol: u8,
    length: u8,
}

/// A lookup table of a code, indexed by the next 8 bits, which is the maximum code length.
type CodeTable = [CodeEntry; 256];

/// The value that each symbol adds to a discriminant.
type Deltas = [i8; 16];

/// An alphabet of symbols. The names of the statics contain the number of symbols.
#[derive(Debug)]
pub(super) struct Alphabet {
    codes: &'static [CodeTable],
    /// The discriminant changes of symbols: one row for all codes, or one for each pair of adjacent codes.
    deltas: &'static [Deltas],
    /// True if a second discriminant, with its own row of deltas, controls the switch to the next code. An alphabet's
    /// first code doesn't use the second discriminant.
    two: bool,
}

/// Expands codes, given as pairs of bits and length per symbol, to a lookup table.
const fn code<const N: usize>(words: [(u8, u8); N]) -> CodeTable {
    let mut entries = [CodeEntry { symbol: 0, length: 0 }; 256];
    let mut symbol = 0u8;
    while (symbol as usize) < N {
        let (bits, length) = words[symbol as usize];
        let span = 1usize << (8 - length);
        let mut at = 0;
        while at < span {
            entries[bits as usize * span + at] = CodeEntry { symbol, length };
            at += 1;
        }
        symbol += 1;
    }
    entries
}

const fn deltas<const N: usize>(row: [i8; N]) -> Deltas {
    let mut all = [0; 16];
    let mut at = 0;
    while at < N {
        all[at] = row[at];
        at += 1;
    }
    all
}

macro_rules! alphabet {
    ($name:ident, two: $two:literal, codes: [$($code:expr),* $(,)?], deltas: [$($delta:expr),* $(,)?]) => {
        pub(super) static $name: Alphabet = {
            static CODES: &[CodeTable] = &[$(code($code)),*];
            static DELTAS: &[Deltas] = &[$(deltas($delta)),*];
            Alphabet { codes: CODES, deltas: DELTAS, two: $two }
        };
    };
}

alphabet!(FOUR, two: false, codes: [[(1, 1), (1, 2), (0, 3), (1, 3)]], deltas: [[0]]);

alphabet!(FIVE, two: false,
    codes: [
        [(1, 1), (1, 2), (1, 3), (0, 4), (1, 4)],
        [(1, 1), (0, 3), (1, 3), (2, 3), (3, 3)],
    ],
    deltas: [[0, -1, 0, 1, 1]]);

alphabet!(SIX, two: true,
codes: [
    [(1, 1), (0, 5), (1, 3), (1, 5), (1, 2), (1, 4)],
    [(1, 2), (0, 4), (2, 2), (1, 4), (3, 2), (1, 3)],
    [(0, 4), (1, 4), (1, 2), (2, 2), (3, 2), (1, 3)],
    [(0, 5), (1, 5), (1, 2), (1, 1), (1, 4), (1, 3)],
],
deltas: [
    [-1, 1, 1, 1, 0, 1],
    [-2, 0, 0, 2, 0, 0],
    [-1, -1, 0, 1, -2, 0],
]);

alphabet!(SEVEN, two: false,
    codes: [
        [(1, 2), (2, 2), (3, 2), (1, 3), (1, 4), (0, 5), (1, 5)],
        [(1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (0, 6), (1, 6)],
    ],
    deltas: [[1, 0, -1, -1, -1, -1, -1]]);

alphabet!(EIGHT, two: false,
    codes: [[(2, 2), (1, 3), (1, 5), (1, 4), (3, 2), (2, 3), (0, 5), (3, 3)]],
    deltas: [[0]]);

alphabet!(NINE, two: false,
    codes: [
        [(2, 3), (0, 5), (2, 4), (1, 5), (2, 5), (1, 1), (3, 3), (3, 5), (3, 4)],
        [(1, 1), (1, 3), (2, 3), (1, 4), (1, 6), (3, 3), (1, 5), (0, 7), (1, 7)],
    ],
    deltas: [[2, 2, 1, 1, -1, -2, -2, -2, -3]]);

alphabet!(TWELVE, two: true,
codes: [
    [(1, 5), (1, 6), (0, 7), (1, 7), (4, 5), (2, 3), (5, 5), (1, 1), (6, 5), (1, 4), (7, 5), (3, 3)],
    [(2, 4), (2, 5), (0, 6), (1, 6), (3, 4), (2, 3), (3, 5), (3, 2), (3, 3), (4, 3), (1, 5), (5, 3)],
    [(3, 2), (1, 3), (0, 7), (1, 7), (1, 5), (2, 3), (2, 7), (3, 3), (4, 3), (5, 3), (3, 7), (1, 4)],
    [(1, 3), (3, 2), (0, 7), (1, 5), (2, 5), (2, 3), (1, 7), (3, 3), (3, 5), (4, 3), (1, 6), (5, 3)],
    [(2, 3), (1, 1), (1, 7), (1, 4), (2, 7), (3, 3), (0, 8), (2, 4), (3, 7), (3, 4), (1, 8), (1, 5)],
],
deltas: [
    [1, 1, 1, 1, 1, 0, 0, -1, 2, 1, 0, 0],
    [2, 2, -1, -1, -1, 0, -2, -1, 0, 0, -2, -1],
    [-1, 1, 0, 2, 0, 0, 0, 0, -2, 0, 1, 1],
    [0, 1, 0, 1, -2, 0, -1, -1, -2, -1, -2, -2],
]);

/// The discriminant value at which the code changes.
const THRESHOLD: i32 = 8;

/// The maximum absolute value of a discriminant.
const MEMORY: i32 = 64;

#[derive(Clone, Debug)]
pub(super) struct AdaptiveTable {
    alphabet: &'static Alphabet,
    code: &'static CodeTable,
    down: &'static Deltas,
    up: &'static Deltas,
    index: usize,
    discriminants: [i32; 2],
}

/// Deltas of an invalid index, which change no discriminant.
static NO_DELTAS: Deltas = [0; 16];

impl AdaptiveTable {
    pub(super) fn new(alphabet: &'static Alphabet) -> Self {
        let mut adaptive = Self {
            alphabet,
            code: &EIGHT.codes[0],
            down: &NO_DELTAS,
            up: &NO_DELTAS,
            index: usize::from(alphabet.two),
            discriminants: [0; 2],
        };
        adaptive.choose();
        adaptive
    }

    /// Selects the lookup table and the deltas of `index`.
    fn choose(&mut self) {
        let Alphabet { codes, deltas, two } = self.alphabet;
        if let Some(code) = codes.get(self.index) {
            self.code = code;
        }
        let row = |at: usize| deltas.get(at).unwrap_or(&NO_DELTAS);
        if *two {
            self.down = row(self.index.saturating_sub(1));
            self.up = row(self.index.min(deltas.len().saturating_sub(1)));
        } else {
            (self.down, self.up) = (row(0), row(0));
        }
    }

    /// Reads a symbol without changing the discriminants.
    #[inline(always)]
    pub(super) fn read_fixed(&self, r: &mut BitReader<'_>) -> usize {
        let prefix = r.peek(8) & 0xff;
        let entry = self.code[prefix as usize];
        r.skip(u32::from(entry.length));
        usize::from(entry.symbol)
    }

    #[inline(always)]
    pub(super) fn read(&mut self, r: &mut BitReader<'_>) -> usize {
        let symbol = self.read_fixed(r);
        let [down, up] = &mut self.discriminants;
        *down += i32::from(self.down[symbol & 15]);
        *up += i32::from(self.up[symbol & 15]);
        symbol
    }

    /// Switches to another code if a discriminant has passed its threshold.
    pub(super) fn adapt(&mut self) {
        let [down, up] = self.discriminants;
        if down < -THRESHOLD && self.index > 0 {
            self.index -= 1;
        } else if up > THRESHOLD && self.index + 1 < self.alphabet.codes.len() {
            self.index += 1;
        } else {
            self.discriminants = self.discriminants.map(|d| d.clamp(-MEMORY, MEMORY));
            return;
        }
        self.discriminants = [0; 2];
        self.choose();
    }
}

#[cfg(test)]
#[path = "../tests/unit/vlc.rs"]
mod tests;
