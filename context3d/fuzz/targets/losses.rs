//! Executes arbitrary calls on devices that are lost and restored.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| molehill_testing::fuzzing::losses(data));
