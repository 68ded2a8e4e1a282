//! Fuzz target: any bytes are rejected, or parse as a DXBC container that encodes to the same bytes.
#![no_main]

#[path = "../../hs50/tests/common/fuzzing.rs"]
mod hull;

libfuzzer_sys::fuzz_target!(|data: &[u8]| hull::container(data));
