//! Uploads of ATF files, whole and damaged.

mod blocks;
#[path = "../common/mod.rs"]
mod common;
mod damage;
mod errors;
mod upload;
