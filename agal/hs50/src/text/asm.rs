//! Assembles a whole listing.

use agal_core::text::{ErrorList, TextCursor};

use super::cursor::at_line_end;
use super::error::{HullTextErrorKind, HullTextErrors, HullTextResult};
use super::parse::parse;
use super::tables::HullTables;
use crate::container::signature::{ShaderSignature, SignatureKind};
use crate::names::ProgramKind;
use crate::shader::HullProgramShader;
use crate::tokens::program::{HullProgram, ProgramVersion};

/// Assembles a listing, and parses the signatures from its comments. Without signature comments, hull and domain
/// shaders get an empty patch constant signature. Reports up to [`super::MAX_ERRORS`] errors.
pub fn assemble(text: &str) -> Result<HullProgramShader, HullTextErrors> {
    let mut cursor = TextCursor::new(text);
    let mut tables = HullTables::default();
    let mut errors = ErrorList::default();
    let mut program: Option<HullProgram> = None;
    while !cursor.is_empty() {
        if let Err(error) = line(&mut cursor, &mut tables, &mut program) {
            cursor.take_line();
            // Instructions can't be parsed without a version, so assembly stops.
            if !errors.push(error) || program.is_none() {
                break;
            }
        }
    }
    errors.into_result(())?;
    let missing = || cursor.error(HullTextErrorKind::Version).into();
    let shader = program.map(|program| shader(program, &mut tables));
    shader.ok_or_else(missing)
}

/// Parses one line, or an immediate constant buffer, which spans several lines.
fn line(
    cursor: &mut TextCursor<'_>,
    tables: &mut HullTables,
    program: &mut Option<HullProgram>,
) -> HullTextResult {
    cursor.blank();
    if !at_line_end(cursor) {
        match program {
            Some(program) => {
                let instruction = parse(cursor, program.version)?;
                program.instructions.push(instruction);
            }
            None => {
                let before = *cursor;
                let version = ProgramVersion::from_name(cursor.name());
                let version = version.ok_or_else(|| before.error(HullTextErrorKind::Version))?;
                *program = Some(HullProgram { version, instructions: Vec::new() });
            }
        }
        cursor.blank();
        if !at_line_end(cursor) {
            let rest = cursor.rest().lines().next().unwrap_or_default();
            return Err(cursor.error(HullTextErrorKind::Rest(rest.to_owned())));
        }
    }
    let before = *cursor;
    match cursor.take_line().trim_start().strip_prefix("//") {
        Some(comment) if program.is_none() => tables.comment(comment, &before),
        _ => Ok(()),
    }
}

fn shader(program: HullProgram, tables: &mut HullTables) -> HullProgramShader {
    let kind = program.version.kind;
    let hull = kind == ProgramKind::Hull;
    let mut plain = |kind, unused| {
        let found = tables.signature(kind, unused);
        found.unwrap_or_else(|| ShaderSignature::new(kind))
    };
    let patch = hull || kind == ProgramKind::Domain;
    HullProgramShader {
        input: plain(SignatureKind::Input, false),
        output: plain(SignatureKind::Output, true),
        patch_constant: patch.then(|| plain(SignatureKind::PatchConstant, hull)),
        program,
        instruction_count: None,
    }
}
