//! Any bytes as an ATF file.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| context3d::fuzzing::atf(data));
