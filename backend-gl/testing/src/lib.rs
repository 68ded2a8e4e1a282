//! Sequences of calls, valid or not, generated from bytes: for tests on several backends and for fuzz targets.
//!
//! Bytes become [`CallStep`]s, which describe a call independently of the existing objects. [`CreatedObjects`] tracks
//! the objects and converts a step to an [`Invocation`](context3d::Invocation). A [`TestContext`] is a context with a
//! small scene, ready to draw, that executes `Invocation`s. Sizes and instance counts are small, so that a software
//! renderer is fast enough. [`ValidatingBackend`] is a backend that checks every packet against the documentation of
//! packets. [`atf_files`] creates ATF files with known texels. [`random`] tries sequences of random calls on backends.
//!
//! With the feature `gl`, `probe` runs shaders on an OpenGL driver, and `trace` records the OpenGL calls of
//! `backend-gl`, makes them fail, or replaces them by functions without effect.

#![allow(missing_docs, reason = "a crate of tests: docs that only repeat a name say nothing")]

pub mod atf_files;
mod calls;
mod contract;
mod data;
pub mod fuzzing;
mod generated_draw;
mod objects;
#[cfg(feature = "gl")]
pub mod probe;
pub mod random;
mod source;
mod step;
mod test_context;
#[cfg(all(feature = "gl", not(target_arch = "wasm32")))]
pub mod trace;

pub use contract::ValidatingBackend;
pub use objects::CreatedObjects;
pub use step::{CallStep, STEP_BYTES};
pub use test_context::TestContext;
