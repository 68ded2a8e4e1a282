//! Any text assembles and prints again, or is refused.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agal_generate::fuzzing::assemble(data));
