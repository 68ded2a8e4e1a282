//! The text of a shader while it is written.
//!
//! Most of it is registers, and their lengths follow no pattern: a copy that looks at the length would be mispredicted
//! again and again. A [`Word`] is put together in a machine register and copied whole; what is too much is cut off.

use std::fmt;

use crate::operand::{Component, Swizzle, WriteMask};

/// Up to 16 characters of ASCII: a register with its selector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    /// The first character lowest, zeros behind the last.
    bytes: u128,
    len: u8,
}

impl Word {
    /// None.
    pub(super) const EMPTY: Word = Word { bytes: 0, len: 0 };
    /// In front of a selector.
    const POINT: Word = Word {
        bytes: b'.' as u128,
        len: 1,
    };

    /// A word from its text; what does not fit is lost.
    pub(super) const fn new(text: &str) -> Word {
        let mut word = Word::EMPTY;
        let mut rest = text.as_bytes();
        while let [first, others @ ..] = rest {
            word = word.then(Word {
                bytes: *first as u128,
                len: 1,
            });
            rest = others;
        }
        word
    }

    /// Both, one after the other; what does not fit is lost.
    pub(super) const fn then(self, next: Word) -> Word {
        let shifted = match next.bytes.checked_shl(8 * self.len as u32) {
            Some(shifted) => shifted,
            None => 0,
        };
        Word {
            bytes: self.bytes | shifted,
            len: self.len.saturating_add(next.len),
        }
    }

    /// A number in decimal.
    pub(super) fn number(number: u32) -> Word {
        match usize::try_from(number)
            .ok()
            .and_then(|number| NUMBERS.get(number))
        {
            Some(word) => *word,
            None => decimal(number),
        }
    }

    /// `.xyz`: the components that some lanes read, in the order of the lanes.
    pub(super) fn selector(swizzle: Swizzle, lanes: WriteMask) -> Word {
        Component::ALL.into_iter().fold(Word::POINT, |word, lane| {
            let letter = Word {
                bytes: u32::from(swizzle.get(lane).letter()).into(),
                len: 1,
            };
            word.then(if lanes.contains(lane) {
                letter
            } else {
                Word::EMPTY
            })
        })
    }
}

/// The numbers of registers, which are all below 250.
static NUMBERS: [Word; 256] = {
    let mut words = [Word::EMPTY; 256];
    let (mut rest, mut number): (&mut [Word], u32) = (&mut words, 0);
    while let [first, others @ ..] = rest {
        *first = decimal(number);
        rest = others;
        number += 1;
    }
    words
};

const fn decimal(number: u32) -> Word {
    let digit = Word {
        bytes: b'0' as u128 + (number % 10) as u128,
        len: 1,
    };
    match number {
        0..=9 => digit,
        _ => decimal(number / 10).then(digit),
    }
}

/// A shader's text.
pub(super) struct Text(Vec<u8>);

impl Text {
    pub(super) fn with_capacity(capacity: usize) -> Text {
        Text(Vec::with_capacity(capacity))
    }
    pub(super) fn push_str(&mut self, text: &str) {
        self.0.extend_from_slice(text.as_bytes());
    }
    pub(super) fn word(&mut self, word: Word) {
        let end = self.0.len().saturating_add(word.len.into());
        self.0.extend_from_slice(&word.bytes.to_le_bytes());
        self.0.truncate(end);
    }
    pub(super) fn finish(self) -> String {
        // All of it was text.
        String::from_utf8(self.0)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}

impl fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push_str(text);
        Ok(())
    }
}
