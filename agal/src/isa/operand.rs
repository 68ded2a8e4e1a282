//! Operands of a token: destination, source, and their fields. Any bits are representable.

pub use agal_core::{Component, Swizzle, WriteMask};

use crate::isa::register::RegisterFile;
use crate::isa::sampler::SamplerOperand;

/// A destination: 32 bits of the token ([agal.dest.bits]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Dest {
    /// The number of the register.
    pub number: u16,
    /// The components that are written.
    pub mask: WriteMask,
    /// The register-type nibble.
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
    /// The component that each lane reads.
    pub swizzle: Swizzle,
    /// The register-type nibble.
    pub file: u8,
    /// Register-type nibble of the index register.
    pub index_file: u8,
    /// The component of the index register, 0 to 3.
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
    /// The sampler of `tex` and `tld`.
    Sampler(SamplerOperand),
}

impl Dest {
    /// Returns the register's file, unless the nibble has none.
    pub fn register_file(&self) -> Option<RegisterFile> {
        RegisterFile::from_code(self.file)
    }
}

impl Source {
    /// Returns the register's file, unless the nibble has none.
    pub fn register_file(&self) -> Option<RegisterFile> {
        RegisterFile::from_code(self.file)
    }
    /// Returns the index register's file, unless the nibble has none.
    pub fn index_register_file(&self) -> Option<RegisterFile> {
        RegisterFile::from_code(self.index_file)
    }
}
