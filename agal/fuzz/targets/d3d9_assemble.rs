//! Fuzz target: any text is rejected, or assembles to a Direct3D 9 shader that prints as equivalent text.
#![no_main]

#[path = "../bodies/d3d9.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::assemble(data));
