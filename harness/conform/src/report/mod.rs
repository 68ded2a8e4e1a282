//! What a run came to, for people and for other tools.

mod baseline;
mod html;
mod junit;
mod summary;

pub use baseline::{Change, changes};
pub use html::html;
pub use junit::junit;
pub use summary::{Totals, summary};
