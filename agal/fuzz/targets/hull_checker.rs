//! Fuzz target: any hull shader can be checked; a valid hull shader runs and is translated.
#![no_main]

#[path = "../../hs50/tests/common/fuzzing.rs"]
mod hull;

libfuzzer_sys::fuzz_target!(|data: &[u8]| hull::checker(data));
