//! What the three shader languages share, and nothing that only one of them has: tables in source code, text parsing
//! with errors that show the line, write masks and swizzles, lanes of four, float rules, cube faces, a texture unit, the
//! interface of interpreters, findings of checkers, GLSL dialects, and the text of shaders. It has no shader of its own.
#![allow(missing_docs, reason = "only what a name doesn't say is documented")]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::indexing_slicing))]

pub mod cube;
pub mod finding;
pub mod float;
pub mod glsl;
pub mod image;
pub mod interp;
pub mod lanes;
mod operand;
pub mod output;
mod table;
pub mod text;

pub use operand::{Component, Swizzle, WriteMask};
