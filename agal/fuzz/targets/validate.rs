//! Any program passes the verifier or is rejected, and what passes can be emitted.
#![no_main]

#[path = "../bodies/agal.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::validate_any(data));
