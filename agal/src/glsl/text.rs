//! The text of a shader while it is put together.
//!
//! Most of it is registers and pieces of formulas, whose lengths follow no pattern: a copy that looks at the length would
//! be mispredicted again and again. A [`Word`] is put together in machine registers and copied whole; what is too much is
//! cut off behind it.

use std::fmt;

use crate::isa::operand::{Component, Swizzle, WriteMask};

/// Up to 16 characters of ASCII. Any register with its selector is one: `vc[65535].xyzw`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// The first character lowest, zeros behind the last.
    bytes: u128,
    len: u8,
}

impl Word {
    /// No character.
    pub(crate) const EMPTY: Word = Word { bytes: 0, len: 0 };

    /// A word of the program text; the compiler refuses one that does not fit.
    pub(crate) const fn new(text: &'static str) -> Word {
        assert!(text.len() <= 16 && text.is_ascii());
        let mut word = Word::EMPTY;
        let mut rest = text.as_bytes();
        while let [first, others @ ..] = rest {
            word = word.then(Word::character(*first));
            rest = others;
        }
        word
    }

    const fn character(ascii: u8) -> Word {
        Word {
            bytes: ascii as u128,
            len: 1,
        }
    }

    /// Both, one after the other. The caller knows that both fit; what does not is lost.
    pub(crate) const fn then(self, next: Word) -> Word {
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
    pub(crate) fn number(number: u32) -> Word {
        let place = usize::try_from(number).ok();
        match place.and_then(|place| NUMBERS.get(place)) {
            Some(word) => *word,
            None => decimal(number),
        }
    }

    /// `.xyz`: the components that some lanes read, in the order of the lanes.
    pub(crate) fn selector(swizzle: Swizzle, lanes: WriteMask) -> Word {
        const POINT: Word = Word::new(".");
        Component::ALL.into_iter().fold(POINT, |word, lane| {
            // Chosen and not jumped over, for masks follow no pattern either.
            let letter = if lanes.contains(lane) {
                Word {
                    bytes: u32::from(swizzle.get(lane).letter()).into(),
                    len: 1,
                }
            } else {
                Word::EMPTY
            };
            word.then(letter)
        })
    }
}

/// Greater ones are rare: no register has a number above 249.
static NUMBERS: [Word; 256] = {
    let mut words = [Word::EMPTY; _];
    let (mut rest, mut number): (&mut [Word], u32) = (&mut words, 0);
    while let [word, others @ ..] = rest {
        *word = decimal(number);
        rest = others;
        number += 1;
    }
    words
};

const fn decimal(number: u32) -> Word {
    let digit = Word {
        bytes: (b'0' as u32 + number % 10) as u128,
        len: 1,
    };
    match number {
        0..=9 => digit,
        _ => decimal(number / 10).then(digit),
    }
}

/// A text that grows.
pub(crate) struct Text(Vec<u8>);

impl Text {
    pub(crate) fn with_capacity(bytes: usize) -> Text {
        Text(Vec::with_capacity(bytes))
    }

    pub(crate) fn push_str(&mut self, text: &str) {
        self.0.extend_from_slice(text.as_bytes());
    }

    pub(crate) fn word(&mut self, word: Word) {
        let end = self.0.len().saturating_add(word.len.into());
        self.0.extend_from_slice(&word.bytes.to_le_bytes());
        self.0.truncate(end);
    }

    pub(crate) fn finish(self) -> String {
        // Nothing but text was put in, so nothing is replaced.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn written(words: &[Word]) -> String {
        let mut text = Text::with_capacity(0);
        for word in words {
            text.word(*word);
        }
        text.finish()
    }

    #[test]
    fn words_are_what_formatting_writes() {
        for number in (0..300).chain([65_535, 99_999_999]) {
            assert_eq!(written(&[Word::number(number)]), number.to_string());
        }
        for bits in 0..=u8::MAX {
            let swizzle = Swizzle::from_bits(bits);
            for lanes in (0..16).map(WriteMask::from_bits) {
                let letters = lanes.iter().map(|lane| swizzle.get(lane).letter());
                let expected = format!(".{}", letters.collect::<String>());
                assert_eq!(written(&[Word::selector(swizzle, lanes)]), expected);
            }
        }
    }

    #[test]
    fn words_join() {
        let array = Word::new("vc[").then(Word::number(65_535));
        let register = array.then(Word::new("]"));
        let longest = register.then(Word::selector(Swizzle::IDENTITY, WriteMask::ALL));
        let text = written(&[longest, Word::EMPTY, Word::new("inversesqrt(abs(")]);
        assert_eq!(text, "vc[65535].xyzwinversesqrt(abs(");
    }
}
