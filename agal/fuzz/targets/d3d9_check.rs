//! Fuzz target: any words can be checked; a valid Direct3D 9 shader is translated to GLSL and runs.
#![no_main]

#[path = "../bodies/d3d9.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::check_any(data));
