//! Sentences about draws, composed of words and values. Code reads the fields of a sentence, and never its text.

use std::collections::BTreeSet;
use std::fmt;

use crate::number::count;
use crate::state_items::Slot;

/// A value of a draw that a sentence names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Subject {
    /// The value of a slot.
    Value(Slot),
    /// The content of the object in a slot.
    Content(Slot),
    /// A level of the texture in a slot.
    Level(Slot, u32),
    /// The last clear of the draw's target.
    Clear,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Value(slot) => slot.fmt(f),
            Subject::Content(slot) => write!(f, "content of {slot}"),
            Subject::Level(slot, level) => write!(f, "level {level} of {slot}"),
            Subject::Clear => f.write_str("what is cleared before"),
        }
    }
}

/// The meaning of a sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Meaning {
    /// The text without values. It is equal for sentences that differ only in values.
    pub(crate) words: String,
    pub(crate) subjects: BTreeSet<Subject>,
    /// The texts of the sentences that are a part of this sentence.
    pub(crate) parts: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sentence {
    pub(crate) text: String,
    pub(crate) meaning: Meaning,
}

/// Composes a [`Sentence`] of [`Piece`]s.
macro_rules! sentence {
    ($($piece:expr),+ $(,)?) => {{
        let mut sentence = $crate::sentence::Sentence::default();
        $(sentence.add($piece);)+
        sentence
    }};
}
pub(crate) use sentence;

impl Sentence {
    pub(crate) fn add(&mut self, piece: impl Piece) {
        piece.add_to(self);
    }

    /// Returns the sentences as one, with `separator` between them.
    pub(crate) fn joined(all: impl IntoIterator<Item = Sentence>, separator: &str) -> Sentence {
        let mut joined = Sentence::default();
        for sentence in all {
            if !joined.text.is_empty() {
                joined.add(separator);
            }
            joined.add(sentence);
        }
        joined
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns whether another sentence is a part of this sentence.
    pub(crate) fn contains(&self, other: &Sentence) -> bool {
        self.meaning.parts.contains(&other.text)
    }

    /// Returns whether the sentence is about a level of a texture.
    pub(crate) fn is_about_level(&self) -> bool {
        self.meaning.subjects.iter().any(|subject| matches!(subject, Subject::Level(..)))
    }
}

impl<T: Into<String>> From<T> for Sentence {
    fn from(words: T) -> Sentence {
        sentence![words.into()]
    }
}

/// A part of a [`Sentence`].
pub(crate) trait Piece {
    fn add_to(self, sentence: &mut Sentence);
}

/// Words, and names of objects and enumerations.
impl Piece for &str {
    fn add_to(self, sentence: &mut Sentence) {
        sentence.text += self;
        sentence.meaning.words += self;
    }
}

impl Piece for String {
    fn add_to(self, sentence: &mut Sentence) {
        sentence.add(&*self);
    }
}

/// A value as text.
pub(crate) struct Value<T>(pub(crate) T);

impl<T: ToString> Piece for Value<T> {
    fn add_to(self, sentence: &mut Sentence) {
        sentence.text += &self.0.to_string();
    }
}

/// A count with separators: `20,481`.
pub(crate) struct Count(pub(crate) u64);

impl Piece for Count {
    fn add_to(self, sentence: &mut Sentence) {
        sentence.text += &count(self.0);
    }
}

/// The name of a slot, which becomes a subject of the sentence.
impl Piece for Slot {
    fn add_to(self, sentence: &mut Sentence) {
        sentence.add(Value(self));
        sentence.meaning.words += self.item.name();
        sentence.add(Subject::Value(self));
    }
}

/// A subject that the words imply.
impl Piece for Subject {
    fn add_to(self, sentence: &mut Sentence) {
        sentence.meaning.subjects.insert(self);
    }
}

impl Piece for Sentence {
    fn add_to(self, sentence: &mut Sentence) {
        let Sentence { text, meaning: Meaning { words, subjects, parts } } = self;
        sentence.text += &text;
        sentence.meaning.words += &words;
        sentence.meaning.subjects.extend(subjects);
        sentence.meaning.parts.extend(parts.into_iter().chain([text]));
    }
}

impl<P: Piece> Piece for Option<P> {
    fn add_to(self, sentence: &mut Sentence) {
        self.into_iter().for_each(|piece| sentence.add(piece));
    }
}
