//! Any text is assembled or refused.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agal_generate::hull::fuzzing::text(data));
