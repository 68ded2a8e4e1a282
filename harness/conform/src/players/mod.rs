//! Runs test cases in Flash players: writes SWF files with the calls, and evaluates the players' output.

mod answers;
mod folder;
mod judge;
mod recording;

pub use answers::{QuestionAnswer, answers};
pub use folder::{FileGrouping, FolderSummary, write};
pub use judge::{PlayerDevice, results};
