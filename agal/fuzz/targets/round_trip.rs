//! Fuzz target: generated pairs are valid, and survive round trips through bytes and text.
#![no_main]

#[path = "../bodies/agal.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::round_trip(data));
