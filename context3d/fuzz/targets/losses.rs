//! Any calls on devices that are lost and restored.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| context3d_testing::fuzzing::losses(data));
