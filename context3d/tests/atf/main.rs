//! ATF files: each version, format, cube and level from a writer of the tests' own; uploads; damaged files.

#[path = "../common/mod.rs"]
mod common;
mod damage;
mod errors;
mod jxr;
mod memory;
mod parts;
mod read;
mod sample;
mod upload;
mod writer;
