//! Parsing of text: a cursor, errors with positions, and suggestions for unknown words.

mod cursor;
mod error;

use std::cmp::Reverse;

pub use cursor::TextCursor;
pub use error::{ErrorList, MAX_ERRORS, ShortWord, TextError, TextErrors};

/// Longer words get no suggestion: all names are much shorter, and the search time is bounded.
const LONGEST: usize = 24;

/// Returns the candidate with the smallest edit distance, if the distance is small for the word's length. An edit
/// inserts, deletes or changes a letter, or swaps two neighbours; case is ignored. If several candidates have the
/// smallest distance, returns the first with the longest common prefix.
#[cold]
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = |word: &str| -> String {
        word.chars().take(LONGEST + 1).map(|c| c.to_ascii_lowercase()).collect()
    };
    let word = lower(word);
    let allowed = match word.chars().count() {
        0..=1 => 0,
        2..=3 => 1,
        4..=6 => 2,
        7..=LONGEST => 3,
        _ => return None,
    };
    let measured = candidates.into_iter().map(|candidate| {
        let other = lower(candidate);
        let alike = word.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
        ((strsim::osa_distance(&word, &other), Reverse(alike)), candidate)
    });
    let near = measured.filter(|((edits, _), _)| *edits <= allowed);
    near.min_by_key(|(key, _)| *key).map(|(_, candidate)| candidate)
}
