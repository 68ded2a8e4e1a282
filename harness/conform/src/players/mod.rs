//! Runs cases in Flash players: writes SWF files that make the calls, and evaluates the output of these files.

mod answers;
mod folder;
mod judge;
mod recording;

pub use answers::{QuestionAnswer, answers};
pub use folder::{Layout, Written, write};
pub use judge::{PlayerDevice, results};
