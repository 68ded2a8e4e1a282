#![doc = include_str!("../README.md")]
#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)
)]

pub mod enhanced;
mod recovery;

pub use enhanced::{EnhancedBackend, Enhancements};
pub use recovery::{RecoverableBackend, RecoveryOptions};
