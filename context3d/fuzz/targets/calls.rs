//! Executes arbitrary calls: every packet must be valid, and a rejected call must change nothing.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| molehill_testing::fuzzing::calls(data));
