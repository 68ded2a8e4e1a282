//! Operands of a token: destination, source, and their fields. Any bits are representable.

pub use shader_core::{Component, Swizzle, WriteMask};

use crate::isa::register::RegisterFile;
use crate::isa::sampler::SamplerOperand;

/// A destination: 32 bits of the token ([agal.dest.bits]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Dest {
    pub number: u16,
    pub mask: WriteMask,
    pub file: u8,
    /// Bits 20-23 and, above them, bits 28-31; 0 in a legal program.
    pub reserved: u8,
}

/// A source: 64 bits of the token ([agal.source.bits]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Source {
    /// Register number; that of the index register if `indirect` is set.
    pub number: u16,
    /// Added to the index (a signed byte: [agal.indirect.offset]).
    pub offset: i8,
    pub swizzle: Swizzle,
    pub file: u8,
    /// Register-type nibble of the index register.
    pub index_file: u8,
    pub index_component: u8,
    /// Reads `constant[index + offset]` instead of the register itself.
    pub indirect: bool,
    /// Bits 36-39, above them 44-47, above them 50-62; 0 in a legal program.
    pub reserved: u32,
}

/// The last eight bytes of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SecondOperand {
    /// An ordinary second source, or the zeros of an opcode without one.
    Source(Source),
    Sampler(SamplerOperand),
}

impl Dest {
    pub fn register_file(&self) -> Option<RegisterFile> {
        RegisterFile::from_code(self.file)
    }
}

impl Source {
    pub fn register_file(&self) -> Option<RegisterFile> {
        RegisterFile::from_code(self.file)
    }
    pub fn index_register_file(&self) -> Option<RegisterFile> {
        RegisterFile::from_code(self.index_file)
    }
}
