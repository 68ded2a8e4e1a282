//! Decodes dwords to [`D3d9Program`] and encodes them again. Decoding fails only if the length isn't a multiple of 4
//! bytes, or if no shader version comes first. All dwords after the version are preserved, and
//! [`check`](crate::check::check) reports errors ([d3d9.stream.robust]).

use std::iter::Peekable;

use crate::opcode::{D3d9Opcode, Operation};
use crate::operand::{Dest, PARAMETER, Source};
use crate::program::{D3d9Instruction, D3d9Program, StreamItem};
use crate::version::ShaderVersion;

/// A file format, recognized by the first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A Direct3D 9 shader of this version.
    Shader(ShaderVersion),
    /// A program in AGAL bytecode.
    Agal,
    /// A DXBC container, used by Direct3D 10 and later.
    Dxbc,
    /// A Direct3D 9 effect (`FEFF09xx`).
    Effect,
    /// A shader version that isn't part of Direct3D 9, such as vs_1_0 or ps_4_0.
    OtherVersion(u32),
    /// A file of unknown format.
    Unknown,
}

/// Detects the format of a file.
pub fn file_kind(bytes: &[u8]) -> FileKind {
    let word = match bytes {
        [0xa0, _, _, _, _, 0xa1, ..] => return FileKind::Agal,
        [a, b, c, d, ..] => u32::from_le_bytes([*a, *b, *c, *d]),
        _ => return FileKind::Unknown,
    };
    match word {
        _ if bytes.starts_with(b"DXBC") => FileKind::Dxbc,
        _ if word & 0xffff_ff00 == 0xfeff_0900 => FileKind::Effect,
        _ => match ShaderVersion::from_word(word) {
            Some(version) => FileKind::Shader(version),
            None if word >> 17 == 0x7fff => FileKind::OtherVersion(word),
            None => FileKind::Unknown,
        },
    }
}

agal_core::errors! {
    /// The types of decoding errors.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
    pub enum DecodeError {
        Empty = "the file is empty";
        /// The first dword, padded with zero bytes, isn't a Direct3D 9 shader version (rule 1).
        NotAShader { word: u32, kind: FileKind } = "{}" [not_a_shader(*word, *kind)];
        PartialWord { length: usize } = "{length} bytes are not a multiple of 4: the file is truncated or not a shader";
    }
}

fn not_a_shader(word: u32, kind: FileKind) -> String {
    let what = match kind {
        FileKind::Agal => "AGAL bytecode, not a Direct3D 9 shader",
        FileKind::Dxbc => "a DXBC container (Direct3D 10 or later), not a Direct3D 9 shader",
        FileKind::Effect => "a Direct3D 9 effect (fx_2_0), which contains shaders but is not one",
        FileKind::OtherVersion(_) => {
            let stage = if word & 0x1_0000 == 0 { "vs" } else { "ps" };
            let (major, minor) = (word >> 8 & 0xff, word & 0xff);
            return format!("{stage}_{major}_{minor} is not a Direct3D 9 shader version");
        }
        FileKind::Shader(_) | FileKind::Unknown => {
            return format!("the first word is not a vertex or pixel shader version: {word:08X}");
        }
    };
    format!("this is {what}")
}

impl D3d9Program {
    /// Decodes a shader from bytes.
    pub fn decode(bytes: &[u8]) -> Result<D3d9Program, DecodeError> {
        if bytes.is_empty() {
            return Err(DecodeError::Empty);
        }
        let kind = file_kind(bytes);
        if !matches!(kind, FileKind::Shader(_)) {
            let first = bytes.iter().take(4).rev();
            let word = first.fold(0u32, |word, byte| word << 8 | u32::from(*byte));
            return Err(DecodeError::NotAShader { word, kind });
        }
        let (words, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(DecodeError::PartialWord { length: bytes.len() });
        }
        let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
        D3d9Program::from_words(&words)
    }

    /// Decodes a shader from dwords.
    pub fn from_words(words: &[u32]) -> Result<D3d9Program, DecodeError> {
        let Some((&word, rest)) = words.split_first() else { return Err(DecodeError::Empty) };
        let Some(version) = ShaderVersion::from_word(word) else {
            let kind = file_kind(&word.to_le_bytes());
            return Err(DecodeError::NotAShader { word, kind });
        };
        let mut reader = TokenReader { version, rest };
        let mut program = D3d9Program::new(version);
        // Most instructions occupy three or four dwords.
        program.items.reserve(rest.len() / 3);
        program.ended = false;
        while let Some(&token) = reader.rest.first() {
            if token == u32::from(D3d9Opcode::End.code()) {
                program.ended = true;
                reader.take(1);
                break;
            }
            program.items.push(reader.item(token));
        }
        program.trailing = reader.rest.to_vec();
        Ok(program)
    }

    /// Encodes the program as dwords; a decoded program yields its original dwords.
    pub fn to_words(&self) -> Vec<u32> {
        let mut words = vec![self.version.word()];
        for item in &self.items {
            match item {
                StreamItem::Instruction(instruction) => {
                    words.push(instruction.token);
                    words.extend(instruction.operand_words());
                }
                StreamItem::Comment(body) => {
                    words.push(comment_token(body));
                    words.extend(body);
                }
                StreamItem::Malformed(body) => words.extend(body),
            }
        }
        if self.ended {
            words.push(D3d9Opcode::End.code().into());
        }
        words.extend(&self.trailing);
        words
    }

    /// Encodes the program as little-endian bytes; a decoded program yields its original bytes.
    pub fn encode(&self) -> Vec<u8> {
        let words = self.to_words();
        words.into_iter().flat_map(u32::to_le_bytes).collect()
    }
}

/// The maximum length of a comment, in dwords.
pub const MAX_COMMENT: usize = 0x7fff;

fn comment_token(body: &[u32]) -> u32 {
    let length = u32::try_from(body.len().min(MAX_COMMENT)).unwrap_or(0);
    u32::from(D3d9Opcode::Comment.code()) | length << 16
}

struct TokenReader<'a> {
    version: ShaderVersion,
    rest: &'a [u32],
}

impl<'a> TokenReader<'a> {
    fn take(&mut self, count: usize) -> &'a [u32] {
        let split = self.rest.split_at_checked(count);
        let (first, rest) = split.unwrap_or((self.rest, &[]));
        self.rest = rest;
        first
    }

    fn malformed(&mut self, count: usize) -> StreamItem {
        StreamItem::Malformed(self.take(count.max(1)).to_vec())
    }

    fn item(&mut self, token: u32) -> StreamItem {
        if token & PARAMETER != 0 {
            return self.malformed(1 + self.parameters(1));
        }
        let [low, high, _, top] = token.to_le_bytes();
        let opcode = D3d9Opcode::from_code(u16::from_le_bytes([low, high]));
        let length = usize::from(top & 0xf);
        match opcode {
            Some(D3d9Opcode::Comment) => {
                let count = usize::try_from(token >> 16).unwrap_or(MAX_COMMENT);
                if count >= self.rest.len() {
                    return self.malformed(self.rest.len());
                }
                let body = self.take(count.saturating_add(1));
                StreamItem::Comment(body.get(1..).unwrap_or_default().to_vec())
            }
            // The exact end token is handled by the caller; this end token has additional bits set.
            Some(D3d9Opcode::End) => self.malformed(1),
            Some(opcode) => {
                let words = if self.version.has_lengths() {
                    length
                } else {
                    let dest = usize::from(opcode.has_dest());
                    dest + opcode.sources(self.version) + opcode.literals()
                };
                match self.rest.get(1..=words) {
                    // The length is unknown, so all remaining dwords are malformed.
                    None => self.malformed(self.rest.len()),
                    Some(operands) => match build(token, opcode, operands, self.version) {
                        Some(instruction) => {
                            self.take(words.saturating_add(1));
                            StreamItem::Instruction(instruction)
                        }
                        None => self.malformed(words.saturating_add(1)),
                    },
                }
            }
            None if self.version.has_lengths() => self.malformed(length.saturating_add(1)),
            None => self.malformed(1 + self.parameters(1)),
        }
    }

    /// Returns the number of consecutive operand dwords, starting at offset `from`.
    fn parameters(&self, from: usize) -> usize {
        let rest = self.rest.get(from..).unwrap_or_default();
        let parameters = rest.iter().take_while(|word| *word & PARAMETER != 0);
        parameters.count()
    }
}

/// Builds an instruction from its operand dwords. Returns `None` if the destination or a literal is missing.
fn build(
    token: u32,
    opcode: D3d9Opcode,
    operands: &[u32],
    version: ShaderVersion,
) -> Option<D3d9Instruction> {
    let mut made = D3d9Instruction::new(opcode);
    made.token = token;
    let mut words = operands.iter().copied().peekable();
    if opcode.operation() == Operation::Dcl {
        made.push_literal(words.next()?);
    }
    if opcode.has_dest() {
        let word = words.next()?;
        let index = index_word(word, version, &mut words);
        made.dest = Some(Dest { word, index });
    }
    if made.is_predicated() && version.has_lengths() {
        made.predicate = words.next().map(Source::from_word);
    }
    if let Operation::Def(_) = opcode.operation() {
        for _ in 0..opcode.literals() {
            made.push_literal(words.next()?);
        }
    } else if opcode.operation() != Operation::Dcl {
        while made.sources().len() < opcode.takes().len()
            && let Some(word) = words.next()
        {
            let index = index_word(word, version, &mut words);
            made.push_source(Source { word, index });
        }
    }
    made.surplus.extend(words);
    Some(made)
}

/// Returns the index dword that follows a relative operand in models 2 and 3; `None` if the dword is missing.
fn index_word(
    operand: u32,
    version: ShaderVersion,
    words: &mut Peekable<impl Iterator<Item = u32>>,
) -> Option<u32> {
    let relative = version.has_lengths() && Dest::from_word(operand).is_relative();
    relative.then(|| words.next_if(|word| word & PARAMETER != 0))?
}
