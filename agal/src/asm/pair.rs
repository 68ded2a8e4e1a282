//! A text that holds both programs of a pair: the form of `tests/programs/*.agal`.

use super::error::{AsmError, AsmErrorKind};
use super::lex::Line;
use super::parse::Assembler;
use super::{Options, first_line, numbered, program};
use crate::program::Program;
use crate::version::{Stage, Version};

/// Assembles a text that holds both programs of a pair:
///
/// ```text
/// // anything
/// // version: 2
/// // vertex
/// m44 op, va0, vc0
/// // fragment
/// mov oc, fc0
/// ```
///
/// The comment lines `// vertex` and `// fragment` begin the sections; `// version: N` before the first of them sets the
/// AGAL version, 1 without it. Other comments mean nothing. Gives vertex program, fragment program, version.
///
/// # Errors
/// As [`assemble`](super::assemble); lines are counted over the whole text. A missing section, an instruction before the
/// first section and an unknown version are errors too.
pub fn assemble_pair(text: &str) -> Result<(Program, Program, u32), AsmError> {
    let sections = Sections::of(text)?;
    let version = sections.version;
    let assembled = |stage: Stage, lines: Option<Vec<(u32, &str)>>| {
        let lines = lines.ok_or_else(|| {
            let kind = AsmErrorKind::MissingSection(stage.name());
            AsmError::new(kind, 1, 1, first_line(text))
        })?;
        let options = Options::default();
        let assembler = Assembler {
            stage,
            version,
            options,
        };
        program(assembler, lines.into_iter())
    };
    let vertex = assembled(Stage::Vertex, sections.vertex)?;
    let fragment = assembled(Stage::Fragment, sections.fragment)?;
    Ok((vertex, fragment, version.number()))
}

/// The numbered lines of each section; `None` where it has not begun.
struct Sections<'a> {
    version: Version,
    vertex: Option<Vec<(u32, &'a str)>>,
    fragment: Option<Vec<(u32, &'a str)>>,
}

impl<'a> Sections<'a> {
    fn of(text: &'a str) -> Result<Sections<'a>, AsmError> {
        let mut sections = Sections {
            version: Version::V1,
            vertex: None,
            fragment: None,
        };
        let mut present = None;
        for (number, line) in numbered(text) {
            let comment = line.trim().strip_prefix("//").map(str::trim);
            if let Some(stage) = comment.and_then(section) {
                present = Some(stage);
                sections.lines(stage);
            } else if let Some(stage) = present {
                sections.lines(stage).push((number, line));
            } else if let Some(value) = comment.and_then(|text| text.strip_prefix("version:")) {
                sections.version = version(value.trim(), line, number)?;
            } else {
                let cursor = Line::new(line, number);
                if !cursor.is_empty() {
                    return Err(cursor.error(AsmErrorKind::MissingSection(Stage::Vertex.name())));
                }
            }
        }
        Ok(sections)
    }

    /// The lines of a section, which begins with this if it has not yet.
    fn lines(&mut self, stage: Stage) -> &mut Vec<(u32, &'a str)> {
        let lines = match stage {
            Stage::Vertex => &mut self.vertex,
            Stage::Fragment => &mut self.fragment,
        };
        lines.get_or_insert_default()
    }
}

fn section(comment: &str) -> Option<Stage> {
    let mut stages = [Stage::Vertex, Stage::Fragment].into_iter();
    stages.find(|stage| stage.name() == comment)
}

fn version(value: &str, line: &str, number: u32) -> Result<Version, AsmError> {
    let known = value.parse().ok().and_then(Version::from_number);
    known.ok_or_else(|| {
        let kind = AsmErrorKind::UnknownVersion(value.to_owned());
        AsmError::new(kind, number, 1, line)
    })
}
