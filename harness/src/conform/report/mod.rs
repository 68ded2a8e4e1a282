//! What a run came to, for people and for other tools.

mod baseline;
mod junit;
mod summary;

pub use baseline::{Change, changes};
pub use junit::junit;
pub use summary::{Totals, summary};
