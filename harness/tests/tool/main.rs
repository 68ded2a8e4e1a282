//! Tests the tool as users see it: output, exit status and written files.

mod agal;
mod broken;
mod check;
#[cfg(unix)]
mod ci_files;
mod cli;
mod conform;
mod d3d9;
mod delays;
mod demo;
mod device_loss;
mod disk;
mod hs50;
mod loss;
#[path = "../common/parallel.rs"]
mod parallel;
mod run;
mod scenes;
