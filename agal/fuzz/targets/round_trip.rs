//! Generated pairs are valid and survive bytes and text.
#![no_main]

#[path = "../bodies/agal.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::round_trip(data));
