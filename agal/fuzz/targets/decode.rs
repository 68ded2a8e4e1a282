//! Fuzz target: any bytes are rejected, or decode to a program that encodes to the same bytes.
#![no_main]

#[path = "../bodies/agal.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::decode(data));
