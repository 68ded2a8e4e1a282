//! Decodes bytes to a [`Program`]. Raises only form errors (3612, 3615 to 3619); the validator checks the tokens.

use crate::binary::token::{self, TOKEN_SIZE};
use crate::error::{AgalError, ErrorClass, ErrorKind};
use crate::isa::version::{Stage, Version};
use crate::program::Program;

/// Byte 0 of every program.
pub const MAGIC: u8 = 0xa0;
/// Byte 5 of every program.
pub const TYPE_IDENTIFIER: u8 = 0xa1;
/// Bytes before the first token.
pub const HEADER_SIZE: usize = 7;

/// The `endian` property of a `ByteArray`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endian {
    /// `littleEndian`
    Little,
    /// `bigEndian`
    Big,
}

impl Program {
    /// Reads a program. `role` is the argument position in `Program3D.upload`, which Flash's messages name.
    ///
    /// # Errors
    /// In Flash's order (agal-errors.md, "What real-player output proves"): 3615 for no bytes, 3612, 3615 for fewer than
    /// one token, 3616, 3617 for a version that no player knows, 3618, 3619. Memory is bounded by twice the input.
    pub fn decode(bytes: &[u8], endian: Endian, role: Stage) -> Result<Program, AgalError> {
        Form::read(newest(), bytes, endian, role).map(|form| form.unpack())
    }
}

/// A program whose header was read and whose tokens were counted, but not decoded.
pub(crate) struct Form<'a> {
    version: Version,
    number: u32,
    stage: Stage,
    tokens: &'a [[u8; TOKEN_SIZE]],
    trailing: &'a [u8],
}

impl<'a> Form<'a> {
    /// The errors of [`Program::decode`], for a player that knows no version after `newest`, so that 3617 keeps its place
    /// before 3618 and 3619.
    pub(crate) fn read(
        newest: Version,
        bytes: &'a [u8],
        endian: Endian,
        role: Stage,
    ) -> Result<Form<'a>, AgalError> {
        let wrong = |kind: ErrorKind| AgalError::from(kind.report().subject(role));
        if bytes.is_empty() {
            // The message has no program kind, and the class differs.
            let report = ErrorKind::SizeBelowMinimum.report();
            return Err(report.class(ErrorClass::ArgumentError).into());
        }
        if endian == Endian::Big {
            return Err(ErrorKind::BigEndian.report().into());
        }
        let Some((header, body)) = bytes.split_first_chunk::<HEADER_SIZE>() else {
            return Err(wrong(ErrorKind::SizeBelowMinimum));
        };
        if body.len() < TOKEN_SIZE {
            return Err(wrong(ErrorKind::SizeBelowMinimum));
        }
        let [magic, v0, v1, v2, v3, identifier, kind] = *header;
        if magic != MAGIC {
            return Err(wrong(ErrorKind::WrongMagic));
        }
        let number = u32::from_le_bytes([v0, v1, v2, v3]);
        let version = Version::of_header(number).filter(|version| *version <= newest);
        let version = version.ok_or_else(|| bad_version(role, newest))?;
        if identifier != TYPE_IDENTIFIER {
            return Err(wrong(ErrorKind::BadTypeIdentifier));
        }
        let stage = Stage::from_code(kind).ok_or_else(|| wrong(ErrorKind::BadShaderType))?;
        let (tokens, trailing) = body.as_chunks::<TOKEN_SIZE>();
        Ok(Form { version, number, stage, tokens, trailing })
    }

    /// The part that decides whether a player accepts the program: it reads one token more than are allowed (3629), of
    /// which there may be millions.
    pub(crate) fn limited(self) -> Form<'a> {
        let read = ..self.version.max_tokens().saturating_add(1);
        Form { tokens: self.tokens.get(read).unwrap_or(self.tokens), ..self }
    }

    pub(crate) fn unpack(&self) -> Program {
        let instructions = self.tokens.iter().map(token::unpack).collect();
        let program = Program::new(self.version, self.stage, instructions);
        program.with_number(self.number).with_trailing(self.trailing)
    }
}

fn newest() -> Version {
    Version::newest_for_swf(u32::MAX)
}

/// 3617; its %2 is the highest version accepted (unverified).
pub(crate) fn bad_version(role: Stage, newest: Version) -> AgalError {
    let report = ErrorKind::BadVersion.report().subject(role);
    report.detail(newest.number()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(bytes: &[u8], endian: Endian) -> (u16, ErrorClass) {
        let error = Program::decode(bytes, endian, Stage::Vertex).unwrap_err();
        (error.number(), error.class())
    }

    /// agal-errors.md, "What real-player output proves", 1.
    #[test]
    fn form_errors_come_in_flash_order() {
        use Endian::{Big, Little};
        use ErrorClass::{ArgumentError, Error};
        assert_eq!(number(&[], Big), (3615, ArgumentError));
        assert_eq!(number(&[], Little), (3615, ArgumentError));
        assert_eq!(number(&[0], Big), (3612, ArgumentError));
        assert_eq!(number(&[0xa0, 9, 0, 0, 0, 0xa1, 9], Little), (3615, Error));
        let mut bytes = [0u8; 31];
        assert_eq!(number(&bytes, Little), (3616, Error));
        bytes[0] = MAGIC;
        bytes[1] = 5;
        assert_eq!(number(&bytes, Little), (3617, Error));
        bytes[1] = 0;
        bytes[6] = 7;
        assert_eq!(number(&bytes, Little), (3618, Error));
        bytes[5] = TYPE_IDENTIFIER;
        assert_eq!(number(&bytes, Little), (3619, Error));
        bytes[6] = 1;
        assert!(Program::decode(&bytes, Little, Stage::Vertex).is_ok());
        assert_eq!(number(&bytes[..30], Little), (3615, Error));
    }

    #[test]
    fn the_empty_program_names_no_kind() {
        let error = Program::decode(&[], Endian::Little, Stage::Vertex).unwrap_err();
        assert_eq!(
            error.message(),
            "AGAL validation failed: Program size below minimum length for  program."
        );
    }
}
