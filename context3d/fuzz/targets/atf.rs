//! Any bytes as an ATF file, read and uploaded.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    molehill_testing::atf_files::fuzzing::atf(data);
    molehill_testing::fuzzing::atf_upload(data);
});
