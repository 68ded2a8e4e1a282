//! Any bytes as an LZMA record of an ATF file, and good records that are damaged.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| atf_samples::fuzzing::lzma_record(data));
