//! Parses one line of text as one instruction, in the syntax of the AGALMiniAssembler family ([agal.text.lines]
//! [agal.text.operands] [agal.text.options]).
//!
//! The parser checks names, operand counts, the kind of program and register numbers; the validator checks legality.
//! Adobe's assembler silently drops unknown opcodes, text between operands, and bits of a LOD bias beyond eight; here,
//! these are errors. An unknown option is a warning.

use super::directive::{self, LineItem};
use super::error::{AsmError, AsmErrorKind};
use super::lex;
use crate::isa::opcode::AgalOpcode;
use crate::isa::operand::{Dest, SecondOperand, SourceOperand};
use crate::isa::sampler::{OPTIONS, SamplerField, SamplerOperand, SamplerOption};
use crate::token::AgalInstruction;
use crate::version::{AgalVersion, Stage};
use agal_core::text::{MAX_ERRORS, TextCursor, nearest};

/// The name of `m34` in Adobe's assembler ([agal.text.m43]).
const M34: &str = "m43";

#[derive(Clone, Copy)]
pub(super) struct Assembler {
    pub(super) stage: Stage,
    pub(super) version: AgalVersion,
    pub(super) ignore_limits: bool,
}

impl Assembler {
    /// Parses a line. Returns `None` if the line is empty.
    pub(super) fn line(
        &self,
        line: TextCursor<'_>,
        warnings: &mut Vec<AsmError>,
    ) -> Result<Option<LineItem>, AsmError> {
        match line.peek() {
            None => Ok(None),
            Some('.') => directive::parse(line).map(Some),
            Some(_) => self.instruction(line, warnings).map(LineItem::Instruction).map(Some),
        }
    }

    fn instruction(
        &self,
        mut line: TextCursor<'_>,
        warnings: &mut Vec<AsmError>,
    ) -> Result<AgalInstruction, AsmError> {
        let start = line;
        let opcode = self.opcode(&mut line)?;
        let signature = opcode.signature();
        let expected = usize::from(signature.has_dest()).saturating_add(signature.sources());
        let none = SourceOperand::default();
        let mut instruction =
            AgalInstruction::new(opcode.code(), Dest::default(), none, SecondOperand::Source(none));
        let mut found = 0usize;
        loop {
            lex::separators(&mut line);
            if matches!(line.peek(), None | Some('<')) {
                break;
            }
            let source = found.saturating_add(usize::from(!signature.has_dest()));
            // Operands beyond the expected number are only counted, for the error message.
            if found >= expected {
                lex::piece(&mut line);
            } else if source == 0 {
                instruction.dest = self.dest(&mut line)?;
            } else if source == 1 {
                instruction.source1 = self.source(&mut line)?;
            } else if signature.has_sampler() {
                instruction.set_source2(SecondOperand::Sampler(self.sampler(&mut line)?));
            } else {
                instruction.set_source2(SecondOperand::Source(self.source(&mut line)?));
            }
            found = found.saturating_add(1);
        }
        if found != expected {
            let name = opcode.name();
            return Err(start.error(AsmErrorKind::OperandCount { name, expected, found }));
        }
        options(&mut line, opcode, &mut instruction, warnings)?;
        Ok(instruction)
    }

    fn opcode(&self, line: &mut TextCursor<'_>) -> Result<AgalOpcode, AsmError> {
        let start = *line;
        let name = line.word(|c| c.is_ascii_alphanumeric() || c == '_');
        let known = AgalOpcode::from_name(if name == M34 { AgalOpcode::M34.name() } else { name });
        let Some(opcode) = known else {
            let shown = if name.is_empty() {
                start.peek().map(String::from).unwrap_or_default()
            } else {
                name.to_owned()
            };
            let near = nearest(&shown, AgalOpcode::ALL.iter().map(|opcode| opcode.name()));
            let error = start.error(AsmErrorKind::UnknownOpcode(shown));
            return Err(error.suggest(near));
        };
        // Opcodes that no player supports (`sgn`) assemble, as in Adobe's assembler; the validator rejects them.
        if let Some(since) = opcode.since().filter(|since| *since > self.version) {
            return Err(start.error(AsmErrorKind::OpcodeNeedsVersion {
                name: opcode.name(),
                version: since.number(),
            }));
        }
        if !opcode.stages().allows(self.stage) {
            return Err(start.error(AsmErrorKind::OpcodeNotInStage {
                name: opcode.name(),
                stage: self.stage.name(),
            }));
        }
        Ok(opcode)
    }
}

fn options(
    line: &mut TextCursor<'_>,
    opcode: AgalOpcode,
    token: &mut AgalInstruction,
    warnings: &mut Vec<AsmError>,
) -> Result<(), AsmError> {
    if line.is_empty() {
        return Ok(());
    }
    let start = *line;
    line.take("<");
    let Some(sampler) = token.sampler_mut() else {
        return Err(start.error(AsmErrorKind::OptionsNotAllowed(opcode.name())));
    };
    let belongs = |c: char| c.is_ascii_alphanumeric() || "_.-+".contains(c);
    loop {
        // Any character that is not part of a word separates words ([agal.text.options]).
        line.word(|c| !belongs(c) && c != '>');
        if line.take(">") {
            break;
        }
        let before = *line;
        let word = line.word(belongs);
        if word.is_empty() {
            return Err(before.error(AsmErrorKind::Expected("a sampler option or `>`")));
        }
        if !option(sampler, word).map_err(|kind| before.error(kind))? {
            sampler.bias = 0;
            if warnings.len() < MAX_ERRORS {
                let near = nearest(word, OPTIONS.iter().map(|row| row.name));
                let warning = before.error(AsmErrorKind::UnknownOption(word.to_owned()));
                warnings.push(warning.suggest(near));
            }
        }
    }
    lex::separators(line);
    if line.is_empty() {
        Ok(())
    } else {
        Err(line.error(AsmErrorKind::Expected("the end of the line")))
    }
}

/// Sets the sampler field of an option. Returns whether the option is known. Later options override earlier ones for
/// the same field; special flags accumulate.
fn option(sampler: &mut SamplerOperand, word: &str) -> Result<bool, AsmErrorKind> {
    if let Some(option) = SamplerOption::from_name(word) {
        let kept = match option.field {
            SamplerField::Special => sampler.special,
            _ => 0,
        };
        sampler.set(option.field, kept | option.bits);
        return Ok(true);
    }
    let number = word.starts_with(|c: char| c.is_ascii_digit() || "-+.".contains(c));
    let bias = word.parse::<f64>().ok().filter(|_| number);
    let Some(bias) = bias else { return Ok(false) };
    // Adobe's assembler computes `int(value * 8)`, too, but wraps a large bias; here, it is an error.
    let eighths = (bias * 8.0).trunc();
    let fitting = (i8::MIN..=i8::MAX).find(|value| f64::from(*value) == eighths);
    sampler.bias = fitting.ok_or_else(|| AsmErrorKind::BiasOutOfRange(word.to_owned()))?;
    Ok(true)
}
