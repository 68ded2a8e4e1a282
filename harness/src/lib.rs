//! The `molehill` tool: its commands, and the demo.

pub mod cli;
pub mod demo;
pub mod renderer;
