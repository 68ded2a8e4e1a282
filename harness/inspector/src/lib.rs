//! The inspector: plays a capture of a Stage3D program and shows what is in its frames. One app, as a window
//! (`molehill-inspector CAPTURE`) and as a web page.
//!
//! It is a host as any other: [`player`] replays on [`backend_gl`] in the OpenGL context that egui draws with, and the stage
//! is shown as a texture of egui's. Every answer about a frame comes from [`molehill_inspect`], which [`worker`] asks on
//! threads of its own where there are threads, and one question a frame where there are none.
//!
//! | part | it does |
//! |---|---|
//! | [`app`] | the shell: panels, keys, files that are dropped |
//! | [`session`] | what is open, what is selected, which answers have come |
//! | [`worker`] | questions to the engine, and their answers |
//! | [`player`], [`gl`] | the replay on OpenGL, and the stage's texture |
//! | [`link`] | what to open, as an address says it |
//! | [`picture`], [`theme`], `panels` | the view |

pub mod app;
pub mod gl;
mod icons;
pub mod link;
mod panels;
pub mod picture;
pub mod player;
pub mod session;
pub mod source;
pub mod theme;
#[cfg(target_arch = "wasm32")]
mod web;
pub mod worker;
