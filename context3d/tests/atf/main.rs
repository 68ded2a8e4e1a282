//! Uploads of ATF files, whole and damaged.

#[path = "../common/mod.rs"]
mod common;
mod damage;
mod errors;
mod upload;
