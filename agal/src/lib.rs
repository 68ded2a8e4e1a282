#![doc = include_str!("../README.md")]
//!
//! # The stages
//!
//! ```text
//! bytes ─decode→ Program ─validate→ ValidProgram ─link→ LinkedPair ─emit→ GlslPair, WgslPair
//!  text ─assemble→ Program ─Display→ text
//! ```
//!
//! * [`Program::decode`] accepts any bytes, and keeps every bit. Its only errors are encoding errors.
//! * [`validate`] and [`link`] return Flash's first error as an [`AgalError`]: number, class, message and token.
//! * Only the verifier and the linker create a [`ValidProgram`] and a [`LinkedPair`]. [`glsl::emit`] fails only if a
//!   [dialect](glsl::Dialect) lacks a [feature](glsl::PairFeature), which [complete](glsl::COMPLETE) dialects never do.
//!   [`wgsl::emit`] never fails.
//! * [`ir`] has the instructions of a [`ValidProgram`] with checked operands, for other translators and analyses.
//! * [`Interface`] gives the renderer the attributes, constants and samplers of a pair.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::indexing_slicing))]

pub mod asm;
mod error;
#[cfg(feature = "generate")]
pub mod generate;
pub mod glsl;
mod interface;
pub mod interp;
pub mod ir;
mod isa;
mod link;
mod liveness;
mod overflow;
mod program;
mod token;
mod validate;
mod version;
pub mod wgsl;

pub use agal_core::{cube, float};
pub use error::AgalError;
pub use interface::{ConstantSet, Interface};
pub use isa::{opcode, operand, register, sampler};
pub use link::{LinkedPair, link, link_alone, upload};
pub use liveness::Liveness;
pub use program::{Endian, Program};
pub use token::AgalInstruction;
pub use validate::{ValidProgram, validate};
pub use version::{AgalVersion, Profile, Rules, Stage};

/// Constants of the binary format.
pub mod binary {
    pub use crate::program::{HEADER_SIZE, MAGIC, TYPE_IDENTIFIER};
    pub use crate::token::TOKEN_SIZE;
}

/// The table of Flash's errors, with the evidence for each row.
pub mod errors {
    pub use crate::error::{
        ErrorClass, ErrorKind, Grade, InferredError, RaisedBy, Witness, fill_message,
    };
}

/// Limits that are equal in all versions.
pub mod limits {
    pub use crate::interface::{MAX_FRAGMENT_SAMPLERS, MAX_VERTEX_SAMPLERS};
    pub use crate::version::MAX_NESTING;
}
