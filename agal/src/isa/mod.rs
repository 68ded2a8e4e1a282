//! The instruction set: opcodes, registers, operands, samplers, and their availability by version and profile. One
//! table for each kind of fact; everything else is derived from these.

pub(crate) mod formula;
pub mod opcode;
pub mod operand;
pub mod register;
pub mod sampler;
