//! Cases in Flash players: as SWF files that make their calls, and judged by what those print.

mod answers;
mod folder;
mod judge;
mod recording;

pub use answers::{Answer, answers};
pub use folder::{Layout, Written, write};
pub use judge::{PlayerDevice, results};
