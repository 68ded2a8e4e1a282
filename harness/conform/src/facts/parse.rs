//! Parses the facts of a page of the reference.

use super::Fact;

/// The evidence grades of facts.
pub const GRADES: [&str; 4] = ["documented", "measured", "agreed", "open"];
/// The fields that open facts have and other facts don't.
pub const OPEN_FIELDS: [&str; 4] = ["Asked:", "We do:", "Seen:", "Program:"];
/// The field that names a fact's source.
pub const SOURCE: &str = "Source:";
/// The field with the reason why no test or case verifies the fact.
pub const UNTESTED: &str = "Untested:";

const AREAS: [&str; 5] = ["agal", "d3d9", "hs50", "context3d", "atf"];

/// Returns whether a string has the form of a fact id, such as `agal.kil.1`.
pub fn is_id(text: &str) -> bool {
    let letter = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_';
    let mut parts = text.split('.');
    let area = parts.next().unwrap_or_default();
    let mut parts = parts.peekable();
    AREAS.contains(&area)
        && parts.peek().is_some()
        && parts.all(|part| !part.is_empty() && part.bytes().all(letter))
}

/// Parses the facts of a page of the reference. Returns the facts, and an error message with page and line for each
/// malformed fact.
pub fn parse(page: &'static str, text: &str) -> (Vec<Fact>, Vec<String>) {
    let (mut facts, mut wrong) = (Vec::new(), Vec::new());
    let mut lines = text.lines().zip(1..).peekable();
    let mut in_code = false;
    while let Some((line, number)) = lines.next() {
        in_code ^= line.starts_with("```");
        let Some(first) = line.strip_prefix("- **").filter(|_| !in_code) else { continue };
        let mut item = first.to_owned();
        while let Some((more, _)) = lines.next_if(|(line, _)| line.starts_with("  ")) {
            item = format!("{item}\n{}", more.trim());
        }
        match fact(page, number, &item) {
            Ok(fact) => facts.push(fact),
            Err(reason) => wrong.push(format!("{page}:{number}: {reason}")),
        }
    }
    (facts, wrong)
}

fn fact(page: &'static str, line: usize, item: &str) -> Result<Fact, String> {
    let (id, rest) = item.split_once("**").ok_or("the id must end with **")?;
    let area = page.rsplit('/').nth(1).unwrap_or_default();
    if !is_id(id) || id.split('.').next() != Some(area) {
        return Err(format!(
            "invalid id {id:?}: ids on this page have the form {area}.subject.number"
        ));
    }
    let rest = rest.trim_start().strip_prefix('`').and_then(|rest| rest.split_once('`'));
    let (grade, rest) = rest.ok_or_else(|| format!("{id} has no grade in backticks"))?;
    let grade = GRADES.into_iter().find(|known| *known == grade);
    let grade = grade.ok_or_else(|| format!("{id} has an unknown grade"))?;
    let (text, fields) = split(rest.trim());
    let fact = Fact { page, line, id: id.to_owned(), grade, text, fields };
    match complaint(&fact) {
        Some(complaint) => Err(format!("{id} {complaint}")),
        None => Ok(fact),
    }
}

fn complaint(fact: &Fact) -> Option<String> {
    if fact.text.is_empty() || fact.fields.iter().any(|(_, text)| text.is_empty()) {
        return Some("has an empty text or field".to_owned());
    }
    let is_wrong = |field: &&str| {
        let count = fact.fields.iter().filter(|(of, _)| of == field).count();
        let needed = *field == SOURCE || fact.grade == "open" && OPEN_FIELDS.contains(field);
        if needed { count != 1 } else { count > usize::from(*field == UNTESTED) }
    };
    let wrong = fields().find(is_wrong)?;
    Some(format!("has too few or too many of {wrong:?} for {:?}", fact.grade))
}

/// Returns the keywords of a fact's fields. A field follows the text, at the start of a line or after a sentence.
fn fields() -> impl Iterator<Item = &'static str> {
    OPEN_FIELDS.into_iter().chain([SOURCE, UNTESTED])
}

/// Splits the list item of a fact into its text and its fields.
fn split(item: &str) -> (String, Vec<(&'static str, String)>) {
    let starts = |at: usize| {
        let before = item.get(..at).unwrap_or_default();
        let sentence = before.strip_suffix(' ').is_some_and(|before| {
            before.trim_end_matches(['`', ')', '"']).ends_with(['.', '?', '!', '…'])
        });
        before.is_empty() || before.ends_with('\n') || sentence
    };
    let mut places: Vec<(usize, &str)> = Vec::new();
    for field in fields() {
        let found = item.match_indices(field).filter(|(at, _)| starts(*at));
        places.extend(found.map(|(at, _)| (at, field)));
    }
    places.sort_unstable();
    let words = |from: usize, to: usize| {
        let words = item.get(from..to).unwrap_or_default().split_whitespace();
        words.collect::<Vec<_>>().join(" ")
    };
    let ends = places.iter().map(|(at, _)| *at).skip(1).chain([item.len()]);
    let fields = places.iter().zip(ends);
    let fields = fields.map(|((at, field), end)| (*field, words(at + field.len(), end))).collect();
    (words(0, places.first().map_or(item.len(), |(at, _)| *at)), fields)
}
