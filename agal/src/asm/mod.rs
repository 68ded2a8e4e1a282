//! Text to [`Program`] and back, in the syntax of Adobe's AGALMiniAssembler (agal-assembly.md).
//!
//! Goes in: text. Comes out: a program, or an [`AsmError`] with line, column and the line itself. Printing is `Display`
//! of [`Program`]; for a legal program the text assembles to the same bytes.

mod error;
mod lex;
mod pair;
mod parse;
mod print;

pub use error::{AsmError, AsmErrorKind};
pub use pair::assemble_pair;
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
