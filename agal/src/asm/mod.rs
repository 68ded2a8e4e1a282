//! Text to [`Program`] and back, in the syntax of Adobe's AGALMiniAssembler (agal-assembly.md).
//!
//! Goes in: text. Comes out: a program, or an [`AsmError`] with line, column and the line itself. Printing is `Display`
//! of [`Program`]; for a legal program the text assembles to the same bytes.

mod error;
mod lex;
mod parse;
mod print;

pub use error::{AsmError, AsmErrorKind};
pub(crate) use print::instruction_text;

use crate::program::{Instruction, Program};
use crate::version::{Stage, Version};
use lex::Line;
use parse::Assembler;

/// How [`assemble_with`] deviates from the rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Allow register numbers up to 1023, whatever the version.
    pub ignore_limits: bool,
}

/// More lines than this are an error: twice what any AGAL version allows, as in the last edition of Adobe's class.
pub const MAX_INSTRUCTIONS: usize = 4096;

/// Assembles one program: one instruction a line, `//` comments, sampler options in `<…>`.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn assemble(source: &str, stage: Stage, version: u32) -> Result<Program, AsmError> {
    assemble_with(source, stage, version, Options::default())
}

/// The same with [`Options`].
///
/// # Errors
/// As [`assemble`].
pub fn assemble_with(
    source: &str,
    stage: Stage,
    version: u32,
    options: Options,
) -> Result<Program, AsmError> {
    let lines = numbered(source);
    let Some(version) = Version::from_number(version) else {
        let kind = AsmErrorKind::UnknownVersion(version.to_string());
        return Err(AsmError::new(kind, 1, 1, first_line(source)));
    };
    let assembler = Assembler {
        stage,
        version,
        options,
    };
    program(assembler, lines)
}

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
/// As [`assemble`]; lines are counted over the whole text. A missing section, an instruction before the first section
/// and an unknown version are errors too.
pub fn assemble_pair(text: &str) -> Result<(Program, Program, u32), AsmError> {
    let mut version = Version::V1;
    let mut section: Option<Stage> = None;
    let (mut vertex, mut fragment) = (Vec::new(), Vec::new());
    for (number, line) in numbered(text) {
        let mut sections = [Stage::Vertex, Stage::Fragment].into_iter();
        let comment = line.trim().strip_prefix("//").map(str::trim);
        let setting = comment.and_then(|comment| comment.strip_prefix("version:"));
        match (comment, section, setting) {
            (Some(comment), _, _) if sections.any(|stage| stage.name() == comment) => {
                section = Stage::from_code(u8::from(comment == Stage::Fragment.name()));
            }
            (_, None, Some(value)) => {
                let value = value.trim();
                let known = value.parse().ok().and_then(Version::from_number);
                version = known.ok_or_else(|| {
                    let kind = AsmErrorKind::UnknownVersion(value.to_owned());
                    AsmError::new(kind, number, 1, line)
                })?;
            }
            (_, Some(Stage::Vertex), _) => vertex.push((number, line)),
            (_, Some(Stage::Fragment), _) => fragment.push((number, line)),
            (_, None, None) => {
                let cursor = Line::new(line, number);
                if !cursor.is_empty() {
                    return Err(cursor.error(AsmErrorKind::MissingSection(Stage::Vertex.name())));
                }
            }
        }
    }
    let assembled = |stage: Stage, lines: Vec<(u32, &str)>| {
        if lines.is_empty() {
            let kind = AsmErrorKind::MissingSection(stage.name());
            return Err(AsmError::new(kind, 1, 1, first_line(text)));
        }
        let options = Options::default();
        program(
            Assembler {
                stage,
                version,
                options,
            },
            lines.into_iter(),
        )
    };
    let vertex = assembled(Stage::Vertex, vertex)?;
    let fragment = assembled(Stage::Fragment, fragment)?;
    Ok((vertex, fragment, version.number()))
}

fn program<'a>(
    assembler: Assembler,
    lines: impl Iterator<Item = (u32, &'a str)>,
) -> Result<Program, AsmError> {
    let mut instructions: Vec<Instruction> = Vec::new();
    for (number, text) in lines {
        let line = Line::new(text, number);
        if let Some(instruction) = assembler.line(line)? {
            if instructions.len() >= MAX_INSTRUCTIONS {
                return Err(line.error(AsmErrorKind::TooManyInstructions(MAX_INSTRUCTIONS)));
            }
            instructions.push(instruction);
        }
    }
    Ok(Program::new(
        assembler.version,
        assembler.stage,
        instructions,
    ))
}

/// Lines end at any of the four vertical characters (agal-assembly.md section 2); CR LF is one end.
fn numbered(source: &str) -> impl Iterator<Item = (u32, &str)> {
    let lines = source.split('\n').flat_map(|line| {
        line.strip_suffix('\r')
            .unwrap_or(line)
            .split(['\r', '\x0b', '\x0c'])
    });
    (1u32..).zip(lines)
}

fn first_line(source: &str) -> &str {
    numbered(source).next().map_or("", |(_, line)| line)
}
