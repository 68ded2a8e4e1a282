//! Parses operands such as `ft0.xyz`, `v0.w` and `vc[va0.x+4]`.

use super::error::{AsmError, AsmErrorKind};
use super::lex;
use super::parse::Assembler;
use crate::isa::operand::{Component, Dest, SourceOperand, Swizzle, WriteMask};
use crate::isa::register::RegisterFile;
use crate::isa::sampler::SamplerOperand;
use crate::version::{AgalVersion, Stage};
use agal_core::text::{TextCursor, nearest};

/// The register limit of Adobe's assembler if its option `ignorelimits` is set.
const IGNORED_LIMIT: u16 = 1024;

struct NamedRegister {
    file: RegisterFile,
    number: u16,
}

impl Assembler {
    pub(super) fn dest(&self, line: &mut TextCursor<'_>) -> Result<Dest, AsmError> {
        let register = self.register(line)?;
        if line.peek() == Some('[') {
            return Err(line.error(AsmErrorKind::RelativeNotAllowed));
        }
        // The order and repetition of letters in a write mask have no effect.
        let letters = letters(line)?;
        let all = letters.is_empty().then_some(WriteMask::ALL);
        let mask = all.unwrap_or_else(|| letters.into_iter().collect());
        Ok(Dest { number: register.number, mask, file: register.file.code(), reserved: 0 })
    }

    pub(super) fn source(&self, line: &mut TextCursor<'_>) -> Result<SourceOperand, AsmError> {
        let start = *line;
        let register = self.register(line)?;
        let mut source = SourceOperand {
            number: register.number,
            file: register.file.code(),
            swizzle: Swizzle::IDENTITY,
            ..SourceOperand::default()
        };
        let bracket = *line;
        if line.take("[") {
            if register.file != RegisterFile::Constant || self.stage != Stage::Vertex {
                return Err(bracket.error(AsmErrorKind::RelativeNotAllowed));
            }
            // `vc3[…]` is invalid: the player ignores a number before the brackets.
            if register.number != 0 {
                return Err(start.error(AsmErrorKind::RelativeNotAllowed));
            }
            self.index(line, &mut source)?;
        }
        // The last letter of a short swizzle is repeated.
        let letters = letters(line)?;
        if !letters.is_empty() {
            source.swizzle = Swizzle::repeating(&letters);
        }
        Ok(source)
    }

    pub(super) fn sampler(&self, line: &mut TextCursor<'_>) -> Result<SamplerOperand, AsmError> {
        let register = self.register(line)?;
        Ok(SamplerOperand {
            number: register.number,
            file: register.file.code(),
            ..SamplerOperand::default()
        })
    }

    /// Parses `va1.x+4]`. The index register's number is checked against its own file. Adobe's assembler checks the
    /// number against the limit of `vc`, by an oversight ([agal.text.relative_number]); the player reports the error.
    fn index(&self, line: &mut TextCursor<'_>, source: &mut SourceOperand) -> Result<(), AsmError> {
        line.blank();
        let index = self.register(line)?;
        let start = *line;
        let [component] = letters(line)?[..] else {
            return Err(start.error(AsmErrorKind::IndexComponent));
        };
        line.blank();
        let minus = line.take("-");
        if minus || line.take("+") {
            line.blank();
            let start = *line;
            let digits = line.word(|c| c.is_ascii_digit());
            let size = digits.parse::<i16>().ok();
            let offset = size.and_then(|size| offset(if minus { -size } else { size }));
            source.offset = offset
                .ok_or_else(|| start.error(AsmErrorKind::OffsetOutOfRange(digits.to_owned())))?;
        }
        line.blank();
        if !line.take("]") {
            return Err(line.error(AsmErrorKind::Expected("`]`")));
        }
        source.number = index.number;
        source.index_file = index.file.code();
        source.index_component = component.bits();
        source.indirect = true;
        Ok(())
    }

    fn register(&self, line: &mut TextCursor<'_>) -> Result<NamedRegister, AsmError> {
        let start = *line;
        let name = line.word(|c| c.is_ascii_alphabetic());
        let digits = line.word(|c| c.is_ascii_digit());
        let Some(file) = RegisterFile::from_name(name, self.stage) else {
            return Err(self.no_register(start, name, digits));
        };
        let count = if self.ignore_limits {
            IGNORED_LIMIT
        } else {
            let count = file.version_count(self.stage, self.version);
            count.unwrap_or(0)
        };
        // A register without a number has number 0.
        let number = if digits.is_empty() { Some(0) } else { digits.parse::<u16>().ok() };
        match number.filter(|number| *number < count) {
            Some(number) => Ok(NamedRegister { file, number }),
            None => {
                let register = format!("{name}{digits}");
                let first = AgalVersion::ALL.iter().copied().find(|version| {
                    let count = file.version_count(self.stage, *version);
                    count.is_some_and(|count| count > 0)
                });
                Err(start.error(match first {
                    Some(first) if count == 0 && first > self.version => {
                        AsmErrorKind::RegisterNeedsVersion { register, version: first.number() }
                    }
                    _ => AsmErrorKind::RegisterOutOfRange { register, count },
                }))
            }
        }
    }

    #[cold]
    fn no_register(&self, start: TextCursor<'_>, name: &str, digits: &str) -> AsmError {
        // If the register exists only in the other stage, the error suggests the register file's name in this stage.
        let elsewhere = RegisterFile::from_name(name, self.stage.other());
        let (kind, meant) = match elsewhere {
            Some(file) => {
                let register = format!("{name}{digits}");
                let stage = self.stage.name();
                let kind = AsmErrorKind::RegisterNotInStage { register, stage };
                (kind, file.name(self.stage))
            }
            None => {
                let mut rest = start;
                let kind = AsmErrorKind::UnknownRegister(lex::piece(&mut rest).to_owned());
                let files = RegisterFile::ALL.iter();
                let names = files.flat_map(|file| file.view(self.stage).names);
                (kind, nearest(name, names.copied()))
            }
        };
        let word = meant.filter(|_| digits.len() <= 5);
        start.error(kind).suggest(word.map(|word| format!("{word}{digits}")))
    }
}

/// Parses one to four letters after a dot, such as `.xyz`; returns an empty list without a dot.
fn letters(line: &mut TextCursor<'_>) -> Result<Vec<Component>, AsmError> {
    let start = *line;
    if !line.take(".") {
        return Ok(Vec::new());
    }
    let text = line.word(|c| c.is_ascii_alphanumeric() || c == '_');
    Component::list(text).ok_or_else(|| bad_components(start, text))
}

/// Returns the error for invalid components. For the colour letters `.rgba`, the error suggests `.xyzw`.
#[cold]
fn bad_components(start: TextCursor<'_>, text: &str) -> AsmError {
    let letters = Component::plain_letters(text);
    let meant = Component::list(&letters).map(|_| format!(".{letters}"));
    start.error(AsmErrorKind::BadComponents(text.to_owned())).suggest(meant)
}

/// Returns the offset byte of an indirect operand. Adobe's assembler accepts 0 to 255; players read 128 to 255 as
/// negative. The minus sign is an extension of this assembler.
fn offset(value: i16) -> Option<i8> {
    let byte = u8::try_from(value).map(u8::cast_signed);
    byte.or_else(|_| i8::try_from(value)).ok()
}
