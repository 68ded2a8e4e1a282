//! The program's tokens, bit for bit.

pub mod opcode;
pub mod operand;
pub mod program;
pub(crate) mod reader;
