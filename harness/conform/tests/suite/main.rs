//! Tests of the conformance suite: its test cases detect errors, and pass without errors.

mod captures;
mod differential;
mod expectations;
mod glob;
mod html;
mod hull;
mod mutations;
mod options;
mod oracle;
#[cfg(target_os = "linux")]
mod pool;
mod reference_tables;
mod results;
mod scripts;
mod sequences;
mod shard;
mod tokens;
mod tolerance;
mod tree;
mod verdict;
mod workarounds;
