//! Makes a matching partner for a single program.

use std::collections::BTreeSet;

use agal::operand::SecondOperand;
use agal::register::RegisterFile;
use agal::{LinkedPair, Program, Rules, Stage, ValidProgram, asm, link, validate};

use super::program::complaint;
use crate::cli::Failure;

/// The registers of a file that a program writes.
pub(super) fn written(program: &Program, file: RegisterFile) -> BTreeSet<u16> {
    let instructions = program.instructions().iter();
    let writing = instructions.filter(|instruction| {
        let opcode = instruction.opcode();
        opcode.is_some_and(|opcode| opcode.shape().has_dest())
            && instruction.dest.register_file() == Some(file)
    });
    writing.map(|instruction| instruction.dest.number).collect()
}

/// The varyings that a fragment program reads.
fn read(program: &Program) -> BTreeSet<u16> {
    let sources = program.instructions().iter().flat_map(|instruction| {
        let second = match instruction.source2() {
            SecondOperand::Source(source) => Some(*source),
            SecondOperand::Sampler(_) => None,
        };
        [Some(instruction.source1), second]
    });
    let sources = sources.flatten();
    sources
        .filter(|source| source.register_file() == Some(RegisterFile::Varying))
        .map(|source| source.number)
        .collect()
}

/// The simplest matching program: it writes every varying that the fragment program reads, or reads every varying that
/// the vertex program writes.
fn text(program: &Program) -> String {
    match program.stage() {
        Stage::Fragment => {
            let varyings = read(program).into_iter();
            let writes = varyings.map(|number| format!("mov v{number}, va0\n"));
            format!("mov op, va0\n{}", writes.collect::<String>())
        }
        Stage::Vertex => {
            let varyings = written(program, RegisterFile::Varying).into_iter();
            let reads = varyings.map(|number| format!("add ft0, ft0, v{number}\n"));
            format!("mov ft0, fc0\n{}mov oc, ft0\n", reads.collect::<String>())
        }
    }
}

/// Links a program with a generated partner.
pub(super) fn with_partner(valid: ValidProgram) -> Result<LinkedPair, Failure> {
    let program = valid.program();
    let (stage, other) = match program.stage() {
        Stage::Vertex => (Stage::Vertex, Stage::Fragment),
        Stage::Fragment => (Stage::Fragment, Stage::Vertex),
    };
    let failure = |error: String| Failure(format!("the generated partner: {error}"));
    let partner = asm::assemble(&text(program), other, program.version());
    let partner = partner.map_err(|errors| failure(errors.to_string()))?;
    let partner = validate(partner, other, &Rules::NEWEST);
    let partner = partner.map_err(|error| failure(error.to_string()))?;
    let linked = match stage {
        Stage::Vertex => link(valid, partner),
        Stage::Fragment => link(partner, valid),
    };
    linked.map_err(|error| Failure(complaint(&error)))
}
