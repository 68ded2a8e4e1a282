//! The inspector plays a capture of a Stage3D program and shows the contents of its frames. One app is a desktop
//! window (`molehill-inspector CAPTURE`) and a web page.
//!
//! The app is a host like any other: `player` replays on [`backend_gl`] in egui's OpenGL context, and egui shows the
//! stage as a texture. A page replays on WebGPU where the browser has it, and copies the frames. Everything else about
//! a frame comes from [`molehill_analysis`]: [`worker`] asks it on worker threads, or in time slices on the main
//! thread where there are no threads.
//!
//! | part | purpose |
//! |---|---|
//! | [`app`] | the shell: layout, keyboard shortcuts, dropped files |
//! | `session` | the open capture, the selection, the answers so far |
//! | `scan` | the search for frames that stand out, and the place that a capture opens at |
//! | [`worker`] | questions to the engine and their answers |
//! | `player`, [`gl`] | the replay and the stage's texture |
//! | [`link`] | what to open and select, as a URL |
//! | `picture`, `theme`, `panels` | the widgets |
#![allow(missing_docs, reason = "comments stand where a name does not say it")]

#[macro_use]
mod choices;

#[macro_use]
mod panels;

pub mod app;
pub mod gl;
mod icons;
pub mod link;
mod picture;
mod player;
mod session;
pub mod source;
mod theme;
#[cfg(target_arch = "wasm32")]
mod web;
pub mod worker;
