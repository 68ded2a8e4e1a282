//! Fuzz target: any program is rejected by the verifier, or can be translated.
#![no_main]

#[path = "../bodies/agal.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::validate_any(data));
