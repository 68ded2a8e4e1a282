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

mod checksum;
pub mod container;
pub mod signature;
pub mod stat;
mod words;

pub use checksum::checksum;
