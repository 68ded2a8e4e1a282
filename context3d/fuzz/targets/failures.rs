//! Executes arbitrary calls on a device that fails.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| molehill_testing::fuzzing::failures(data));
