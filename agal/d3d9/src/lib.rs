//! Direct3D 9 shader tokens, vs_1_1 to vs_3_sw and ps_1_1 to ps_3_sw: decoder, printer, assembler, checker,
//! interpreter, translation to GLSL and from AGAL.
//!
//! # The format in a screenful
//!
//! A shader is a sequence of little-endian 32-bit words: a version, instructions and comments, an end token. Registers
//! hold four floats.
//!
//! ```text
//! FFFF0200                              ps_2_0
//! 05000051 A00F0000 3F000000 …          def c0, 0.5, 0, 0, 1
//! 0200001F 80000000 B0030000            dcl t0.xy
//! 0200001F 90000000 A00F0800            dcl_2d s0
//! 03000042 800F0000 B0E40000 A0E40800   texld r0, t0, s0
//! 03000005 80070000 80E40000 A0000000   mul r0.xyz, r0, c0.x
//! 02000001 800F0800 80E40000            mov oC0, r0
//! 0000FFFF                              end
//! ```
//!
//! | word | bits |
//! |---|---|
//! | instruction | opcode 0-15, comparison or `texld` variant 16-23, length 24-27, predicated 28, co-issued 30 |
//! | destination | number 0-10, type 28-30 and 11-12, indexed 13, mask 16-19, modifiers 20-22, shift 24-27, 1 in 31 |
//! | source | the same, with a swizzle in 16-23 and a modifier (`-`, `_abs`, …) in 24-27 |
//! | comment | FFFE in 0-15, number of words that follow 16-30; a comment with the tag `CTAB` names constants |
//!
//! # The stages
//!
//! ```text
//! bytes ─decode→ Program ─check→ CheckReport      Program ─CompiledShader::new→ CompiledShader ─run→ State
//!  text ─assemble→ Program ─listing→ text         Program ─emit→ GLSL
//! AGAL ─translate→ Program and the state of its samplers
//! ```
//!
//! * [`Program::decode`] accepts any words after a version and keeps every bit.
//! * [`check`] checks a program against all rules and limits of its version; each [`Finding`](check::Finding) names
//!   rule and instruction.
//! * [`text`] prints the listing of Microsoft's compiler and assembles it again.
//! * [`interp`] runs four vertices or a quad of pixels; [`glsl`] emits 330 and 300 es; [`from_agal`] translates AGAL.
//!
//! Nothing in this crate does I/O, panics on input, or allocates more than a small multiple of the input's size.
//!
//! ```
//! use d3d9::{Program, check::{Caps, check}, text};
//!
//! let program = text::assemble("ps_2_0\ndcl t0\nmov r0, t0\nmov oC0, r0")?;
//! assert!(check(&program, &Caps::MAX).is_valid());
//! let bytes = program.encode();
//! assert_eq!(Program::decode(&bytes)?, program);
//! assert!(program.listing().to_string().ends_with("// approximately 2 instruction slots used\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![allow(missing_docs, reason = "only what a name doesn't say is documented")]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::indexing_slicing))]

pub mod check;
pub mod ctab;
mod dataflow;
mod declarations;
mod decode;
mod divergence;
mod formula;
pub mod from_agal;
pub mod glsl;
pub mod interp;
pub mod opcode;
pub mod operand;
mod overflow;
mod program;
pub mod register;
pub mod slots;
pub mod text;
mod texture_order;
mod texture_stage;
mod version;

pub use decode::{DecodeError, FileKind, MAX_COMMENT, file_kind};
pub use program::{Instruction, Item, MAX_SOURCES, Program};
pub use shader_core::float;
pub use texture_order::MAX_ORDER;
pub use version::{Stage, Version};
