//! Any bytes decode and come back, or are refused.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agal_generate::tokens::decode(data));
