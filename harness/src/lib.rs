//! The `molehill` tool: its commands, and the demo that one of them records.

pub mod cli;
pub mod demo;
pub mod renderer;
