//! What reaches the backend: the state in a draw's packet, and the packets before it.

mod common;

#[path = "draw/frames.rs"]
mod frames;
#[path = "draw/state.rs"]
mod state;
#[path = "draw/uploads.rs"]
mod uploads;
