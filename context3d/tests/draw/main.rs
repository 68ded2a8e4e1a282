//! Packets for the backend: the state in draw packets, and the packets that precede draws.

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
