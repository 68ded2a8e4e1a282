//! The suite itself: its cases find errors, and pass where there are none.

mod differential;
mod hull;
mod options;
mod oracle;
mod scripts;
mod workarounds;
