#![doc = include_str!("../README.md")]
//!
//! # A minimal program
//!
//! ```c
#![doc = include_str!("../examples/minimal.c")]
//! ```
// SAFETY of blocks without a comment: the caller's promise, which this page states.
#![allow(unsafe_code, reason = "functions for C get pointers, and their names are not mangled")]
#![allow(
    clippy::missing_safety_doc,
    reason = "this page says for all functions what pointers point to"
)]
#![allow(clippy::too_many_arguments, reason = "as many as ActionScript's")]
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::print_stdout
    )
)]

mod arguments;
mod by_name;
mod cache;
#[rustfmt::skip]
mod calls;
mod context;
mod device;
mod exchange;
mod failure;
mod handles;
mod logging;
mod objects;
mod pointers;
mod present;
mod recording;
mod recovery;
mod registry;
mod shaders;
mod sized;
mod stage3d;
mod status;
#[cfg(test)]
extern crate self as molehill_c; // for what the tests share
#[cfg(test)]
#[path = "../tests/unit/library.rs"]
mod tests;
mod thread;

pub use arguments::*;
pub use by_name::*;
pub use cache::*;
pub use calls::*;
pub use context::*;
pub use device::*;
pub use exchange::*;
pub use failure::MolehillStatus;
pub use handles::*;
pub use logging::*;
pub use objects::*;
pub use pointers::MolehillBool;
pub use present::*;
pub use recording::*;
pub use recovery::MolehillRecovery;
pub use shaders::*;
pub use stage3d::*;
pub use status::*;
