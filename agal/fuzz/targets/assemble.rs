//! Fuzz target: any text is rejected, or assembles to a program that prints as equivalent text.
#![no_main]

#[path = "../bodies/agal.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::assemble(data));
