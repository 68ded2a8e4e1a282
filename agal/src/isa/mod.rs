//! The instruction set: opcodes, registers, operands, samplers, and their availability by version and profile. One
//! table defines each kind of fact; all other code reads these tables.

pub(crate) mod formula;
pub mod opcode;
pub mod operand;
pub mod register;
pub mod sampler;
