//! Direct3D 11 hull shaders (hs_5_0): reader, listing, assembler, checker of the register model, interpreter, and
//! translation to OpenGL tessellation control shaders. Vertex, domain and pixel shaders of shader model 5 can be read
//! and listed.
//!
//! The `README.md` beside it explains phases and registers in a screenful,
//! with a picture; [`register::RegisterInfo`] is the register model as a table, [`rule::Rule`] lists the rules.
//!
//! # The stages
//!
//! ```text
//! bytes ─Container::read→ Container ─Shader::from_container→ Shader ─check→ CheckReport ─valid→ ValidHull ─emit→ Glsl
//!  text ─assemble→ Shader ─listing→ text                                                                └run→ HullOutput
//! ```
//!
//! The following can be read, listed and checked, but not run or translated ([`unsupported::Unsupported`] has the location
//! and description): interfaces (`fcall`), unordered access views, multisampled textures (`ldms`, `sampleinfo`,
//! `samplepos`), and the ranges of slots of shader model 5.1. In addition, GLSL ES 320 lacks doubles and 1D textures,
//! and no dialect has the number of mip levels that `resinfo` returns.
//!
//! Nothing in this crate does I/O or panics on input; memory use is bounded by a small multiple of the input's size.
//!
//! ```
//! use hs50::{check, glsl, text};
//!
//! let shader = text::assemble(
//!     "// Patch Constant signature:\n// SV_TessFactor 0 x 0 LINEDEN float x\n// SV_TessFactor 1 x 1 LINEDET float x\n\
//!      hs_5_0\nhs_decls\ndcl_input_control_point_count 2\ndcl_output_control_point_count 2\n\
//!      dcl_tessellator_domain domain_isoline\ndcl_tessellator_partitioning partitioning_integer\n\
//!      dcl_tessellator_output_primitive output_line\nhs_fork_phase\n\
//!      dcl_output_siv o0.x, finalLineDensityTessFactor\ndcl_output_siv o1.x, finalLineDetailTessFactor\n\
//!      mov o0.x, l(4.0)\nmov o1.x, l(8.0)\nret\n",
//! )?;
//! let hull = check::check(&shader, check::Options::default())?.valid().expect("it breaks no rule");
//! let glsl = glsl::emit(&hull, glsl::Options::default())?;
//! assert_eq!(glsl.evaluation_layout, "layout(isolines, equal_spacing) in;");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![allow(missing_docs, reason = "names, tables and messages of errors say what most items are")]
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
