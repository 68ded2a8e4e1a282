//! Any bytes are a container that comes back, or are refused.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agal_generate::hull::fuzzing::container(data));
