//! ATF files: each version, format, cube and level made by a writer that shares nothing with the reader; uploads; damaged files.

#[path = "../common/mod.rs"]
mod common;
mod damage;
mod errors;
mod memory;
mod parts;
mod read;
mod upload;
