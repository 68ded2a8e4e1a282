//! Parses assembly source to a [`D3d9Program`].

use agal_core::text::{ErrorList, TextCursor, nearest};

use super::error::{D3d9TextError, D3d9TextErrors, D3d9TextResult, TextErrorKind, expected};
use super::number::parse_float;
use super::operand::OperandParser;
use crate::declarations::declares_usage;
use crate::opcode::{CompareOp, D3d9Opcode, Literal, Load, Operation};
use crate::operand::{
    Component, DclPayload, DeclUsage, Dest, Dimension, ResultModifiers, SHIFTS, Swizzle,
};
use crate::program::{D3d9Instruction, D3d9Program, StreamItem};
use crate::register::ShaderFile;
use crate::version::ShaderVersion;

/// Assembles a source text that begins with its shader version. Returns all errors, each with its position.
pub fn assemble(text: &str) -> Result<D3d9Program, D3d9TextErrors> {
    let mut reader = TextReader::default();
    let mut errors = ErrorList::default();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (number, line) in (1u32..).zip(text.lines()) {
        if let Err(error) = reader.line(line, number)
            && !errors.push(error)
        {
            break;
        }
    }
    errors.into_result(())?;
    let missing = || TextCursor::new(text).error(TextErrorKind::MissingVersion).into();
    reader.program.ok_or_else(missing)
}

pub(super) fn assemble_line(text: &str, version: ShaderVersion) -> D3d9TextResult<D3d9Instruction> {
    let mut instruction = OperandParser { version }.instruction(TextCursor::line(text, text, 1))?;
    instruction.set_length(version);
    Ok(instruction)
}

#[derive(Default)]
struct TextReader {
    program: Option<D3d9Program>,
    /// True inside of a `/* */` comment.
    in_comment: bool,
    /// Number of dwords still missing from the current `//@comment`.
    missing: usize,
}

impl TextReader {
    fn line(&mut self, text: &str, number: u32) -> D3d9TextResult {
        if let Some(words) = text.trim_start().strip_prefix("//@") {
            return self.comment_words(TextCursor::line(text, words, number));
        }
        let Some(code) = self.code(text) else { return Ok(()) };
        let line = TextCursor::line(text, code, number);
        if line.is_empty() {
            return Ok(());
        }
        if line.peek() == Some('#') {
            return Err(line.error(TextErrorKind::Preprocessor));
        }
        let mut ahead = line;
        let word = ahead.word(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
        let version = ShaderVersion::from_name(&word.to_ascii_lowercase());
        match (version, &mut self.program) {
            (Some(version), program @ None) => {
                *program = Some(D3d9Program::new(version));
                Ok(())
            }
            (Some(_), Some(_)) => Err(line.error(TextErrorKind::SecondVersion)),
            (None, Some(program)) if word.starts_with('.') => directive(program, line),
            (None, Some(program)) => {
                program.push(OperandParser { version: program.version }.instruction(line)?);
                Ok(())
            }
            (None, None) => {
                // Reports the missing version once, then continues as if a version had been given.
                self.program = Some(D3d9Program::new(ShaderVersion::Ps30));
                Err(line.error(TextErrorKind::MissingVersion))
            }
        }
    }

    /// Returns the code of a line, without comments. Block comments may only precede or follow the code, so a line has
    /// at most one piece of code.
    fn code<'a>(&mut self, text: &'a str) -> Option<&'a str> {
        let mut text = text;
        if self.in_comment {
            let (_, behind) = text.split_once("*/")?;
            self.in_comment = false;
            text = behind;
        }
        // Skips block comments that precede the code.
        while let Some(block) = text.trim_start().strip_prefix("/*") {
            match block.split_once("*/") {
                Some((_, behind)) => text = behind,
                None => {
                    self.in_comment = true;
                    return None;
                }
            }
        }
        let marks = ["//", ";", "/*"].into_iter();
        let ends = marks.filter_map(|mark| text.find(mark));
        let end = ends.min().unwrap_or(text.len());
        let (code, comment) = text.split_at_checked(end)?;
        self.in_comment = comment.starts_with("/*") && !comment.contains("*/");
        Some(code)
    }

    fn comment_words(&mut self, mut line: TextCursor<'_>) -> D3d9TextResult {
        let Some(program) = &mut self.program else {
            return Err(line.error(TextErrorKind::MissingVersion));
        };
        if line.take("comment") {
            line.blank();
            let count = line.rest().parse().ok();
            let count = count.filter(|count| *count <= crate::decode::MAX_COMMENT);
            let wrong = || line.error(TextErrorKind::BadNumber(line.rest().to_owned()));
            self.missing = count.ok_or_else(wrong)?;
            program.items.push(StreamItem::Comment(Vec::new()));
            return Ok(());
        }
        let words = words(&mut line)?;
        let Some(StreamItem::Comment(body)) = program.items.last_mut() else {
            return Err(expected(&line, "`//@comment` before it"));
        };
        let missing = self.missing.checked_sub(words.len());
        self.missing = missing.ok_or_else(|| expected(&line, "no more words"))?;
        body.extend(words);
        Ok(())
    }
}

/// Parses hexadecimal dwords, each with or without `0x`.
fn words(line: &mut TextCursor<'_>) -> D3d9TextResult<Vec<u32>> {
    let mut words = Vec::new();
    loop {
        line.blank();
        line.take(",");
        line.blank();
        let start = *line;
        let word = line.word(|c| c.is_ascii_alphanumeric());
        if word.is_empty() && line.is_empty() {
            return Ok(words);
        }
        let digits = word.strip_prefix("0x").unwrap_or(word);
        let value = u32::from_str_radix(digits, 16);
        let wrong = |_| start.error(TextErrorKind::BadNumber(word.to_owned()));
        words.push(value.map_err(wrong)?);
    }
}

fn directive(program: &mut D3d9Program, mut line: TextCursor<'_>) -> D3d9TextResult {
    let start = line;
    line.take(".");
    match line.name() {
        "words" => {
            let words = words(&mut line)?;
            // If the dwords can be decoded, stores the decoded instructions.
            let mut stream = vec![program.version.word()];
            stream.extend(&words);
            match D3d9Program::from_words(&stream) {
                Ok(read) if !read.ended && read.trailing.is_empty() => {
                    program.items.extend(read.items);
                }
                _ => program.items.push(StreamItem::Malformed(words)),
            }
        }
        "trailing" => program.trailing.extend(words(&mut line)?),
        "noend" => program.ended = false,
        _ => {
            return Err(start.error(TextErrorKind::UnknownMnemonic(start.rest().to_owned())));
        }
    }
    if line.is_empty() { Ok(()) } else { Err(expected(&line, "the end of the line")) }
}

#[derive(Default)]
struct Suffixes {
    comparison: Option<CompareOp>,
    modifiers: u8,
    shift: u8,
    /// The suffix of `dcl`, such as `texcoord`; validated when the register is known.
    declaration: Option<DclPayload>,
}

impl OperandParser {
    fn instruction(self, mut line: TextCursor<'_>) -> D3d9TextResult<D3d9Instruction> {
        let co_issued = line.take("+");
        line.blank();
        let mut predicate = None;
        if line.take("(") {
            line.blank();
            predicate = Some(self.source(&mut line, Swizzle::IDENTITY)?);
            line.blank();
            if !line.take(")") {
                return Err(expected(&line, "`)`"));
            }
            line.blank();
        }
        let start = line;
        let word = line.name().to_ascii_lowercase();
        let mut parts = word.split('_');
        let base = parts.next().unwrap_or_default();
        let suffixes = self.suffixes(start, base, parts)?;
        let (opcode, control) = self.opcode(start, base, &suffixes)?;
        let mut made = D3d9Instruction::new(opcode);
        made.set_control(control);
        if co_issued {
            made.set_co_issued();
        }
        self.body(&mut line, start, &word, &mut made, &suffixes)?;
        if let Some(predicate) = predicate {
            made.set_predicate(predicate);
        }
        Ok(made)
    }

    fn suffixes<'a>(
        self,
        start: TextCursor<'_>,
        base: &str,
        parts: impl Iterator<Item = &'a str>,
    ) -> D3d9TextResult<Suffixes> {
        let mut suffixes = Suffixes::default();
        for part in parts {
            let wrong = || start.error(TextErrorKind::BadSuffix(part.to_owned()));
            let modifier = ResultModifiers::NAMES.iter().find(|(_, name)| *name == part);
            let shift = SHIFTS.iter().find(|(_, name)| *name == part);
            let mut comparisons = CompareOp::ALL.iter().copied();
            let compares = matches!(base, "if" | "break" | "setp");
            if let Some((bit, _)) = modifier {
                suffixes.modifiers |= bit;
            } else if let Some((bits, _)) = shift.filter(|_| suffixes.shift == 0) {
                suffixes.shift = *bits;
            } else if base == "dcl" && suffixes.declaration.is_none() {
                suffixes.declaration = Some(declaration(part).ok_or_else(|| {
                    let usages = DeclUsage::ALL.iter().map(|usage| usage.name());
                    let dimensions = Dimension::ALL.iter().map(|dimension| dimension.name());
                    let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
                    let near = nearest(letters, usages.chain(dimensions));
                    wrong().suggest(near.map(|near| format!("dcl_{near}")))
                })?);
            } else if compares
                && suffixes.comparison.is_none()
                && let Some(comparison) = comparisons.find(|c| c.name() == part)
            {
                suffixes.comparison = Some(comparison);
            } else {
                return Err(wrong());
            }
        }
        Ok(suffixes)
    }

    /// Returns the opcode and control bits for a mnemonic.
    fn opcode(
        self,
        start: TextCursor<'_>,
        base: &str,
        suffixes: &Suffixes,
    ) -> D3d9TextResult<(D3d9Opcode, u8)> {
        let comparison = suffixes.comparison.map(CompareOp::code);
        let loads = self.version.has_lengths() || base == "texld";
        let load = Load::ALL.iter().find(|load| loads && load.name() == base);
        let by_name = |opcode: &&D3d9Opcode| {
            let kept =
                opcode.exists_in(self.version) && !matches!(opcode.operation(), Operation::Meta);
            kept && opcode.name(self.version) == base && opcode.compares() == comparison.is_some()
        };
        let found = match (load, D3d9Opcode::ALL.iter().find(by_name)) {
            (Some(load), _) if !self.version.is_ps_1_1_to_1_3() => {
                Some((D3d9Opcode::Tex, load.code()))
            }
            (_, Some(opcode)) => Some((*opcode, comparison.unwrap_or(0))),
            _ => None,
        };
        if let Some((opcode, control)) = found
            && opcode.exists_in(self.version)
            && (control == 0 || opcode != D3d9Opcode::Tex || self.version.has_lengths())
        {
            return Ok((opcode, control));
        }
        Err(self.no_opcode(start, base))
    }

    #[cold]
    fn no_opcode(self, start: TextCursor<'_>, base: &str) -> D3d9TextError {
        if base == "setp" && D3d9Opcode::Setp.exists_in(self.version) {
            return start.error(TextErrorKind::MissingComparison(base.to_owned()));
        }
        let named = |version: ShaderVersion| {
            move |opcode: &&D3d9Opcode| {
                let load = Load::ALL.iter().any(|load| load.name() == base);
                opcode.exists_in(version)
                    && (opcode.name(version) == base || load && **opcode == D3d9Opcode::Tex)
            }
        };
        let has =
            |version: &ShaderVersion| D3d9Opcode::ALL.iter().any(|opcode| named(*version)(&opcode));
        let first = |version: &&ShaderVersion| {
            let loads = version.has_lengths() || !base.starts_with("texld");
            version.stage() == self.version.stage() && loads && has(version)
        };
        if ShaderVersion::ALL.iter().any(has) {
            let needs = ShaderVersion::ALL.iter().find(first).map(|version| version.name());
            let (name, version) = (base.to_owned(), self.version.name());
            return start.error(TextErrorKind::NotInVersion { name, version, needs });
        }
        let there = D3d9Opcode::ALL.iter().filter(|o| o.exists_in(self.version));
        let near = nearest(base, there.map(|opcode| opcode.name(self.version)));
        start.error(TextErrorKind::UnknownMnemonic(base.to_owned())).suggest(near)
    }

    fn body(
        self,
        line: &mut TextCursor<'_>,
        start: TextCursor<'_>,
        word: &str,
        made: &mut D3d9Instruction,
        suffixes: &Suffixes,
    ) -> D3d9TextResult {
        let opcode = made.opcode;
        let dests = usize::from(opcode.has_dest());
        let operands = dests + opcode.sources(self.version);
        let literals =
            if let Operation::Def(_) = opcode.operation() { opcode.literals() } else { 0 };
        let all = operands + literals;
        let x = opcode.reads_x_by_default(self.version);
        let default = if x { Swizzle::new([Component::X; 4]) } else { Swizzle::IDENTITY };
        let mut found = 0usize;
        line.blank();
        while !line.is_empty() {
            if found < dests {
                made.dest = Some(self.dest_of(line, made, suffixes)?);
            } else if found < operands {
                made.push_source(self.source(line, default)?);
            } else if found < all {
                made.push_literal(literal(line, opcode)?);
            } else {
                line.word(|c| c != ',');
            }
            found = found.saturating_add(1);
            line.blank();
            if line.is_empty() {
                break;
            }
            if !line.take(",") {
                return Err(expected(line, "`,`"));
            }
            line.blank();
            if line.is_empty() {
                return Err(expected(line, "an operand"));
            }
        }
        if found != all {
            let name = word.to_owned();
            return Err(start.error(TextErrorKind::OperandCount { name, expected: all, found }));
        }
        if dests == 0 && (suffixes.modifiers != 0 || suffixes.shift != 0) {
            let name = word.rsplit('_').next().unwrap_or_default();
            return Err(start.error(TextErrorKind::BadSuffix(name.to_owned())));
        }
        Ok(())
    }

    /// Parses a destination and applies the mnemonic's modifiers. For `dcl`, sets the instruction's payload: the usage
    /// and index, or the sampler's dimension.
    fn dest_of(
        self,
        line: &mut TextCursor<'_>,
        made: &mut D3d9Instruction,
        suffixes: &Suffixes,
    ) -> D3d9TextResult<Dest> {
        let start = *line;
        let dest = self.dest(line)?;
        if made.opcode == D3d9Opcode::Dcl {
            let file = dest.register(self.version).map(|register| register.file);
            let usage = file.is_some_and(|file| declares_usage(file, self.version));
            let sampler = file == Some(ShaderFile::Sampler);
            let payload = match suffixes.declaration {
                Some(suffix) if suffix.dimension().is_some() == sampler && (sampler || usage) => {
                    Ok(suffix)
                }
                Some(_) => Err("a register that matches the suffix"),
                None if usage => Err("`dcl` with a usage, as in `dcl_texcoord`"),
                None if sampler => Err("`dcl_2d`, `dcl_cube` or `dcl_volume`"),
                None => Ok(DclPayload::PLAIN),
            };
            let payload = payload.map_err(|wanted| expected(&start, wanted))?;
            made.push_literal(payload.0);
        }
        let dest = dest.with_modifiers(suffixes.modifiers);
        Ok(dest.with_shift(suffixes.shift))
    }
}

/// Parses a `dcl` suffix such as `2d` or `texcoord1`.
fn declaration(text: &str) -> Option<DclPayload> {
    if let Some(dimension) = Dimension::from_name(text) {
        return Some(DclPayload::sampler(dimension));
    }
    let letters = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = text.get(letters.len()..)?;
    let index =
        if digits.is_empty() { 0 } else { digits.parse().ok().filter(|index| *index < 16)? };
    Some(DclPayload::usage_of(DeclUsage::from_name(letters)?, index))
}

fn literal(line: &mut TextCursor<'_>, opcode: D3d9Opcode) -> D3d9TextResult<u32> {
    let start = *line;
    let word = line.word(|c| c != ',' && !c.is_whitespace());
    let integer = || {
        let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
        match digits {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => word.parse().ok().map(i32::cast_unsigned),
        }
    };
    let value = match opcode.operation() {
        Operation::Def(Literal::Float) => parse_float(word).map(f32::to_bits),
        Operation::Def(Literal::Integer) => integer(),
        _ => match word.to_ascii_lowercase().as_str() {
            "true" => Some(1),
            "false" => Some(0),
            _ => integer().map(|value| u32::from(value != 0)),
        },
    };
    value.ok_or_else(|| start.error(TextErrorKind::BadNumber(word.to_owned())))
}
