//! Replays a capture: every call is executed by `context3d` on a backend, and the stage can be read after any frame.
//!
//! [`Replayer`] executes calls and keeps a [`Report`](report::Report); [`run`] feeds it from a reader and passes frames
//! to an [`Observer`]. Errors that Flash would raise are recorded in the report, and the replay continues as the Flash
//! program would; a [`ReplayError`] ends it.

mod detachable;
pub mod device_loss;
mod error;
pub mod files;
pub mod image;
pub mod info;
pub mod record;
mod replayer;
pub mod report;
mod run;
mod screen;
pub mod terminal;
#[cfg(test)]
mod tests;

pub use error::ReplayError;
pub use replayer::{Options, Outcome, Replayer, VisibleContext};
pub use run::{Observer, run};
