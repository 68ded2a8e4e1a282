//! Any hull shader is checked; what is sound runs and is translated.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agal_generate::hull::fuzzing::checker(data));
