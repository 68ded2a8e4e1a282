//! Any text assembles and prints again, or is refused.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agal::fuzzing::assemble(data));
