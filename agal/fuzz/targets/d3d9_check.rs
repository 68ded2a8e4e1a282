//! Any words are checked; what breaks no rule becomes GLSL and runs.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agal_generate::tokens::check_any(data));
