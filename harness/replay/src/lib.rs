//! Replays captures: `context3d` executes every call on a backend, and the stage can be read after any frame.
//!
//! [`Replayer`] executes calls and keeps a [`Report`](report::ReplayReport); [`run`] feeds it from a reader and passes
//! frames to a [`ReplayObserver`]. Errors that Flash would raise are recorded in the report, and the replay continues
//! as the Flash program would; a [`ReplayError`] ends it.

mod detached_on_dispose;
mod error;
pub mod evidence;
pub mod files;
pub mod folder;
pub mod image;
#[cfg(not(target_arch = "wasm32"))]
pub mod process;
pub mod record;
mod replayer;
pub mod report;
mod run;
mod screen;
pub mod table;
pub mod terminal;

pub use error::{ReplayError, ReplayErrorKind};
pub use replayer::{CallOutcome, ReplayOptions, Replayer};
pub use run::{ReplayObserver, run};
pub use screen::VisibleContext;

// Compiles the examples of PLUGIN.md here, because they use crates above `context3d`.
#[cfg(doctest)]
#[doc = include_str!("../../../context3d/PLUGIN.md")]
mod plug_in {}
