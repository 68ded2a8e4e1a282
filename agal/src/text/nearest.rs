//! Suggests a word for a misspelled one.

use std::cmp::Reverse;

/// Words longer than this get no suggestion: all names are much shorter, and the work stays bounded.
const LONGEST: usize = 24;

/// The candidate with the fewest edits (inserting, deleting or changing a letter, swapping two neighbours; ignoring
/// case), if they are few for the word's length. Among equals, the one with the longest common prefix, then the first.
#[cold]
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = lower(word);
    let allowed = match letters.len() {
        0..=1 => 0,
        2..=3 => 1,
        4..=6 => 2,
        7..=LONGEST => 3,
        _ => return None,
    };
    let measured = candidates.into_iter().map(|candidate| {
        let other = lower(candidate);
        let alike = letters.iter().zip(&other).take_while(|(a, b)| a == b);
        ((distance(&letters, &other), Reverse(alike.count())), candidate)
    });
    let near = measured.filter(|((edits, _), _)| *edits <= allowed);
    near.min_by_key(|(key, _)| *key).map(|(_, candidate)| candidate)
}

/// The first characters in lower case: one more than the maximum, which is enough to detect longer words.
fn lower(word: &str) -> Vec<char> {
    let letters = word.chars().take(LONGEST.saturating_add(1));
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}

/// Optimal string alignment: keeps the last two rows of the table of distances between prefixes.
fn distance(a: &[char], b: &[char]) -> usize {
    let at = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(usize::MAX);
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut previous = None;
    for (row, &letter) in (1usize..).zip(a) {
        let mut next = vec![row];
        let mut left = None;
        for (column, &other) in b.iter().enumerate() {
            let replaced = at(&last, column).saturating_add(usize::from(letter != other));
            let removed = at(&last, column.saturating_add(1)).saturating_add(1);
            let inserted = at(&next, column).saturating_add(1);
            let mut best = replaced.min(removed).min(inserted);
            if let Some(two_back) = column.checked_sub(1)
                && previous == Some(other)
                && left == Some(letter)
            {
                best = best.min(at(&before, two_back).saturating_add(1));
            }
            next.push(best);
            left = Some(other);
        }
        previous = Some(letter);
        before = std::mem::replace(&mut last, next);
    }
    at(&last, b.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edits(a: &str, b: &str) -> usize {
        distance(&lower(a), &lower(b))
    }

    #[test]
    fn edits_are_counted() {
        for (a, b, count) in [
            ("", "", 0),
            ("", "mov", 3),
            ("mov", "", 3),
            ("MOV", "mov", 0),
            ("mvo", "mov", 1),
            ("mv", "mov", 1),
            ("moov", "mov", 1),
            ("liner", "linear", 1),
            ("trilinear", "miplinear", 3),
            ("ab", "ba", 1),
            ("abc", "cab", 2),
        ] {
            assert_eq!(edits(a, b), count, "{a} {b}");
            assert_eq!(edits(b, a), count, "{b} {a}");
        }
    }

    #[test]
    fn only_near_words_are_named() {
        let words = ["mov", "mul", "max", "miplinear"];
        assert_eq!(nearest("mvo", words), Some("mov"));
        assert_eq!(nearest("MUL", words), Some("mul"));
        assert_eq!(nearest("xyz", words), None);
        assert_eq!(nearest("m", words), None);
        assert_eq!(nearest("", words), None);
        assert_eq!(nearest(&"miplinear".repeat(1000), words), None);
    }
}
