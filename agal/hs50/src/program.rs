//! Programs: version, declarations and instructions in order, bit for bit (hs-5-0.md, 1.5 and 2).

use std::fmt;

use crate::names::{GlobalFlag, ProgramKind};
use crate::opcode::{Extra, Opcode};
use crate::operand::Operand;
use crate::token::{TokenError, TokenErrorKind, Words, push_chain};
use crate::words::{length, words};

/// The kind of a program and its shader model version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramVersion {
    /// The shader stage.
    pub kind: ProgramKind,
    /// Minor version: 0 for shader model 5.0, 1 for 5.1.
    pub minor: u8,
}

impl ProgramVersion {
    fn from_token(token: u32) -> Option<ProgramVersion> {
        let kind = ProgramKind::from_code(token >> 16)?;
        let minor = match token & 0xffff {
            0x50 => 0,
            0x51 => 1,
            _ => return None,
        };
        let read = !matches!(kind, ProgramKind::Geometry | ProgramKind::Compute);
        read.then_some(ProgramVersion { kind, minor })
    }

    fn token(self) -> u32 {
        self.kind.code() << 16 | 0x50 | u32::from(self.minor)
    }

    /// The version with a name such as `hs_5_0`.
    pub fn from_name(name: &str) -> Option<ProgramVersion> {
        let (kind, model) = name.split_once('_')?;
        let kind = ProgramKind::from_name(kind)?.code() << 16;
        let minor = match model {
            "5_0" => 0x50,
            "5_1" => 0x51,
            _ => return None,
        };
        ProgramVersion::from_token(kind | minor)
    }
}

impl fmt::Display for ProgramVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_5_{}", self.kind.name(), self.minor)
    }
}

/// An instruction or declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    opcode: Opcode,
    /// The opcode token without opcode number, length and the bit for extended tokens.
    controls: u32,
    /// Extended tokens.
    pub extended: Vec<u32>,
    /// Destinations, then sources.
    pub operands: Vec<Operand>,
    /// Words after the operands; for custom data, its contents.
    pub extra: Vec<u32>,
}

/// Maximum number of extended tokens of an instruction.
const MAX_EXTENDED: usize = 3;
const SATURATE: u32 = 1 << 13;
const NON_ZERO: u32 = 1 << 18;
const PRECISE_SHIFT: u32 = 19;

/// The contents of an extended opcode token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtendedOpcode {
    /// Texel offsets, -8 to 7.
    Offsets([i8; 3]),
    /// The dimension's number and the stride of a structured buffer.
    Resource(u32, u32),
    /// The return type's number for each component.
    ReturnTypes([u32; 4]),
    /// Any other token.
    Other(u32),
}

impl ExtendedOpcode {
    fn from_token(token: u32) -> ExtendedOpcode {
        match token & 0x3f {
            1 => ExtendedOpcode::Offsets([9, 13, 17].map(|shift| {
                let bits = (token >> shift & 15).to_le_bytes()[0];
                (bits << 4).cast_signed() >> 4
            })),
            2 => ExtendedOpcode::Resource(token >> 6 & 31, token >> 11 & 0xfff),
            3 => ExtendedOpcode::ReturnTypes([6, 10, 14, 18].map(|shift| token >> shift & 15)),
            _ => ExtendedOpcode::Other(token),
        }
    }

    /// Encodes the token.
    pub fn token(self) -> u32 {
        match self {
            ExtendedOpcode::Offsets(offsets) => {
                let fields = offsets.iter().zip([9, 13, 17]);
                fields.fold(1, |token, (offset, shift)| {
                    token | u32::from(offset.cast_unsigned() & 15) << shift
                })
            }
            ExtendedOpcode::Resource(dimension, stride) => {
                2 | (dimension & 31) << 6 | (stride & 0xfff) << 11
            }
            ExtendedOpcode::ReturnTypes(types) => {
                let fields = types.iter().zip([6, 10, 14, 18]);
                fields.fold(3, |token, (kind, shift)| token | (kind & 15) << shift)
            }
            ExtendedOpcode::Other(token) => token,
        }
    }
}

impl Instruction {
    /// An instruction without controls and operands.
    pub fn new(opcode: Opcode) -> Instruction {
        Instruction {
            opcode,
            controls: 0,
            extended: Vec::new(),
            operands: Vec::new(),
            extra: Vec::new(),
        }
    }

    /// Its opcode.
    pub fn opcode(&self) -> Opcode {
        self.opcode
    }

    /// A field of the token, by its lowest bit and its width in bits.
    pub fn control(&self, shift: u32, bits: u32) -> u32 {
        self.controls.checked_shr(shift).unwrap_or(0)
            & (1u32.checked_shl(bits).unwrap_or(0).wrapping_sub(1))
    }

    /// Sets bits of the token from bit `shift` on, except those of opcode number and length.
    pub fn set_control(&mut self, shift: u32, value: u32) {
        self.controls |= value.checked_shl(shift).unwrap_or(0) & self.control_bits();
    }

    /// The control bits of the token.
    fn control_bits(&self) -> u32 {
        match self.opcode {
            Opcode::Customdata => 0xffff_f800,
            _ => 0x00ff_f800,
        }
    }

    /// Whether the result is saturated. For opcodes that don't saturate, the bit has another meaning.
    pub fn saturates(&self) -> bool {
        self.opcode.info().modifiers.saturate() && self.controls & SATURATE != 0
    }

    /// Whether a test holds for non-zero values (`_nz`).
    pub fn tests_non_zero(&self) -> bool {
        self.controls & NON_ZERO != 0
    }

    /// The precise components of the result, as bits.
    pub fn precise(&self) -> u32 {
        match self.opcode.info().modifiers.precise() {
            true => self.control(PRECISE_SHIFT, 4),
            false => 0,
        }
    }

    /// Whether the opcode has a test, `_z` or `_nz`.
    pub fn is_test(&self) -> bool {
        use Opcode::{Breakc, Callc, Continuec, Discard, If, Retc};
        matches!(self.opcode, If | Breakc | Continuec | Retc | Callc | Discard)
    }

    /// The contents of the extended tokens.
    pub fn extensions(&self) -> impl Iterator<Item = ExtendedOpcode> + '_ {
        let tokens = self.extended.iter();
        tokens.map(|token| ExtendedOpcode::from_token(*token))
    }

    /// The texel offsets; zeros if there are none.
    pub fn offsets(&self) -> [i8; 3] {
        let offsets = self.extensions().find_map(|extension| match extension {
            ExtendedOpcode::Offsets(offsets) => Some(offsets),
            _ => None,
        });
        offsets.unwrap_or_default()
    }

    /// The destinations.
    pub fn destinations(&self) -> &[Operand] {
        let count = self.opcode.info().destinations.len();
        self.operands.get(..count).unwrap_or_default()
    }

    /// The sources; for a declaration, the register.
    pub fn sources(&self) -> &[Operand] {
        let count = self.opcode.info().destinations.len();
        self.operands.get(count..).unwrap_or_default()
    }

    /// The first operand: the register of a declaration.
    pub fn register(&self) -> Option<&Operand> {
        self.operands.first()
    }

    /// The flags of `dcl_globalFlags`.
    pub fn global_flags(&self) -> impl Iterator<Item = GlobalFlag> + '_ {
        let all = GlobalFlag::ALL.iter().copied();
        all.filter(|flag| self.control(flag.code(), 1) != 0)
    }

    fn decode(
        words: &[u32],
        word_offset: usize,
        minor: u8,
    ) -> Result<(Instruction, usize), TokenError> {
        let error = |kind| TokenError { word_offset, kind };
        let token = words.first().copied().unwrap_or(0);
        let number = token & 0x7ff;
        let opcode = Opcode::from_number(number).ok_or(error(TokenErrorKind::Opcode(number)))?;
        let custom = opcode.info().extra == Extra::Custom;
        let (stated, least) = match (custom, words.get(1)) {
            (true, Some(length)) => (*length, 2),
            (true, None) => (0, 2),
            (false, _) => (token >> 24 & 0x7f, 1),
        };
        let size = usize::try_from(stated).unwrap_or(usize::MAX);
        let own = match words.get(..size) {
            Some(own) if size >= least => own,
            _ => return Err(error(TokenErrorKind::InstructionLength(stated))),
        };
        let mut instruction = Instruction::new(opcode);
        instruction.controls = token & instruction.control_bits();
        let mut rest = Words::new(own, word_offset);
        rest.next()?;
        match opcode.extra(minor) {
            Extra::Custom => {
                rest.next()?;
                instruction.extra = rest.rest().to_vec();
            }
            Extra::Rest => {
                instruction.extended = rest.chain(token, MAX_EXTENDED)?;
                instruction.extra = rest.rest().to_vec();
            }
            Extra::Words(count) => {
                instruction.extended = rest.chain(token, MAX_EXTENDED)?;
                for _ in 0..opcode.operand_count() {
                    instruction.operands.push(Operand::decode(&mut rest)?);
                }
                for _ in 0..count {
                    instruction.extra.push(rest.next()?);
                }
            }
        }
        match rest.rest().len() {
            0 => Ok((instruction, size)),
            more => Err(error(TokenErrorKind::Long(more))),
        }
    }

    /// Encodes the instruction.
    pub fn to_words(&self) -> Vec<u32> {
        let mut words = Vec::new();
        self.encode(&mut words);
        words
    }

    /// Decodes a single instruction.
    ///
    /// # Errors
    /// [`TokenError`] where the words aren't exactly one instruction.
    pub fn from_words(words: &[u32], version: ProgramVersion) -> Result<Instruction, TokenError> {
        let (instruction, size) = Instruction::decode(words, 0, version.minor)?;
        match words.len().saturating_sub(size) {
            0 => Ok(instruction),
            more => Err(TokenError { word_offset: size, kind: TokenErrorKind::Long(more) }),
        }
    }

    /// Length of the instruction in words.
    pub fn length(&self) -> usize {
        self.to_words().len()
    }

    fn encode(&self, words: &mut Vec<u32>) {
        let start = words.len();
        let token = self.opcode.info().number | self.controls;
        if self.opcode.info().extra == Extra::Custom {
            words.extend([token, length(self.extra.len().saturating_add(2))]);
            words.extend(&self.extra);
            return;
        }
        push_chain(words, token, &self.extended);
        for operand in &self.operands {
            operand.encode(words);
        }
        words.extend(&self.extra);
        let size = length(words.len().saturating_sub(start));
        if let Some(first) = words.get_mut(start) {
            *first |= (size & 0x7f) << 24;
        }
    }
}

/// Maximum length of an instruction in words; custom data may be longer.
pub const MAX_INSTRUCTION: usize = 127;

/// A program of shader model 5.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The kind and the shader model version.
    pub version: ProgramVersion,
    /// Declarations and instructions in order.
    pub instructions: Vec<Instruction>,
}

impl Program {
    /// Decodes the payload of SHEX or SHDR.
    ///
    /// # Errors
    /// [`TokenError`] for the first invalid word.
    pub fn decode(data: &[u8]) -> Result<Program, TokenError> {
        let all: Vec<u32> = words(data).collect();
        let error = |word_offset, kind| TokenError { word_offset, kind };
        let [version, stated, ..] = *all else {
            return Err(error(0, TokenErrorKind::Bytes(data.len())));
        };
        if !data.len().is_multiple_of(4) {
            return Err(error(0, TokenErrorKind::Bytes(data.len())));
        }
        let known = ProgramVersion::from_token(version);
        let version = known.ok_or(error(0, TokenErrorKind::Version(version)))?;
        if usize::try_from(stated) != Ok(all.len()) {
            let found = all.len();
            return Err(error(1, TokenErrorKind::Length { stated, found }));
        }
        let mut program = Program { version, instructions: Vec::new() };
        let mut word_offset = 2;
        while let Some(rest) = all.get(word_offset..).filter(|rest| !rest.is_empty()) {
            let (instruction, size) = Instruction::decode(rest, word_offset, version.minor)?;
            program.instructions.push(instruction);
            word_offset = word_offset.saturating_add(size);
        }
        Ok(program)
    }

    /// Encodes the payload of SHEX.
    pub fn encode(&self) -> Vec<u8> {
        let mut words = vec![self.version.token(), 0];
        for instruction in &self.instructions {
            instruction.encode(&mut words);
        }
        let size = length(words.len());
        if let Some(stated) = words.get_mut(1) {
            *stated = size;
        }
        crate::words::bytes_of(&words)
    }
}
