//! Formulas of instructions: Rust functions for the interpreter, and GLSL expressions for the emitter.

pub(crate) mod alu;
pub(crate) mod double;
