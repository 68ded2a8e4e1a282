//! Directives: lines with a leading dot, for bytes that aren't instructions. Adobe's assembler has no directives.
//!
//! | directive | bytes |
//! |---|---|
//! | `.token` and six 32-bit numbers | one token of 24 bytes, each number little endian |
//! | `.bytes` and up to 23 8-bit numbers | the incomplete token after the last whole one |
//! | `.header` and up to seven 8-bit numbers | an invalid header: printed by the disassembler, rejected here |
//!
//! The numbers of a directive are hexadecimal, with `0x`.

use super::error::{AsmError, AsmErrorKind};
use super::lex;
use crate::token::{self, AgalInstruction, TOKEN_SIZE};
use agal_core::text::{TextCursor, nearest};

pub(super) const TOKEN: &str = ".token";
pub(super) const BYTES: &str = ".bytes";
/// The directive for bytes that stand where a valid header is expected.
pub(super) const HEADER: &str = ".header";

const NAMES: [&str; 3] = [TOKEN, BYTES, HEADER];
const WORDS: usize = TOKEN_SIZE / 4;

pub(super) enum LineItem {
    Instruction(AgalInstruction),
    Trailing(Vec<u8>),
}

/// Parses a line that starts with a dot: a directive.
pub(super) fn parse(mut line: TextCursor<'_>) -> Result<LineItem, AsmError> {
    let start = line;
    let name = lex::piece(&mut line);
    match name {
        TOKEN => {
            let words = numbers(start, line, 32, TOKEN, (WORDS, WORDS))?;
            let mut bytes = [0; TOKEN_SIZE];
            let spread = words.iter().flat_map(|word| word.to_le_bytes());
            for (byte, value) in bytes.iter_mut().zip(spread) {
                *byte = value;
            }
            Ok(LineItem::Instruction(token::unpack(&bytes)))
        }
        BYTES => {
            let most = TOKEN_SIZE.saturating_sub(1);
            let numbers = numbers(start, line, 8, BYTES, (1, most))?;
            let low = |number: u32| {
                let [low, ..] = number.to_le_bytes();
                low
            };
            Ok(LineItem::Trailing(numbers.into_iter().map(low).collect()))
        }
        HEADER => Err(start.error(AsmErrorKind::BrokenHeader)),
        _ => {
            let near = nearest(name, NAMES);
            let error = start.error(AsmErrorKind::UnknownDirective(name.to_owned()));
            Err(error.suggest(near))
        }
    }
}

/// Parses the numbers of a directive, up to a maximum count.
fn numbers(
    start: TextCursor<'_>,
    mut line: TextCursor<'_>,
    bits: u32,
    name: &'static str,
    (least, most): (usize, usize),
) -> Result<Vec<u32>, AsmError> {
    let mut numbers = Vec::new();
    let mut found = 0usize;
    loop {
        lex::separators(&mut line);
        if line.is_empty() {
            break;
        }
        let before = line;
        let word = if line.take("<") { "<" } else { lex::piece(&mut line) };
        found = found.saturating_add(1);
        if found > most {
            continue;
        }
        let digits = word.strip_prefix("0x").filter(|digits| {
            let short = (1..=bits as usize / 4).contains(&digits.len());
            short && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
        });
        let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        numbers.push(number.ok_or_else(|| {
            let text = word.to_owned();
            before.error(AsmErrorKind::BadNumber { text, bits })
        })?);
    }
    if (least..=most).contains(&found) {
        Ok(numbers)
    } else {
        Err(start.error(AsmErrorKind::NumberCount { name, least, most, found }))
    }
}
