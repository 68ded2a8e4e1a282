//! Operands of a token: destination, source and their fields. An operand can also represent invalid bits.

pub use agal_core::{Component, Swizzle, WriteMask};

use crate::isa::register::RegisterFile;
use crate::isa::sampler::SamplerOperand;

/// A destination operand: 32 bits of the token ([agal.dest.bits]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Dest {
    /// The number of the register.
    pub number: u16,
    /// The write mask.
    pub mask: WriteMask,
    /// The nibble with the register type.
    pub file: u8,
    /// The reserved bits: bits 20-23 and, above them, bits 28-31. 0 in a legal program.
    pub reserved: u8,
}

/// A source operand: 64 bits of the token ([agal.source.bits]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SourceOperand {
    /// The number of the register, or of the index register if `indirect` is set.
    pub number: u16,
    /// The offset that is added to the index, a signed byte ([agal.indirect.offset]).
    pub offset: i8,
    /// The component that each lane reads.
    pub swizzle: Swizzle,
    /// The nibble with the register type.
    pub file: u8,
    /// The nibble with the register type of the index register.
    pub index_file: u8,
    /// The component of the index register, 0 to 3.
    pub index_component: u8,
    /// True to read `constant[index + offset]` instead of the register itself.
    pub indirect: bool,
    /// The reserved bits: bits 36-39, above them 44-47, above them 50-62. 0 in a legal program.
    pub reserved: u32,
}

/// The second operand of an instruction: the last eight bytes of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SecondOperand {
    /// A second source; zero for opcodes without one.
    Source(SourceOperand),
    /// The sampler of `tex` and `tld`.
    Sampler(SamplerOperand),
}

impl Dest {
    /// Returns the register file; `None` if the nibble is not a register type.
    pub fn register_file(&self) -> Option<RegisterFile> {
        RegisterFile::from_code(self.file)
    }
}

impl SourceOperand {
    /// Returns the register file; `None` if the nibble is not a register type.
    pub fn register_file(&self) -> Option<RegisterFile> {
        RegisterFile::from_code(self.file)
    }
    /// Returns the register file of the index register; `None` if the nibble is not a register type.
    pub fn index_register_file(&self) -> Option<RegisterFile> {
        RegisterFile::from_code(self.index_file)
    }
}
