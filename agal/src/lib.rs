//! AGAL, the shader bytecode of Adobe's Stage3D: decoder, validator, linker, GLSL and WGSL emitter, (dis)assembler, interpreter.
//!
//! # AGAL in a screenful
//!
//! A program is 7 bytes of header (`A0`, version 1 to 4, `A1`, kind) and tokens of 24 bytes: opcode, destination, two
//! sources. All registers are four floats. A destination has a write mask, a source a swizzle.
//!
//! ```text
//! m44 op, va0, vc0                              position = attribute 0 times the matrix in vc0..vc3
//! mov v0, va1                                   pass attribute 1 to the fragment program
//! ---
//! tex ft0, v0, fs0 <2d,linear,repeat,miplinear> read texture 0
//! mul oc, ft0, fc0                              colour = texel times constant 0
//! ```
//!
//! | registers | vertex | fragment |
//! |---|---|---|
//! | attributes, read | `va0`… | |
//! | constants, read; in vertex programs also `vc[va0.x+4]` | `vc0`… | `fc0`… |
//! | temporaries, written before read | `vt0`… | `ft0`… |
//! | varyings | written `v0`… | read `v0`… |
//! | outputs, written | `op` | `oc`, `fo0`…, `od` |
//! | samplers | `vs0`… (AGAL 4) | `fs0`… |
//! | instance id, read (AGAL 3) | `iid` | |
//!
//! AGAL 2 adds `ife … els … eif`, `ddx`, `ddy`, several colour outputs and depth.
//!
//! # The stages
//!
//! ```text
//! bytes ─decode→ Program ─validate→ ValidProgram ─link→ LinkedPair ─emit→ GlslPair, WgslPair
//!  text ─assemble→ Program ─Display→ text
//! ```
//!
//! * [`Program::decode`] accepts any bytes and keeps every bit; it raises form errors only.
//! * [`validate`] and [`link`] raise Flash's first error as an [`AgalError`]: number, class, message, token.
//! * [`ValidProgram`] and [`LinkedPair`] have no public constructor, so [`glsl::emit`] fails only if a
//!   [dialect](glsl::Dialect) lacks a [feature](glsl::Feature); [complete](glsl::COMPLETE) dialects lack none.
//!   [`wgsl::emit`] never fails.
//! * [`ir`] has the instructions of a [`ValidProgram`] with checked operands, for other translators and analyses.
//! * [`Interface`] gives the renderer the attributes, constants and samplers of a pair.
//!
//! Nothing in this crate does I/O, panics on input, or allocates more than a small multiple of the input's size.
//!
//! ```
//! use agal::{Endian, Rules, Stage, asm, glsl::{Dialect, GlslOptions, emit}, upload};
//!
//! let vertex = asm::assemble("m44 op, va0, vc0\nmov v0, va1", Stage::Vertex, 1)?;
//! let fragment = asm::assemble("mul ft0.xyz, v0, fc0.x\nmov ft0.w, v0.w\nmov oc, ft0", Stage::Fragment, 1)?;
//! let bytes = (vertex.encode(), fragment.encode());
//! let pair = upload(
//!     (&bytes.0, Endian::Little),
//!     (&bytes.1, Endian::Little),
//!     &Rules::NEWEST,
//! )?;
//! assert_eq!(pair.interface().vertex_constants, 4);
//!
//! let glsl = emit(&pair, &GlslOptions::new(Dialect::Glsl330))?;
//! assert!(glsl.fragment.contains("ft0.xyz = v0.xyz * fc[0].xxx;"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![allow(missing_docs, reason = "only what a name doesn't say is documented")]
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

pub use error::AgalError;
pub use interface::{ConstantSet, Interface};
pub use isa::{opcode, operand, register, sampler};
pub use link::{LinkedPair, link, upload};
pub use liveness::Liveness;
pub use program::{Endian, Program};
pub use shader_core::{cube, float};
pub use token::Instruction;
pub use validate::{ValidProgram, validate};
pub use version::{Profile, Rules, Stage, Version};

pub mod binary {
    pub use crate::program::{HEADER_SIZE, MAGIC, TYPE_IDENTIFIER};
    pub use crate::token::TOKEN_SIZE;
}

pub mod errors {
    pub use crate::error::{
        ErrorClass, ErrorKind, Grade, Inferred, RaisedBy, Witness, fill_message,
    };
}

/// Limits that are the same in every version.
pub mod limits {
    pub use crate::interface::{MAX_FRAGMENT_SAMPLERS, MAX_VERTEX_SAMPLERS};
    pub use crate::version::MAX_NESTING;
}
