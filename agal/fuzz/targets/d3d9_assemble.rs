//! Any text is assembled and comes back, or is refused.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agal_generate::tokens::assemble(data));
