#![doc = include_str!("../README.md")]
//!
//! [`register::RegisterInfo`] is the register model as a table, and [`rule::HullRule`] lists the rules.
//! [`unsupported::UnsupportedFeature`] reports an instruction that can't be executed or translated.
//!
//! # The stages
//!
//! ```text
//! bytes ─DxbcContainer::read→ DxbcContainer ─HullProgramShader::from_container→ HullProgramShader
//!  text ─assemble→ HullProgramShader ─listing→ text
//! HullProgramShader ─check→ HullReport ─valid→ ValidHull ─emit→ HullGlsl
//!                                                        └run→ HullOutput
//! ```
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::indexing_slicing))]

pub mod check;
pub mod container;
mod formula;
#[cfg(feature = "generate")]
pub mod generate;
pub mod glsl;
pub mod hull;
pub mod interp;
pub mod names;
pub mod shader;
pub mod text;
mod tokens;
mod words;

pub use container::{checksum, signature};
pub use hull::{register, rule, unsupported};
pub use tokens::{opcode, operand, program};
