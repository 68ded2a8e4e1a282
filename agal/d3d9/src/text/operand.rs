//! Parses operands such as `r0.xyz`, `-c12[a0.x].wzyx` and `1-t0_bx2`.

use agal_core::text::{TextCursor, nearest};

use super::error::{D3d9TextError, D3d9TextResult, TextErrorKind, expected};
use crate::operand::{AddressIndex, Component, Dest, Source, SourceModifier, Swizzle, WriteMask};
use crate::register::{D3d9Register, ShaderFile};
use crate::version::ShaderVersion;

#[derive(Clone, Copy)]
pub(super) struct OperandParser {
    pub(super) version: ShaderVersion,
}

impl OperandParser {
    pub(super) fn dest(self, line: &mut TextCursor<'_>) -> D3d9TextResult<Dest> {
        let (register, index) = self.register(line)?;
        let start = *line;
        let components = letters(line)?.unwrap_or_else(|| Component::ALL.to_vec());
        let mask: WriteMask = components.iter().copied().collect();
        // The letters of a write mask must be in order, without repetition.
        if !mask.iter().eq(components) {
            let text = start.rest().trim_start_matches('.');
            return Err(start.error(TextErrorKind::BadComponents(text.to_owned())));
        }
        let dest = Dest::new(register, mask);
        Ok(index.map_or(dest, |index| dest.indexed(self.index_word(index))))
    }

    /// Parses a source. `default` is the swizzle if the source has no swizzle.
    pub(super) fn source(self, line: &mut TextCursor<'_>, or: Swizzle) -> D3d9TextResult<Source> {
        let start = *line;
        let before = ["-", "1-", "!"].into_iter().find(|before| {
            // The modifier in `1 - r0` may contain spaces.
            let mut ahead = *line;
            let complement = *before == "1-" && {
                let one = ahead.take("1");
                ahead.blank();
                one && ahead.take("-")
            };
            if complement {
                *line = ahead;
            }
            complement || line.take(before)
        });
        line.blank();
        let (register, index) = self.register(line)?;
        let mut after = "";
        let mut swizzle = None;
        loop {
            let here = *line;
            if line.take("_") {
                let word = line.word(|c| c.is_ascii_alphanumeric());
                if !after.is_empty() {
                    return Err(here.error(TextErrorKind::BadModifier(format!("_{word}"))));
                }
                after = match word {
                    "db" => "dz",
                    "da" => "dw",
                    word => word,
                };
            } else if line.peek() == Some('.') && swizzle.is_none() {
                swizzle = letters(line)?;
            } else {
                break;
            }
        }
        let before = before.unwrap_or("");
        let modifier = SourceModifier::ALL.iter().find(|modifier| {
            let (front, back) = modifier.text();
            front == before && back.strip_prefix('_').unwrap_or(back) == after
        });
        let Some(modifier) = modifier else {
            return Err(start.error(TextErrorKind::BadModifier(format!("{before}r_{after}"))));
        };
        let swizzle = swizzle.map_or(or, |components| Swizzle::repeating(&components));
        let source = Source::new(register, swizzle).with_modifier(*modifier);
        Ok(index.map_or(source, |index| source.indexed(self.index_word(index))))
    }

    /// Returns the index dword; `None` in model 1.
    fn index_word(self, index: AddressIndex) -> Option<u32> {
        self.version.has_lengths().then(|| index.word())
    }

    /// Parses a register such as `c12`, `c4[a0.x+2]` or `aL`.
    fn register(
        self,
        line: &mut TextCursor<'_>,
    ) -> D3d9TextResult<(D3d9Register, Option<AddressIndex>)> {
        let start = *line;
        let word = line.word(|c| c.is_ascii_alphanumeric());
        let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = word.get(letters.len()..).unwrap_or_default();
        let fixed = ShaderFile::from_name(word, self.version).filter(|file| !file.is_numbered());
        let numbered =
            ShaderFile::from_name(letters, self.version).filter(|file| file.is_numbered());
        let bracket = line.peek() == Some('[');
        let (file, mut number) = match (fixed, numbered) {
            (Some(file), _) => (file, 0),
            (None, Some(file)) if !digits.is_empty() => {
                let number = digits.parse::<u32>().unwrap_or(u32::MAX);
                (file, number)
            }
            (None, Some(file)) if bracket => (file, 0),
            _ => return Err(self.no_register(start, word, letters, digits)),
        };
        let index = self.brackets(line, &mut number)?;
        let register = u16::try_from(number).ok();
        let register = register.map(|number| file.at(number));
        let register = register.filter(|register| register.to_token().is_some());
        let too_large = || TextErrorKind::NumberTooLarge(format!("{letters}{number}"));
        let register = register.ok_or_else(|| start.error(too_large()))?;
        Ok((register, index))
    }

    /// Parses an index such as `[2+a0.x+12]`; adds its constants to the register number.
    fn brackets(
        self,
        line: &mut TextCursor<'_>,
        number: &mut u32,
    ) -> D3d9TextResult<Option<AddressIndex>> {
        line.blank();
        if !line.take("[") {
            return Ok(None);
        }
        let mut index = None;
        loop {
            line.blank();
            let start = *line;
            let word = line.word(|c| c.is_ascii_alphanumeric());
            if let Ok(literal) = word.parse::<u32>() {
                *number = number.saturating_add(literal);
            } else if word.eq_ignore_ascii_case("aL") && index.is_none() {
                index = Some(AddressIndex::Loop);
            } else if word.eq_ignore_ascii_case("a0") && index.is_none() {
                let start = *line;
                let Some([component]) =
                    letters(line)?.and_then(|letters| <[Component; 1]>::try_from(letters).ok())
                else {
                    return Err(expected(&start, "one component: `a0.x`"));
                };
                index = Some(AddressIndex::Address(component));
            } else {
                return Err(expected(&start, "`a0.x`, `aL` or a number"));
            }
            line.blank();
            if line.take("]") {
                return Ok(index);
            }
            if !line.take("+") {
                return Err(expected(line, "`]`"));
            }
        }
    }

    #[cold]
    fn no_register(
        self,
        start: TextCursor<'_>,
        word: &str,
        letters: &str,
        digits: &str,
    ) -> D3d9TextError {
        let elsewhere = ShaderVersion::ALL.iter().any(|version| {
            let file = ShaderFile::from_name(letters, *version);
            let numbered = file.is_some_and(ShaderFile::is_numbered);
            numbered || ShaderFile::from_name(word, *version).is_some()
        });
        if elsewhere
            && (!digits.is_empty() || ShaderFile::from_name(letters, self.version).is_none())
        {
            return start.error(TextErrorKind::RegisterNotInVersion {
                register: word.to_owned(),
                version: self.version.name(),
            });
        }
        let there = ShaderFile::ALL.iter().filter(|f| f.info(self.version).is_some());
        let near = nearest(letters, there.map(|file| file.name()));
        let kind = match word {
            "" => TextErrorKind::Expected("a register"),
            _ => TextErrorKind::UnknownRegister(word.to_owned()),
        };
        let error = start.error(kind);
        error.suggest(near.map(|near| format!("{near}{digits}")))
    }
}

/// Parses one to four component letters, such as `.xyz` or `.rgb`; returns `None` if no dot follows.
fn letters(line: &mut TextCursor<'_>) -> Result<Option<Vec<Component>>, D3d9TextError> {
    let start = *line;
    if !line.take(".") {
        return Ok(None);
    }
    let text = line.word(|c| c.is_ascii_alphanumeric());
    let components = Component::list(&Component::plain_letters(text));
    let bad = || start.error(TextErrorKind::BadComponents(text.to_owned()));
    components.map(Some).ok_or_else(bad)
}
