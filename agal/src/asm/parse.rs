//! Text to [`Program`], in the syntax of the AGALMiniAssembler family (agal-assembly.md sections 2 to 5).
//!
//! Checked here are names, operand counts, the kind of program and register numbers; whether the program is legal is the
//! validator's business. Unlike Adobe's class, an unknown opcode or option is an error, not a silently dropped line.

use super::Options;
use super::error::{AsmError, AsmErrorKind};
use super::lex::Line;
use crate::opcode::{Lower, Opcode};
use crate::operand::{Component, Dest, Operand2, Source, Swizzle, WriteMask};
use crate::program::Instruction;
use crate::register::RegisterFile;
use crate::sampler::{Field, SamplerOperand, SamplerOption};
use crate::version::{Stage, Version};

/// What the text is assembled for.
#[derive(Clone, Copy)]
pub(super) struct Assembler {
    pub(super) stage: Stage,
    pub(super) version: Version,
    pub(super) options: Options,
}

/// Adobe's class raises every register limit to this when told to ignore limits.
const IGNORED_LIMIT: u16 = 1024;

/// A register as written: file and number.
struct Register {
    file: RegisterFile,
    number: u16,
}

impl Assembler {
    /// One line; `None` if it holds no instruction.
    pub(super) fn line(&self, mut line: Line<'_>) -> Result<Option<Instruction>, AsmError> {
        if line.is_empty() {
            return Ok(None);
        }
        let start = line;
        let opcode = self.opcode(&mut line)?;
        let lower = opcode.lower();
        let expected = usize::from(lower.has_dest()) + lower.sources();
        let mut instruction = Instruction {
            code: opcode.code(),
            dest: Dest::default(),
            source1: Source::default(),
            source2: Operand2::Source(Source::default()),
        };
        let mut found = 0usize;
        loop {
            line.blank();
            if line.is_empty() || line.peek() == Some('<') {
                break;
            }
            if found > 0 && line.take(',') {
                line.blank();
            }
            // Operands beyond the expected are counted for the message: their text is skipped.
            let source = if lower.has_dest() { found } else { found + 1 };
            if found >= expected {
                line.word(|c| c != ',' && c != '<');
            } else if source == 0 {
                instruction.dest = self.dest(&mut line)?;
            } else if source == 1 {
                instruction.source1 = self.source(&mut line)?;
            } else if lower.has_sampler() {
                instruction.source2 = Operand2::Sampler(self.sampler(&mut line)?);
            } else {
                instruction.source2 = Operand2::Source(self.source(&mut line)?);
            }
            found = found.saturating_add(1);
        }
        if found != expected {
            let name = opcode.name();
            return Err(start.error(AsmErrorKind::OperandCount {
                name,
                expected,
                found,
            }));
        }
        self.options(&mut line, lower, opcode, &mut instruction)?;
        Ok(Some(instruction))
    }

    fn opcode(&self, line: &mut Line<'_>) -> Result<Opcode, AsmError> {
        let start = *line;
        let name = line.word(|c| c.is_ascii_alphanumeric() || c == '_');
        let Some(opcode) = Opcode::from_name(name) else {
            let shown = if name.is_empty() {
                start.peek().map(String::from).unwrap_or_default()
            } else {
                name.to_owned()
            };
            return Err(start.error(AsmErrorKind::UnknownOpcode(shown)));
        };
        let info = opcode.info();
        // Opcodes that no player has (`sgn`) assemble, as in Adobe's class; the validator refuses them.
        if let Some(since) = info.since.filter(|since| *since > self.version) {
            return Err(start.error(AsmErrorKind::OpcodeNeedsVersion {
                name: info.name,
                version: since.number(),
            }));
        }
        if !info.stages.allows(self.stage) {
            return Err(start.error(AsmErrorKind::OpcodeNotInStage {
                name: info.name,
                stage: self.stage.name(),
            }));
        }
        Ok(opcode)
    }

    fn dest(&self, line: &mut Line<'_>) -> Result<Dest, AsmError> {
        let register = self.register(line)?;
        if line.peek() == Some('[') {
            return Err(line.error(AsmErrorKind::RelativeNotAllowed));
        }
        let mask = match components(line)? {
            None => WriteMask::ALL,
            Some(letters) => letters.into_iter().fold(WriteMask::EMPTY, WriteMask::with),
        };
        Ok(Dest {
            number: register.number,
            mask,
            file: register.file.info().code,
            reserved: 0,
        })
    }

    fn source(&self, line: &mut Line<'_>) -> Result<Source, AsmError> {
        let start = *line;
        let register = self.register(line)?;
        let mut source = Source {
            number: register.number,
            file: register.file.info().code,
            swizzle: Swizzle::IDENTITY,
            ..Source::default()
        };
        let bracket = *line;
        if line.take('[') {
            if register.file != RegisterFile::Constant || self.stage != Stage::Vertex {
                return Err(bracket.error(AsmErrorKind::RelativeNotAllowed));
            }
            // `vc3[…]` means nothing: the number inside the bracket is all there is.
            if register.number != 0 {
                return Err(start.error(AsmErrorKind::RelativeNotAllowed));
            }
            self.index(line, &mut source)?;
        }
        if let Some(letters) = components(line)? {
            source.swizzle = repeat_last(&letters);
        }
        Ok(source)
    }

    /// `va1.x+4]`
    fn index(&self, line: &mut Line<'_>, source: &mut Source) -> Result<(), AsmError> {
        line.blank();
        let index = self.register(line)?;
        let place = *line;
        let letters = components(line)?.unwrap_or_default();
        let [component] = letters.as_slice() else {
            return Err(place.error(AsmErrorKind::IndexComponent));
        };
        line.blank();
        if line.take('+') {
            line.blank();
            let place = *line;
            let digits = line.word(|c| c.is_ascii_digit());
            source.offset = digits
                .parse()
                .map_err(|_| place.error(AsmErrorKind::OffsetOutOfRange(digits.to_owned())))?;
        }
        line.blank();
        if !line.take(']') {
            return Err(line.error(AsmErrorKind::Expected("`]`")));
        }
        source.number = index.number;
        source.index_file = index.file.info().code;
        source.index_component = component.bits();
        source.indirect = true;
        Ok(())
    }

    fn sampler(&self, line: &mut Line<'_>) -> Result<SamplerOperand, AsmError> {
        let register = self.register(line)?;
        Ok(SamplerOperand {
            number: register.number,
            file: register.file.info().code,
            ..SamplerOperand::default()
        })
    }

    fn register(&self, line: &mut Line<'_>) -> Result<Register, AsmError> {
        let start = *line;
        let name = line.word(|c| c.is_ascii_alphabetic());
        let digits = line.word(|c| c.is_ascii_digit());
        let Some(file) = RegisterFile::from_name(name, self.stage) else {
            let mut rest = start;
            let shown = rest.word(|c| !c.is_whitespace() && c != ',');
            return Err(start.error(AsmErrorKind::UnknownRegister(shown.to_owned())));
        };
        let count = if self.options.ignore_limits {
            IGNORED_LIMIT
        } else {
            let count = file.version_count(self.stage, self.version);
            count.unwrap_or(0)
        };
        let number = if digits.is_empty() {
            Some(0)
        } else {
            digits.parse::<u16>().ok()
        };
        match number.filter(|number| *number < count) {
            Some(number) => Ok(Register { file, number }),
            None => Err(start.error(AsmErrorKind::RegisterOutOfRange {
                register: format!("{name}{digits}"),
                count,
            })),
        }
    }

    /// `<2d,linear,-0.5>` and the end of the line.
    fn options(
        &self,
        line: &mut Line<'_>,
        lower: Lower,
        opcode: Opcode,
        instruction: &mut Instruction,
    ) -> Result<(), AsmError> {
        if line.is_empty() {
            return Ok(());
        }
        let start = *line;
        line.take('<');
        let sampler = match &mut instruction.source2 {
            Operand2::Sampler(sampler) if lower.has_sampler() => sampler,
            _ => return Err(start.error(AsmErrorKind::OptionsNotAllowed(opcode.name()))),
        };
        loop {
            line.word(|c| c.is_whitespace() || c == ',');
            if line.take('>') {
                break;
            }
            let place = *line;
            let word = line.word(|c| c.is_ascii_alphanumeric() || "_.-+".contains(c));
            if word.is_empty() {
                return Err(place.error(AsmErrorKind::Expected("a sampler option or `>`")));
            }
            option(sampler, word).map_err(|kind| place.error(kind))?;
        }
        line.blank();
        if line.is_empty() {
            Ok(())
        } else {
            Err(line.error(AsmErrorKind::Expected("the end of the line")))
        }
    }
}

/// Later words override earlier ones of the same field; special flags accumulate.
fn option(sampler: &mut SamplerOperand, word: &str) -> Result<(), AsmErrorKind> {
    if let Some(option) = SamplerOption::from_name(word) {
        let kept = match option.field {
            Field::Special => sampler.special,
            _ => 0,
        };
        sampler.set(option.field, kept | option.bits);
        return Ok(());
    }
    let number = word.starts_with(|c: char| c.is_ascii_digit() || "-+.".contains(c));
    let bias = word.parse::<f64>().ok().filter(|_| number);
    let Some(bias) = bias else {
        return Err(AsmErrorKind::UnknownOption(word.to_owned()));
    };
    // `int(value * 8)` as in Adobe's class, which wraps where this refuses.
    let eighths = (bias * 8.0).trunc();
    let fitting = (i8::MIN..=i8::MAX).find(|value| f64::from(*value) == eighths);
    sampler.bias = fitting.ok_or_else(|| AsmErrorKind::BiasOutOfRange(word.to_owned()))?;
    Ok(())
}

/// `.xyz`: one to four letters, or nothing.
fn components(line: &mut Line<'_>) -> Result<Option<Vec<Component>>, AsmError> {
    let start = *line;
    if !line.take('.') {
        return Ok(None);
    }
    let text = line.word(|c| c.is_ascii_alphanumeric() || c == '_');
    let letters: Option<Vec<Component>> = text.chars().map(Component::from_letter).collect();
    match letters {
        Some(letters) if (1..=4).contains(&letters.len()) => Ok(Some(letters)),
        _ => Err(start.error(AsmErrorKind::BadComponents(text.to_owned()))),
    }
}

/// A short suffix repeats its last letter.
fn repeat_last(letters: &[Component]) -> Swizzle {
    let mut last = Component::X;
    let mut given = letters.iter();
    Swizzle::new([(); 4].map(|()| {
        last = given.next().copied().unwrap_or(last);
        last
    }))
}
