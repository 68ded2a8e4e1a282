//! The facts of the reference: the pages `REFERENCE*.md` as data. Cases, tests and code cite them as `[id]`.
//!
//! A fact is a list item of a page; continuation lines are indented by two spaces:
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

pub use coverage::{Coverage, coverage};
pub(crate) use coverage::{coverage_line, lines_of};
pub use parse::{GRADES, OPEN_FIELDS, SOURCE, UNTESTED, is_id, parse};

/// A fact of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Its page: `agal/REFERENCE.md`.
    pub page: &'static str,
    /// Its first line in the page, from 1 on.
    pub line: usize,
    /// `agal.kil.1`
    pub id: String,
    /// One of [`GRADES`].
    pub grade: &'static str,
    /// One or two sentences of Markdown.
    pub text: String,
    /// [`SOURCE`] always, and of an open fact [`OPEN_FIELDS`].
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
        /// Every page: its path in the repository, and its text.
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

/// The facts of all pages in order, without malformed ones, which a test finds.
pub fn all() -> &'static [Fact] {
    static FACTS: OnceLock<Vec<Fact>> = OnceLock::new();
    FACTS.get_or_init(|| PAGES.iter().flat_map(|(page, text)| parse(page, text).0).collect())
}

pub fn find(id: &str) -> Option<&'static Fact> {
    static BY_ID: OnceLock<HashMap<&str, &Fact>> = OnceLock::new();
    let facts = BY_ID.get_or_init(|| all().iter().map(|fact| (fact.id.as_str(), fact)).collect());
    facts.get(id).copied()
}

/// The ids that a text cites in square brackets, whether or not they exist.
pub fn cited(text: &str) -> impl Iterator<Item = &str> {
    let behind = text.split('[').skip(1);
    behind.filter_map(|rest| rest.split_once(']').map(|(id, _)| id)).filter(|id| is_id(id))
}

/// The facts that a text cites.
pub fn facts_of(text: &str) -> impl Iterator<Item = &'static Fact> {
    cited(text).filter_map(find)
}

/// A source with the citations of another one that it lacks.
pub(crate) fn joined(source: &str, other: &str) -> String {
    let has = |id: &&str| !cited(source).any(|known| known == *id);
    let more = cited(other).filter(has).map(|id| format!("[{id}]"));
    once(source.to_owned()).chain(more).collect::<Vec<_>>().join(" ")
}
