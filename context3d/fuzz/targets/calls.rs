//! Any calls: every packet is as promised, and what is rejected changes nothing.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| context3d_testing::fuzzing::calls(data));
