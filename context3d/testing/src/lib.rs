//! Any sequence of calls, legal or not, out of bytes: what the tests on several backends and the fuzz targets feed on.
//!
//! Bytes become [`Step`]s, which say what is called before it is known which objects there are; [`Objects`] knows those and
//! makes a [`Command`](context3d::Command) of a step. A [`TestContext`] has a context with a small scene in it, ready to draw, and carries them out.
//! Sizes are small and so is the number of instances, so that a sequence takes a software renderer no time. [`Contract`]
//! is a backend that holds every packet against what packets promise.

mod calls;
mod contract;
mod data;
pub mod fuzzing;
mod generated_draw;
mod objects;
mod step;
mod test_context;

pub use contract::Contract;
pub use objects::Objects;
pub use step::{STEP_BYTES, Step};
pub use test_context::TestContext;
