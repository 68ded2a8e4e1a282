//! The facts of the reference, read from the pages `REFERENCE*.md`. Cases, tests and code cite a fact as `[id]`.
//!
//! A fact is a list item of a page. Continuation lines are indented by two spaces:
//!
//! ```text
//! - **agal.kil.1** `measured` `kil` ends a fragment where its component is below zero.
//!   Source: capture `agal_kil`.
//! ```

mod coverage;
mod parse;

use std::collections::HashMap;
use std::iter::once;
use std::sync::OnceLock;

pub use coverage::{FactCoverage, coverage};
pub(crate) use coverage::{coverage_line, lines_of};
pub use parse::{GRADES, OPEN_FIELDS, SOURCE, UNTESTED, is_id, parse};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    pub page: &'static str,
    /// The 1-based line of the page on which the fact begins.
    pub line: usize,
    /// The fact's id, such as `agal.kil.1`.
    pub id: String,
    /// The fact's evidence grade, one of [`GRADES`].
    pub grade: &'static str,
    /// The fact's statement: one or two sentences of Markdown.
    pub text: String,
    /// The fact's fields: always [`SOURCE`], and [`OPEN_FIELDS`] if the fact has the grade `open`.
    pub fields: Vec<(&'static str, String)>,
}

impl Fact {
    pub fn is_open(&self) -> bool {
        self.grade == "open"
    }

    pub fn field(&self, field: &str) -> Option<&str> {
        self.fields.iter().find(|(of, _)| *of == field).map(|(_, text)| text.as_str())
    }
}

macro_rules! pages {
    ($($path:literal)+) => {
        /// The path in the repository and the text of every reference page.
        pub const PAGES: &[(&str, &str)] = &[$(($path, include_str!(concat!("../../../../", $path)))),+];
    };
}

pages! {
    "agal/REFERENCE.md"
    "agal/REFERENCE-opcodes.md"
    "agal/REFERENCE-errors.md"
    "agal/d3d9/REFERENCE.md"
    "agal/d3d9/REFERENCE-rules.md"
    "agal/hs50/REFERENCE.md"
    "agal/hs50/REFERENCE-rules.md"
    "context3d/REFERENCE.md"
    "context3d/REFERENCE-calls.md"
    "context3d/REFERENCE-checks.md"
    "context3d/REFERENCE-errors.md"
    "context3d/REFERENCE-textures.md"
    "context3d/atf/REFERENCE.md"
}

/// Returns the facts of all reference pages in order. Malformed facts are omitted; a unit test detects them.
pub fn all() -> &'static [Fact] {
    static FACTS: OnceLock<Vec<Fact>> = OnceLock::new();
    FACTS.get_or_init(|| PAGES.iter().flat_map(|(page, text)| parse(page, text).0).collect())
}

pub fn find(id: &str) -> Option<&'static Fact> {
    static BY_ID: OnceLock<HashMap<&str, &Fact>> = OnceLock::new();
    let facts = BY_ID.get_or_init(|| all().iter().map(|fact| (fact.id.as_str(), fact)).collect());
    facts.get(id).copied()
}

/// Returns the fact ids that a text cites in square brackets, even if no such fact exists.
pub fn cited(text: &str) -> impl Iterator<Item = &str> {
    let behind = text.split('[').skip(1);
    behind.filter_map(|rest| rest.split_once(']').map(|(id, _)| id)).filter(|id| is_id(id))
}

pub fn facts_of(text: &str) -> impl Iterator<Item = &'static Fact> {
    cited(text).filter_map(find)
}

/// Appends the citations in another source text, unless the source contains them already.
pub(crate) fn joined(source: &str, other: &str) -> String {
    let has = |id: &&str| !cited(source).any(|known| known == *id);
    let more = cited(other).filter(has).map(|id| format!("[{id}]"));
    once(source.to_owned()).chain(more).collect::<Vec<_>>().join(" ")
}
