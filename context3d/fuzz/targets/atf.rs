//! Any bytes as an ATF file, read and uploaded.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    context3d_testing::atf_files::fuzzing::atf(data);
    context3d_testing::fuzzing::atf_upload(data);
});
