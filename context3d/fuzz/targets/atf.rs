//! Reads and uploads arbitrary bytes as an ATF file.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    molehill_testing::atf_files::fuzzing::atf(data);
    molehill_testing::fuzzing::atf_upload(data);
});
