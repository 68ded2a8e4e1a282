//! Any program passes the verifier or is refused, and what passes can be emitted.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agal_generate::fuzzing::validate_any(data));
