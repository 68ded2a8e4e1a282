//! Sentences about draws, composed of fixed words and formatted values. Code that examines a sentence reads the
//! structured values, never the formatted text.

use std::collections::BTreeSet;
use std::fmt;

use crate::number::count;
use crate::state_items::StateSlot;

/// The value of a draw to which a sentence refers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Subject {
    Value(StateSlot),
    /// The content of the object that is bound to a slot.
    Content(StateSlot),
    /// A mip level of the texture that is bound to a slot.
    Level(StateSlot, u32),
    /// The last clear of the draw's render target.
    Clear,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Value(slot) => slot.fmt(f),
            Subject::Content(slot) => write!(f, "content of {slot}"),
            Subject::Level(slot, level) => write!(f, "level {level} of {slot}"),
            Subject::Clear => f.write_str("the last clear of the target"),
        }
    }
}

/// The fields of a reported sentence, for code that compares sentences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Meaning {
    /// The text without formatted values: equal in sentences that differ only in values.
    pub(crate) words: String,
    pub(crate) subjects: BTreeSet<Subject>,
    /// The texts of the sentences that were inserted into this sentence.
    pub(crate) parts: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sentence {
    pub(crate) text: String,
    pub(crate) meaning: Meaning,
}

/// Composes a [`Sentence`] from [`Piece`]s.
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

    pub(crate) fn contains(&self, other: &Sentence) -> bool {
        self.meaning.parts.contains(&other.text)
    }

    pub(crate) fn is_about_level(&self) -> bool {
        self.meaning.subjects.iter().any(|subject| matches!(subject, Subject::Level(..)))
    }
}

impl<T: Into<String>> From<T> for Sentence {
    fn from(words: T) -> Sentence {
        sentence![words.into()]
    }
}

/// A piece of a [`Sentence`]: words, a value, a subject or another sentence.
pub(crate) trait Piece {
    fn add_to(self, sentence: &mut Sentence);
}

/// Adds words, such as the names of objects and enumerations.
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

/// A value that is formatted into the text of a sentence, but not into [`Meaning::words`].
pub(crate) struct SentenceValue<T>(pub(crate) T);

impl<T: ToString> Piece for SentenceValue<T> {
    fn add_to(self, sentence: &mut Sentence) {
        sentence.text += &self.0.to_string();
    }
}

/// A count that is formatted with thousands separators: `20,481`.
pub(crate) struct Count(pub(crate) u64);

impl Piece for Count {
    fn add_to(self, sentence: &mut Sentence) {
        sentence.text += &count(self.0);
    }
}

/// Adds the name of a slot, and makes the slot a subject of the sentence.
impl Piece for StateSlot {
    fn add_to(self, sentence: &mut Sentence) {
        sentence.add(SentenceValue(self));
        sentence.meaning.words += self.item.name();
        sentence.add(Subject::Value(self));
    }
}

/// Records the subject of a sentence without adding text, if the words already name the subject.
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
