//! Fuzz target: any text is assembled as a hull shader, or rejected.
#![no_main]

#[path = "../../hs50/tests/common/fuzzing.rs"]
mod hull;

libfuzzer_sys::fuzz_target!(|data: &[u8]| hull::text(data));
