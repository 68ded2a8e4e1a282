//! Prints a program, or arbitrary bytes, as text that assembles to the same bytes.

use std::fmt;

use super::directive::{self, LineItem};
use super::lex;
use super::parse::Assembler;
use super::print::{Printer, branches};
use crate::error::AgalError;
use crate::program::{Endian, HEADER_SIZE, MAGIC, Program, TYPE_IDENTIFIER};
use crate::token::{self, AgalInstruction, TOKEN_SIZE};
use crate::validate::validate;
use crate::version::{AgalVersion, Rules, Stage};

/// A [`Program`] as text. `Display` writes one line per token, in time and space proportional to the program. If
/// assembled for the program's kind and version, the text always gives the same bytes.
#[derive(Clone, Copy, Debug)]
pub struct AgalListing<'a> {
    /// The program to print.
    pub program: &'a Program,
    /// True to begin with comments that give [`AssembleOptions::sections`](super::AssembleOptions::sections) the
    /// version and kind.
    pub header: bool,
    /// True to add each token's 1-based number as a comment.
    pub numbers: bool,
    /// Flash's error for the program, written as a comment.
    pub fault: Option<&'a AgalError>,
    /// The bytes that stand where a valid header is expected.
    pub broken_header: Option<&'a [u8]>,
}

impl<'a> AgalListing<'a> {
    /// Creates a listing without header comments, token numbers and Flash's error.
    pub fn new(program: &'a Program) -> AgalListing<'a> {
        AgalListing { program, header: false, numbers: false, fault: None, broken_header: None }
    }

    /// Writes Flash's error as a comment below its token. An error without a token is written above all tokens.
    fn fault(&self, f: &mut fmt::Formatter<'_>, token: Option<u32>) -> fmt::Result {
        let Some(fault) = self.fault.filter(|fault| fault.token() == token) else { return Ok(()) };
        let mark = if token.is_some() { "^ " } else { "" };
        writeln!(f, "// {mark}{}", fault.to_string().replace('\n', " "))
    }

    fn header(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fault(f, None)?;
        if let Some(bytes) = self.broken_header {
            directive(f, directive::HEADER, bytes)?;
            writeln!(f, " // not an AGAL header; the following bytes are read as {}", self.kind())?;
        }
        if self.header {
            writeln!(f, "// version: {}", self.program.header_version())?;
            writeln!(f, "// {}", self.program.stage())?;
        }
        Ok(())
    }

    /// Returns the kind of the program, such as `AGAL 2 fragment program`.
    fn kind(&self) -> impl fmt::Display {
        let (version, stage) = (self.program.header_version(), self.program.stage());
        fmt::from_fn(move |f| write!(f, "AGAL {version} {stage} program"))
    }
}

/// The column of the comments with token numbers.
const NUMBER_COLUMN: usize = 48;
/// The maximum indentation. No valid program nests conditionals more deeply.
const MAX_INDENT: usize = 8;

impl fmt::Display for AgalListing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.header(f)?;
        let mut depth = 0usize;
        for (token, instruction) in (1u32..).zip(self.program.instructions()) {
            let (ends, begins) = branches(instruction);
            depth = depth.saturating_sub(usize::from(ends));
            let indent = 4usize.saturating_mul(depth.min(MAX_INDENT));
            let line = TokenText::of(instruction, self.program);
            if self.numbers {
                let width = NUMBER_COLUMN.saturating_sub(indent);
                writeln!(
                    f,
                    "{:indent$}{:width$} // {token}{}",
                    "",
                    line.code,
                    line.readable(": ")
                )?;
            } else {
                writeln!(f, "{:indent$}{}{}", "", line.code, line.readable(" // "))?;
            }
            self.fault(f, Some(token))?;
            depth = depth.saturating_add(usize::from(begins));
        }
        let trailing = self.program.trailing();
        if !trailing.is_empty() {
            directive(f, directive::BYTES, trailing)?;
            writeln!(f, " // cut off: {} of {TOKEN_SIZE} bytes", trailing.len())?;
        }
        Ok(())
    }
}

impl fmt::Display for Program {
    /// Writes the program as text, one instruction per line, without comments.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        AgalListing::new(self).fmt(f)
    }
}

/// The text of one token: its instruction, or a directive with the instruction as a comment.
struct TokenText {
    code: String,
    readable_text: Option<Printer>,
}

impl TokenText {
    /// Chooses a directive if the instruction's text doesn't assemble to exactly this token.
    fn of(instruction: &AgalInstruction, program: &Program) -> TokenText {
        let printer = Printer::of(instruction, program.stage());
        let (stage, version) = (program.stage(), program.version());
        let assembler = Assembler { stage, version, ignore_limits: false };
        let same = |text: &&str| {
            let item = assembler.line(lex::line(text, 1), &mut Vec::new());
            matches!(item, Ok(Some(LineItem::Instruction(back))) if back == *instruction)
        };
        if let Some(text) = printer.exact().filter(same) {
            let code = text.to_owned();
            return TokenText { code, readable_text: None };
        }
        let bytes = token::pack(instruction);
        let (words, _) = bytes.as_chunks::<4>();
        let words = words.iter().map(|word| u32::from_le_bytes(*word));
        let mut code = directive::TOKEN.to_owned();
        for word in words {
            code.push_str(&format!(" {word:#010x}"));
        }
        TokenText { code, readable_text: Some(printer) }
    }

    fn readable(&self, before: &'static str) -> impl fmt::Display {
        fmt::from_fn(move |f| match &self.readable_text {
            Some(readable_text) => write!(f, "{before}{readable_text}"),
            None => Ok(()),
        })
    }
}

fn directive(f: &mut fmt::Formatter<'_>, name: &str, bytes: &[u8]) -> fmt::Result {
    f.write_str(name)?;
    for byte in bytes {
        write!(f, " {byte:#04x}")?;
    }
    Ok(())
}

/// The disassembly of arbitrary bytes, with Flash's error.
#[derive(Clone, Debug)]
pub struct Disassembly {
    /// The decoded tokens, with the program kind and version that were assumed.
    pub program: Program,
    broken_header: Option<Vec<u8>>,
    /// Flash's first error; `None` if Flash accepts the program.
    pub fault: Option<AgalError>,
}

/// Disassembles arbitrary bytes as far as possible. `argument` is the position of the bytes in `Program3D.upload`;
/// `None` selects the stage in the header. Time and memory are proportional to the number of bytes.
///
/// If the header is valid, the text assembles to the same bytes. If the header is invalid, the tokens are decoded for
/// `argument`'s stage and the newest version, and the text doesn't assemble.
pub fn disassemble(bytes: &[u8], argument: Option<Stage>, rules: &Rules) -> Disassembly {
    let (header, body) = bytes.split_at_checked(HEADER_SIZE).unwrap_or((bytes, &[]));
    let kind = header.get(6).copied().and_then(Stage::from_code);
    let argument = argument.or(kind).unwrap_or(Stage::Vertex);
    let sound = match *header {
        [MAGIC, v0, v1, v2, v3, TYPE_IDENTIFIER, _] => {
            let number = u32::from_le_bytes([v0, v1, v2, v3]);
            let version = AgalVersion::of_header(number).zip(kind);
            version.map(|(version, stage)| (version, number, stage))
        }
        _ => None,
    };
    let newest = AgalVersion::NEWEST;
    let broken = (newest, newest.number(), kind.unwrap_or(argument));
    let (version, number, stage) = sound.unwrap_or(broken);
    let (tokens, trailing) = body.as_chunks::<TOKEN_SIZE>();
    let instructions = tokens.iter().map(token::unpack).collect();
    let fault = match Program::decode(bytes, Endian::Little, argument) {
        Ok(program) => validate(program, argument, rules)
            .and_then(|valid| valid.check_position(argument))
            .err(),
        Err(error) => Some(error),
    };
    let program = Program::new(version, stage, instructions);
    Disassembly {
        program: program.with_number(number).with_trailing(trailing),
        broken_header: sound.is_none().then(|| header.to_vec()),
        fault,
    }
}

impl Disassembly {
    /// Returns the text, with comments for version and kind, and with Flash's error at its token.
    pub fn listing(&self) -> AgalListing<'_> {
        let broken_header = self.broken_header.as_deref();
        let (header, fault) = (broken_header.is_none(), self.fault.as_ref());
        AgalListing { program: &self.program, header, numbers: false, fault, broken_header }
    }
    /// Returns whether the header is valid, so that the text assembles to the same bytes.
    pub fn is_lossless(&self) -> bool {
        self.broken_header.is_none()
    }
}
