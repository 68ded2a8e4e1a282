//! Programs: version, declarations and instructions, without loss ([hs50.program.version] [hs50.opcode.bits]).

use std::fmt;

use agal_core::WriteMask;

use crate::names::{Dimension, GlobalFlag, ProgramKind};
use crate::tokens::opcode::{ExtraDwords, HullOpcode};
use crate::tokens::operand::{HullOperand, OperandKind};
use crate::tokens::reader::{HullReader, push_chain};
use crate::words::{bytes_of, length, words};

pub use crate::tokens::reader::{TokenError, TokenErrorKind};

/// The program type and shader model version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramVersion {
    /// The program type (shader stage).
    pub kind: ProgramKind,
    /// The minor version of shader model 5: 0 or 1.
    pub minor: u8,
}

impl ProgramVersion {
    fn from_token(token: u32) -> Option<ProgramVersion> {
        let kind = ProgramKind::from_code(token >> 16)?;
        let read = !matches!(kind, ProgramKind::Geometry | ProgramKind::Compute);
        let minor = [0x50, 0x51].into_iter().zip(0..).find(|(model, _)| *model == token & 0xffff);
        minor.filter(|_| read).map(|(_, minor)| ProgramVersion { kind, minor })
    }

    fn token(self) -> u32 {
        self.kind.code() << 16 | 0x50 | u32::from(self.minor)
    }

    /// Returns the version with a name, such as `hs_5_0`.
    pub fn from_name(name: &str) -> Option<ProgramVersion> {
        let (kind, model) = name.split_once('_')?;
        let kind = ProgramKind::from_name(kind)?;
        let minor = ["5_0", "5_1"].into_iter().zip(0..).find(|(known, _)| *known == model)?.1;
        ProgramVersion::from_token(ProgramVersion { kind, minor }.token())
    }
}

impl fmt::Display for ProgramVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_5_{}", self.kind.name(), self.minor)
    }
}

/// An instruction or a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HullInstruction {
    opcode: HullOpcode,
    /// The opcode token with opcode, length and extended bit cleared.
    controls: u32,
    /// The extended opcode tokens.
    pub extended: Vec<u32>,
    /// The operands, destinations first.
    pub operands: Vec<HullOperand>,
    /// The extra dwords after the operands; for custom data, its contents.
    pub extra: Vec<u32>,
}

const MAX_EXTENDED: usize = 3;

/// Bit offsets of fields in the opcode token.
pub(crate) mod field {
    /// The value of a declaration, or the return type of `resinfo` and `sampleinfo`.
    pub(crate) const VALUE: u32 = 11;
    pub(crate) const SATURATE: u32 = 13;
    pub(crate) const SAMPLES: u32 = 16;
    pub(crate) const NON_ZERO: u32 = 18;
    pub(crate) const PRECISE: u32 = 19;
}

pub(crate) const IMMEDIATE_CONSTANTS: u32 = 3;

/// An extended opcode token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtendedOpcode {
    /// Immediate texel offsets, each -8 to 7.
    Offsets([i8; 3]),
    /// The code of a resource dimension, and the stride of a structured buffer.
    Resource(u32, u32),
    /// The codes of a resource's four component types.
    ReturnTypes([u32; 4]),
    /// An extended token of unknown type.
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

    /// Returns the token, without the bit that announces another extended token.
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

impl HullInstruction {
    /// Creates an instruction without operands.
    pub fn new(opcode: HullOpcode) -> HullInstruction {
        let (extended, operands, extra) = (Vec::new(), Vec::new(), Vec::new());
        HullInstruction { opcode, controls: 0, extended, operands, extra }
    }

    /// Returns the opcode.
    pub fn opcode(&self) -> HullOpcode {
        self.opcode
    }

    /// Returns a field of the opcode token, given its bit offset and bit width.
    pub fn control(&self, shift: u32, bits: u32) -> u32 {
        self.controls.checked_shr(shift).unwrap_or(0)
            & (1u32.checked_shl(bits).unwrap_or(0).wrapping_sub(1))
    }

    /// Sets bits of the opcode token, starting at bit `shift`. Ignores the bits of opcode and length.
    pub fn set_control(&mut self, shift: u32, value: u32) {
        self.controls |= value.checked_shl(shift).unwrap_or(0) & self.control_bits();
    }

    fn control_bits(&self) -> u32 {
        match self.opcode {
            HullOpcode::Customdata => 0xffff_f800,
            _ => 0x00ff_f800,
        }
    }

    /// Returns whether the result is saturated. The saturation bit has another meaning for opcodes that can't saturate.
    pub fn saturates(&self) -> bool {
        self.opcode.modifiers().saturate && self.control(field::SATURATE, 1) != 0
    }

    /// Returns whether the instruction tests for non-zero (`_nz`) instead of zero (`_z`).
    pub fn tests_non_zero(&self) -> bool {
        self.control(field::NON_ZERO, 1) != 0
    }

    /// Returns the components whose computation must be precise.
    pub fn precise(&self) -> WriteMask {
        let [bits, ..] = self.control(field::PRECISE, 4).to_le_bytes();
        WriteMask::from_bits(if self.opcode.modifiers().precise { bits } else { 0 })
    }

    /// Returns the decoded extended opcode tokens.
    pub fn extensions(&self) -> impl Iterator<Item = ExtendedOpcode> + '_ {
        let tokens = self.extended.iter();
        tokens.map(|token| ExtendedOpcode::from_token(*token))
    }

    /// Returns the immediate texel offsets, or zeros if none are encoded.
    pub fn offsets(&self) -> [i8; 3] {
        let offsets = self.extensions().find_map(|extension| {
            if let ExtendedOpcode::Offsets(offsets) = extension { Some(offsets) } else { None }
        });
        offsets.unwrap_or_default()
    }

    /// Returns the destination operands.
    pub fn destinations(&self) -> &[HullOperand] {
        self.split().0
    }

    /// Returns the source operands; for a declaration, its register.
    pub fn sources(&self) -> &[HullOperand] {
        self.split().1
    }

    fn split(&self) -> (&[HullOperand], &[HullOperand]) {
        let count = self.opcode.destinations().len();
        self.operands.split_at_checked(count).unwrap_or((&self.operands, &[]))
    }

    /// Returns the operand of the resource that the instruction reads.
    pub fn resource(&self) -> Option<&HullOperand> {
        self.sources().iter().find(|operand| operand.kind() == OperandKind::Resource)
    }

    pub(crate) fn sampler(&self) -> Option<&HullOperand> {
        self.sources().iter().find(|operand| operand.kind() == OperandKind::Sampler)
    }

    /// Returns the resource dimension that the instruction states.
    pub(crate) fn dimension(&self) -> Option<Dimension> {
        self.extensions().find_map(|extension| match extension {
            ExtendedOpcode::Resource(dimension, _) => Dimension::from_code(dimension),
            _ => None,
        })
    }

    /// Returns the extra dword at an index, or 0 if the dword is missing.
    pub fn word(&self, number: usize) -> u32 {
        self.extra.get(number).copied().unwrap_or(0)
    }

    /// Returns the first operand, which is the register of a declaration.
    pub fn register(&self) -> Option<&HullOperand> {
        self.operands.first()
    }

    /// Returns the global flags of `dcl_globalFlags`.
    pub fn global_flags(&self) -> impl Iterator<Item = GlobalFlag> + '_ {
        let all = GlobalFlag::ALL.iter().copied();
        all.filter(|flag| self.control(flag.code(), 1) != 0)
    }

    /// Decodes the first instruction of a slice; returns the instruction and its length in dwords.
    fn decode(
        words: &[u32],
        start: usize,
        minor: u8,
    ) -> Result<(HullInstruction, usize), TokenError> {
        let error = |kind| TokenError { word_offset: start, kind };
        let token = words.first().copied().unwrap_or(0);
        let number = token & 0x7ff;
        let opcode =
            HullOpcode::from_number(number).ok_or(error(TokenErrorKind::Opcode(number)))?;
        let (stated, least) = match opcode.extra() {
            ExtraDwords::Custom => (words.get(1).copied().unwrap_or(0), 2),
            ExtraDwords::Words(_) | ExtraDwords::Rest => (token >> 24 & 0x7f, 1),
        };
        let size = usize::try_from(stated).unwrap_or(usize::MAX);
        let own = match words.get(..size) {
            Some(own) if size >= least => own,
            _ => return Err(error(TokenErrorKind::InstructionLength(stated))),
        };
        let mut instruction = HullInstruction::new(opcode);
        instruction.controls = token & instruction.control_bits();
        let mut rest = HullReader::new(own, start);
        rest.next()?;
        let extra = opcode.extra_of(minor);
        if extra == ExtraDwords::Custom {
            rest.next()?;
        } else {
            instruction.extended = rest.chain(token, MAX_EXTENDED)?;
        }
        match extra {
            ExtraDwords::Custom | ExtraDwords::Rest => instruction.extra = rest.rest().to_vec(),
            ExtraDwords::Words(count) => {
                for _ in 0..opcode.operand_count() {
                    instruction.operands.push(HullOperand::decode(&mut rest, 0)?);
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

    /// Encodes the instruction as dwords.
    pub fn to_words(&self) -> Vec<u32> {
        let token = self.opcode.number() | self.controls;
        if self.opcode.extra() == ExtraDwords::Custom {
            let size = length(self.extra.len().saturating_add(2));
            return [&[token, size], &self.extra[..]].concat();
        }
        let mut words = Vec::new();
        push_chain(&mut words, token, &self.extended);
        for operand in &self.operands {
            operand.encode(&mut words);
        }
        words.extend(&self.extra);
        let size = length(words.len()) & 0x7f;
        if let Some(first) = words.first_mut() {
            *first |= size << 24;
        }
        words
    }

    /// Decodes a slice that contains exactly one instruction.
    pub fn from_words(
        words: &[u32],
        version: ProgramVersion,
    ) -> Result<HullInstruction, TokenError> {
        let (instruction, size) = HullInstruction::decode(words, 0, version.minor)?;
        match words.len().saturating_sub(size) {
            0 => Ok(instruction),
            more => Err(TokenError { word_offset: size, kind: TokenErrorKind::Long(more) }),
        }
    }
}

/// Maximum length of an instruction in dwords, except custom data.
pub const MAX_INSTRUCTION: usize = 127;

/// A program in tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HullProgram {
    /// The program type and version.
    pub version: ProgramVersion,
    /// The declarations and instructions, in program order.
    pub instructions: Vec<HullInstruction>,
}

impl HullProgram {
    /// Decodes the payload of a program chunk.
    pub fn decode(data: &[u8]) -> Result<HullProgram, TokenError> {
        let all: Vec<u32> = words(data).collect();
        let error = |word_offset, kind| TokenError { word_offset, kind };
        let ([version, stated, ..], true) = (&*all, data.len().is_multiple_of(4)) else {
            return Err(error(0, TokenErrorKind::Bytes(data.len())));
        };
        let (version, stated) = (*version, *stated);
        let known = ProgramVersion::from_token(version);
        let version = known.ok_or(error(0, TokenErrorKind::Version(version)))?;
        if usize::try_from(stated) != Ok(all.len()) {
            let found = all.len();
            return Err(error(1, TokenErrorKind::Length { stated, found }));
        }
        let mut program = HullProgram { version, instructions: Vec::new() };
        let mut word_offset = 2;
        while let Some(rest) = all.get(word_offset..).filter(|rest| !rest.is_empty()) {
            let (instruction, size) = HullInstruction::decode(rest, word_offset, version.minor)?;
            program.instructions.push(instruction);
            word_offset = word_offset.saturating_add(size);
        }
        Ok(program)
    }

    /// Encodes the payload of a program chunk.
    pub fn encode(&self) -> Vec<u8> {
        let code: Vec<u32> = self.instructions.iter().flat_map(HullInstruction::to_words).collect();
        let size = length(code.len().saturating_add(2));
        let words = [&[self.version.token(), size], &code[..]].concat();
        bytes_of(&words)
    }
}
