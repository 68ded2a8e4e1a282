//! Writes the reports of a run, for people and for other tools.

pub mod captures;
mod columns;
mod html;
mod junit;
mod summary;

pub use columns::{RESULTS, ReportColumn, comparable, differing};
pub use html::html;
pub use junit::junit;
pub use summary::{Totals, differences, slowest, summary};
