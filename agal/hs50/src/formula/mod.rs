//! The semantics of instructions, as tables of functions for the interpreter and expressions for the GLSL emitter.

pub(crate) mod alu;
pub(crate) mod double;
