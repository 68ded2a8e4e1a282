//! Reports of a run, for people and for other tools.

mod baseline;
pub mod captures;
mod html;
mod junit;
mod summary;

pub use baseline::{Change, changes};
pub use html::html;
pub use junit::junit;
pub use summary::{Totals, summary};
