//! Decodes and encodes program tokens without loss.

pub mod opcode;
pub mod operand;
pub mod program;
pub(crate) mod reader;
