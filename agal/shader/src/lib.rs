#![doc = include_str!("../README.md")]
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
pub mod overflow;
mod table;
pub mod text;

pub use operand::{Component, Swizzle, WriteMask};
