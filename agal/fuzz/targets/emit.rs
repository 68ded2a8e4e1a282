//! Generated pairs become GLSL in every dialect.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agal_generate::fuzzing::emit_any(data));
