//! The instruction set: opcodes, registers, operands, samplers, and what each version and profile has of them. One table
//! for each kind of fact; everything else is derived from these.

pub(crate) mod formula;
pub mod opcode;
pub mod operand;
pub mod register;
pub mod sampler;
pub(crate) mod version;
