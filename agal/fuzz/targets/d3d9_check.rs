//! Any words are checked; what breaks no rule becomes GLSL and runs.
#![no_main]

#[path = "../bodies/d3d9.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::check_any(data));
