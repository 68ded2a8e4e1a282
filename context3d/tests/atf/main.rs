//! Uploads of valid and damaged ATF files.

mod blocks;
#[path = "../common/mod.rs"]
mod common;
mod damage;
mod errors;
mod upload;
