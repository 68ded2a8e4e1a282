//! Any bytes as a JPEG-XR file.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| context3d::fuzzing::jxr(data));
