//! Molehill's tools as a library: captures, replays, pictures, verdicts.

pub mod cli;
pub mod conform;
pub mod demo;
pub mod differential;
pub mod faults;
mod files;
pub mod gl_host;
pub mod image;
pub mod info;
pub mod record;
pub mod reference;
pub mod renderer;
pub mod replay;
pub mod suite;
mod terminal;
pub mod trace;
