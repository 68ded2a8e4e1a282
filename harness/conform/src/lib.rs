//! The conformance suite: test cases for any backend, and the oracles that check their results.
//!
//! | type | test case | oracle |
//! |---|---|---|
//! | program | AGAL programs, run on the device without drawing | [`agal::interp`], within each opcode's error bound |
//! | scene | calls, recorded when the case runs | expected images (formulas, or files in `expected`) or another renderer's images, within the [`Tolerance`] |
//! | calls | a step that must raise an error, or must not | `expected/*.tsv`, written from the reference |
//! | hull | Direct3D 11 hull shaders on the driver | [`hs50::interp`], and the vertices that the reference specifies |
//! | capture | a recorded program | Flash Player's image, error numbers and messages, and the errors of the recording player ([`capture_case`]) |
//!
//! [`cases::all`] generates the cases from the tables of `agal` and `context3d`. [`Runner`] runs one case. A
//! [`CasePool`](pool::CasePool) of child processes runs many cases.

#![allow(missing_docs, reason = "many names of an unpublished crate say what they are")]

mod attachments;
pub mod calls;
pub mod capture_case;
pub mod case;
pub mod cases;
pub mod device;
pub mod differential;
mod drawing;
mod expectations;
mod expected;
pub mod facts;
mod fault;
mod hull;
pub mod mutations;
pub mod names;
pub mod pictures;
pub mod players;
#[cfg(not(target_arch = "wasm32"))]
pub mod pool;
mod program;
pub mod report;
pub mod results;
mod runner;
mod scene;
pub mod scene_builder;
mod script;
pub mod self_test;
pub mod shard;
mod suite_options;
mod texels;
mod tolerance;
mod verdict;

pub use attachments::{AttachmentMap, Attachments, pictures};
pub use expectations::Expectations;
pub use fault::ConformFault;
pub use runner::{Runner, RunnerSettings};
pub use scene::record;
pub use suite_options::{CaseSet, NO_ORACLE, SuiteError, SuiteOptions};
pub use tolerance::Tolerance;
pub use verdict::{CaseOutcome, Verdict};
