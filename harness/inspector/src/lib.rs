//! The inspector plays a capture of a Stage3D application and shows the contents of its frames. The same app runs as a
//! desktop window (`molehill-inspector CAPTURE`) and as a web page.
//!
//! The app is a normal host of Molehill: `player` replays on [`backend_gl`] in egui's OpenGL context, and egui shows
//! the stage as a texture. A web page replays on WebGPU if the browser supports it, and copies the frames. All other
//! data about frames comes from [`molehill_analysis`]: [`worker`] runs its queries on worker threads or, without
//! threads, in time slices on the main thread.
//!
//! | module | purpose |
//! |---|---|
//! | [`app`] | the shell: layout, keyboard shortcuts, dropped files |
//! | `session` | the open capture, the selection, the cached results |
//! | `scan` | the search for anomalous frames, and the initial selection of an opened capture |
//! | [`worker`] | queries to the analysis engine, and their results |
//! | `player`, [`gl`] | the replay and the stage's texture |
//! | [`link`] | URLs that open a capture and select a frame or call |
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
