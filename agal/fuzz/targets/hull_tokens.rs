//! Fuzz target: any words are rejected, or decode to a hull shader that encodes to the same words.
#![no_main]

#[path = "../../hs50/tests/common/fuzzing.rs"]
mod hull;

libfuzzer_sys::fuzz_target!(|data: &[u8]| hull::tokens(data));
