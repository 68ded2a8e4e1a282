//! Generated pairs are valid and survive bytes and text.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agal_generate::fuzzing::round_trip(data));
