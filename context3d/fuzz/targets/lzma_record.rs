//! Decodes arbitrary bytes, and damaged valid records, as an LZMA record of an ATF file.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| molehill_testing::atf_files::fuzzing::lzma_record(data));
