//! Any calls: every packet is valid, and a rejected call changes nothing.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| molehill_testing::fuzzing::calls(data));
