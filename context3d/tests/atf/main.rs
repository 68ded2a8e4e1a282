//! Uploads of ATF files, whole and damaged.

#[path = "../common/mod.rs"]
mod common;
mod blocks;
mod damage;
mod errors;
mod upload;
