//! Fuzz target: generated pairs are translated to GLSL in every dialect.
#![no_main]

#[path = "../bodies/agal.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::emit_any(data));
