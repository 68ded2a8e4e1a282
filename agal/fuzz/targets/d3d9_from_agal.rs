//! Any valid AGAL becomes tokens that break no rule.
#![no_main]

#[path = "../bodies/d3d9.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::from_agal(data));
