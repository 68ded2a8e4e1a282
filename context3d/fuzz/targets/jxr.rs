//! Decodes arbitrary bytes as a JPEG-XR file.
#![no_main]

#[path = "../../jxr/tests/jxr/any_bytes.rs"]
mod any_bytes;

libfuzzer_sys::fuzz_target!(|data: &[u8]| any_bytes::any_bytes(data));
