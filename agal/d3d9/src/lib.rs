//! Direct3D 9 shader tokens.
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

mod check;
pub mod ctab;
mod decode;
mod formula;
pub mod from_agal;
pub mod glsl;
pub mod interp;
pub mod opcode;
pub mod operand;
mod program;
mod reads;
pub mod register;
pub mod slots;
pub mod text;
mod version;

pub use check::{Caps, Finding, MAX_FINDINGS, MAX_ORDER, Options, Report, Rule, Severity, check};
pub use decode::{DecodeError, FileKind, MAX_COMMENT, file_kind};
pub use program::{Instruction, Item, MAX_SOURCES, Program};
pub use version::{Stage, Version};
