//! Replays a capture: every call is executed by `context3d` on a backend, and the stage can be read after any frame.
//!
//! [`Replayer`] executes calls and keeps a [`Report`]; [`run`] feeds it from a reader and passes frames to an
//! [`Observer`]. Errors that Flash would raise are recorded in the report, and the replay continues as the Flash
//! program would; a [`ReplayError`] ends it.

mod detachable;
mod device_loss;
mod error;
pub mod files;
pub mod image;
pub mod info;
pub mod record;
mod replayer;
mod report;
mod run;
mod screen;
pub mod terminal;
#[cfg(test)]
mod tests;

pub use device_loss::{DeviceLoss, DeviceLossFactory};
pub use error::ReplayError;
pub use replayer::{Options, Outcome, Replayer, Shown};
pub use report::{Errors, MAX_KEPT_ERRORS, MAX_KEPT_NUMBERS, Raised, Report};
pub use run::{Observer, run};
