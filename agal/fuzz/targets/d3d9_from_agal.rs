//! Fuzz target: any valid AGAL is translated to valid Direct3D 9 tokens.
#![no_main]

#[path = "../bodies/d3d9.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::from_agal(data));
