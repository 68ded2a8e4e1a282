//! Direct3D 11 hull shaders.
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::print_stdout,
        clippy::indexing_slicing
    )
)]

mod alu;
pub mod check;
mod checksum;
pub mod container;
mod double;
pub mod generate;
pub mod glsl;
pub mod hull;
pub mod interp;
pub mod names;
pub mod opcode;
pub mod operand;
pub mod program;
pub mod register;
pub mod rule;
pub mod shader;
pub mod signature;
pub mod stat;
pub mod support;
pub mod text;
pub mod token;
mod words;

pub use checksum::checksum;
