//! Fuzz target: any bytes are rejected, or decode to a Direct3D 9 shader that encodes to the same bytes.
#![no_main]

#[path = "../bodies/d3d9.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::decode(data));
