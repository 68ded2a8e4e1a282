//! Packets for the backend: the state in a draw's packet, and the packets before it.

#[path = "../common/mod.rs"]
mod common;
mod contexts;
mod failures;
mod frames;
mod host;
mod inputs;
mod lifetime;
mod mips;
mod pixels;
mod player;
mod programs;
mod state;
mod uploads;
mod video;
